package dev.belay.core.state;

import dev.belay.core.model.Pod;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Workload;

/** The state of an object for which a step was decided: while it lasts, the step can be sent. */
public sealed interface Fence {

  /** The name of the object: of a Kubernetes object, a member, a migration. */
  String name();

  static ObjectVersion of(Workload workload) {
    return new ObjectVersion(
        Kind.of(workload.kind()), workload.name(), workload.uid(), workload.resourceVersion());
  }

  static ObjectVersion of(Pod pod) {
    return new ObjectVersion(Kind.POD, pod.name(), pod.uid(), pod.resourceVersion());
  }

  static LeaderTerm of(Topology.Leader leader) {
    return new LeaderTerm(leader.memberId(), leader.term());
  }

  /** A Kubernetes object at one version. The API server refuses a write for any other. */
  record ObjectVersion(Kind kind, String name, String uid, String resourceVersion)
      implements Fence {}

  /** The kinds of objects whose version fences a step. */
  enum Kind {
    STATEFUL_SET("StatefulSet"),
    DEPLOYMENT("Deployment"),
    POD("Pod");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    public static Kind of(Workload.Kind workload) {
      return switch (workload) {
        case STATEFUL_SET -> STATEFUL_SET;
        case DEPLOYMENT -> DEPLOYMENT;
      };
    }

    /** As Kubernetes spells it. */
    @Override
    public String toString() {
      return text;
    }
  }

  /** A member that leads in one term. */
  record LeaderTerm(String name, String term) implements Fence {}

  /** A member in the state that its driver compares again right before it sends a command. */
  record MemberTerm(String name, String term) implements Fence {}

  /**
   * A request to the user's own service. A member cannot refuse one that comes late.
   *
   * @param name the pod or workload it is about
   * @param id of the obligation
   * @param undo whether it takes the action back
   */
  record Request(String name, String id, boolean undo) implements Fence {}

  /** A migration before one attempt to carry it out. */
  record Migration(String name, int attempt) implements Fence {}

  /** A failed migration before a person's decision about one attempt. */
  record Verdict(String name, int attempt) implements Fence {}

  /** The StatefulCluster itself. */
  record Cluster(String name) implements Fence {}
}
