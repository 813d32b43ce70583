package dev.belay.core.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One pod of a set.
 *
 * @param leaving why its node is about to lose it, if it is
 * @param held whether a person asked that it be left alone
 */
public record Pod(
    String name,
    String uid,
    String resourceVersion,
    int ordinal,
    String revision,
    Readiness readiness,
    boolean terminating,
    Optional<Trouble> trouble,
    Instant created,
    Map<String, String> images,
    List<String> hosts,
    Fact<Optional<String>> leaving,
    boolean held) {

  /** How far a pod is: available means ready for at least the set's minReadySeconds. */
  public enum Readiness {
    UNREADY,
    READY,
    AVAILABLE
  }

  /**
   * Why a pod cannot come up, in Kubernetes' own word, with its message.
   *
   * @param stopped whether the container that is the member does not run; a sidecar's trouble says
   *     nothing of that
   * @param ran whether that container ever ran in this pod, and may have touched its data
   */
  public record Trouble(String reason, String message, boolean stopped, boolean ran) {

    public Trouble(String reason, String message) {
      this(reason, message, true, false);
    }
  }

  public Pod {
    images = Sorted.copyOf(images);
    hosts = List.copyOf(hosts);
  }

  public boolean ready() {
    return readiness != Readiness.UNREADY;
  }

  /** Not serving, by Kubernetes' own account of why: replacing it takes nothing away. */
  public boolean stuck() {
    return !ready() && trouble.isPresent();
  }

  /**
   * Kubernetes itself says that nothing of it ever ran; anything else may have touched its data.
   */
  public boolean neverStarted() {
    return trouble.filter(t -> !t.ran() && NEVER_STARTED.contains(t.reason())).isPresent();
  }

  private static final Set<String> NEVER_STARTED =
      Set.of(
          "Unschedulable",
          "ErrImagePull",
          "ImagePullBackOff",
          "InvalidImageName",
          "CreateContainerConfigError");

  public boolean available() {
    return readiness == Readiness.AVAILABLE;
  }

  /** The pod that takes its place. */
  public Pod anew(Map<String, String> otherImages) {
    return new Pod(
        name,
        uid + "+",
        resourceVersion,
        ordinal,
        revision,
        readiness,
        terminating,
        trouble,
        created,
        otherImages,
        hosts,
        leaving,
        held);
  }
}
