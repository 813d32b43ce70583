package dev.belay.sim;

import dev.belay.core.model.Component;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.report.Phase;
import dev.belay.core.report.Report;
import dev.belay.core.rules.Course;
import dev.belay.core.rules.UpdatedMembers;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.Cause;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Consent;
import dev.belay.core.state.Memory.Handled;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Objection.Weight;
import dev.belay.core.state.Reason;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.sim.operator.Seams;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** What a planted bug forgets of what people asked for, and of what was written down. */
final class Lapses {

  private static final String DEAD = "dead ";

  private static final Set<Phase> NOBODY_GOES_ON =
      EnumSet.of(Phase.HELD, Phase.FAILED, Phase.PAUSED);

  private Lapses() {}

  /** A recorded step counts as dead: nothing is revoked before the next. */
  static Seams nothingIsRevoked() {
    return Seams.NONE
        .withObserver((world, observer) ->
            () -> {
              Snapshot s = observer.observe();
              return s.remembering(fenced(s.memory(), Lapses::dead));
            })
        .withRecorder((world, recorder) ->
            (basis, report) ->
                recorder.record(
                    basis, remembering(report, fenced(report.memory(), Lapses::alive))));
  }

  private static Fence dead(Fence fence) {
    return named(fence, DEAD + fence.name());
  }

  private static Fence alive(Fence fence) {
    return named(fence, fence.name().replace(DEAD, ""));
  }

  private static Fence named(Fence fence, String name) {
    return switch (fence) {
      case Fence.ObjectVersion f ->
          new Fence.ObjectVersion(f.kind(), name, f.uid(), f.resourceVersion());
      case Fence.LeaderTerm f -> new Fence.LeaderTerm(name, f.term());
      case Fence.MemberTerm f -> new Fence.MemberTerm(name, f.term());
      // The id tells whether it is still owed.
      case Fence.Request f ->
          new Fence.Request(
              name, name.startsWith(DEAD) ? DEAD + f.id() : f.id().replace(DEAD, ""), f.undo());
      case Fence.Migration f -> new Fence.Migration(name, f.attempt());
      case Fence.Verdict f -> new Fence.Verdict(name, f.attempt());
      case Fence.Cluster _ -> new Fence.Cluster(name);
    };
  }

  private static Memory fenced(Memory m, UnaryOperator<Fence> change) {
    Optional<RecordedStep> step = m.step().map(s -> s.withFence(change.apply(s.fence())));
    return new Memory(
        m.owner(),
        step,
        m.steps(),
        m.components(),
        m.blocked(),
        m.handled(),
        m.forced(),
        m.run(),
        m.history());
  }

  /** Whatever could be asked for counts as agreed to. */
  static Snapshot everythingAgreed(Snapshot s) {
    List<Consent> all =
        s.components().stream()
            .flatMap(c -> c.workload().asOptional().stream().flatMap(w -> consents(c, w)))
            .toList();
    return s.remembering(agreeing(s.memory(), all));
  }

  private static Stream<Consent> consents(Component c, Workload w) {
    String image = w.images().getOrDefault(w.mainContainer(), "");
    String version = image.substring(image.lastIndexOf(':') + 1);
    return Stream.concat(
            Stream.of("component", "leader", "irreversible")
                .map(step -> version + "/" + c.name() + "/" + step),
            Stream.of(w.updateRevision() + "/" + c.name() + "/adopt"))
        .map(token -> new Consent(token, w.updateRevision()));
  }

  /** What was agreed to once counts for ever. */
  static Seams neverUsedUp() {
    return Seams.NONE.withRecorder((world, recorder) ->
        (basis, report) -> {
          List<Consent> ever =
              Stream.concat(
                      basis.memory().handled().agreed().stream(),
                      report.memory().handled().agreed().stream())
                  .distinct()
                  .toList();
          return recorder.record(basis, remembering(report, agreeing(report.memory(), ever)));
        });
  }

  private static Memory agreeing(Memory m, List<Consent> agreed) {
    Handled h = m.handled();
    var handled =
        new Handled(
            h.approve(), h.retry(), h.rollback(), h.abort(), h.migration(), h.asked(), agreed);
    return new Memory(
        m.owner(),
        m.step(),
        m.steps(),
        m.components(),
        m.blocked(),
        handled,
        m.forced(),
        m.run(),
        m.history());
  }

  /** An abort is heeded, and nothing is refused because of it. */
  static Report withoutAbort(Report r) {
    return refusing(r, refused -> refused.filter(f -> f.cause() != Cause.ABORTED));
  }

  /** A rollback is heeded, and nobody is sent back. */
  static Report withoutRollback(Report r) {
    return refusing(
        r,
        refused ->
            refused.map(f ->
                f.cause() != Cause.ROLLED_BACK
                    ? f
                    : new Refused(
                        f.revision(),
                        f.version(),
                        Cause.ABORTED,
                        f.object(),
                        f.reason(),
                        f.since(),
                        false)));
  }

  private static Report refusing(Report r, UnaryOperator<Optional<Refused>> change) {
    var components = new HashMap<String, ComponentMemory>();
    r.memory()
        .components()
        .forEach((name, c) ->
            components.put(
                name,
                new ComponentMemory(
                    c.adopted(),
                    c.lastGood(),
                    c.target(),
                    change.apply(c.refused()),
                    c.servingSince(),
                    c.served(),
                    c.written(),
                    c.notes(),
                    c.observed(),
                    c.obligations(),
                    c.workload())));
    Memory m = r.memory();
    return remembering(
        r,
        new Memory(
            m.owner(),
            m.step(),
            m.steps(),
            components,
            m.blocked(),
            m.handled(),
            m.forced(),
            m.run(),
            m.history()));
  }

  static Report remembering(Report r, Memory memory) {
    return new Report(
        r.phase(),
        r.currentVersion(),
        r.targetVersion(),
        r.components(),
        r.blockedBy(),
        r.waitingFor(),
        r.wayBack(),
        r.conditions(),
        memory);
  }

  /** A failure never turns back. */
  static Snapshot holdsOnFailure(Snapshot s) {
    Spec p = s.spec();
    var upgrade =
        new Spec.Upgrade(Spec.OnFailure.HOLD, p.upgrade().approval(), p.upgrade().paths());
    return s.asking(
        new Spec(
            p.trigger(),
            p.version(),
            p.components(),
            upgrade,
            p.paused(),
            p.requests(),
            p.force()));
  }

  static Snapshot withoutSoak(Snapshot s) {
    return specified(
        s,
        c -> {
          Spec.Rollout r = c.rollout();
          return component(
              c,
              new Spec.Rollout(
                  r.strategy(),
                  Duration.ZERO,
                  r.readyTimeout(),
                  r.progressDeadline(),
                  r.maxUnavailable(),
                  r.tolerateUnhealthy(),
                  r.allowDowntime()),
              true);
        });
  }

  static Snapshot withoutActions(Snapshot s) {
    return specified(s, c -> component(c, c.rollout(), false));
  }

  private static Spec.ComponentSpec component(
      Spec.ComponentSpec c, Spec.Rollout rollout, boolean acts) {
    return new Spec.ComponentSpec(
        c.name(),
        c.kind(),
        c.workload(),
        c.version(),
        c.images(),
        c.driver(),
        c.memberName(),
        rollout,
        c.checks(),
        acts ? c.actions() : List.of());
  }

  private static Snapshot specified(Snapshot s, UnaryOperator<Spec.ComponentSpec> change) {
    return Blur.with(
        s,
        c ->
            new Component(
                change.apply(c.spec()),
                c.workload(),
                c.pods(),
                c.topology(),
                c.budgets(),
                c.guard(),
                c.rival(),
                c.checks(),
                c.acts()));
  }

  /** The rules, but whoever is new and not ready at once has failed. */
  static List<Rule> impatient() {
    Reason reason = UpdatedMembers.UPDATED_MEMBERS_SERVE;
    return OtherRules.changed(
        reason,
        judge ->
            (s, component, step) ->
                new Course(s, component)
                    .arrived().stream()
                        .filter(p -> !p.ready() && !p.terminating())
                        .filter(p -> step.takesDown().filter(n -> !n.equals(p.name())).isPresent())
                        .map(p ->
                            reason.objection(p.name(), "is slow", "correct it", Weight.FAILURE))
                        .findFirst()
                        .or(() -> judge.object(s, component, step)));
  }

  /** While nobody goes on, every look is written down. */
  static Seams manyWords() {
    return Seams.NONE.withRecorder((world, recorder) ->
        (basis, r) ->
            recorder.record(
                basis,
                NOBODY_GOES_ON.contains(r.phase())
                    ? Blur.current(r, "looked at " + world.time.now())
                    : r));
  }
}
