package dev.belay.sim.world;

import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload.Order;
import dev.belay.core.model.Workload.Update;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What stands there when a run begins; the parts are the components, in their order. */
public record Setup(
    boolean policies, Spec.Trigger trigger, Spec.Upgrade upgrade, List<PartSetup> parts) {

  public static final String COMPONENT = "db";
  public static final String FIRST = "3.5.1";

  private static final String SECOND = "gate";
  private static final Duration READY_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration PROGRESS_DEADLINE = Duration.ofMinutes(4);

  public Setup {
    parts = List.copyOf(parts);
  }

  public static Setup plain(int replicas) {
    return new Setup(
        true, Spec.Trigger.TEMPLATE, Spec.Upgrade.DEFAULT, List.of(plain(COMPONENT, replicas)));
  }

  /** Two components. */
  public static Setup plain(int replicas, int second) {
    return new Setup(
        true,
        Spec.Trigger.TEMPLATE,
        Spec.Upgrade.DEFAULT,
        List.of(plain(COMPONENT, replicas), plain(SECOND, second)));
  }

  /** One component that is rolled by eviction. */
  public static Setup onDelete(int replicas, int maxUnavailable) {
    return new Setup(
        true,
        Spec.Trigger.TEMPLATE,
        Spec.Upgrade.DEFAULT,
        List.of(plain(COMPONENT, replicas).onDelete(maxUnavailable)));
  }

  /** One component with actions around its members. */
  public static Setup withActions(int replicas) {
    return new Setup(
        true,
        Spec.Trigger.TEMPLATE,
        Spec.Upgrade.DEFAULT,
        List.of(plain(COMPONENT, replicas).withActions()));
  }

  private static PartSetup plain(String name, int replicas) {
    return new PartSetup(
        name,
        replicas,
        0,
        Order.PARALLEL,
        Duration.ZERO,
        Update.ROLLING_UPDATE,
        "raft",
        rollout(Duration.ZERO, 0, replicas < 3),
        false,
        false);
  }

  public static Setup random(Rng rng) {
    Optional<PartSetup> second = second(rng.split("second"));
    Rng strategies = rng.split("strategies");
    int replicas = rng.pick(List.of(1, 2, 3, 3, 3, 3, 4, 5, 5, 7));
    boolean downtime = replicas < 3 && rng.chance(80);
    int tolerate = replicas >= 5 && rng.chance(20) ? 1 : 0;
    int firstOrdinal = rng.chance(20) ? 5 : 0;
    Order order = rng.chance(50) ? Order.PARALLEL : Order.ORDERED_READY;
    Duration minReady = rng.chance(25) ? Duration.ofSeconds(2) : Duration.ZERO;
    boolean policies = rng.chance(75);
    var trigger = rng.chance(25) ? Spec.Trigger.VERSION : Spec.Trigger.TEMPLATE;
    String driver = rng.chance(12) ? "none" : "raft";
    Duration soak = rng.chance(25) ? Duration.ofSeconds(3) : Duration.ZERO;
    var first =
        new PartSetup(
            COMPONENT,
            replicas,
            firstOrdinal,
            order,
            minReady,
            Update.ROLLING_UPDATE,
            driver,
            rollout(soak, tolerate, downtime),
            false,
            false);
    return new Setup(
        policies,
        trigger,
        upgrade(rng),
        Stream.concat(Stream.of(first), second.stream())
            .map(p -> strategy(p, strategies.split(p.name())))
            .toList());
  }

  /** A Deployment behind a component. */
  public static Setup withDeployment(int replicas, int second) {
    return new Setup(
        true,
        Spec.Trigger.TEMPLATE,
        Spec.Upgrade.DEFAULT,
        List.of(plain(COMPONENT, replicas), plain(SECOND, second).asDeployment()));
  }

  /** One component with checks around its members. */
  public static Setup withChecks(int replicas) {
    return new Setup(
        true,
        Spec.Trigger.TEMPLATE,
        Spec.Upgrade.DEFAULT,
        List.of(plain(COMPONENT, replicas).withChecks()));
  }

  /**
   * Every fifth is rolled by eviction, in batches or one by one; every fourth has actions, every
   * fifth checks. Of the second ones every third is a Deployment.
   */
  private static PartSetup strategy(PartSetup part, Rng rng) {
    if (part.name().equals(SECOND) && rng.split("kind").chance(33)) {
      return part.asDeployment();
    }
    PartSetup acted = rng.split("actions").chance(25) ? part.withActions() : part;
    PartSetup asked = rng.split("checks").chance(20) ? acted.withChecks() : acted;
    return rng.chance(20) ? asked.onDelete(rng.pick(List.of(1, 2, 2, 3))) : asked;
  }

  /** In every third world; what stands there of the first does not depend on it. */
  private static Optional<PartSetup> second(Rng rng) {
    if (!rng.chance(33)) {
      return Optional.empty();
    }
    int replicas = rng.pick(List.of(1, 2, 3, 3, 3, 5));
    return Optional.of(
        new PartSetup(
            SECOND,
            replicas,
            rng.chance(20) ? 5 : 0,
            rng.chance(50) ? Order.PARALLEL : Order.ORDERED_READY,
            rng.chance(25) ? Duration.ofSeconds(2) : Duration.ZERO,
            Update.ROLLING_UPDATE,
            rng.chance(30) ? "none" : "raft",
            rollout(
                rng.chance(25) ? Duration.ofSeconds(3) : Duration.ZERO,
                0,
                replicas < 3 && rng.chance(80)),
            false,
            false));
  }

  /** With time-outs that a run lives to see. */
  public static Spec.Rollout rollout(Duration soak, int tolerateUnhealthy, boolean allowDowntime) {
    return new Spec.Rollout(
        soak, READY_TIMEOUT, PROGRESS_DEADLINE, tolerateUnhealthy, allowDowntime);
  }

  private static Spec.Upgrade upgrade(Rng rng) {
    var onFailure = rng.chance(35) ? Spec.OnFailure.ROLLBACK : Spec.OnFailure.HOLD;
    var approval =
        rng.chance(80)
            ? Spec.Approval.NONE
            : rng.pick(
                List.of(
                    Spec.Approval.BEFORE_COMPONENT,
                    Spec.Approval.BEFORE_LEADER,
                    Spec.Approval.BEFORE_IRREVERSIBLE));
    return new Spec.Upgrade(onFailure, approval, List.of());
  }

  public Spec clusterSpec(String version) {
    boolean byVersion = trigger == Spec.Trigger.VERSION;
    return new Spec(
        trigger,
        byVersion ? Optional.of(version) : Optional.empty(),
        parts.stream().map(p -> p.spec(byVersion)).toList(),
        upgrade,
        false,
        Spec.Requests.NONE,
        Spec.Force.NONE);
  }
}
