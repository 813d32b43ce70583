package dev.belay.core.state;

import dev.belay.core.model.Action;
import dev.belay.core.model.Among;
import dev.belay.core.model.Ledger;
import dev.belay.core.model.Sorted;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Version;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What Belay wrote down earlier in the status; nothing is remembered anywhere else. */
public record Memory(
    Optional<Owner> owner,
    Optional<RecordedStep> step,
    long steps,
    Map<String, ComponentMemory> components,
    Optional<Blocked> blocked,
    Handled handled,
    Optional<Forced> forced,
    Optional<Run> run,
    List<Past> history) {

  public static final Memory EMPTY =
      new Memory(
          Optional.empty(),
          Optional.empty(),
          0,
          Map.of(),
          Optional.empty(),
          Handled.NONE,
          Optional.empty(),
          Optional.empty(),
          List.of());

  /**
   * The operator that acts on the cluster. It changes only by compare-and-swap, and then the epoch
   * rises.
   *
   * @param lease of the install, NAMESPACE/NAME: it is renewed while a process of the install runs
   * @param released whether the owner has stopped for good, so that another install may claim
   */
  public record Owner(
      String install, String instance, String account, long epoch, String lease, boolean released) {

    public Owner release() {
      return new Owner(install, instance, account, epoch, lease, true);
    }
  }

  /** What first stood in the way, and since when. */
  public record Blocked(String rule, String object, Instant since) {}

  /**
   * The tokens of the requests that were handled; empty where none was.
   *
   * @param approve the approval that counted last
   * @param asked what a person was last asked to agree to, and has not yet
   * @param agreed what a person agreed to in the roll-out under way
   */
  public record Handled(
      String approve,
      String retry,
      String rollback,
      String abort,
      String migration,
      Optional<Consent> asked,
      List<Consent> agreed) {

    public static final Handled NONE = new Handled("", "", "", "");

    public Handled {
      agreed = List.copyOf(agreed);
    }

    /** Where nobody decided on a migration, and nothing is to be agreed to. */
    public Handled(String approve, String retry, String rollback, String abort) {
      this(approve, retry, rollback, abort, "", Optional.empty(), List.of());
    }
  }

  /**
   * What a person is asked to agree to, or agreed to.
   *
   * @param revision that the roll-out leads to in which it counts
   */
  public record Consent(String token, String revision) {}

  /**
   * A roll-out without gates.
   *
   * @param since when it got to this state
   */
  public record Forced(String by, Instant since, State state) {

    /** How far it is. */
    public enum State {
      ACTIVE,
      /** It had its one roll-out, and Belay takes the annotation away. */
      SPENT,
      /** Left in place, or put back by somebody: it means nothing until somebody takes it away. */
      RETURNED
    }

    public boolean active() {
      return state == State.ACTIVE;
    }
  }

  /**
   * The upgrade under way.
   *
   * @param waited how long a person was waited for, up to {@code waitingSince}
   * @param approvedBy who approved something in it last; empty when nobody did
   * @param outcome what would be said of it if another target took its place now
   * @param next what is asked for and waits until it is through; empty when nothing does
   * @param left what a person left as it is, and who
   */
  public record Run(
      String from,
      String to,
      Instant since,
      Duration waited,
      Optional<Instant> waitingSince,
      String approvedBy,
      String forcedBy,
      boolean begun,
      Outcome outcome,
      String next,
      List<String> left) {

    public Run {
      left = List.copyOf(left);
    }

    /** One in which nothing went wrong. */
    public Run(
        String from,
        String to,
        Instant since,
        Duration waited,
        Optional<Instant> waitingSince,
        String approvedBy,
        String forcedBy,
        boolean begun) {
      this(
          from,
          to,
          since,
          waited,
          waitingSince,
          approvedBy,
          forcedBy,
          begun,
          Outcome.COMPLETED,
          "",
          List.of());
    }
  }

  /**
   * An upgrade that is over.
   *
   * @param left what a person left as it is, and who
   */
  public record Past(
      String from,
      String to,
      Instant since,
      Instant until,
      Duration waited,
      Outcome outcome,
      String approvedBy,
      String forcedBy,
      List<String> left) {

    public Past {
      left = List.copyOf(left);
    }
  }

  /** How an upgrade ended. */
  public enum Outcome {
    COMPLETED,
    ROLLED_BACK,
    /** It failed, and its template was taken back or replaced. */
    FAILED,
    /** It was aborted, and its template was taken back or replaced. */
    ABORTED,
    /** Its template was taken back midway, and nothing was wrong with it. */
    REVERTED,
    /** Another target took its place. */
    SUPERSEDED
  }

  /**
   * What is remembered of one component.
   *
   * @param adopted whether Belay has taken it over
   * @param lastGood the last version and revision at which it was settled
   * @param target the roll-out under way
   * @param refused the revision that is not tried again unasked
   * @param servingSince when each member at the wanted revision (by uid) was first seen serving
   * @param served the members at the wanted revision (by uid) that have served at least once
   * @param written the images Belay wrote for which version
   * @param notes what the driver wants remembered
   * @param observed what was observed once and cannot be read again
   * @param obligations what was done for the upgrade, and what of it is still to be taken back
   * @param workload of which workload all this is; empty where an older Belay wrote it
   */
  public record ComponentMemory(
      boolean adopted,
      Optional<Good> lastGood,
      Optional<Target> target,
      Optional<Refused> refused,
      Map<String, Instant> servingSince,
      Set<String> served,
      Optional<Written> written,
      List<Note> notes,
      Observed observed,
      List<Obligation> obligations,
      String workload) {

    public static final ComponentMemory EMPTY =
        new ComponentMemory(
            false,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Map.of(),
            Set.of(),
            Optional.empty(),
            List.of(),
            Observed.NOTHING,
            List.of(),
            "");

    public ComponentMemory {
      servingSince = Map.copyOf(servingSince);
      served = Set.copyOf(served);
      notes = List.copyOf(notes);
      obligations = List.copyOf(obligations);
    }

    /** The same with other obligations. */
    public ComponentMemory owing(List<Obligation> others) {
      return new ComponentMemory(
          adopted,
          lastGood,
          target,
          refused,
          servingSince,
          served,
          written,
          notes,
          observed,
          others,
          workload);
    }

    /** Whether this was remembered of the workload that the component names now. */
    public boolean isOf(Spec.ComponentSpec spec) {
      return workload.isEmpty() || workload.equals(spec.workloadName());
    }
  }

  /**
   * What was observed of a component once and cannot be read again.
   *
   * @param ran the furthest version that has run behind a path without return
   * @param closed the irreversible migration that was begun in the rollout under way
   * @param pause whether a Deployment was last seen running, or paused by a person
   * @param unmoved the pods, by uid, that were not replaced yet in the rollout under way
   */
  public record Observed(
      Optional<Ran> ran,
      Optional<Ledger.Closed> closed,
      Optional<Pause> pause,
      Set<String> unmoved) {

    public static final Observed NOTHING =
        new Observed(Optional.empty(), Optional.empty(), Optional.empty(), Set.of());

    public Observed {
      unmoved = Set.copyOf(unmoved);
    }
  }

  /**
   * A version that has run.
   *
   * @param doubted the pod, by uid, of which it is not known whether it ever started; empty where
   *     it is known that one did
   */
  public record Ran(Version version, String doubted) {

    public boolean inDoubt() {
      return !doubted.isEmpty();
    }
  }

  /** Where a Deployment was seen to run, or by whom it was paused. */
  public sealed interface Pause {

    /** It ran at this generation with this template. */
    record Free(String revision, long generation) implements Pause {}

    /** A person paused it at this generation. */
    record ByPerson(long generation) implements Pause {}
  }

  /**
   * A settled state.
   *
   * @param images of its template, by container
   */
  public record Good(String revision, String version, Map<String, String> images) {
    public Good {
      images = Sorted.copyOf(images);
    }

    public Good(String revision, String version) {
      this(revision, version, Map.of());
    }
  }

  /**
   * Something done around the upgrade, in the record before it is done.
   *
   * @param id equal for the same action on the same member in the same roll-out
   * @param object the pod or workload it is about
   * @param uid of that pod; empty where it is no pod
   * @param undo what takes it back, in words; empty when nothing has to
   * @param since when the upgrade, or another try of it, was asked for in which it was begun
   */
  public record Obligation(
      String id,
      Action.Moment moment,
      String object,
      String uid,
      String what,
      String undo,
      Progress progress,
      Instant since) {

    /** How far it is. */
    public enum Progress {
      BEGUN,
      DONE,
      FAILED,
      UNDOING
    }

    /** With nothing left to take back. */
    public Obligation settled() {
      return new Obligation(id, moment, object, uid, what, "", progress, since);
    }

    public Obligation at(Progress other) {
      return new Obligation(id, moment, object, uid, what, undo, other, since);
    }

    /** Whether something is still to be taken back. */
    public boolean open() {
      return !undo.isEmpty();
    }

    /** Which request it is, and when it is sent: the same for every member. */
    public String request() {
      return id.substring(0, Math.max(0, id.indexOf('/')));
    }

    /** Whether one and the same request takes both back. */
    public boolean sharesUndo(Obligation other) {
      return open() && object.equals(other.object) && undo.equals(other.undo);
    }
  }

  /**
   * A roll-out under way.
   *
   * @param tried when it was begun, or when a person last asked for another try
   * @param moved when the number of members that are through last changed
   * @param through how many members were through then
   * @param before the uids of the pods that were there when a person last asked for another try.
   *     Not told by their age: pods are dated by another clock than ours
   */
  public record Target(
      String revision,
      String version,
      Instant since,
      Instant tried,
      Instant moved,
      int through,
      Set<String> before) {

    public Target {
      before = Set.copyOf(before);
    }

    /** A roll-out that begins. */
    public static Target begun(String revision, String version, Instant at, int through) {
      return new Target(revision, version, at, at, at, through, Set.of());
    }

    public Target triedAgain(Instant at, int nowThrough, Set<String> there) {
      return new Target(revision, version, since, at, at, nowThrough, there);
    }

    public Target moved(Instant at, int nowThrough) {
      return new Target(revision, version, since, tried, at, nowThrough, before);
    }
  }

  /**
   * A revision that is not tried again until the target changes or a person asks for it.
   *
   * @param object what it failed on; empty when nothing failed
   */
  public record Refused(
      String revision,
      String version,
      Cause cause,
      String object,
      String reason,
      Instant since,
      boolean withdrawing) {

    public Refused withdraw(boolean withdraw) {
      return new Refused(revision, version, cause, object, reason, since, withdraw);
    }
  }

  /** Why a revision is refused. */
  public enum Cause {
    FAILED,
    ROLLED_BACK,
    ABORTED
  }

  /** The template write that a version asked for. */
  public record Written(String version, Map<String, String> images) {

    public Written {
      images = Sorted.copyOf(images);
    }
  }

  public Memory {
    components = Sorted.copyOf(components);
    history = List.copyOf(history);
  }

  /** The same with another recorded step. */
  public Memory withStep(Optional<RecordedStep> other) {
    return new Memory(owner, other, steps, components, blocked, handled, forced, run, history);
  }

  /**
   * What is remembered of the workloads that are named now. Under the same component another
   * workload is a stranger: it was never taken over.
   */
  public Memory of(Spec spec) {
    List<Spec.ComponentSpec> strangers =
        Among.those(spec.components(), c -> !component(c.name()).isOf(c));
    if (strangers.isEmpty()) {
      return this;
    }
    var known = new HashMap<>(components);
    strangers.forEach(c -> known.remove(c.name()));
    return new Memory(owner, step, steps, known, blocked, handled, forced, run, history);
  }

  public ComponentMemory component(String name) {
    return components.getOrDefault(name, ComponentMemory.EMPTY);
  }
}
