package dev.belay.sim.world;

import dev.belay.core.model.Spec;
import dev.belay.core.model.Spec.ComponentSpec;
import dev.belay.core.model.Spec.Force;
import dev.belay.core.model.Spec.Requests;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The spec of a StatefulCluster with one thing changed, as a person edits it. */
public final class Wish {

  private Wish() {}

  public static Spec version(Spec s, String version) {
    boolean byVersion = s.trigger() == Spec.Trigger.VERSION;
    return new Spec(
        s.trigger(),
        byVersion ? Optional.of(version) : Optional.empty(),
        s.components(),
        s.upgrade(),
        s.paused(),
        s.requests(),
        s.force());
  }

  public static Spec paused(Spec s, boolean paused) {
    return new Spec(
        s.trigger(), s.version(), s.components(), s.upgrade(), paused, s.requests(), s.force());
  }

  public static Spec force(Spec s, Force force) {
    return new Spec(
        s.trigger(), s.version(), s.components(), s.upgrade(), s.paused(), s.requests(), force);
  }

  public static Spec approve(Spec s, String token) {
    Requests r = s.requests();
    return requests(
        s, new Requests(Optional.of(token), r.retry(), r.rollback(), r.abort(), r.by()));
  }

  public static Spec retry(Spec s, String token) {
    Requests r = s.requests();
    return requests(
        s, new Requests(r.approve(), Optional.of(token), r.rollback(), r.abort(), r.by()));
  }

  public static Spec rollback(Spec s, Optional<String> token) {
    Requests r = s.requests();
    return requests(s, new Requests(r.approve(), r.retry(), token, r.abort(), r.by()));
  }

  public static Spec abort(Spec s, String token) {
    Requests r = s.requests();
    return requests(
        s, new Requests(r.approve(), r.retry(), r.rollback(), Optional.of(token), r.by()));
  }

  private static Spec requests(Spec s, Requests requests) {
    return new Spec(
        s.trigger(), s.version(), s.components(), s.upgrade(), s.paused(), requests, s.force());
  }

  public static Spec allowDowntime(Spec s, String component) {
    return rollout(
        s,
        component,
        r ->
            new Spec.Rollout(
                r.strategy(),
                r.soak(),
                r.readyTimeout(),
                r.progressDeadline(),
                r.maxUnavailable(),
                r.tolerateUnhealthy(),
                true));
  }

  /** As the workload's own strategy says, one at a time. */
  public static Spec withoutStrategy(Spec s, String component) {
    return rollout(
        s,
        component,
        r ->
            new Spec.Rollout(
                r.soak(),
                r.readyTimeout(),
                r.progressDeadline(),
                r.tolerateUnhealthy(),
                r.allowDowntime()));
  }

  private static Spec rollout(Spec s, String component, UnaryOperator<Spec.Rollout> change) {
    return new Spec(
        s.trigger(),
        s.version(),
        s.components().stream()
            .map(c -> c.name().equals(component) ? with(c, change.apply(c.rollout())) : c)
            .toList(),
        s.upgrade(),
        s.paused(),
        s.requests(),
        s.force());
  }

  private static ComponentSpec with(ComponentSpec c, Spec.Rollout rollout) {
    return new ComponentSpec(
        c.name(),
        c.kind(),
        c.workload(),
        c.version(),
        c.images(),
        c.driver(),
        c.memberName(),
        rollout,
        c.checks(),
        c.actions());
  }
}
