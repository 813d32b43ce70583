package dev.belay.drivers.mysql;

import dev.belay.core.driver.Driver;
import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.wire.Calls;
import dev.belay.drivers.wire.Deadline;
import dev.belay.drivers.wire.Reply;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** MySQL and MariaDB over SQL. */
public final class MysqlDriver implements Driver {

  private final DriverConfig config;
  private final Session.Door door;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  public MysqlDriver(DriverConfig config) {
    this(config, new JdbcDoor(config));
  }

  MysqlDriver(DriverConfig config, Session.Door door) {
    this.config = config;
    this.door = door;
  }

  @Override
  public SystemPolicy policy() {
    return MysqlPolicy.INSTANCE;
  }

  @Override
  public Fact<Topology> observe(List<Seat> seats, Duration deadline) {
    Deadline until = Deadline.in(deadline);
    List<Future<Reply<Map<String, List<Map<String, String>>>>>> asked =
        seats.stream().map(seat -> threads.submit(() -> ask(seat, until))).toList();
    var reports = new ArrayList<SeatReport>();
    for (int i = 0; i < seats.size(); i++) {
      reports.add(SeatReport.of(seats.get(i), Calls.await(asked.get(i), until)));
    }
    return Picture.of(reports);
  }

  private Reply<Map<String, List<Map<String, String>>>> ask(Seat seat, Deadline until) {
    try (Session session = door.open(seat, until)) {
      return new Reply.Ok<>(Questions.ask(session));
    } catch (SQLException e) {
      return Trouble.of(e, until);
    }
  }

  /** Leadership is no single thing here that could be handed on: it moves by several commands. */
  @Override
  public Outcome transferLeader(
      List<Seat> seats, Topology.Leader from, String toMemberId, Duration deadline) {
    return new Outcome.Refused(
        "no switchover can begin now: it needs one writable primary, and a successor that follows it,"
            + " is read-only, has log_bin and log_slave_updates on, and is not newer than the other"
            + " replicas; one that was given up begins again after belay retry");
  }

  /** What one seat said in a session that is still open, with Belay's lock in it or without. */
  private record Heard(SeatReport report, List<Session> session, boolean locked) {}

  /** The sessions of one command: those that are opened too late are closed at once. */
  private static final class Sessions implements AutoCloseable {
    private final List<Session> open = new ArrayList<>();
    private boolean over;

    synchronized Session keep(Session session) {
      open.add(session);
      if (over) {
        session.close();
      }
      return session;
    }

    @Override
    public synchronized void close() {
      over = true;
      open.forEach(Session::close);
    }
  }

  /**
   * The fence: a lock in every server that answers, held by the sessions in which the roles are
   * read again and, if they are what they were, the statements run.
   */
  @Override
  public Outcome tell(List<Seat> seats, Command command, Duration deadline) {
    Deadline until = Deadline.in(deadline);
    Deadline greeting = Deadline.in(deadline.dividedBy(2));
    try (var sessions = new Sessions()) {
      List<Heard> heard = greet(seats, sessions, until, greeting);
      Future<Reply<Outcome>> told = threads.submit(() -> carryOut(heard, command, until));
      Reply<Outcome> reply = Calls.await(told, until);
      return reply instanceof Reply.Ok<Outcome>(Outcome outcome)
          ? outcome
          : new Outcome.Refused(
              command.object()
                  + ": "
                  + reply.why()
                  + "; whether it happened is seen at the next look");
    }
  }

  private List<Heard> greet(
      List<Seat> seats, Sessions sessions, Deadline until, Deadline greeting) {
    List<Future<Reply<Heard>>> asked =
        seats.stream().map(seat -> threads.submit(() -> greet(seat, sessions, until))).toList();
    var heard = new ArrayList<Heard>();
    for (int i = 0; i < seats.size(); i++) {
      Reply<Heard> reply = Calls.await(asked.get(i), greeting);
      heard.add(
          reply instanceof Reply.Ok<Heard>(Heard h)
              ? h
              : new Heard(SeatReport.of(seats.get(i), reply.trouble()), List.of(), true));
    }
    return heard;
  }

  private Reply<Heard> greet(Seat seat, Sessions sessions, Deadline until) {
    try {
      Session session = sessions.keep(door.open(seat, until));
      boolean locked = "1".equals(session.ask(Conference.LOCK).getFirst().get("got"));
      var report = SeatReport.of(seat, new Reply.Ok<>(Questions.ask(session)));
      return new Reply.Ok<>(new Heard(report, List.of(session), locked));
    } catch (SQLException e) {
      return Trouble.of(e, until);
    }
  }

  private Reply<Outcome> carryOut(List<Heard> heard, Command command, Deadline until) {
    for (Heard h : heard) {
      if (!h.locked) {
        return new Reply.Ok<>(
            new Outcome.Refused(
                h.report.seat().pod()
                    + ": another session holds Belay's lock there; the server ends one whose operator is"
                    + " gone within seconds"));
      }
    }
    var sessions = new HashMap<String, Session>();
    heard.forEach(h -> h.session.forEach(s -> sessions.put(h.report.name(), s)));
    var relations = new Relations(heard.stream().map(Heard::report).toList());
    try {
      return new Reply.Ok<>(new Conference(sessions, relations, config).carryOut(command, until));
    } catch (SQLException e) {
      return new Reply.Failed<>(Trouble.why(e));
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
    door.close();
  }
}
