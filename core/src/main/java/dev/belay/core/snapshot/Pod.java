package dev.belay.core.snapshot;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One pod of a set. */
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
    Fact<Optional<String>> leaving) {

  /** How far a pod is: available means ready for at least the set's minReadySeconds. */
  public enum Readiness {
    UNREADY,
    READY,
    AVAILABLE
  }

  /** Why a pod cannot come up, in Kubernetes' own word, with its message. */
  public record Trouble(String reason, String message) {}

  public Pod {
    images = Map.copyOf(images);
    hosts = List.copyOf(hosts);
  }

  public boolean ready() {
    return readiness != Readiness.UNREADY;
  }

  /** Not serving, by Kubernetes' own account of why: replacing it takes nothing away. */
  public boolean stuck() {
    return !ready() && trouble.isPresent();
  }

  public boolean available() {
    return readiness == Readiness.AVAILABLE;
  }
}
