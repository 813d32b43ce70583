package dev.belay.sim.world;

import dev.belay.core.model.Action;
import dev.belay.core.model.Check;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.model.Workload.Order;
import dev.belay.core.model.Workload.Update;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What stands there of one component when a run begins. */
public record PartSetup(
    String name,
    int replicas,
    int firstOrdinal,
    Order order,
    Duration minReady,
    Update update,
    String driver,
    Spec.Rollout rollout,
    boolean actions,
    boolean checks,
    Workload.Kind kind) {

  static final String DRAIN = "PUT :80/drain";
  static final String UNDRAIN = "PUT :80/undrain";
  private static final List<Action> ACTIONS =
      List.of(
          new Action(Action.Moment.BEFORE_MEMBER, Check.On.TARGET, DRAIN, UNDRAIN, List.of()),
          new Action(Action.Moment.AFTER_MEMBER, Check.On.TARGET, "POST :80/warm", "", List.of()));

  private static final List<Check> CHECKS =
      List.of(
          new Check(Check.Moment.BEFORE_MEMBER, Check.On.SERVICE, "GET :80/idle = 200"),
          new Check(Check.Moment.AFTER_MEMBER, Check.On.TARGET, "GET :80/works = 200"));

  /** A StatefulSet. */
  public PartSetup(
      String name,
      int replicas,
      int firstOrdinal,
      Order order,
      Duration minReady,
      Update update,
      String driver,
      Spec.Rollout rollout,
      boolean actions,
      boolean checks) {
    this(
        name,
        replicas,
        firstOrdinal,
        order,
        minReady,
        update,
        driver,
        rollout,
        actions,
        checks,
        Workload.Kind.STATEFUL_SET);
  }

  /** The same as a Deployment: members that are nobody in particular, and ask for no leader. */
  PartSetup asDeployment() {
    return new PartSetup(
        name,
        replicas,
        0,
        Order.ORDERED_READY,
        minReady,
        Update.ROLLING_UPDATE,
        "none",
        rollout,
        false,
        false,
        Workload.Kind.DEPLOYMENT);
  }

  public boolean isDeployment() {
    return kind == Workload.Kind.DEPLOYMENT;
  }

  public SetObject.Spec firstSpec() {
    return new SetObject.Spec(
        replicas, firstOrdinal, update, 0, order, minReady, new Template(name, Setup.FIRST, 0));
  }

  Spec.ComponentSpec spec(boolean byVersion) {
    return new Spec.ComponentSpec(
        name,
        kind,
        name,
        Optional.empty(),
        byVersion ? Map.of(Template.CONTAINER, "example/" + name + ":{version}") : Map.of(),
        driver,
        "{pod}",
        rollout,
        checks ? CHECKS : List.of(),
        actions ? ACTIONS : List.of());
  }

  /** The same, rolled by eviction, so many at once. */
  PartSetup onDelete(int maxUnavailable) {
    var batches =
        new Spec.Rollout(
            strategy(maxUnavailable),
            rollout.soak(),
            rollout.readyTimeout(),
            rollout.progressDeadline(),
            maxUnavailable,
            rollout.tolerateUnhealthy(),
            rollout.allowDowntime());
    return new PartSetup(
        name,
        replicas,
        firstOrdinal,
        order,
        minReady,
        Update.ON_DELETE,
        driver,
        batches,
        actions,
        checks);
  }

  /** The same, with something to be done before and after each member. */
  PartSetup withActions() {
    return new PartSetup(
        name, replicas, firstOrdinal, order, minReady, update, driver, rollout, true, checks);
  }

  /** The same, with something to be asked before and after each member. */
  PartSetup withChecks() {
    return new PartSetup(
        name, replicas, firstOrdinal, order, minReady, update, driver, rollout, actions, true);
  }

  /** Batches have to be asked for in so many words. */
  public static Optional<Spec.Strategy> strategy(int maxUnavailable) {
    return maxUnavailable > 1 ? Optional.of(Spec.Strategy.ON_DELETE) : Optional.empty();
  }

  public boolean hasMembers() {
    return driver.equals("raft");
  }
}
