package dev.belay.core.report;

import dev.belay.core.decide.Asked;
import dev.belay.core.decide.Planner;
import dev.belay.core.decide.Removed;
import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Workload;
import dev.belay.core.rollout.ClosedNote;
import dev.belay.core.rollout.Forcing;
import dev.belay.core.rollout.Migrations;
import dev.belay.core.rollout.Pause;
import dev.belay.core.rollout.Unmoved;
import dev.belay.core.rules.Aim;
import dev.belay.core.rules.ClosedPath;
import dev.belay.core.rules.Course;
import dev.belay.core.rules.MigrationState;
import dev.belay.core.rules.UpdatedMembers;
import dev.belay.core.rules.UpgradeRules;
import dev.belay.core.rules.Versions;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Forced;
import dev.belay.core.state.Memory.Forced.State;
import dev.belay.core.state.Memory.Good;
import dev.belay.core.state.Memory.Handled;
import dev.belay.core.state.Memory.Observed;
import dev.belay.core.state.Memory.Owner;
import dev.belay.core.state.Memory.Target;
import dev.belay.core.state.Memory.Written;
import dev.belay.core.state.Objection;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.RecordedStep.StepData;
import dev.belay.core.state.Recording;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.core.state.Step.Request;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What Belay will know next time because of what it sees and decides now. */
record Remembering(Snapshot snapshot, Decision decision, Planner planner) {

  Memory memory() {
    Memory before = snapshot.memory();
    Map<String, ComponentMemory> components = components(before);
    Optional<RecordedStep> step = step(before, components);
    boolean another =
        step.isPresent() && !step.map(RecordedStep::id).equals(before.step().map(RecordedStep::id));
    return new Memory(
        owner(before),
        step,
        before.steps() + (another ? 1 : 0),
        components,
        Among.first(decision.objections()).map(o -> blocked(o, before)),
        handled(before.handled()),
        forced(before),
        new Chronicle(snapshot, decision).run(components, planner.awaited(snapshot)),
        new Chronicle(snapshot, decision).history(components));
  }

  private Optional<Owner> owner(Memory before) {
    if (decision instanceof Perform(Step.HandOver _)) {
      return before.owner().map(Owner::release);
    }
    if (!(decision instanceof Perform(Step.Claim _))) {
      return before.owner();
    }
    var self = snapshot.self();
    long epoch = before.owner().map(Owner::epoch).orElse(0L) + 1;
    return Optional.of(
        new Owner(self.install(), self.instance(), self.account(), epoch, self.lease(), false));
  }

  /** A step is written down before it is taken; the same step wanted again keeps its id. */
  private Optional<RecordedStep> step(Memory before, Map<String, ComponentMemory> components) {
    if (decision instanceof Decision.Done) {
      return Optional.empty();
    }
    if (asksAgain()) {
      return before.step().map(s -> s.attempts(0));
    }
    if (!(decision instanceof Perform(Step step))) {
      return before.step();
    }
    return Recording.of(step).map(data -> step(before, components, step, data)).or(before::step);
  }

  private RecordedStep step(
      Memory before, Map<String, ComponentMemory> components, Step step, StepData data) {
    Optional<RecordedStep> last = before.step().filter(s -> Recording.triesAgain(data, s.step()));
    boolean same = last.filter(s -> s.step().equals(data)).isPresent();
    String id =
        same
            ? last.get().id()
            : before.owner().map(Owner::epoch).orElse(0L) + "-" + (before.steps() + 1);
    // Each roll-out has its own tries to move leadership.
    Optional<Instant> begun =
        Optional.ofNullable(components.get(step.component()))
            .filter(_ -> step instanceof Step.TransferLeader)
            .flatMap(ComponentMemory::target)
            .map(Target::since);
    int tried =
        last.filter(s -> begun.filter(s.since()::isBefore).isEmpty())
            .map(RecordedStep::attempts)
            .orElse(0);
    return new RecordedStep(id, data, step.what(), snapshot.at(), tried + 1);
  }

  private boolean asksAgain() {
    return decision instanceof Perform(Step.Heed heed) && heed.request() == Request.RETRY;
  }

  private boolean asksAgainToGoBack(Course course) {
    return course.withdrawing()
        && decision instanceof Perform(Step.Heed heed)
        && heed.request() == Request.ROLLBACK;
  }

  private Handled handled(Handled before) {
    Agreeing agreeing = new Agreeing(snapshot, decision);
    return new Handled(
        agreeing.last(),
        heeded(Request.RETRY).orElse(before.retry()),
        heeded(Request.ROLLBACK).orElse(before.rollback()),
        heeded(Request.ABORT).orElse(before.abort()),
        heeded(Request.MIGRATION).orElse(before.migration()),
        agreeing.asked(),
        agreeing.agreed());
  }

  private Optional<String> heeded(Request request) {
    boolean leftOver =
        decision instanceof Perform(Step.Claim _) && snapshot.memory().owner().isEmpty();
    if (leftOver) {
      return Asked.token(snapshot.spec().requests(), request);
    }
    return decision instanceof Perform(Step.Heed heed) && heed.request() == request
        ? Optional.of(heed.token())
        : Optional.empty();
  }

  /**
   * Asked for once, it is spent with its roll-out. That Belay took the annotation away says nothing
   * of who owns it: put back, after however long, it is inert until somebody else took it away.
   */
  private Optional<Forced> forced(Memory before) {
    boolean asked = snapshot.spec().force().asked();
    Instant now = snapshot.at();
    if (decision instanceof Perform(Step.Force force)) {
      return before.forced().or(() -> Optional.of(new Forced(force.by(), now, State.ACTIVE)));
    }
    if (before.forced().isEmpty() && Forcing.decided(snapshot, decision)) {
      return Optional.of(new Forced(snapshot.spec().force().by(), now, State.ACTIVE));
    }
    if (decision instanceof Perform(Step.Unforce _)) {
      return before
          .forced()
          .map(f -> new Forced(f.by(), f.active() ? now : f.since(), State.SPENT));
    }
    return before
        .forced()
        .flatMap(f ->
            switch (f.state()) {
              case ACTIVE ->
                  aborted() || Forcing.retargeted(snapshot)
                      ? Optional.of(new Forced(f.by(), now, State.RETURNED))
                      : Optional.of(f).filter(_ -> asked);
              case SPENT ->
                  asked && f.since().plus(Forcing.REMOVAL).isBefore(now)
                      ? Optional.of(new Forced(f.by(), now, State.RETURNED))
                      : Optional.of(f);
              case RETURNED -> Optional.of(f).filter(_ -> asked);
            });
  }

  private boolean aborted() {
    return decision instanceof Perform(Step.Heed heed) && heed.request() == Request.ABORT;
  }

  private Memory.Blocked blocked(Objection objection, Memory before) {
    return before
        .blocked()
        .filter(objection::is)
        .orElseGet(
            () -> new Memory.Blocked(objection.reason().name(), objection.object(), snapshot.at()));
  }

  private Map<String, ComponentMemory> components(Memory before) {
    // Whoever is no longer named is no longer remembered, unless it owes something.
    var components = new HashMap<>(new Removed(snapshot).remembered(decision));
    for (Component component : snapshot.components()) {
      ComponentMemory known = before.component(component.name());
      components.put(
          component.name(),
          component.workload().asOptional().map(w -> component(component, w, known)).orElse(known));
    }
    return components;
  }

  private ComponentMemory component(Component component, Workload workload, ComponentMemory known) {
    boolean adopted =
        known.adopted()
            || (decision instanceof Perform(Step.Adopt adopt)
                && adopt.component().equals(component.name()));
    Optional<Target> target = adopted ? target(component, workload, known) : Optional.empty();
    Map<String, Instant> serving = servingSince(component, known);
    return new ComponentMemory(
        adopted,
        lastGood(component, workload, known, adopted, target),
        target,
        new Refusing(snapshot, decision, component, workload).refused(),
        target.isPresent() ? serving : Map.of(),
        target.isPresent() ? served(component, known, serving.keySet()) : Set.of(),
        written(component, workload, known),
        planner.policy(component).remember(snapshot, component),
        observed(component, target.isPresent()),
        new Owing(snapshot, decision, component)
            .obligations(
                target.isPresent()
                    || (snapshot.memory().run().isPresent()
                        && !(decision instanceof Decision.Done))),
        component.spec().workloadName());
  }

  private Observed observed(Component component, boolean rolling) {
    return new Observed(
        new ClosedPath(snapshot, component).ran(),
        new ClosedNote(snapshot, component).after(decision),
        new Pause(snapshot, component).after(decision),
        new Unmoved(snapshot, component).pods(rolling));
  }

  /** A roll-out starts when a pod is outdated and ends when the planner says done. */
  private Optional<Target> target(Component component, Workload workload, ComponentMemory known) {
    if (snapshot.subject().deleting() || !workload.observed()) {
      return known.target();
    }
    var course = new Course(snapshot, component);
    boolean inSight = component.podList().size() >= workload.replicas();
    if (decision instanceof Decision.Done || (inSight && withdrawn(course))) {
      return Optional.empty();
    }
    boolean back = course.withdrawing() && !asksAgain();
    boolean outdated =
        back
            ? !course.outdated().isEmpty()
            : Among.any(component.podList(), p -> !p.revision().equals(workload.updateRevision()));
    boolean sameTarget =
        known.target().filter(t -> t.revision().equals(workload.updateRevision())).isPresent();
    if (sameTarget || (!outdated && (back || known.target().isEmpty()))) {
      return known.target().map(t -> moved(t, course));
    }
    return Optional.of(
        Target.begun(
            workload.updateRevision(),
            Versions.ofTemplate(workload).asOptional().orElse(""),
            snapshot.at(),
            through(course)));
  }

  /** Everyone is back from a refused revision, and serves. */
  private boolean withdrawn(Course course) {
    // Another component may be spoken of: that says nothing of who is on its way here.
    return course.sentBack()
        && !UpdatedMembers.underWay(snapshot, course.component())
        && Among.first(decision.objections())
            .filter(o -> o.is(UpgradeRules.REVISION_IS_NOT_REFUSED))
            .isPresent();
  }

  /** Time in which a person was waited for does not count against the roll-out. */
  private Target moved(Target target, Course course) {
    boolean person =
        snapshot.spec().paused()
            || MigrationState.underWay(snapshot)
            || Migrations.soaks(decision)
            || Planner.waitsForOthers(decision)
            || new Turns(snapshot).before(course.component()).isPresent()
            || (decision instanceof Decision.Hold hold
                && Among.none(hold.objections(), o -> o.weight() == Objection.Weight.FAILURE));
    int through = through(course);
    if (asksAgain() || asksAgainToGoBack(course)) {
      Set<String> there =
          course.component().podList().stream().map(Pod::uid).collect(Collectors.toSet());
      return target.triedAgain(snapshot.at(), through, there);
    }
    // Written only when it matters: a clock that ticks in the status would never let it rest.
    boolean late =
        target
            .moved()
            .plus(course.component().spec().rollout().progressDeadline().dividedBy(4))
            .isBefore(snapshot.at());
    // While nobody looked, nothing could move.
    boolean succeeds = decision instanceof Perform(Step.Claim _);
    return succeeds || through != target.through() || (person && late)
        ? target.moved(snapshot.at(), through)
        : target;
  }

  private static int through(Course course) {
    return Among.count(course.arrived(), p -> serves(course.component(), p));
  }

  private Optional<Good> lastGood(
      Component component,
      Workload workload,
      ComponentMemory known,
      boolean adopted,
      Optional<Target> target) {
    boolean settled =
        adopted
            && target.isEmpty()
            && workload.observed()
            && component
                .pods()
                .asOptional()
                .filter(l -> !l.isEmpty() && l.size() == workload.replicas())
                .isPresent()
            && Among.all(
                component.podList(),
                p -> p.revision().equals(workload.updateRevision()) && serves(component, p));
    if (!settled) {
      return known.lastGood();
    }
    String version =
        Among.first(component.podList())
            .flatMap(p -> Versions.running(component, p).asOptional())
            .orElse("");
    // A version that cannot be read for a moment does not erase what was read before.
    boolean unreadable =
        version.isEmpty()
            && known
                .lastGood()
                .filter(g -> g.revision().equals(workload.updateRevision()))
                .isPresent();
    return unreadable
        ? known.lastGood()
        : Optional.of(new Good(workload.updateRevision(), version, workload.images()));
  }

  private Map<String, Instant> servingSince(Component component, ComponentMemory known) {
    var since = new HashMap<String, Instant>();
    for (Pod pod : new Course(snapshot, component).arrived()) {
      if (serves(component, pod)) {
        since.put(pod.uid(), known.servingSince().getOrDefault(pod.uid(), snapshot.at()));
      }
    }
    return since;
  }

  /** Who came up at a revision that is not known to be good: it does, and need not prove it. */
  private static Set<String> served(
      Component component, ComponentMemory known, Set<String> servingNow) {
    var served = new TreeSet<>(servingNow);
    Optional<String> good = known.lastGood().map(Good::revision);
    for (Pod pod : component.podList()) {
      boolean unproven = !good.equals(Optional.of(pod.revision()));
      if (known.served().contains(pod.uid()) || (unproven && serves(component, pod))) {
        served.add(pod.uid());
      }
    }
    return served;
  }

  private static boolean serves(Component component, Pod pod) {
    boolean memberless = component.topology().asOptional().filter(Topology::memberless).isPresent();
    return pod.ready()
        && !pod.terminating()
        && (memberless || component.memberOf(pod).asOptional().filter(Member::healthy).isPresent());
  }

  private Optional<Written> written(Component component, Workload workload, ComponentMemory known) {
    if (snapshot.spec().trigger() == Spec.Trigger.TEMPLATE) {
      return Optional.empty();
    }
    // Only what was seen in the template counts: a write that was refused changed nothing.
    return Aim.of(snapshot, component)
        .filter(a ->
            !a.differsFrom(workload)
                || (!asksAgain() && a.isRewritten(snapshot, component, workload)))
        .map(aim -> new Written(aim.version(), aim.images()))
        .or(() -> asksAgain() ? Optional.empty() : known.written());
  }
}
