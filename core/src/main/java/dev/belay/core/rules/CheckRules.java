package dev.belay.core.rules;

import static dev.belay.core.state.Objection.Weight.FAILURE;
import static dev.belay.core.state.Objection.Weight.PROGRESS;
import static dev.belay.core.state.Objection.Weight.WAIT;

import dev.belay.core.model.Among;
import dev.belay.core.model.Check;
import dev.belay.core.model.Check.Moment;
import dev.belay.core.model.Check.Result;
import dev.belay.core.model.Component;
import dev.belay.core.model.Pod;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What the user's own checks have to say. An answer that is not there is not a good one. */
public record CheckRules(Snapshot snapshot, Component component) {

  public static final Reason CHECKS_PASS =
      new Reason(
          "ChecksPass",
          "The checks of the component pass before a member is touched, and on updated members"
              + " before the next one is.",
          "Look at what the check asks; correct or revert the template if an updated member fails"
              + " it.",
          "Ready says that a process answers, not that its data is back"
              + " (cloud-on-k8s#5449); Pravega's readiness says false with status 200.");

  static Optional<Objection> checksPass(Snapshot snapshot, Component component, Pod target) {
    if (component.spec().checks().isEmpty()) {
      return Optional.empty();
    }
    var rules = new CheckRules(snapshot, component);
    var course = new Course(snapshot, component);
    List<Pod> others = Among.those(course.arrived(), p -> !p.uid().equals(target.uid()));
    // What is asked before a member moves protects one that serves: repair needs no permission.
    boolean repair =
        MemberState.repairs(snapshot, component, target)
            || MemberState.nothingToLose(snapshot, component, target);
    boolean back = course.sentBack() || course.goesBack();
    Stream<Objection> before =
        !repair && !back
            ? Stream.concat(
                others.isEmpty() ? rules.before(Moment.BEFORE_COMPONENT, target) : Stream.empty(),
                rules.before(Moment.BEFORE_MEMBER, target))
            : Stream.empty();
    // A broken member cannot answer, and others may miss it: whoever waited for these answers
    // would never let it be repaired. A check that failed still stops the line.
    Stream<Objection> after =
        others.stream()
            .flatMap(p -> rules.after(p, !rules.isLeftOver(target)))
            .filter(o -> !repair || o.weight() == FAILURE);
    return Stream.concat(after, before).findFirst();
  }

  /** Before a controller is let loose on all members at once; what heals needs no permission. */
  static Optional<Objection> beforeAll(Snapshot snapshot, Component component) {
    var rules = new CheckRules(snapshot, component);
    var course = new Course(snapshot, component);
    if (course.sentBack() || course.goesBack()) {
      return Optional.empty();
    }
    List<Pod> serving = Among.those(course.outdated(), p -> !p.stuck());
    Stream<Moment> moments =
        course.arrived().isEmpty()
            ? Stream.of(Moment.BEFORE_COMPONENT, Moment.BEFORE_MEMBER)
            : Stream.of(Moment.BEFORE_MEMBER);
    return moments
        .flatMap(moment -> serving.stream().flatMap(p -> rules.before(moment, p)))
        .findFirst();
  }

  /** What the checks after the last member object to. */
  public Optional<Objection> afterComponent() {
    return afterMembers()
        .or(() ->
            asked(Moment.AFTER_COMPONENT, Optional.empty())
                .flatMap(a -> a.objection(FAILURE, Instant.EPOCH).stream())
                .findFirst());
  }

  /** What those after each member object to, the last one included. */
  public Optional<Objection> afterMembers() {
    return component.spec().checks().isEmpty()
        ? Optional.empty()
        : component.podList().stream().flatMap(p -> after(p, true)).findFirst();
  }

  /**
   * What the checks of any component object to before the first member of all goes. What heals, and
   * the way back, need no permission.
   */
  public static Optional<Objection> beforeUpgrade(Snapshot snapshot, Component moving, Step step) {
    var upgrade = new WholeUpgrade(snapshot);
    boolean asks = upgrade.begins() && upgrade.goesForward(moving);
    return asks && !heals(snapshot, moving, step)
        ? ofAll(snapshot, Moment.BEFORE_UPGRADE, WAIT)
        : Optional.empty();
  }

  /** What they object to when every component is through; after the way back nobody is asked. */
  public static Optional<Objection> afterUpgrade(Snapshot snapshot) {
    boolean asks = snapshot.memory().run().isPresent();
    return asks && !new WholeUpgrade(snapshot).forward().isEmpty()
        ? ofAll(snapshot, Moment.AFTER_UPGRADE, FAILURE)
        : Optional.empty();
  }

  private static boolean heals(Snapshot snapshot, Component component, Step step) {
    List<Pod> outdated = new Course(snapshot, component).outdated();
    return step instanceof Step.LetRoll
        ? Among.all(outdated, Pod::stuck)
        : step.takesDown()
            .flatMap(component::pod)
            .filter(p ->
                MemberState.repairs(snapshot, component, p)
                    || MemberState.nothingToLose(snapshot, component, p))
            .isPresent();
  }

  /** Whoever is asked, it is said of one that goes: nothing is the matter with the others. */
  private static Optional<Objection> ofAll(
      Snapshot snapshot, Moment moment, Objection.Weight failed) {
    var upgrade = new WholeUpgrade(snapshot);
    for (Component component : snapshot.components()) {
      Optional<Objection> found =
          new CheckRules(snapshot, component)
              .asked(moment, Optional.empty())
              .flatMap(a -> a.objection(failed, Instant.EPOCH).stream())
              .findFirst();
      if (found.isPresent()) {
        Objection o = found.get();
        return Optional.of(
            upgrade.goesForward(component)
                ? o
                : CHECKS_PASS.objection(
                    upgrade.forward().getFirst().spec().workload(),
                    o.reading() + " (asked of " + o.object() + ")",
                    o.cure(),
                    o.weight()));
      }
    }
    return Optional.empty();
  }

  /** An answer from before the last member came back says nothing of a world with it. */
  private Stream<Objection> before(Moment moment, Pod target) {
    Instant since = new WholeUpgrade(snapshot).lastCameToServe();
    return asked(moment, Optional.of(target)).flatMap(a -> a.objection(WAIT, since).stream());
  }

  /**
   * An answer from before the member served says nothing about it.
   *
   * @param service whether the service is asked too: it may answer for a member that is to be
   *     healed
   */
  private Stream<Objection> after(Pod pod, boolean service) {
    Instant since =
        snapshot
            .memory()
            .component(component.name())
            .servingSince()
            .getOrDefault(pod.uid(), Instant.MAX);
    return asked(Moment.AFTER_MEMBER, Optional.of(pod))
        .filter(a -> service || a.check().on() != Check.On.SERVICE)
        .flatMap(a -> a.objection(FAILURE, since).stream());
  }

  /** One check put to one object, and the answer if there is one. */
  private record Asked(Check check, String object, Optional<Result> result) {

    Optional<Objection> objection(Objection.Weight failed, Instant notBefore) {
      Optional<Result> counts = result.filter(r -> !r.at().isBefore(notBefore));
      if (counts.isEmpty()) {
        return objection("has not been answered: " + check.what(), "wait for the check", PROGRESS);
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
      return Optional.of(CHECKS_PASS.objection(object, reading, cure, weight));
    }
  }

  private Stream<Asked> asked(Moment moment, Optional<Pod> target) {
    return component.spec().checks().stream()
        .filter(c -> c.moment() == moment)
        .flatMap(c ->
            switch (c.on()) {
              case TARGET -> target.stream().filter(p -> !isLeftOver(p)).map(p -> asked(c, p));
              case EACH ->
                  component.podList().stream().filter(p -> !isLeftOver(p)).map(p -> asked(c, p));
              case SERVICE -> Stream.of(asked(c, "", component.spec().workload()));
            });
  }

  /**
   * At a revision that is neither good nor wanted any more: it may fail the very check before it,
   * and to move it is the cure.
   */
  private boolean isLeftOver(Pod pod) {
    return MemberState.neverGood(snapshot, component, pod)
        && !pod.revision().equals(new Course(snapshot, component).wanted());
  }

  private Asked asked(Check check, Pod pod) {
    return asked(check, pod.uid(), pod.name());
  }

  private Asked asked(Check check, String uid, String object) {
    return new Asked(
        check,
        object,
        Among.first(component.checks(), r -> r.check().equals(check) && r.uid().equals(uid)));
  }
}
