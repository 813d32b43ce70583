package dev.belay.core.snapshot;

import java.util.Map;

/** The StatefulSet of a component, as the API server has it. */
public record Workload(
    String name,
    String uid,
    String resourceVersion,
    long generation,
    long observedGeneration,
    int replicas,
    int firstOrdinal,
    Update update,
    int partition,
    Order order,
    String currentRevision,
    String updateRevision,
    Map<String, String> images,
    String mainContainer,
    boolean deleting) {

  /**
   * The partition at which a set is frozen. With partition = replicas a scale-up would start new
   * members on the unverified revision; nobody has this many replicas.
   */
  public static final int FROZEN = Integer.MAX_VALUE;

  /** The set's own update strategy. */
  public enum Update {
    ROLLING_UPDATE,
    ON_DELETE
  }

  /** The set's pod management policy. */
  public enum Order {
    ORDERED_READY,
    PARALLEL
  }

  public Workload {
    images = Map.copyOf(images);
  }

  /** The same at another partition, moved on by that write. */
  public Workload at(int otherPartition, String current) {
    return new Workload(
        name,
        uid,
        resourceVersion + "+",
        generation,
        observedGeneration,
        replicas,
        firstOrdinal,
        update,
        otherPartition,
        order,
        current,
        updateRevision,
        images,
        mainContainer,
        deleting);
  }

  /** Whether the controller has seen the newest spec, so that its revisions can be believed. */
  public boolean observed() {
    return observedGeneration >= generation;
  }

  /** Whether a pod of this ordinal is wanted. */
  public boolean contains(int ordinal) {
    return index(ordinal) >= 0 && index(ordinal) < replicas;
  }

  /** The partition is an index: ordinal minus {@code ordinals.start}. */
  public int index(int ordinal) {
    return ordinal - firstOrdinal;
  }
}
