package dev.belay.core.state;

import dev.belay.core.model.Action;
import dev.belay.core.model.Ledger;
import dev.belay.core.model.Sorted;
import dev.belay.core.model.Spec.MigrationRequest;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Memory.Obligation;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One idempotent effect, fenced on what was observed when it was decided. */
public sealed interface Step {

  /** The component it belongs to. */
  String component();

  /** What is done, in words that make sense in a status. */
  String what();

  /** The object it is done to. */
  String object();

  /** The state of the object at which the effect is still wanted. */
  Fence fence();

  /** The pod that goes down because of it. */
  default Optional<String> takesDown() {
    return Optional.empty();
  }

  /** Steps after which a member may go down; they are confirmed by a second, live look. */
  sealed interface Disruptive extends Step {
    /** Whether the second look came to the same step as the first. */
    default boolean confirms(Disruptive first) {
      return equals(first);
    }
  }

  /** Steps that set the partition of the set. */
  sealed interface PartitionWrite extends Step {
    int partition();

    @Override
    Fence.ObjectVersion fence();

    @Override
    default String object() {
      return fence().name();
    }
  }

  /** Steps that exist only in the record: writing them down is all there is to do. */
  sealed interface Recorded extends Step {}

  /**
   * Take ownership of the StatefulCluster for this operator.
   *
   * @param leftOver what was asked for before anybody looked at it: not carried out
   */
  record Claim(String component, Fence.Cluster fence, List<String> leftOver) implements Recorded {
    public Claim {
      leftOver = List.copyOf(leftOver);
    }

    @Override
    public String what() {
      return "take ownership"
          + (leftOver.isEmpty()
              ? ""
              : "; left over from before, and not carried out: " + String.join(", ", leftOver));
    }

    @Override
    public String object() {
      return fence.name();
    }
  }

  /** Leave the StatefulCluster to the install that selects it now. Marks and records stay. */
  record HandOver(String component, Fence.Cluster fence) implements Recorded {
    @Override
    public String what() {
      return "release ownership";
    }

    @Override
    public String object() {
      return fence.name();
    }
  }

  /** Take over a component; restarts nothing. */
  record Adopt(String component, Fence.ObjectVersion fence) implements Recorded {
    @Override
    public String what() {
      return "adopt";
    }

    @Override
    public String object() {
      return fence.name();
    }
  }

  /** What a person can ask for once. */
  enum Request {
    RETRY("retry"),
    ROLLBACK("rollback"),
    ABORT("abort"),
    MIGRATION("decide on a migration");

    private final String word;

    Request(String word) {
      this.word = word;
    }

    @Override
    public String toString() {
      return word;
    }
  }

  /** Do what a person asked for: what follows from it is decided on the next look. */
  record Heed(String component, Fence.Cluster fence, Request request, String token)
      implements Recorded {
    @Override
    public String what() {
      return "heed the request to " + request + " (" + token + ")";
    }

    @Override
    public String object() {
      return fence.name();
    }
  }

  /** The new revision failed and the way back is open: withdraw it. */
  record TurnBack(String component, Fence.ObjectVersion fence) implements Recorded {
    @Override
    public String what() {
      return "turn back";
    }

    @Override
    public String object() {
      return fence.name();
    }
  }

  /** Stop every further replacement: a template change got past the guard, or none holds. */
  record Freeze(String component, Fence.ObjectVersion fence, String why) implements PartitionWrite {
    @Override
    public int partition() {
      return Workload.FROZEN;
    }

    @Override
    public String what() {
      return "freeze: " + why;
    }
  }

  /** Write the images of the wanted version, frozen in the same write. */
  record SetTemplate(
      String component, Fence.ObjectVersion fence, String version, Map<String, String> images)
      implements Step {
    public SetTemplate {
      images = Sorted.copyOf(images);
    }

    @Override
    public String what() {
      return "set template to " + version;
    }

    @Override
    public String object() {
      return fence.name();
    }
  }

  /** Move leadership to another member before its holder is touched. */
  record TransferLeader(
      String component, Fence.LeaderTerm fence, String fromId, String from, String toId, String to)
      implements Disruptive {
    @Override
    public String what() {
      return "move leadership from " + from + " to " + to;
    }

    @Override
    public String object() {
      return from;
    }
  }

  /** Lower the partition by one so that the controller replaces one more member. */
  record Release(String component, Fence.ObjectVersion fence, int partition, String pod)
      implements Disruptive, PartitionWrite {
    /** A set writes its status whenever a pod gets ready: its newer state is the better fence. */
    @Override
    public boolean confirms(Disruptive first) {
      return first instanceof Release release
          && equals(new Release(release.component, fence, release.partition, release.pod));
    }

    @Override
    public Optional<String> takesDown() {
      return Optional.of(pod);
    }

    @Override
    public String what() {
      return "release " + pod;
    }

    @Override
    public String object() {
      return pod;
    }
  }

  /** Take back a release that has not struck yet. */
  record Retract(String component, Fence.ObjectVersion fence, int partition, String pod)
      implements PartitionWrite {
    @Override
    public String what() {
      return "retract the release of " + pod;
    }
  }

  /** Delete a pod so that its controller makes it anew, at the revision its index stands for. */
  record RecreatePod(
      String component, Fence.ObjectVersion fence, String pod, String uid, String why)
      implements Disruptive {
    @Override
    public Optional<String> takesDown() {
      return Optional.of(pod);
    }

    @Override
    public String what() {
      return "recreate " + pod + ": " + why;
    }

    @Override
    public String object() {
      return pod;
    }
  }

  /** Ask for the removal of a pod that serves, within the budgets of others; it comes back new. */
  record Evict(String component, Fence.ObjectVersion fence, String pod, String uid)
      implements Disruptive {
    @Override
    public Optional<String> takesDown() {
      return Optional.of(pod);
    }

    @Override
    public String what() {
      return "evict " + pod;
    }

    @Override
    public String object() {
      return pod;
    }
  }

  /** Let the workload's own controller roll it, in its own way. */
  record LetRoll(String component, Fence.ObjectVersion fence)
      implements Disruptive, PartitionWrite {
    @Override
    public int partition() {
      return 0;
    }

    @Override
    public String what() {
      return "let the controller roll " + fence.name();
    }
  }

  /** Send what a user wants done around the upgrade; the obligation is in the same record. */
  record Act(String component, Fence.Request fence, Action action, Obligation obligation)
      implements Disruptive {
    @Override
    public String what() {
      return action.what() + " for " + obligation.object();
    }

    @Override
    public String object() {
      return obligation.object();
    }
  }

  /** Send what takes an action back. */
  record Undo(String component, Fence.Request fence, Obligation obligation) implements Step {
    @Override
    public String what() {
      return obligation.undo() + " for " + obligation.object();
    }

    @Override
    public String object() {
      return obligation.object();
    }
  }

  /** Leave what cannot be taken back as it is, because a person said so. */
  record GiveUp(String component, Fence.Request fence, Obligation obligation, String by)
      implements Recorded {
    @Override
    public String what() {
      return "give up " + obligation.undo() + " for " + obligation.object() + ", approved" + who();
    }

    /** As the history says it. */
    public String left() {
      return obligation.undo() + " for " + obligation.object() + ", given up" + who();
    }

    private String who() {
      return " by " + (by.isEmpty() ? "unknown" : by);
    }

    @Override
    public String object() {
      return obligation.object();
    }
  }

  /**
   * Tell the system one thing in its own words.
   *
   * @param mends whether it makes the system whole again, rather than preparing for a disruption
   */
  record Tell(String component, Fence.MemberTerm fence, Command command, boolean mends)
      implements Disruptive {
    @Override
    public String what() {
      return command.what();
    }

    @Override
    public String object() {
      return command.object();
    }
  }

  /**
   * Carry out one operation of the database's queue. What keeps it from running twice is in the
   * database; this record keeps members from being touched meanwhile.
   *
   * @param versions the migrations that may be put into the queue for it
   */
  record Migrate(
      String component, Fence.Migration fence, Ledger.Operation operation, List<String> versions)
      implements Disruptive {
    public Migrate {
      versions = List.copyOf(versions);
    }

    @Override
    public String what() {
      return "migrate "
          + operation.key()
          + (operation.description().isEmpty() ? "" : ": " + operation.description())
          + operation.phase().map(p -> " (" + p + ")").orElse("");
    }

    @Override
    public String object() {
      return "migration " + operation.key();
    }
  }

  /** Tell the database what a person decided about an operation that failed. */
  record Settle(
      String component,
      Fence.Verdict fence,
      Ledger.Operation operation,
      MigrationRequest request,
      String by)
      implements Step {

    @Override
    public String what() {
      return request.verdict() + ": " + operation.title() + " (" + request.token() + ")";
    }

    @Override
    public String object() {
      return "migration " + operation.key();
    }
  }

  /** Every member is at the target: bring the partition to where it rests. */
  record Rest(String component, Fence.ObjectVersion fence, int partition)
      implements PartitionWrite {
    @Override
    public String what() {
      return partition == Workload.FROZEN ? "park the set" : "bring the partition to rest";
    }
  }

  /**
   * Let every member through at once, because a person said so.
   *
   * @param partition 0, or just above the highest member that a person holds
   */
  record Force(String component, Fence.ObjectVersion fence, int partition, String by)
      implements Disruptive, PartitionWrite {
    @Override
    public String what() {
      return "force"
          + (partition == 0 ? "" : " down to partition " + partition)
          + (by.isEmpty() ? "" : ", asked for by " + by);
    }
  }

  /** Take the word away that forced a roll-out: it was for one. */
  record Unforce(String component, Fence.Cluster fence) implements Step {
    @Override
    public String what() {
      return "remove the force annotation";
    }

    @Override
    public String object() {
      return fence.name();
    }
  }

  /** Make a recorded step harmless by moving the object it was fenced on. */
  record Revoke(String component, Fence.ObjectVersion fence, String stepId, String revoked)
      implements Step {
    @Override
    public String what() {
      return "revoke " + stepId + " (" + revoked + ")";
    }

    @Override
    public String object() {
      return fence.name();
    }
  }
}
