package dev.belay.sim.world;

import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Workload.Order;
import dev.belay.core.snapshot.Workload.Update;
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
    Spec.Rollout rollout) {

  public SetObject.Spec firstSpec() {
    return new SetObject.Spec(
        replicas, firstOrdinal, update, 0, order, minReady, new Template(name, Setup.FIRST, 0));
  }

  Spec.ComponentSpec spec(boolean byVersion) {
    return new Spec.ComponentSpec(
        name,
        name,
        Optional.empty(),
        byVersion ? Map.of(Template.CONTAINER, "example/" + name + ":{version}") : Map.of(),
        driver,
        "{pod}",
        rollout,
        List.of());
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
        name, replicas, firstOrdinal, order, minReady, Update.ON_DELETE, driver, batches);
  }

  /** Batches have to be asked for in so many words. */
  public static Optional<Spec.Strategy> strategy(int maxUnavailable) {
    return maxUnavailable > 1 ? Optional.of(Spec.Strategy.ON_DELETE) : Optional.empty();
  }

  public boolean hasMembers() {
    return driver.equals("raft");
  }
}
