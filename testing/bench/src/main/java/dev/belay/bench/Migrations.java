package dev.belay.bench;

import dev.belay.governor.files.Migration;
import dev.belay.governor.files.MigrationFolder;
import dev.belay.governor.jdbc.Desk;
import dev.belay.governor.jdbc.Governor;
import dev.belay.governor.jdbc.Options;
import dev.belay.governor.jdbc.Target;
import dev.belay.governor.jdbc.Watcher;
import dev.belay.governor.queue.Effect;
import dev.belay.governor.queue.Event;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.flywaydb.core.Flyway;

/** What a migration that does nothing costs, next to Flyway on the same PostgreSQL. */
final class Migrations {

  private static final int MANY = 10_000;
  private static final int FLAT_ROUNDS = 3;
  private static final int EARLY = 100;
  private static final int AROUND = 50;

  private Migrations() {}

  static void measure(int migrations, int rounds) throws IOException, SQLException {
    System.out.printf(
        Locale.ROOT,
        "%d migrations of SELECT 1, %d alternating rounds after one to warm up; load %.1f%n",
        migrations,
        rounds,
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    try (TemporaryFolder dir = TemporaryFolder.create("belay-bench-sql");
        PostgresServer server = PostgresServer.start()) {
      Path folder = files(dir.path().resolve("some"), migrations);
      flyway(server.database(), folder);
      belay(server.database(), folder, Watcher.NONE);
      List<Double> flyway = new ArrayList<>();
      List<Double> belay = new ArrayList<>();
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < rounds; i++) {
        flyway.add(flyway(server.database(), folder) / migrations);
        belay.add(belay(server.database(), folder, Watcher.NONE) / migrations);
        ratios.add(belay.getLast() / flyway.getLast());
      }
      System.out.printf(
          Locale.ROOT,
          "per migration, median: Flyway %.2f ms, Belay %.2f ms; Belay / Flyway %.2f, worst %.2f"
              + " (aim: 0.5)%n",
          median(flyway),
          median(belay),
          median(ratios),
          ratios.stream().max(Comparator.naturalOrder()).orElseThrow());
      flat(server, files(dir.path().resolve("many"), MANY));
    }
  }

  /** The last of many next to an early one, each the median of those around it. */
  private static void flat(PostgresServer server, Path folder) throws SQLException {
    List<Double> early = new ArrayList<>();
    List<Double> late = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < FLAT_ROUNDS; i++) {
      List<Long> times = committedAt(server.database(), folder);
      early.add(around(times, EARLY));
      late.add(around(times, times.size() - AROUND - 1));
      ratios.add(late.getLast() / early.getLast());
    }
    System.out.printf(
        Locale.ROOT,
        "of %d, %d rounds, median: the %dth %.2f ms, the last %.2f ms; last / %dth %.2f, worst"
            + " %.2f (aim: 1.2)%n",
        MANY,
        FLAT_ROUNDS,
        EARLY,
        median(early),
        median(late),
        EARLY,
        median(ratios),
        ratios.stream().max(Comparator.naturalOrder()).orElseThrow());
  }

  private static List<Long> committedAt(String url, Path folder) throws SQLException {
    List<Long> times = new ArrayList<>();
    belay(
        url,
        folder,
        new Watcher() {
          @Override
          public void after(Effect effect, Event event) {
            if (effect instanceof Effect.CommitAtHome && event instanceof Event.Done) {
              times.add(System.nanoTime());
            }
          }
        });
    return times;
  }

  private static double around(List<Long> times, int at) {
    List<Double> steps = new ArrayList<>();
    for (int i = at - AROUND + 1; i <= at + AROUND; i++) {
      steps.add((times.get(i) - times.get(i - 1)) / 1e6);
    }
    return median(steps);
  }

  private static double flyway(String url, Path folder) {
    long start = System.nanoTime();
    Flyway.configure()
        .dataSource(url, "postgres", "")
        .locations("filesystem:" + folder)
        .load()
        .migrate();
    return (System.nanoTime() - start) / 1e6;
  }

  /** What {@code belay governor run --once --folder} does. */
  private static double belay(String url, Path folder, Watcher watcher) throws SQLException {
    long start = System.nanoTime();
    Target target = new Target(url, "postgres", Optional.empty());
    try (Governor governor = new Governor(List.of(target), Options.defaults("bench"), watcher)) {
      List<Migration> files = MigrationFolder.read(folder, Desk.syntax(target));
      governor.init();
      try (Desk desk = Desk.open(List.of(target), "bench")) {
        desk.fill(files, Optional.empty());
      }
      Effect.Rest rest = governor.work();
      if (rest.why() != Effect.Rest.Why.DRAINED) {
        throw new IllegalStateException(rest.reason());
      }
    }
    return (System.nanoTime() - start) / 1e6;
  }

  private static Path files(Path folder, int count) throws IOException {
    Files.createDirectories(folder);
    for (int i = 1; i <= count; i++) {
      Files.writeString(folder.resolve("V" + i + "__nothing.sql"), "SELECT 1;\n");
    }
    return folder;
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }
}
