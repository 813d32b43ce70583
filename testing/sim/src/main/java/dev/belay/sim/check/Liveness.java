package dev.belay.sim.check;

import dev.belay.core.guard.Mark;
import dev.belay.core.model.Among;
import dev.belay.core.model.Component.Guarding;
import dev.belay.core.model.Workload;
import dev.belay.core.report.Phase;
import dev.belay.core.report.Report;
import dev.belay.core.report.Report.Condition;
import dev.belay.core.state.Memory.Owner;
import dev.belay.sim.operator.Operators;
import dev.belay.sim.world.ApiServer;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The liveness promises of DESIGN.md §4. */
public final class Liveness {

  private final World world;
  private final Safety safety;
  private @Nullable Operators operators;
  private Instant unguarded = Instant.MAX;
  private Instant bare = Instant.MAX;
  private Instant checked = Instant.EPOCH;
  private long seen;
  private boolean healed;
  private Instant silent = Instant.MAX;
  private boolean rolling;
  private int rollouts;

  public Liveness(World world, Safety safety) {
    this.world = world;
    this.safety = safety;
  }

  public void watch(Operators running) {
    this.operators = running;
  }

  public void healed() {
    this.healed = true;
  }

  /** How many roll-outs came to their end. */
  public int rollouts() {
    return rollouts;
  }

  public void afterEvent() {
    boolean soon = world.time.now().isBefore(checked.plusMillis(900));
    if (soon && seen == world.api.version()) {
      return;
    }
    checked = world.time.now();
    seen = world.api.version();
    Optional<Report> status = world.api.cluster().flatMap(ClusterObject::status);
    boolean target =
        status.isPresent()
            && Among.any(status.get().memory().components().values(), c -> c.target().isPresent());
    if (rolling && !target && status.isPresent()) {
      rollouts++;
    }
    rolling = target;
    saysWhyItWaits(status);
    noticesMissingGuard(status);
  }

  /** L3. */
  private void saysWhyItWaits(Optional<Report> status) {
    Duration patience = Duration.ofSeconds(30);
    boolean quiet = safety.progress().plus(patience).isBefore(world.time.now());
    boolean unfinished = world.anyOutdated() || Among.any(world.parts(), p -> !p.store.exists());
    boolean said =
        status
            .flatMap(Report::blockedBy)
            .filter(b -> !b.rule().isBlank() && !b.object().isBlank())
            .filter(b -> !b.reading().isBlank() && !b.cure().isBlank())
            .isPresent();
    boolean reasonDue =
        quiet && unfinished && world.weather.clearFor(patience) && status.isPresent() && !settled();
    if (!reasonDue || said) {
      silent = Instant.MAX;
      return;
    }
    if (silent.equals(Instant.MAX)) {
      silent = world.time.now();
    }
    // A step that is being taken needs no excuse; one that is taken for ever does.
    if (silent.isBefore(world.time.now().minusSeconds(5))) {
      throw new Violation("L3", "nothing has moved for 30 s and the status does not say why");
    }
  }

  /** L6. */
  private void noticesMissingGuard(Optional<Report> status) {
    boolean claimed = world.api.cluster().filter(c -> !c.deleting()).isPresent();
    if (!claimed || world.guarding() == Guarding.POLICY) {
      unguarded = Instant.MAX;
      return;
    }
    if (unguarded.equals(Instant.MAX)) {
      unguarded = world.time.now();
    }
    boolean minute = world.time.now().isAfter(unguarded.plusSeconds(60));
    if (!minute || !world.weather.clearFor(Duration.ofSeconds(60)) || status.isEmpty()) {
      return;
    }
    Optional<Condition> guarded =
        Among.first(status.get().conditions(), c -> c.type().equals("Guarded"));
    boolean noticed = guarded.filter(c -> !c.reason().equals("Policy")).isPresent();
    if (!noticed) {
      throw new Violation("L6", "the policies are gone for a minute and Guarded still says Policy");
    }
    boolean parked =
        Among.all(
            world.parts(),
            p ->
                p.set().spec().update() != Workload.Update.ROLLING_UPDATE
                    || p.set().spec().partition() == Workload.FROZEN);
    if (parked || status.get().phase() != Phase.IDLE) {
      bare = Instant.MAX;
    } else if (bare.equals(Instant.MAX)) {
      bare = world.time.now();
    }
    if (bare.isBefore(world.time.now().minusSeconds(60))) {
      throw new Violation("L6", "the policies are gone for a minute and a set is not parked");
    }
  }

  /** As wanted, and known to be. */
  public boolean settled() {
    return unsettled().isEmpty();
  }

  /** L5 when a member is left on a revision that does not work although nobody wants it. */
  public String promise() {
    if (!safety.lingers().isEmpty()) {
      return "S11";
    }
    if (Among.any(world.parts(), p -> !p.drained().isEmpty())) {
      return "S12";
    }
    boolean left =
        world.parts().stream()
            .flatMap(p -> p.outdated().stream())
            .anyMatch(p -> p.template().broken());
    return left ? "L5" : "L1";
  }

  public String unsettled() {
    Optional<ClusterObject> cluster = world.api.cluster();
    if (cluster.isEmpty() || cluster.get().deleting() || cluster.get().status().isEmpty()) {
      return "there is no StatefulCluster with a status";
    }
    if (!Operators.isManaged(world)) {
      return "no install that runs and selects it owns it";
    }
    Report report = cluster.get().status().get();
    if (report.phase() != Phase.IDLE) {
      return report.phase()
          + " "
          + report
              .blockedBy()
              .map(b -> b.rule() + ": " + b.reading() + "; cure: " + b.cure())
              .orElse("");
    }
    String restless =
        world.parts().stream()
            .map(p -> unsettled(p, cluster.get()))
            .filter(why -> !why.isEmpty())
            .findFirst()
            .orElse("");
    return restless.isEmpty() ? safety.lingers() : restless;
  }

  private String unsettled(Part part, ClusterObject cluster) {
    boolean rolls = part.set().spec().update() == Workload.Update.ROLLING_UPDATE;
    if (!rolls && part.setup.update() == Workload.Update.ROLLING_UPDATE) {
      return "the set " + part.name() + " is on OnDelete";
    }
    if (!part.outdated().isEmpty()) {
      return "idle, but " + part.outdated().size() + " pods of " + part.name() + " are outdated";
    }
    int resting = !rolls ? 0 : world.guarding() == Guarding.POLICY ? 0 : Workload.FROZEN;
    if (part.set().spec().partition() != resting) {
      return "the partition of " + part.name() + " does not rest: " + part.set().spec().partition();
    }
    if (cluster.owner().filter(o -> part.set().mark().equals(mark(o))).isEmpty()) {
      return part.name() + " is marked " + part.set().mark().owner() + ", not by its owner";
    }
    String tag = part.set().spec().template().tag();
    if (cluster.spec().version().filter(v -> !v.equals(tag)).isPresent()) {
      return "the template of " + part.name() + " is not at the wanted version";
    }
    if (!part.drained().isEmpty()) {
      return part.drained() + " are still drained";
    }
    long serving = Among.count(part.pods(), part::serves);
    return serving == part.set().spec().replicas()
        ? ""
        : "only " + serving + " pods of " + part.name() + " serve";
  }

  private static Mark mark(Owner owner) {
    return Mark.of(ApiServer.CLUSTER, new Mark.Stamp(owner.epoch(), owner.account()));
  }

  /** L1: once settled, zero writes over so many resyncs. */
  public void restsFor(int resyncs) {
    Operators running = java.util.Objects.requireNonNull(operators);
    // The last status may still be on its way.
    world.pass(Duration.ofSeconds(15));
    int writes = running.writes();
    for (int i = 0; i < resyncs; i++) {
      running.resync();
      world.pass(Duration.ofSeconds(3));
    }
    if (running.writes() != writes) {
      throw new Violation("L1", (running.writes() - writes) + " writes while settled");
    }
    if (!settled() && healed) {
      throw new Violation("L1", "did not stay settled: " + unsettled());
    }
  }
}
