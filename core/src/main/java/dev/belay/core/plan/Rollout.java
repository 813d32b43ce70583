package dev.belay.core.plan;

import static dev.belay.core.plan.Objection.Weight.FAILURE;
import static dev.belay.core.plan.Objection.Weight.HUMAN;
import static dev.belay.core.plan.Objection.Weight.PROGRESS;

import dev.belay.core.driver.Command;
import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.plan.Decision.Done;
import dev.belay.core.plan.Decision.Perform;
import dev.belay.core.plan.Decision.Wait;
import dev.belay.core.snapshot.Action.Moment;
import dev.belay.core.snapshot.Among;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Component.Guarding;
import dev.belay.core.snapshot.Fence;
import dev.belay.core.snapshot.Memory.Cause;
import dev.belay.core.snapshot.Memory.ComponentMemory;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Spec.Strategy;
import dev.belay.core.snapshot.Topology;
import dev.belay.core.snapshot.Version;
import dev.belay.core.snapshot.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** One component on its way to a revision: what is the same under every strategy. */
record Rollout(
    Snapshot snapshot,
    Component component,
    Workload workload,
    SystemPolicy policy,
    List<Rule> rules) {

  Course course() {
    return new Course(snapshot, component);
  }

  Obligations obligations() {
    return new Obligations(this);
  }

  /** Let the next member through in the way of the strategy, or say why not. */
  Decision roll() {
    return switch (strategy()) {
      case PARTITION -> new ByPartition(this).next();
      case ON_DELETE -> new ByEviction(this).next();
      case NATIVE -> new ByController(this).next();
    };
  }

  /** Takes back what was let through and may still strike. */
  Optional<Decision> secure(String why) {
    return switch (strategy()) {
      case PARTITION -> new ByPartition(this).retractReleased();
      case ON_DELETE -> Optional.empty();
      case NATIVE -> new ByController(this).stop(why);
    };
  }

  /** What is with its controller stops; the rest stands anyway. */
  Optional<Decision> standStill(String why) {
    return strategy() == Strategy.NATIVE ? new ByController(this).stop(why) : Optional.empty();
  }

  /** Whether the very revision its template has is refused. */
  boolean leadsToTheRefused() {
    return course()
        .refused()
        .filter(r -> r.revision().equals(workload.updateRevision()))
        .isPresent();
  }

  Strategy strategy() {
    return component.spec().rollout().strategy().orElseGet(workload::ownStrategy);
  }

  /** Write the template for a version, if nobody else writes it and the path is legal. */
  Decision setTemplate(Aim aim) {
    boolean written =
        memory()
            .written()
            .filter(w -> w.version().equals(aim.version()) && w.images().equals(aim.images()))
            .isPresent();
    var step = new Step.SetTemplate(component.name(), fence(workload), aim.version(), aim.images());
    if (written || aim.isRewritten(snapshot, component, workload)) {
      return Decision.because(List.of(ownedElsewhere(aim)));
    }
    Optional<Objection> closed =
        course().sentBack() && !isAbove(aim)
            ? new Floor(snapshot, component, policy).belowFloor()
            : Optional.empty();
    List<Objection> objections = Stream.concat(closed.stream(), objections(step).stream()).toList();
    return objections.isEmpty() ? new Perform(step) : Decision.because(objections);
  }

  private Objection ownedElsewhere(Aim aim) {
    List<String> others = aim.writersInstead(workload);
    String images = "the images Belay wrote for " + aim.version() + " to " + workload.images();
    return Reasons.TEMPLATE_OWNED_ELSEWHERE.objection(
        workload.name(),
        others.isEmpty()
            ? "somebody changed "
                + images
                + "; no field manager is named for it, as when an admission policy or webhook"
                + " rewrites what others write"
            : "the field manager " + String.join(", and ", others) + " changed " + images,
        "use trigger: Template where another tool writes the template, or stop that tool"
            + " and ask for another version, or for another try: belay retry "
            + snapshot.subject().name(),
        HUMAN);
  }

  /** Another version, higher than the last good one, is no way back. */
  private boolean isAbove(Aim aim) {
    Optional<Version> good = memory().lastGood().flatMap(g -> Version.parse(g.version()));
    return Version.parse(aim.version())
        .filter(wanted -> good.filter(g -> g.olderThan(wanted)).isPresent())
        .isPresent();
  }

  /** Nobody objects to taking this member down: what has to come before it comes first. */
  Decision prepared(Step step, Pod target) {
    return beforeComponent(target)
        .or(() -> closing(target))
        .or(() -> obligations().due(Moment.BEFORE_COMPONENT, Optional.empty()))
        .or(() -> policy.prepare(snapshot, component, target).map(c -> tell(c, false)))
        .or(() -> obligations().due(Moment.BEFORE_MEMBER, Optional.of(target)))
        .orElseGet(() -> new Perform(step));
  }

  Decision tell(Command command, boolean mends) {
    var fence = new Fence.MemberTerm(command.memberId(), command.term());
    var step = new Step.Tell(component.name(), fence, command, mends);
    List<Objection> objections = objections(step);
    return objections.isEmpty() ? new Perform(step) : Decision.because(objections);
  }

  /** Asked for another try, a member that is stuck since before that is made anew. */
  Optional<Decision> tryAgain() {
    Course course = course();
    return Among.first(course.arrived(), p -> course.isTriedAgain(p) && nobodyAboveIsOutdated(p))
        .map(p -> {
          // Below the partition it would come back on the old revision.
          Step step =
              workload.comesBackAt(p).equals(workload.updateRevision())
                  ? recreate(p, "tried again")
                  : new Step.Release(
                      component.name(), fence(workload), workload.index(p.ordinal()), p.name());
          List<Objection> objections = objections(step);
          return objections.isEmpty() ? new Perform(step) : Decision.because(objections);
        });
  }

  /** Only of an ordinal do those above it matter, and only where the partition decides. */
  private boolean nobodyAboveIsOutdated(Pod pod) {
    return strategy() != Strategy.PARTITION
        || Among.none(course().outdated(), p -> p.ordinal() > pod.ordinal());
  }

  boolean aborted() {
    return course().refused().filter(r -> r.cause() == Cause.ABORTED).isPresent();
  }

  /** Before the first member that Belay takes; one that is new by itself was not agreed to. */
  Optional<Decision> beforeComponent(Pod target) {
    String which = course().arrived().isEmpty() ? "first" : "next";
    return course().withdrawing() || course().goesBack()
        ? Optional.empty()
        : approval(
            Spec.Approval.BEFORE_COMPONENT,
            target,
            "component",
            "it is the " + which + " of its component");
  }

  Optional<Decision> closing(Pod target) {
    var floor = new Floor(snapshot, component, policy);
    return floor
        .closedBy(target)
        .or(floor::closedUnasked)
        .filter(_ -> !course().withdrawing())
        .flatMap(
            why -> approval(Spec.Approval.BEFORE_IRREVERSIBLE, target, Floor.IRREVERSIBLE, why));
  }

  /** Holds until a person agreed to exactly this. */
  Optional<Decision> approval(Spec.Approval asked, Pod target, String step, String why) {
    Approval approval = approval(snapshot, component, workload, step);
    boolean needed = snapshot.spec().upgrade().approval() == asked && !approval.given();
    return needed
        ? Optional.of(approval.hold(target.name(), "the next step needs approval: " + why, ""))
        : Optional.empty();
  }

  static Approval approval(Snapshot snapshot, Component component, Workload workload, String step) {
    String version = Versions.ofTemplate(workload).asOptional().orElse(workload.updateRevision());
    return new Approval(
        snapshot, version + "/" + component.name() + "/" + step, workload.updateRevision());
  }

  /** No pod is outdated: done when every member serves and the partition rests. */
  Decision finish() {
    if (memory().target().isPresent()) {
      Optional<Decision> again = tryAgain().or(() -> obligations().aroundMembers(Optional.empty()));
      if (again.isPresent()) {
        return again.get();
      }
      List<Objection> waiting =
          Stream.concat(new ByController(this).gaveUp().stream(), unfinished().stream()).toList();
      if (!waiting.isEmpty()) {
        return Decision.because(waiting);
      }
      Optional<Decision> after = obligations().afterComponent();
      if (after.isPresent()) {
        return after.get();
      }
    }
    Decision rest = rest();
    if (!(rest instanceof Done)) {
      return rest;
    }
    List<Objection> waiting = course().isUnproven() ? unserved() : List.of();
    if (waiting.isEmpty()) {
      waiting = mismatch().stream().toList();
    }
    return waiting.isEmpty() ? rest : Decision.because(waiting);
  }

  /** What is still missing where every pod has the newest revision. */
  List<Objection> unfinished() {
    var waiting = new ArrayList<Objection>();
    PodRules.complete(PodRules.EVERY_POD_EXISTS, component, workload, Optional.empty())
        .ifPresent(waiting::add);
    for (Pod pod : component.podList()) {
      UpdatedMembers.serving(snapshot, component, pod).ifPresent(waiting::add);
    }
    var checks = new CheckRules(snapshot, component);
    (course().sentBack() ? checks.afterMembers() : checks.afterComponent()).ifPresent(waiting::add);
    mismatch().ifPresent(waiting::add);
    // What failed is said first: with OrderedReady, a pod may be missing only for want of it.
    waiting.sort(Comparator.comparing(o -> o.weight() != FAILURE));
    return waiting;
  }

  /** The pods that are missing, and the members that do not serve. */
  private List<Objection> unserved() {
    var waiting = new ArrayList<Objection>();
    PodRules.complete(PodRules.EVERY_POD_EXISTS, component, workload, Optional.empty())
        .ifPresent(waiting::add);
    for (Pod pod : component.podList()) {
      if (!UpdatedMembers.isUp(component, pod)) {
        UpdatedMembers.serving(snapshot, component, pod).ifPresent(waiting::add);
      }
    }
    waiting.sort(Comparator.comparing(o -> o.weight() != FAILURE));
    return waiting;
  }

  private Optional<Objection> mismatch() {
    return new Mismatch(snapshot, component).objection();
  }

  private Decision rest() {
    boolean parked = component.guard().is(Guarding.PARKED);
    int resting = parked ? Workload.FROZEN : 0;
    if (workload.partition() == resting || component.guard().is(Guarding.ON_DELETE)) {
      return new Done();
    }
    Optional<Decision> paused = new Pause(snapshot, component).held();
    if (paused.isPresent()) {
      return paused.get();
    }
    if (!workload.currentRevision().equals(workload.updateRevision())) {
      // No pod in sight is outdated, but not all that will be are in sight.
      List<Objection> waiting = unfinished();
      if (!waiting.isEmpty()) {
        return Decision.because(waiting);
      }
      if (workload.replicas() == 0) {
        return new Done();
      }
      // Raised before the controller calls the roll-out complete, a lost pod would come back old.
      if (parked) {
        return new Wait(
            List.of(
                Reasons.WORKLOAD_IS_OBSERVED.objection(
                    workload.name(),
                    "its controller has not yet called the roll-out complete",
                    "wait for the StatefulSet controller",
                    PROGRESS)));
      }
    }
    return new Perform(new Step.Rest(component.name(), fence(workload), resting));
  }

  Step.RecreatePod recreate(Pod pod, String why) {
    return new Step.RecreatePod(component.name(), fence(pod), pod.name(), pod.uid(), why);
  }

  List<Objection> objections(Step step) {
    var objections = new ArrayList<Objection>();
    for (Rule rule : policy.rules()) {
      rule.objection(snapshot, component, step).ifPresent(objections::add);
    }
    for (Rule rule : rules) {
      rule.objection(snapshot, component, step).ifPresent(objections::add);
    }
    return objections;
  }

  ComponentMemory memory() {
    return snapshot.memory().component(component.name());
  }

  static Fence.ObjectVersion fence(Workload workload) {
    return new Fence.ObjectVersion(
        Fence.Kind.of(workload.kind()),
        workload.name(),
        workload.uid(),
        workload.resourceVersion());
  }

  static Fence.ObjectVersion fence(Pod pod) {
    return new Fence.ObjectVersion(Fence.Kind.POD, pod.name(), pod.uid(), pod.resourceVersion());
  }

  static Fence.LeaderTerm fence(Topology.Leader leader) {
    return new Fence.LeaderTerm(leader.memberId(), leader.term());
  }
}
