package dev.belay.sim.world;

import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Workload.Order;
import dev.belay.core.snapshot.Workload.Update;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What stands there when a run begins. */
public record Setup(
    int replicas,
    int firstOrdinal,
    Order order,
    Duration minReady,
    boolean policies,
    Spec.Trigger trigger,
    String driver,
    Spec.Rollout rollout,
    Spec.Upgrade upgrade) {

  public static final String COMPONENT = "db";
  public static final String FIRST = "3.5.1";

  private static final Duration READY_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration PROGRESS_DEADLINE = Duration.ofMinutes(4);

  public static Setup plain(int replicas) {
    return new Setup(
        replicas,
        0,
        Order.PARALLEL,
        Duration.ZERO,
        true,
        Spec.Trigger.TEMPLATE,
        "raft",
        rollout(Duration.ZERO, 0, replicas < 3),
        Spec.Upgrade.DEFAULT);
  }

  public static Setup random(Rng rng) {
    int replicas = rng.pick(List.of(1, 2, 3, 3, 3, 3, 4, 5, 5, 7));
    boolean downtime = replicas < 3 && rng.chance(80);
    int tolerate = replicas >= 5 && rng.chance(20) ? 1 : 0;
    return new Setup(
        replicas,
        rng.chance(20) ? 5 : 0,
        rng.chance(50) ? Order.PARALLEL : Order.ORDERED_READY,
        rng.chance(25) ? Duration.ofSeconds(2) : Duration.ZERO,
        rng.chance(75),
        rng.chance(25) ? Spec.Trigger.VERSION : Spec.Trigger.TEMPLATE,
        rng.chance(12) ? "none" : "raft",
        rollout(rng.chance(25) ? Duration.ofSeconds(3) : Duration.ZERO, tolerate, downtime),
        upgrade(rng));
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
            : rng.pick(List.of(Spec.Approval.BEFORE_LEADER, Spec.Approval.BEFORE_IRREVERSIBLE));
    return new Spec.Upgrade(onFailure, approval, List.of());
  }

  public SetObject.Spec firstSpec() {
    return new SetObject.Spec(
        replicas, firstOrdinal, Update.ROLLING_UPDATE, 0, order, minReady, new Template(FIRST, 0));
  }

  public Spec clusterSpec(String version) {
    boolean byVersion = trigger == Spec.Trigger.VERSION;
    var component =
        new Spec.ComponentSpec(
            COMPONENT,
            "db",
            Optional.empty(),
            byVersion ? Map.of(Template.CONTAINER, "example/db:{version}") : Map.of(),
            driver,
            "{pod}",
            rollout,
            List.of());
    return new Spec(
        trigger,
        byVersion ? Optional.of(version) : Optional.empty(),
        List.of(component),
        upgrade,
        false,
        Spec.Requests.NONE,
        Spec.Force.NONE);
  }

  public boolean hasMembers() {
    return driver.equals("raft");
  }
}
