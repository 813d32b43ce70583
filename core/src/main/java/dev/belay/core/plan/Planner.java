package dev.belay.core.plan;

import static dev.belay.core.plan.Objection.Weight.HUMAN;
import static dev.belay.core.plan.Objection.Weight.WAIT;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.plan.Decision.Done;
import dev.belay.core.plan.Decision.Hold;
import dev.belay.core.plan.Decision.Perform;
import dev.belay.core.plan.Decision.Wait;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Component.Guarding;
import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Memory.Cause;
import dev.belay.core.snapshot.Memory.Fence;
import dev.belay.core.snapshot.Memory.Owner;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Workload;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The whole of Belay's judgement: from all that is known to the one thing to do next. Pure, total,
 * and the same for the operator, the simulator and {@code belay plan}.
 */
public final class Planner {

  private final Function<String, SystemPolicy> policies;
  private final List<Rule> rules;

  /**
   * @param policies what each kind of driver demands, by the driver's type
   */
  public Planner(Function<String, SystemPolicy> policies) {
    this(policies, Rules.ALL);
  }

  /** With other rules than the real ones, to show that tests notice a missing or wrong one. */
  public Planner(Function<String, SystemPolicy> policies, List<Rule> rules) {
    this.policies = policies;
    this.rules = List.copyOf(rules);
  }

  public SystemPolicy policy(Component component) {
    return policies.apply(component.spec().driver());
  }

  public Decision decide(Snapshot snapshot) {
    Optional<Decision> ownership = own(snapshot);
    if (ownership.isPresent()) {
      return ownership.get();
    }
    Decision next =
        snapshot.subject().deleting()
            ? leave(snapshot)
            : new Asked(snapshot, this::policy).first().orElseGet(() -> advance(snapshot));
    return new RecordedSteps(snapshot)
        .settleBefore(next instanceof Hold ? secured(snapshot).orElse(next) : next);
  }

  /** While a person is waited for, no release may be left that can still strike. */
  private Optional<Decision> secured(Snapshot snapshot) {
    return snapshot.components().stream()
        .filter(c -> snapshot.memory().component(c.name()).adopted())
        .flatMap(c ->
            c.workload().asOptional().stream()
                .map(w -> new Rollout(snapshot, c, w, policy(c), rules)))
        .flatMap(r -> r.retractReleased().stream())
        .findFirst();
  }

  /** Only the recorded owner decides; an owner of the same install that is gone is succeeded. */
  private Optional<Decision> own(Snapshot snapshot) {
    var self = snapshot.self();
    Optional<Owner> owner = snapshot.memory().owner();
    if (owner.isPresent() && !owner.get().install().equals(self.install())) {
      return Optional.of(
          new Wait(
              List.of(
                  Precondition.OWNED_ELSEWHERE.objection(
                      snapshot.subject().name(),
                      "the operator " + owner.get().install() + " owns it",
                      "let one operator select it: narrow --namespace or --selector of the other",
                      WAIT))));
    }
    boolean mine =
        owner.isPresent()
            && owner.get().instance().equals(self.instance())
            && owner.get().account().equals(self.account());
    return mine
        ? Optional.empty()
        : Optional.of(
            new Perform(
                new Step.Claim("", new Fence("StatefulCluster", snapshot.subject().name(), ""))));
  }

  /** Components in order: the first that is not done is the only one that moves. */
  private Decision advance(Snapshot snapshot) {
    for (Component component : snapshot.components()) {
      Decision decision = decide(snapshot, component);
      if (!(decision instanceof Done)) {
        return Deadline.applied(snapshot, component, decision);
      }
    }
    return Forcing.over(snapshot).orElseGet(Done::new);
  }

  private Decision decide(Snapshot snapshot, Component component) {
    if (component.workload() instanceof Fact.Unknown<Workload>(String why)) {
      return new Wait(
          List.of(
              Precondition.WORKLOAD_IS_READABLE.objection(
                  component.spec().workload(),
                  why,
                  "create it, or correct the component's workload.name",
                  WAIT)));
    }
    Workload workload = component.workload().asOptional().orElseThrow();
    var rollout = new Rollout(snapshot, component, workload, policy(component), rules);
    List<Objection> unfit = Fitness.objections(snapshot, component, workload);
    if (!unfit.isEmpty()) {
      return rollout.retractUnseen().orElseGet(() -> Decision.because(unfit));
    }
    if (!snapshot.memory().component(component.name()).adopted()) {
      return adopt(snapshot, component, workload);
    }
    return rollout.course().withdrawing()
        ? back(snapshot, component, workload, rollout)
        : forward(snapshot, component, workload, rollout);
  }

  /** Another version than the refused one is a way out at any point of the way back. */
  private Decision back(
      Snapshot snapshot, Component component, Workload workload, Rollout rollout) {
    boolean over = rollout.memory().target().isEmpty() && rollout.course().outdated().isEmpty();
    Decision back =
        Forcing.over(snapshot)
            .filter(_ -> over)
            .orElseGet(
                () -> new Withdrawal(rollout, rollout.course().refused().orElseThrow()).next());
    return template(snapshot, component, workload)
        .map(images ->
            rollout.setTemplate(
                snapshot.spec().wantedVersion(component.spec()).orElseThrow(), images))
        .map(written -> written instanceof Perform ? written : back.also(written.objections()))
        .orElse(back);
  }

  private Decision forward(
      Snapshot snapshot, Component component, Workload workload, Rollout rollout) {
    boolean rolling = !rollout.course().outdated().isEmpty();
    Optional<Map<String, String>> template = template(snapshot, component, workload);
    if (template.isPresent()) {
      Decision written =
          rollout.setTemplate(
              snapshot.spec().wantedVersion(component.spec()).orElseThrow(), template.get());
      // A target that is no legal step from every version alive waits until those under way are
      // through.
      boolean waits =
          rolling
              && !(written instanceof Perform)
              && rollout.course().known()
              && rollout.course().refused().isEmpty();
      return waits ? rollout.roll().also(written.objections()) : written;
    }
    if (!rolling) {
      Decision finish = rollout.finish();
      return finish instanceof Hold
          ? turnBack(snapshot, component, rollout).orElse(finish)
          : finish;
    }
    boolean aborted =
        rollout.course().refused().filter(r -> r.cause() == Cause.ABORTED).isPresent();
    if (Forcing.active(snapshot) && !aborted) {
      return new Forcing(rollout).next();
    }
    return turnBack(snapshot, component, rollout).orElseGet(rollout::roll);
  }

  /** A failure with {@code onFailure: Rollback} turns back by itself, where there is a way. */
  private Optional<Decision> turnBack(Snapshot snapshot, Component component, Rollout rollout) {
    boolean failed = rollout.course().refused().filter(r -> r.cause() == Cause.FAILED).isPresent();
    if (!failed || snapshot.spec().upgrade().onFailure() != Spec.OnFailure.ROLLBACK) {
      return Optional.empty();
    }
    return new Floor(snapshot, component, policy(component))
        .objection()
        .map(closed ->
            Decision.because(
                List.of(
                    closed,
                    rollout
                        .course()
                        .refusal(component.spec().workload(), rollout.course().refused().get())
                        .withRule(Rules.REVISION_IS_NOT_REFUSED.name()))))
        .or(() ->
            Optional.of(
                new Perform(
                    new Step.TurnBack(component.name(), Rollout.fence(rollout.workload())))));
  }

  /** The images to write, when trigger Version wants others than the template has. */
  private static Optional<Map<String, String>> template(
      Snapshot snapshot, Component component, Workload workload) {
    return snapshot
        .spec()
        .wantedVersion(component.spec())
        .map(version -> Versions.images(component, version))
        .filter(images ->
            images.entrySet().stream()
                .anyMatch(e -> !e.getValue().equals(workload.images().get(e.getKey()))));
  }

  /** A settled set is adopted as it is; anything else is shown and waits for a person. */
  private Decision adopt(Snapshot snapshot, Component component, Workload workload) {
    var fence = Rollout.fence(workload);
    String midway = midway(snapshot, component, workload);
    String token = workload.updateRevision() + "/" + component.name() + "/adopt";
    if (midway.isEmpty()
        || snapshot.spec().requests().approve().filter(token::equals).isPresent()) {
      return new Perform(new Step.Adopt(component.name(), fence));
    }
    return new Hold(
        List.of(
            Precondition.ADOPTED_MIDWAY.objection(
                workload.name(),
                midway,
                "look at the members, then set spec.requests.approve to " + token,
                HUMAN)),
        token);
  }

  private static String midway(Snapshot snapshot, Component component, Workload workload) {
    long outdated =
        component.podList().stream()
            .filter(p -> !p.revision().equals(workload.updateRevision()))
            .count();
    if (outdated > 0) {
      return outdated + " of " + workload.replicas() + " pods are not at the newest revision";
    }
    if (workload.partition() != 0 && workload.partition() != Workload.FROZEN) {
      return "the partition was set to " + workload.partition() + " by hand";
    }
    return template(snapshot, component, workload)
        .map(images -> "the template has other images than the wanted version: " + images)
        .filter(text -> snapshot.spec().trigger() == Spec.Trigger.VERSION)
        .orElse("");
  }

  /** Deletion restarts nothing: a parked, settled set is un-parked; all else stays as it is. */
  private Decision leave(Snapshot snapshot) {
    for (Component component : snapshot.components()) {
      Optional<Workload> frozen =
          component
              .workload()
              .asOptional()
              .filter(w -> w.partition() == Workload.FROZEN)
              .filter(_ -> snapshot.memory().component(component.name()).adopted());
      if (frozen.isEmpty() || component.guard().is(Guarding.POLICY)) {
        continue;
      }
      List<Objection> unfit = Fitness.objections(snapshot, component, frozen.get());
      if (unfit.stream().anyMatch(o -> !o.weight().needsPerson())) {
        return new Wait(unfit);
      }
      if (settled(component, frozen.get())) {
        return new Perform(new Step.Rest(component.name(), Rollout.fence(frozen.get()), 0));
      }
    }
    return new Done();
  }

  private static boolean settled(Component component, Workload workload) {
    return workload.currentRevision().equals(workload.updateRevision())
        && PodRules.complete(component, workload, Optional.empty()).isEmpty()
        && component.podList().stream()
            .allMatch(p -> p.revision().equals(workload.updateRevision()));
  }
}
