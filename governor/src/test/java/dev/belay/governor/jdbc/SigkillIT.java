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
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A governor process, killed with SIGKILL before and after every write of a two-master run. */
class SigkillIT {

  @Test
  void sigkill_before_and_after_every_write_runs_nothing_twice_and_leaves_nothing()
      throws Exception {
    Target home = Postgres.shared().database();
    Target other = Postgres.shared().database();
    assertThat(work(home, other).why()).isEqualTo(Why.DRAINED);
    for (Target t : List.of(home, other)) {
      try (Connection c = Postgres.connect(t)) {
        Sql.run(c, "CREATE TABLE made (n int)");
      }
    }
    List<String> killedAt = new ArrayList<>();
    for (int point = 0; ; point++) {
      try (Desk desk = Desk.open(List.of(home, other), "eve")) {
        desk.add(
            wish(
                "ALTER TABLE made ADD COLUMN m"
                    + point
                    + " int;"
                    + "INSERT INTO made (n) VALUES ("
                    + point
                    + ")"));
      }
      Optional<String> where = killAt(point, home, other);
      Rest rest = work(home, other);
      assertThat(rest.why()).as("killed " + where + ": " + rest.reason()).isEqualTo(Why.DRAINED);
      for (Target t : List.of(home, other)) {
        assertThat(one(t, "SELECT count(*) FROM made WHERE n = " + point))
            .as(where + " " + t)
            .isEqualTo("1");
        assertThat(
                one(
                    t,
                    "SELECT count(*) FROM information_schema.columns WHERE column_name = 'm"
                        + point
                        + "'"))
            .isEqualTo("1");
        assertThat(
                one(
                    t,
                    "SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()"))
            .as(where + " " + t)
            .isEqualTo("0");
      }
      if (where.isEmpty()) {
        break;
      }
      killedAt.add(where.get());
    }
    assertThat(
            one(
                home,
                "SELECT count(*) FROM belay_governor_queue WHERE status <> 'done' OR NOT settled"))
        .isEqualTo("0");
    assertThat(killedAt)
        .anyMatch(w -> w.startsWith("before Prepare"))
        .anyMatch(w -> w.startsWith("after Prepare"));
    assertThat(killedAt)
        .anyMatch(w -> w.startsWith("before CommitAtHome"))
        .anyMatch(w -> w.startsWith("after CommitAtHome"));
    assertThat(killedAt)
        .anyMatch(w -> w.startsWith("after Tell"))
        .anyMatch(w -> w.startsWith("after RecordStart"));
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
                "" + point));
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

  private static String one(Target t, String sql) throws SQLException {
    try (Connection c = Postgres.connect(t)) {
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
      for (int i = 1; i < args.length; i++) {
        targets.add(new Target(args[i], "postgres", Optional.empty()));
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
