package dev.belay.operator.metrics;

import java.util.List;

/** Every metric there is; its name and labels are API, like a rule's name. */
public enum Family {
  REPLICAS(
      "belay_cluster_replicas",
      Kind.GAUGE,
      "Members that the component should have.",
      "namespace cluster component"),
  CURRENT_REPLICAS(
      "belay_cluster_current_replicas",
      Kind.GAUGE,
      "Members that still run another revision than the newest; 0 at rest.",
      "namespace cluster component"),
  UPDATED_REPLICAS(
      "belay_cluster_updated_replicas",
      Kind.GAUGE,
      "Members that run the newest revision.",
      "namespace cluster component"),
  READY_REPLICAS(
      "belay_cluster_ready_replicas",
      Kind.GAUGE,
      "Members whose pods are ready.",
      "namespace cluster component"),
  LAST_PARTITION_UPDATED(
      "belay_cluster_last_partition_updated_seconds",
      Kind.GAUGE,
      "When Belay last wrote the partition, in seconds since 1970, or when the roll-out under way"
          + " began, whichever is later; what MOCO calls by this name. Absent until there was a"
          + " roll-out.",
      "namespace cluster component"),
  LAST_MOVED(
      "belay_cluster_last_moved_seconds",
      Kind.GAUGE,
      "When the roll-out under way last moved, in seconds since 1970, by whatever strategy and in"
          + " either direction: it began, a member was let go or got through, a person was waited"
          + " for or asked for another try, an earlier component was at it. Absent at rest.",
      "namespace cluster component"),
  PHASE(
      "belay_cluster_phase",
      Kind.GAUGE,
      "1 for the phase the cluster is in, 0 for the others.",
      "namespace cluster phase"),
  BLOCKED(
      "belay_cluster_blocked_seconds",
      Kind.GAUGE,
      "How long the rule has stood in the way. Absent while nothing does.",
      "namespace cluster rule"),
  UPGRADE_DURATION(
      "belay_upgrade_duration_seconds",
      Kind.GAUGE,
      "How long the upgrade under way has taken, or else the last one took, as in status.history."
          + " part=waiting is the time in which a person was needed (Held, Paused, Failed),"
          + " part=working all other time.",
      "namespace cluster part"),
  UNMANAGED(
      "belay_cluster_unmanaged",
      Kind.GAUGE,
      "1 for a StatefulCluster that no running operator acts on: the selector of no install matches"
          + " its labels. Every install reports those of its namespaces.",
      "namespace cluster"),
  INSTALL(
      "belay_install_info",
      Kind.GAUGE,
      "Always 1; the install that this process belongs to, and the selector of its clusters.",
      "install selector"),
  STEPS(
      "belay_steps_total",
      Kind.COUNTER,
      "Steps by kind; outcome=accepted or refused.",
      "namespace cluster kind outcome"),
  LEADER_MOVES(
      "belay_leader_moves_total",
      Kind.COUNTER,
      "Leaders that handed over because they were asked to.",
      "namespace cluster"),
  TURN_FAILURES(
      "belay_turn_failures_total",
      Kind.COUNTER,
      "Turns that ended in trouble before anything was decided or written, such as an API server"
          + " that does not answer.",
      "namespace cluster");

  /** How a number behaves over time. */
  public enum Kind {
    GAUGE("gauge"),
    COUNTER("counter");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    @Override
    public String toString() {
      return word;
    }
  }

  private final String text;
  private final Kind kind;
  private final String help;
  private final String labels;

  Family(String text, Kind kind, String help, String labels) {
    this.text = text;
    this.kind = kind;
    this.help = help;
    this.labels = labels;
  }

  public String text() {
    return text;
  }

  public Kind kind() {
    return kind;
  }

  public String help() {
    return help;
  }

  public List<String> labels() {
    return List.of(labels.split(" "));
  }

  /** One number of this family. */
  Sample sample(double value, String... labelValues) {
    return new Sample(this, List.of(labelValues), value);
  }

  /** A number with the values of its family's labels, in their order. */
  record Sample(Family family, List<String> labelValues, double value) {
    Sample {
      if (labelValues.size() != family.labels().size()) {
        throw new IllegalArgumentException(family.text + " has the labels " + family.labels);
      }
    }
  }
}
