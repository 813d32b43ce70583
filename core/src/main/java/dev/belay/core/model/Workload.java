package dev.belay.core.model;

import java.util.Map;

/**
 * The StatefulSet or Deployment of a component, as the API server has it. A Deployment that is
 * paused is a set whose partition is frozen, and one that is not a set at 0: both roll when they
 * are let.
 *
 * @param stalled why the workload's own controller gave up on its roll-out; empty when it did not
 * @param writers which tool other than Belay wrote the image that each container has; absent where
 *     none is named
 */
public record Workload(
    Kind kind,
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
    boolean deleting,
    String stalled,
    Map<String, String> writers) {

  /**
   * The partition at which a set is frozen. With partition = replicas a scale-up would start new
   * members on the unverified revision; nobody has this many replicas.
   */
  public static final int FROZEN = Integer.MAX_VALUE;

  /** What kind of object it is. */
  public enum Kind {
    STATEFUL_SET("StatefulSet"),
    DEPLOYMENT("Deployment");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    @Override
    public String toString() {
      return word;
    }
  }

  /** The workload's own update strategy. */
  public enum Update {
    ROLLING_UPDATE,
    ON_DELETE,
    /** Of a Deployment: every pod goes before the first new one comes. */
    RECREATE
  }

  /** The set's pod management policy. */
  public enum Order {
    ORDERED_READY,
    PARALLEL
  }

  public Workload {
    images = Sorted.copyOf(images);
    writers = Sorted.copyOf(writers);
  }

  /** Of whose images no writer is named. */
  public Workload(
      Kind kind,
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
      boolean deleting,
      String stalled) {
    this(
        kind,
        name,
        uid,
        resourceVersion,
        generation,
        observedGeneration,
        replicas,
        firstOrdinal,
        update,
        partition,
        order,
        currentRevision,
        updateRevision,
        images,
        mainContainer,
        deleting,
        stalled,
        Map.of());
  }

  /** The same, and who wrote its images. */
  public Workload writtenBy(Map<String, String> others) {
    return new Workload(
        kind,
        name,
        uid,
        resourceVersion,
        generation,
        observedGeneration,
        replicas,
        firstOrdinal,
        update,
        partition,
        order,
        currentRevision,
        updateRevision,
        images,
        mainContainer,
        deleting,
        stalled,
        others);
  }

  /** A StatefulSet. */
  public Workload(
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
    this(
        Kind.STATEFUL_SET,
        name,
        uid,
        resourceVersion,
        generation,
        observedGeneration,
        replicas,
        firstOrdinal,
        update,
        partition,
        order,
        currentRevision,
        updateRevision,
        images,
        mainContainer,
        deleting,
        "");
  }

  /** The same at another partition, moved on by that write. */
  public Workload at(int otherPartition, String current) {
    return new Workload(
        kind,
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
        deleting,
        stalled,
        writers);
  }

  /** Whether the controller has seen the newest spec, so that its revisions can be believed. */
  public boolean observed() {
    return observedGeneration >= generation;
  }

  /** Whether a pod of this ordinal is wanted. */
  public boolean contains(int ordinal) {
    return kind == Kind.DEPLOYMENT || (index(ordinal) >= 0 && index(ordinal) < replicas);
  }

  /** Whether its controller replaces no pod by itself. */
  public boolean frozen() {
    return partition == FROZEN;
  }

  /** The strategy that its own update strategy stands for. */
  public Spec.Strategy ownStrategy() {
    if (kind == Kind.DEPLOYMENT) {
      return Spec.Strategy.NATIVE;
    }
    return update == Update.ON_DELETE ? Spec.Strategy.ON_DELETE : Spec.Strategy.PARTITION;
  }

  /**
   * The revision at which a pod that goes away now comes back. Under RollingUpdate the partition
   * decides, under OnDelete it is always the newest.
   */
  public String comesBackAt(Pod pod) {
    boolean old =
        kind == Kind.STATEFUL_SET
            && update == Update.ROLLING_UPDATE
            && index(pod.ordinal()) < partition;
    return old ? currentRevision : updateRevision;
  }

  /** Whether pods that go away while it is frozen come back at what its roll-out started from. */
  public boolean canTakeBack() {
    return kind == Kind.STATEFUL_SET
        && update == Update.ROLLING_UPDATE
        && !currentRevision.equals(updateRevision);
  }

  /** The partition is an index: ordinal minus {@code ordinals.start}. */
  public int index(int ordinal) {
    return ordinal - firstOrdinal;
  }
}
