package dev.belay.core.plan;

import static dev.belay.core.plan.Objection.Weight.FAILURE;
import static dev.belay.core.plan.Objection.Weight.PROGRESS;
import static dev.belay.core.plan.Objection.Weight.WAIT;

import dev.belay.core.snapshot.Check;
import dev.belay.core.snapshot.Check.Moment;
import dev.belay.core.snapshot.Check.Result;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What the user's own checks have to say. An answer that is not there is not a good one. */
record CheckRules(Snapshot snapshot, Component component) {

  static Optional<Objection> checksPass(Snapshot snapshot, Component component, Pod target) {
    var rules = new CheckRules(snapshot, component);
    var course = new Course(snapshot, component);
    List<Pod> others =
        course.arrived().stream().filter(p -> !p.uid().equals(target.uid())).toList();
    // What is asked before a member moves protects one that serves: repair needs no permission.
    boolean repair =
        GroupRules.repairs(snapshot, component, target)
            || GroupRules.nothingToLose(snapshot, component, target);
    Stream<Objection> before =
        !repair && !course.withdrawing()
            ? Stream.concat(
                others.isEmpty() ? rules.before(Moment.BEFORE_UPGRADE, target) : Stream.empty(),
                rules.before(Moment.BEFORE_MEMBER, target))
            : Stream.empty();
    // A broken member cannot answer, and others may miss it: whoever waited for these answers
    // would never let it be repaired. A check that failed still stops the line.
    Stream<Objection> after =
        others.stream().flatMap(rules::after).filter(o -> !repair || o.weight() == FAILURE);
    return Stream.concat(after, before).findFirst();
  }

  /** Before a controller is let loose on all members at once; what heals needs no permission. */
  static Optional<Objection> beforeAll(Snapshot snapshot, Component component) {
    var rules = new CheckRules(snapshot, component);
    var course = new Course(snapshot, component);
    if (course.sentBack() || course.goesBack()) {
      return Optional.empty();
    }
    List<Pod> serving = course.outdated().stream().filter(p -> !p.stuck()).toList();
    Stream<Moment> moments =
        course.arrived().isEmpty()
            ? Stream.of(Moment.BEFORE_UPGRADE, Moment.BEFORE_MEMBER)
            : Stream.of(Moment.BEFORE_MEMBER);
    return moments
        .flatMap(moment -> serving.stream().flatMap(p -> rules.before(moment, p)))
        .findFirst();
  }

  /** What the checks after the whole upgrade object to. */
  Optional<Objection> afterUpgrade() {
    return Stream.concat(
            component.podList().stream().flatMap(this::after),
            asked(Moment.AFTER_UPGRADE, Optional.empty())
                .flatMap(a -> a.objection(FAILURE, PROGRESS, Instant.EPOCH).stream()))
        .findFirst();
  }

  private Stream<Objection> before(Moment moment, Pod target) {
    return asked(moment, Optional.of(target))
        .flatMap(a -> a.objection(WAIT, WAIT, Instant.EPOCH).stream());
  }

  /** An answer from before the member served says nothing about it. */
  private Stream<Objection> after(Pod pod) {
    Instant since =
        snapshot
            .memory()
            .component(component.name())
            .servingSince()
            .getOrDefault(pod.uid(), Instant.MAX);
    return asked(Moment.AFTER_MEMBER, Optional.of(pod))
        .flatMap(a -> a.objection(FAILURE, PROGRESS, since).stream());
  }

  /** One check put to one object, and the answer if there is one. */
  private record Asked(Check check, String object, Optional<Result> result) {

    Optional<Objection> objection(
        Objection.Weight failed, Objection.Weight missing, Instant notBefore) {
      Optional<Result> counts = result.filter(r -> !r.at().isBefore(notBefore));
      if (counts.isEmpty()) {
        return objection("has not been answered: " + check.what(), "wait for the check", missing);
      }
      return switch (counts.get().state()) {
        case PASSED -> Optional.empty();
        case TRYING ->
            objection(
                "does not pass yet: " + check.what() + ", " + counts.get().reading(),
                "wait for the check",
                PROGRESS);
        case FAILED ->
            objection(
                "CheckFailed: " + check.what() + ", " + counts.get().reading(),
                failed == FAILURE
                    ? "correct or revert the template"
                    : "make the check pass; Belay goes on by itself",
                failed);
      };
    }

    private Optional<Objection> objection(String reading, String cure, Objection.Weight weight) {
      return Optional.of(new Objection("", object, reading, cure, weight));
    }
  }

  private Stream<Asked> asked(Moment moment, Optional<Pod> target) {
    return component.spec().checks().stream()
        .filter(c -> c.moment() == moment)
        .flatMap(c ->
            switch (c.on()) {
              case TARGET -> target.stream().map(p -> asked(c, p));
              case EACH -> component.podList().stream().map(p -> asked(c, p));
              case SERVICE -> Stream.of(asked(c, "", component.spec().workload()));
            });
  }

  private Asked asked(Check check, Pod pod) {
    return asked(check, pod.uid(), pod.name());
  }

  private Asked asked(Check check, String uid, String object) {
    return new Asked(
        check,
        object,
        component.checks().stream()
            .filter(r -> r.check().equals(check) && r.uid().equals(uid))
            .findFirst());
  }
}
