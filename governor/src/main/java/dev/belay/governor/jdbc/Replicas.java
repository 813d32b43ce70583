package dev.belay.governor.jdbc;

import dev.belay.governor.Refusal;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The declared replicas: whether they are there, and whether they have replayed an operation. */
final class Replicas implements AutoCloseable {

  /** Long enough for a healthy replica, short enough to say that one lags. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final List<Target> targets;
  private final Masters masters;
  private final String owner;
  private final Map<String, Session> sessions = new LinkedHashMap<>();

  /** Where each master's log ended when {@code operation} was first found decided. */
  private final Map<String, String> positions = new HashMap<>();

  private long operation = -1;

  Replicas(List<Target> targets, Masters masters, String owner) {
    this.targets = List.copyOf(targets);
    this.masters = masters;
    this.owner = owner;
    for (Target t : targets) {
      if (masters.dialect() instanceof H2Dialect) {
        throw new Refusal("replica " + t.name() + ": H2 has no replicas; leave it out");
      }
      if (Dialect.of(t).getClass() != masters.dialect().getClass()) {
        throw new Refusal(
            "replica " + t.name() + " is another kind of database than its master; check the URL");
      }
    }
  }

  /** Those that cannot be asked, each with the reason; step zero may take a moment to arrive. */
  List<String> outOfReach() throws SQLException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      List<String> troubles =
          troubles(s -> {
            // One that could never be waited for must not be found out after the commit.
            positionOf(master(s));
            return Optional.empty();
          });
      if (troubles.isEmpty() || System.nanoTime() > end) {
        return troubles;
      }
      Session.pause();
    }
  }

  /** Those that have not replayed a decided operation, each with the reason. */
  List<String> behind(long decided) {
    if (decided != operation) {
      positions.clear();
      operation = decided;
    }
    return troubles(s -> {
      // Kept, so that a replica which always lags a little behind a busy master gets there.
      Session master = master(s);
      String name = master.target().name();
      if (!positions.containsKey(name)) {
        positions.put(name, positionOf(master));
      }
      String position = String.valueOf(positions.get(name));
      return s.dialect().replayed(s.connection(), position, PATIENCE)
          ? Optional.empty()
          : Optional.of("it has not replayed " + position + " yet");
    });
  }

  private static String positionOf(Session master) throws SQLException {
    return master
        .dialect()
        .position(master.connection())
        .orElseThrow(() ->
            new Refusal(
                "its master "
                    + master.target().name()
                    + " keeps no log with positions; turn on log_bin (MySQL: gtid_mode, too)"));
  }

  private interface Question {
    Optional<String> ask(Session replica) throws SQLException;
  }

  private List<String> troubles(Question question) {
    List<String> out = new ArrayList<>();
    for (Target t : targets) {
      try {
        Session s = session(t);
        question.ask(s).ifPresent(why -> out.add(said(t, why)));
      } catch (SQLException | Refusal e) {
        drop(t);
        out.add(said(t, t.scrub(String.valueOf(e.getMessage()))));
      }
    }
    return out;
  }

  private static String said(Target t, String why) {
    return "replica " + t.name() + " (" + why + ")";
  }

  private Session session(Target t) throws SQLException {
    Session known = sessions.get(t.name());
    if (known != null) {
      return known;
    }
    Session s = Session.open(t, owner);
    sessions.put(t.name(), s);
    return s;
  }

  /** Which master it replicates: its copy of the lease says so. */
  private Session master(Session s) throws SQLException {
    Optional<String> unfit = s.dialect().noReplica(s.connection());
    if (unfit.isPresent()) {
      throw new Refusal(unfit.get());
    }
    Lease lease =
        Lease.read(s)
            .orElseThrow(() -> new Refusal("it has no governor's tables yet, or is of elsewhere"));
    Session master =
        masters
            .ofMember(lease.member())
            .orElseThrow(() -> new Refusal("it is a replica of none of the given masters"));
    if (master.target().name().equals(s.target().name())) {
      throw new Refusal("it is the master itself; leave it out");
    }
    return master;
  }

  private void drop(Target t) {
    Session s = sessions.remove(t.name());
    if (s != null) {
      s.close();
    }
  }

  @Override
  public void close() {
    targets.forEach(this::drop);
  }
}
