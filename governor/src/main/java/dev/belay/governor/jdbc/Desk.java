package dev.belay.governor.jdbc;

import dev.belay.governor.Refusal;
import dev.belay.governor.files.Checksum;
import dev.belay.governor.files.Migration;
import dev.belay.governor.files.Migration.Phase;
import dev.belay.governor.files.Script;
import dev.belay.governor.files.Syntax;
import dev.belay.governor.files.Upgrade;
import dev.belay.governor.files.Version;
import dev.belay.governor.jdbc.QueueTable.Draft;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where people add, read and decide; it needs no lock and works beside a running governor. */
public final class Desk implements AutoCloseable {

  private final List<Target> targets;
  private final String who;
  private final Session home;
  private final QueueTable table;
  private final Lease lease;

  private Desk(List<Target> targets, String who, Session home, Lease lease) {
    this.targets = List.copyOf(targets);
    this.who = who;
    this.home = home;
    this.table = new QueueTable(home);
    this.lease = lease;
  }

  public static Desk open(List<Target> targets, String who) throws SQLException {
    return find(targets, who)
        .orElseThrow(() ->
            new Refusal(targets.getFirst().name() + " has no queue; run governor init first"));
  }

  /** Empty where step zero has not been done. */
  public static Optional<Desk> find(List<Target> targets, String who) throws SQLException {
    Session home = Session.open(targets.getFirst(), who);
    try {
      return at(home, targets, who);
    } catch (SQLException | RuntimeException e) {
      home.close();
      throw e;
    }
  }

  /** The desk of this session, which is closed where there is none. */
  static Optional<Desk> at(Session home, List<Target> targets, String who) throws SQLException {
    Optional<Lease> lease = Lease.read(home);
    if (lease.isEmpty()) {
      home.close();
      return Optional.empty();
    }
    home.check(lease.get());
    return Optional.of(new Desk(targets, who, home, lease.get()));
  }

  public static Syntax syntax(Target target) {
    return Dialect.of(target).syntax();
  }

  public String cluster() {
    return lease.cluster();
  }

  /** The newest rows, oldest first. */
  public List<Row> rows(int most) throws SQLException {
    return table.last(most);
  }

  public List<Row> rows(String status) throws SQLException {
    return table.byStatus(status);
  }

  public Optional<Row> row(long id) throws SQLException {
    return table.row(id);
  }

  /** To be done, failed, or not known everywhere yet; with the beginning of each text. */
  public List<Row> open() throws SQLException {
    return table.open();
  }

  /** The upgrades of the queue, without their texts. */
  public List<Upgrade.Known> upgrades() throws SQLException {
    return table.upgrades();
  }

  /** What somebody wants done. */
  public record Wish(
      String op,
      Optional<String> description,
      Optional<String> batch,
      Optional<Phase> phase,
      boolean upgrade,
      boolean transactional,
      Optional<String> verify) {}

  /** Queues an operation; what can never run is refused here already. */
  public long add(Wish w) throws SQLException {
    String op = Checksum.normal(w.op());
    Script script = Script.parse(op, home.dialect().syntax());
    refuse(script);
    return table.add(
        new Draft(
            w.batch().orElse(null),
            op,
            script.statements().size() == 1 ? Row.SQL : Row.SQL_SCRIPT,
            w.upgrade() ? Row.UPGRADE : Row.CUSTOM,
            w.description().orElse(null),
            w.phase().map(Phase::text).orElse(null),
            false,
            w.transactional(),
            w.verify().orElse(null),
            null));
  }

  private static void refuse(Script script) {
    if (script.statements().isEmpty()) {
      throw new Refusal("there is no statement in it");
    }
    if (!script.problems().isEmpty()) {
      throw new Refusal(script.problems().getFirst().toString());
    }
  }

  /** The files that the queue does not have yet. */
  public List<Migration> missing(List<Migration> folder, Optional<Version> to) throws SQLException {
    return Upgrade.missing(folder, table.upgrades(), to);
  }

  /** Queues the files that are missing, all or none; two people who do it at once do it once. */
  public List<Migration> fill(List<Migration> folder, Optional<Version> to) throws SQLException {
    if (missing(folder, to).isEmpty()) {
      return List.of();
    }
    return Sql.inTransaction(
        home.connection(),
        () -> {
          Sql.query(
              home.connection(),
              "SELECT id FROM " + home.table("lease") + " WHERE id = 1 FOR UPDATE",
              r -> r.getInt(1));
          List<Migration> missing = missing(folder, to);
          for (Migration m : missing) {
            table.add(Draft.of(m));
          }
          return missing;
        });
  }

  /** Puts a failed operation back into the line, with another text if one is given. */
  public void retry(long id, Optional<String> text) throws SQLException {
    Row row = failed(id);
    refuseDoubt(row);
    if (text.isPresent()) {
      refuse(Script.parse(text.get(), home.dialect().syntax()));
      refuseRewritten(row, text.get());
    }
    String op = text.map(Checksum::normal).orElse(row.op());
    int statements = Script.parse(op, home.dialect().syntax()).statements().size();
    decide(
        row,
        "status = 'pending', tries = 0, finished_at = NULL, op = ?, checksum = ?, op_format = ?,"
            + " status_description = ?",
        op,
        text.isPresent() ? Checksum.of(op) : row.checksum().orElse(null),
        statements > 1 && text.isPresent() ? Row.SQL_SCRIPT : row.format(),
        "retry asked by " + who + was(row));
  }

  /** Leaves a failed operation out. */
  public void skip(long id, String why) throws SQLException {
    Row row = failed(id);
    refuseDoubt(row);
    decide(
        row,
        "status = 'done', status_description = ?",
        "skipped by " + who + ": " + why + was(row));
  }

  /** Says what a person has found out about an operation in doubt, or did by hand. */
  public void resolve(long id, boolean applied) throws SQLException {
    Row row = failed(id);
    boolean doubt = false;
    for (Session s : reachAll()) {
      try (s) {
        Steps steps = new Steps(s);
        if (steps.progress(id).intended()) {
          doubt = true;
          int statement = steps.progress(id).acknowledged();
          if (applied) {
            steps.acknowledge(id, statement);
          } else {
            steps.retract(id, statement);
          }
        }
      }
    }
    if (!doubt && !applied) {
      throw new Refusal(
          "operation " + id + " is not in doubt: nothing of it was applied; use retry");
    }
    String said = "resolved by " + who + " as " + (applied ? "applied" : "not applied") + was(row);
    decide(
        row,
        doubt
            ? "status = 'pending', tries = 0, finished_at = NULL, status_description = ?"
            : "status = 'done', status_description = ?",
        said);
  }

  /**
   * The way back ends at the highest irreversible version that was begun. One without a version
   * ends every way back; skipping one does not open it again, since parts may have been applied.
   */
  public Optional<Row> floor() throws SQLException {
    Optional<Long> id =
        Sql.list(
                home.connection(),
                "SELECT id, batch_id FROM "
                    + home.table("queue")
                    + " WHERE kind = 'upgrade' AND reversible = FALSE"
                    + " AND (status <> 'pending' OR started_at IS NOT NULL)",
                r -> new Begun(r.getLong(1), Optional.ofNullable(r.getString(2))))
            .stream()
            .max(Begun.ORDER)
            .map(Begun::id);
    return id.isPresent() ? table.row(id.get()) : Optional.empty();
  }

  private record Begun(long id, Optional<String> batch) {
    static final Comparator<Begun> ORDER =
        Comparator.comparing(
                Begun::version,
                (a, b) ->
                    a.isPresent() && b.isPresent()
                        ? a.get().compareTo(b.get())
                        : Boolean.compare(a.isEmpty(), b.isEmpty()))
            .thenComparingLong(Begun::id);

    Optional<Version> version() {
      return batch.flatMap(Version::parse);
    }
  }

  private static String was(Row row) {
    return row.statusDescription().map(d -> "; before: " + d).orElse("");
  }

  private Row failed(long id) throws SQLException {
    Row row =
        table
            .row(id)
            .orElseThrow(() -> new Refusal("operation " + id + " is not in the queue; see ls"));
    if (!row.status().equals(Row.FAILED)) {
      throw new Refusal(
          "operation " + id + " is " + row.status() + "; only a failed one waits for a decision");
    }
    if (!row.settled()) {
      throw new Refusal(
          "operation "
              + id
              + " is being taken back and a master has not heard of it yet;"
              + " let the governor run until it has");
    }
    return row;
  }

  private void refuseDoubt(Row row) throws SQLException {
    for (Session s : reachAll()) {
      try (s) {
        if (new Steps(s).progress(row.id()).intended()) {
          throw new Refusal(
              "operation "
                  + row.id()
                  + " is in doubt on "
                  + s.target().name()
                  + ": look, then say resolve --applied or resolve --not-applied");
        }
      }
    }
  }

  /** What was applied stays as it is: a new text may only differ after it. */
  private void refuseRewritten(Row row, String text) throws SQLException {
    List<Script.Statement> before = Script.parse(row.op(), home.dialect().syntax()).statements();
    List<Script.Statement> after = Script.parse(text, home.dialect().syntax()).statements();
    for (Session s : reachAll()) {
      try (s) {
        int applied = new Steps(s).progress(row.id()).acknowledged();
        for (int i = 0; i < applied; i++) {
          if (i >= after.size() || !before.get(i).sql().equals(after.get(i).sql())) {
            throw new Refusal(
                "statement "
                    + (i + 1)
                    + " of operation "
                    + row.id()
                    + " was applied on "
                    + s.target().name()
                    + " and must stay as it was; change only what follows");
          }
        }
      }
    }
  }

  private List<Session> reachAll() throws SQLException {
    int registered =
        Sql.query(
                home.connection(), "SELECT COUNT(*) FROM " + home.table("master"), r -> r.getInt(1))
            .orElse(0);
    if (registered != targets.size() - 1) {
      throw new Refusal(
          home.target().name()
              + " has "
              + registered
              + " other masters and "
              + (targets.size() - 1)
              + " were given; give --master for each");
    }
    List<Session> all = new ArrayList<>();
    for (Target t : targets) {
      Session s = Session.open(t, who);
      all.add(s);
      boolean ours = Lease.read(s).map(l -> l.cluster().equals(lease.cluster())).orElse(false);
      if (!ours) {
        all.forEach(Session::close);
        throw new Refusal(t.name() + " does not belong to cluster " + lease.cluster());
      }
    }
    return all;
  }

  private void decide(Row row, String set, @Nullable Object... values) throws SQLException {
    List<@Nullable Object> all = new ArrayList<>();
    for (@Nullable Object v : values) {
      all.add(v);
    }
    all.add(row.id());
    all.add(row.attempt());
    int n =
        Sql.update(
            home.connection(),
            "UPDATE "
                + home.table("queue")
                + " SET "
                + set
                + ", attempt = attempt + 1 WHERE id = ? AND attempt = ? AND status = 'failed'",
            all.toArray());
    if (n != 1) {
      throw new Refusal("operation " + row.id() + " was decided by somebody else; see ls");
    }
  }

  @Override
  public void close() {
    home.close();
  }
}
