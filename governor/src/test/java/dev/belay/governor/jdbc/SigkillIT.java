package dev.belay.governor.jdbc;

import static dev.belay.governor.jdbc.EveryDatabase.options;
import static dev.belay.governor.jdbc.EveryDatabase.wish;
import static dev.belay.governor.jdbc.EveryDatabase.work;
import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.governor.queue.Effect;
import dev.belay.governor.queue.Effect.Rest;
import dev.belay.governor.queue.Effect.Rest.Why;
import dev.belay.governor.queue.Event;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** A governor process, killed with SIGKILL before and after every write of a two-master run. */
class SigkillIT {

  @Test
  void postgres_runs_nothing_twice_and_leaves_nothing() throws Exception {
    List<Target> both = List.of(Postgres.shared().database(), Postgres.shared().database());
    List<String> killedAt =
        killEverywhere(
            both,
            n ->
                "ALTER TABLE made ADD COLUMN m"
                    + n
                    + " int;"
                    + "INSERT INTO made (n) VALUES ("
                    + n
                    + ")",
            t ->
                assertThat(
                        one(
                            t,
                            "SELECT count(*) FROM pg_prepared_xacts"
                                + " WHERE database = current_database()"))
                    .isEqualTo("0"));
    assertThat(killedAt)
        .contains("before Prepare", "after Prepare", "before CommitAtHome", "after CommitAtHome")
        .contains("after Tell", "after RecordStart");
  }

  @Test
  void mariadb_runs_nothing_twice_and_leaves_no_intent() throws Exception {
    try (MariaDb other = MariaDb.start("--skip-log-bin")) {
      List<Target> both = List.of(MariaDb.shared().database(), other.database());
      List<String> killedAt =
          killEverywhere(
              both,
              SigkillIT::withVerify,
              t ->
                  assertThat(
                          one(t, "SELECT COUNT(*) FROM belay_governor_step WHERE NOT acknowledged"))
                      .isEqualTo("0"));
      assertThat(killedAt.stream().filter("after Apply"::equals)).hasSize(4);
      assertThat(killedAt)
          .contains("before Intend", "after Intend", "before Apply", "before RecordDone")
          .contains("after RecordDone", "after RecordStart");
    }
  }

  /** MariaDB cannot roll DDL back, so each statement says how it is recognised. */
  static String withVerify(int n) {
    return """
    -- belay:verify SELECT COUNT(*) FROM information_schema.columns \
    WHERE table_schema = DATABASE() AND column_name = 'm%1$d'
    ALTER TABLE made ADD COLUMN m%1$d int;
    -- belay:verify SELECT COUNT(*) FROM made WHERE n = %1$d
    INSERT INTO made (n) VALUES (%1$d);
    """
        .formatted(n);
  }

  private interface Check {
    void of(Target t) throws SQLException;
  }

  /** Kills a governor at the first point, at the second, and so on, until one comes to its end. */
  private static List<String> killEverywhere(
      List<Target> both, IntFunction<String> operation, Check nothingLeft) throws Exception {
    Target[] targets = both.toArray(Target[]::new);
    assertThat(work(targets).why()).isEqualTo(Why.DRAINED);
    for (Target t : both) {
      try (Connection c = connect(t)) {
        Sql.run(c, "CREATE TABLE made (n int)");
      }
    }
    List<String> killedAt = new ArrayList<>();
    for (int point = 0; ; point++) {
      try (Desk desk = Desk.open(both, "eve")) {
        desk.add(wish(operation.apply(point)));
      }
      Optional<String> where = killAt(point, targets);
      Rest rest = work(targets);
      assertThat(rest.why()).as("killed " + where + ": " + rest.reason()).isEqualTo(Why.DRAINED);
      for (Target t : both) {
        assertThat(one(t, "SELECT count(*) FROM made WHERE n = " + point))
            .as(where + " " + t)
            .isEqualTo("1");
        assertThat(columns(t, "m" + point)).as(where + " " + t).isEqualTo("1");
        nothingLeft.of(t);
      }
      if (where.isEmpty()) {
        break;
      }
      killedAt.add(where.get());
    }
    assertThat(
            one(
                both.getFirst(),
                "SELECT count(*) FROM belay_governor_queue WHERE status <> 'done' OR NOT settled"))
        .isEqualTo("0");
    return killedAt;
  }

  private static String columns(Target t, String name) throws SQLException {
    String here = t.url().contains("mariadb") ? " AND table_schema = DATABASE()" : "";
    return one(
        t,
        "SELECT count(*) FROM information_schema.columns WHERE column_name = '"
            + name
            + "'"
            + here);
  }

  /** Where it was killed; empty when it came to its end first. */
  private static Optional<String> killAt(int point, Target... targets)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName(),
                "" + point,
                targets[0].user()));
    for (Target t : targets) {
      command.add(t.url());
    }
    Process child =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
      String line = out.readLine();
      child.destroyForcibly().waitFor();
      assertThat(line).as("the child says where it stands").isNotNull();
      return line.equals("end") ? Optional.empty() : Optional.of(line);
    }
  }

  private static Connection connect(Target t) throws SQLException {
    return DriverManager.getConnection(t.url(), t.user(), "");
  }

  private static String one(Target t, String sql) throws SQLException {
    try (Connection c = connect(t)) {
      return String.join(",", Sql.list(c, sql, r -> String.valueOf(r.getString(1))));
    }
  }

  /** The process that is killed: it stands still at a point and says so. */
  static final class Child implements Watcher {
    private int left;

    private Child(int point) {
      left = point;
    }

    public static void main(String[] args) {
      List<Target> targets = new ArrayList<>();
      for (int i = 2; i < args.length; i++) {
        targets.add(new Target(args[i], args[1], Optional.empty()));
      }
      try (Governor g = new Governor(targets, options(), new Child(Integer.parseInt(args[0])))) {
        g.work();
      }
      System.out.println("end");
    }

    @Override
    public void before(Effect effect) {
      point("before", effect);
    }

    @Override
    public void after(Effect effect, Event event) {
      point("after", effect);
    }

    private void point(String when, Effect effect) {
      if (effect instanceof Effect.Look || left-- != 0) {
        return;
      }
      System.out.println(when + " " + effect.getClass().getSimpleName());
      System.out.flush();
      try {
        Thread.sleep(60_000);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
