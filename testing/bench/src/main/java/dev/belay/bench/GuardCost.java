package dev.belay.bench;

import dev.belay.bench.GuardCell.Guarding;
import dev.belay.demo.Repository;
import dev.belay.sandbox.ControlPlane;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * The cost of the guard for a write of a StatefulSet: the same writes to two control planes, one
 * with the policies and one without.
 */
final class GuardCost {

  /** With fewer writes a p95 is the slowest one. */
  static final int MIN_WRITES = 40;

  private static final int WARM_UP = 10;
  private static final Set<String> CONTROLLERS =
      Set.of("kube-controller-manager", "kube-scheduler");

  private final ApiServer bare;
  private final ApiServer guarded;

  private GuardCost(ApiServer bare, ApiServer guarded) {
    this.bare = bare;
    this.guarded = guarded;
  }

  static void measure(int writes) throws IOException {
    Repository repository = Repository.find();
    System.out.println("Starting two control planes, one with the guard and one without.");
    try (TemporaryFolder dir = TemporaryFolder.create("belay-bench-guard");
        ControlPlane without = ControlPlane.start(dir.path().resolve("without"));
        ControlPlane with = ControlPlane.start(dir.path().resolve("with"))) {
      stopControllers();
      var cost = new GuardCost(new ApiServer(without), new ApiServer(with));
      cost.prepare(repository);
      System.out.printf(
          Locale.ROOT,
          "Measuring %d rounds of %d writes; load before %.1f%n",
          WARM_UP + writes,
          GuardCell.all().size(),
          load());
      print(new GuardTable(cost.rounds(writes)), writes);
    }
  }

  private static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  /** Controllers would write to the sets, and use the processor, between two measurements. */
  private static void stopControllers() {
    ProcessHandle.current()
        .children()
        .filter(p ->
            CONTROLLERS.stream().anyMatch(c -> p.info().command().orElse("").endsWith("/" + c)))
        .forEach(ProcessHandle::destroy);
  }

  private void prepare(Repository repository) throws IOException {
    for (ApiServer server : List.of(bare, guarded)) {
      server.apply(repository, "shared/crd");
      Main.await("the CRD to be served", server::servesClusters);
      GuardCell.CLUSTERS.forEach(server::createClusters);
    }
    List<GuardCell> cells = GuardCell.all();
    // Before the policies: only the owner could bring a labelled set to partition 0 later.
    cells.forEach(c -> server(c).createSet(c));
    guarded.apply(repository, "shared/guard");
    GuardCell labelled = cells.stream().filter(GuardCell::labelled).findFirst().orElseThrow();
    Main.await("the mutating policies", () -> guarded.freezes(labelled));
    Main.await("the validating policies", () -> guarded.refusesOnDelete(labelled));
  }

  /** One write per case and round, in another order each round: no case has a better place. */
  private Map<GuardCell, Latencies> rounds(int writes) throws IOException {
    List<GuardCell> cells = new ArrayList<>(GuardCell.all());
    Random random = new Random(1);
    for (int round = 1; round <= WARM_UP + writes; round++) {
      Collections.shuffle(cells, random);
      for (GuardCell cell : cells) {
        server(cell).write(cell, round);
      }
    }
    Map<String, List<Duration>> ofBare = bare.times();
    Map<String, List<Duration>> ofGuarded = guarded.times();
    Map<GuardCell, Latencies> measured = new HashMap<>();
    for (GuardCell cell : cells) {
      List<Duration> times =
          (server(cell) == bare ? ofBare : ofGuarded).getOrDefault(cell.key(), List.of());
      if (times.size() != WARM_UP + writes) {
        throw new IllegalStateException(
            "the audit log has %d of %d writes of %s"
                .formatted(times.size(), WARM_UP + writes, cell.key()));
      }
      measured.put(cell, new Latencies(times.subList(WARM_UP, times.size())));
    }
    return measured;
  }

  private ApiServer server(GuardCell cell) {
    return cell.guarding() == Guarding.BARE ? bare : guarded;
  }

  private static void print(GuardTable table, int writes) {
    System.out.printf(
        Locale.ROOT,
        "%nWrites of a StatefulSet: median and p95 in ms of %d; x: median next to bare; !: above"
            + " the wanted bound%n",
        writes);
    table.lines().forEach(System.out::println);
    System.out.printf(
        Locale.ROOT,
        "measured: inside the API server (audit log), one write at a time, cases shuffled in each"
            + " round, %d rounds to warm up; no pods, no controllers, etcd without fsync; load"
            + " after %.1f%n",
        WARM_UP,
        load());
  }
}
