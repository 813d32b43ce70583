package dev.belay.sim;

import dev.belay.core.model.Check;
import dev.belay.core.model.Component;
import dev.belay.core.model.Component.Guarding;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.report.Report;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Forced;
import dev.belay.core.state.Memory.Good;
import dev.belay.core.state.Memory.Obligation.Progress;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.Snapshot;
import dev.belay.sim.world.Wish;
import dev.belay.sim.world.World;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** What a planted bug makes of what is seen, and of what is written down. */
final class Blur {

  private Blur() {}

  /** With what the service answered well once, for ever. */
  static Snapshot remembering(Snapshot s, List<Check.Result> passed) {
    return s.seeing(
        s.components().stream()
            .map(c -> {
              c.checks().stream()
                  .filter(r -> r.uid().isEmpty() && r.state() == Check.State.PASSED)
                  .filter(r -> passed.stream().noneMatch(p -> isSame(p, r)))
                  .forEach(passed::add);
              return c.withChecks(
                  Stream.concat(
                          passed.stream(),
                          c.checks().stream()
                              .filter(r -> passed.stream().noneMatch(p -> isSame(p, r))))
                      .toList());
            })
            .toList());
  }

  private static boolean isSame(Check.Result one, Check.Result other) {
    return one.check().equals(other.check()) && one.uid().equals(other.uid());
  }

  static Report current(Report r, String version) {
    return new Report(
        r.phase(),
        version,
        r.targetVersion(),
        r.components(),
        r.blockedBy(),
        r.waitingFor(),
        r.wayBack(),
        r.conditions(),
        r.memory());
  }

  static Report silent(Report r) {
    return new Report(
        r.phase(),
        r.currentVersion(),
        r.targetVersion(),
        r.components(),
        Optional.empty(),
        r.waitingFor(),
        r.wayBack(),
        r.conditions(),
        r.memory());
  }

  static Report withoutForced(Report r) {
    return written(
        r, r.conditions().stream().filter(c -> !c.type().equals("Forced")).toList(), r.memory());
  }

  static Report withoutRefusal(Report r) {
    return written(
        r,
        r.conditions(),
        components(r.memory(), c -> component(c, c.lastGood(), Optional.empty())));
  }

  static Report firstAttempt(Report r) {
    Memory m = r.memory();
    Optional<RecordedStep> step = m.step().map(s -> s.attempts(1));
    return written(r, r.conditions(), memory(m, step, m.forced()));
  }

  private static Report written(Report r, List<Report.Condition> conditions, Memory memory) {
    return new Report(
        r.phase(),
        r.currentVersion(),
        r.targetVersion(),
        r.components(),
        r.blockedBy(),
        r.waitingFor(),
        r.wayBack(),
        conditions,
        memory);
  }

  private static Memory memory(Memory m, Optional<RecordedStep> step, Optional<Forced> forced) {
    return new Memory(
        m.owner(),
        step,
        m.steps(),
        m.components(),
        m.blocked(),
        m.handled(),
        forced,
        m.run(),
        m.history());
  }

  private static Memory components(Memory m, UnaryOperator<ComponentMemory> change) {
    var components = new HashMap<String, ComponentMemory>();
    m.components().forEach((name, c) -> components.put(name, change.apply(c)));
    return new Memory(
        m.owner(),
        m.step(),
        m.steps(),
        components,
        m.blocked(),
        m.handled(),
        m.forced(),
        m.run(),
        m.history());
  }

  private static ComponentMemory component(
      ComponentMemory c, Optional<Good> good, Optional<Refused> refused) {
    return new ComponentMemory(
        c.adopted(),
        good,
        c.target(),
        refused,
        c.servingSince(),
        c.served(),
        c.written(),
        c.notes(),
        c.observed(),
        c.obligations(),
        c.workload());
  }

  private static Snapshot remembering(Snapshot s, Memory memory) {
    return new Snapshot(s.subject(), s.self(), s.spec(), s.components(), memory, s.at());
  }

  private static Snapshot asking(Snapshot s, Spec spec) {
    return new Snapshot(s.subject(), s.self(), spec, s.components(), s.memory(), s.at());
  }

  /** Forgets what is still to be taken back. */
  static Report withoutDues(Report r) {
    return written(
        r,
        r.conditions(),
        components(
            r.memory(),
            c ->
                new ComponentMemory(
                    c.adopted(),
                    c.lastGood(),
                    c.target(),
                    c.refused(),
                    c.servingSince(),
                    c.served(),
                    c.written(),
                    c.notes(),
                    c.observed(),
                    c.obligations().stream()
                        .map(o -> o.progress() == Progress.DONE ? o.settled() : o)
                        .toList(),
                    c.workload())));
  }

  static Snapshot reversed(Snapshot s) {
    return new Snapshot(
        s.subject(), s.self(), s.spec(), s.components().reversed(), s.memory(), s.at());
  }

  static Snapshot only(Snapshot s, Component component) {
    return new Snapshot(s.subject(), s.self(), s.spec(), List.of(component), s.memory(), s.at());
  }

  static Snapshot neverForced(Snapshot s) {
    return remembering(s, memory(s.memory(), s.memory().step(), Optional.empty()));
  }

  /** Takes what the set would go back to for good, whatever ran there. */
  static Snapshot currentIsGood(Snapshot s) {
    Optional<Workload> workload = s.components().getFirst().workload().asOptional();
    return workload
        .map(w ->
            remembering(
                s,
                components(
                    s.memory(),
                    c ->
                        component(
                            c,
                            c.lastGood().map(_ -> new Good(w.currentRevision(), "9.9")),
                            c.refused()))))
        .orElse(s);
  }

  /** While a pod is stuck, sees another word for another try every few seconds. */
  static Snapshot retriesAlways(Snapshot s) {
    boolean stuck = s.components().getFirst().podList().stream().anyMatch(Pod::stuck);
    return stuck ? asking(s, Wish.retry(s.spec(), "again-" + s.at().getEpochSecond() / 20)) : s;
  }

  static Snapshot rollsBackOnFailure(Snapshot s) {
    Spec p = s.spec();
    var upgrade =
        new Spec.Upgrade(Spec.OnFailure.ROLLBACK, p.upgrade().approval(), p.upgrade().paths());
    return asking(
        s,
        new Spec(
            p.trigger(),
            p.version(),
            p.components(),
            upgrade,
            p.paused(),
            p.requests(),
            p.force()));
  }

  static Snapshot settledWhenDeleted(Snapshot s) {
    return s.subject().deleting()
        ? withWorkload(
            withPods(s, (w, p) -> w.updateRevision()),
            w ->
                new Workload(
                    w.kind(),
                    w.name(),
                    w.uid(),
                    w.resourceVersion(),
                    w.generation(),
                    w.observedGeneration(),
                    w.replicas(),
                    w.firstOrdinal(),
                    w.update(),
                    w.partition(),
                    w.order(),
                    w.updateRevision(),
                    w.updateRevision(),
                    w.images(),
                    w.mainContainer(),
                    w.deleting(),
                    w.stalled()),
            false)
        : s;
  }

  static Snapshot neverDeleted(Snapshot s) {
    var subject =
        new Snapshot.Subject(
            s.subject().namespace(),
            s.subject().name(),
            s.subject().generation(),
            s.subject().resourceVersion(),
            false);
    return new Snapshot(subject, s.self(), s.spec(), s.components(), s.memory(), s.at());
  }

  static Snapshot guardHolds(Snapshot s) {
    return with(
        s,
        c ->
            new Component(
                c.spec(),
                c.workload(),
                c.pods(),
                c.topology(),
                c.budgets(),
                Fact.known(Guarding.POLICY),
                c.rival(),
                c.checks(),
                c.acts()));
  }

  static Snapshot alwaysObserved(Snapshot s) {
    return withWorkload(s, w -> w, true);
  }

  static Snapshot startsAtZero(Snapshot s) {
    return withWorkload(
        s,
        w ->
            new Workload(
                w.kind(),
                w.name(),
                w.uid(),
                w.resourceVersion(),
                w.generation(),
                w.observedGeneration(),
                w.replicas(),
                0,
                w.update(),
                w.partition(),
                w.order(),
                w.currentRevision(),
                w.updateRevision(),
                w.images(),
                w.mainContainer(),
                w.deleting(),
                w.stalled()),
        false);
  }

  static Snapshot withWorkload(Snapshot s, UnaryOperator<Workload> change, boolean observed) {
    return with(
        s,
        c ->
            new Component(
                c.spec(),
                c.workload()
                    .map(raw -> {
                      Workload w = change.apply(raw);
                      return new Workload(
                          w.kind(),
                          w.name(),
                          w.uid(),
                          w.resourceVersion(),
                          w.generation(),
                          observed ? w.generation() : w.observedGeneration(),
                          w.replicas(),
                          w.firstOrdinal(),
                          w.update(),
                          w.partition(),
                          w.order(),
                          w.currentRevision(),
                          w.updateRevision(),
                          w.images(),
                          w.mainContainer(),
                          w.deleting(),
                          w.stalled());
                    }),
                c.pods(),
                c.topology(),
                c.budgets(),
                c.guard(),
                c.rival(),
                c.checks(),
                c.acts()));
  }

  /** Takes whoever was not there from the beginning for new. */
  static Snapshot newcomersAreNew(Snapshot s, World world) {
    return withPods(
        s,
        (w, p) ->
            world
                .part(w.name())
                .filter(part -> w.index(p.ordinal()) >= part.setup.replicas())
                .map(_ -> w.updateRevision())
                .orElse(p.revision()));
  }

  static Snapshot everybodyUpdated(Snapshot s) {
    return withPods(
        s, (w, p) -> p.ordinal() == w.firstOrdinal() ? w.updateRevision() : p.revision());
  }

  static Snapshot oneLooksOld(Snapshot s) {
    return withPods(
        s,
        (w, p) -> p.ordinal() == w.firstOrdinal() + w.replicas() - 1 ? "db-unknown" : p.revision());
  }

  static Snapshot withPods(Snapshot s, BiFunction<Workload, Pod, String> revision) {
    return with(
        s,
        c ->
            new Component(
                c.spec(),
                c.workload(),
                c.workload()
                    .flatMap(w ->
                        c.pods()
                            .map(list ->
                                list.stream().map(p -> at(p, revision.apply(w, p))).toList())),
                c.topology(),
                c.budgets(),
                c.guard(),
                c.rival(),
                c.checks(),
                c.acts()));
  }

  private static Pod at(Pod p, String revision) {
    return new Pod(
        p.name(),
        p.uid(),
        p.resourceVersion(),
        p.ordinal(),
        revision,
        p.readiness(),
        p.terminating(),
        p.trouble(),
        p.created(),
        p.images(),
        p.hosts(),
        p.leaving(),
        p.held());
  }

  static Snapshot with(Snapshot s, UnaryOperator<Component> change) {
    return new Snapshot(
        s.subject(),
        s.self(),
        s.spec(),
        s.components().stream().map(change).toList(),
        s.memory(),
        s.at());
  }
}
