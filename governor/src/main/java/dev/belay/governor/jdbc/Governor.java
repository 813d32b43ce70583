package dev.belay.governor.jdbc;

import dev.belay.governor.Refusal;
import dev.belay.governor.files.Migration.Phase;
import dev.belay.governor.jdbc.Lease.Fenced;
import dev.belay.governor.jdbc.QueueTable.Changed;
import dev.belay.governor.queue.Effect;
import dev.belay.governor.queue.Event;
import dev.belay.governor.queue.Operation;
import dev.belay.governor.queue.Operation.Way;
import dev.belay.governor.queue.Queue;
import dev.belay.governor.queue.Sight;
import dev.belay.governor.queue.Sight.Held;
import dev.belay.governor.queue.Sight.Holding;
import dev.belay.governor.queue.Sight.Progress;
import dev.belay.governor.queue.State;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Drives the queue: asks the state for its effect, carries it out, tells the state the event. */
public final class Governor implements AutoCloseable {

  private final Queue queue;
  private final Options options;
  private final Masters masters;
  private final Replicas replicas;
  private final Watcher watcher;
  private State state = Queue.start();
  private @Nullable Compiled current;
  private final Applying applying;

  public Governor(List<Target> targets, Options options, Watcher watcher) {
    this(targets, List.of(), options, watcher);
  }

  /**
   * Governs with replicas that have to replay each operation before the next one begins.
   *
   * @param targets home first, then the other masters
   */
  public Governor(List<Target> targets, List<Target> replicas, Options options, Watcher watcher) {
    this.queue = new Queue(options.lockTries(), !replicas.isEmpty());
    this.options = options;
    this.masters = new Masters(targets, options);
    this.replicas = new Replicas(replicas, masters, options.owner());
    this.watcher = watcher;
    this.applying = new Applying(masters, options);
  }

  /** Works until there is nothing to do now, and says why. */
  public Effect.Rest work() {
    while (true) {
      Optional<Effect.Rest> rest = workOnce();
      if (rest.isPresent()) {
        return rest.get();
      }
    }
  }

  /** Works until one operation is done or failed (empty), or there is nothing to do now. */
  public Optional<Effect.Rest> workOnce() {
    state = queue.next(state, new Event.Tick());
    while (true) {
      Effect effect = state.effect();
      if (effect instanceof Effect.Rest rest) {
        return Optional.of(rest);
      }
      watcher.before(effect);
      Event event = carryOut(effect);
      watcher.after(effect, event);
      state = queue.next(state, event);
      if (event instanceof Event.Done && ends(effect)) {
        return Optional.empty();
      }
    }
  }

  private static boolean ends(Effect effect) {
    return switch (effect) {
      case Effect.CommitAtHome e -> e.settled();
      case Effect.RecordDone e -> e.settled();
      case Effect.RecordFailure e -> e.settled();
      case Effect.RecordSettled e -> true;
      default -> false;
    };
  }

  /** Step zero alone: tables, registration of the masters; answers the cluster id. */
  public String init() throws SQLException {
    masters.home();
    for (Target t : masters.others()) {
      masters.peer(t);
    }
    return masters.homeLease().cluster();
  }

  private Event carryOut(Effect effect) {
    return switch (effect) {
      case Effect.Look e -> atHome(() -> new Event.Saw(look()));
      case Effect.Rest e -> new Event.Tick();
      case Effect.RecordStart e -> record(t -> t.start(e.op(), compiled(e.op()).row().op()));
      case Effect.ApplyAtHome e -> atHome(() -> applying.atHome(compiled(e.op())));
      case Effect.Prepare e -> atPeer(e.master(), p -> applying.prepare(compiled(e.op()), p));
      case Effect.CommitAtHome e -> atHome(() -> applying.commit(compiled(e.op()), e.settled()));
      case Effect.RecordFailure e -> {
        Event undone = atHome(applying::abandon);
        yield undone instanceof Event.Done
            ? record(t -> t.failed(e.op(), e.error(), e.settled()))
            : undone;
      }
      case Effect.RecordPostponed e -> {
        Event undone = atHome(applying::abandon);
        yield undone instanceof Event.Done ? record(t -> t.postponed(e.op(), e.error())) : undone;
      }
      case Effect.Tell e ->
          atPeer(
              e.master(),
              p -> {
                new Prepared(p.session(), p.lease()).tell(e.ticket(), e.commit());
                return new Event.Done();
              });
      case Effect.RecordSettled e -> record(t -> t.settled(e.op()));
      case Effect.Intend e -> atMaster(e.master(), s -> applying.intend(s, e.op(), e.statement()));
      case Effect.Apply e ->
          atMaster(e.master(), s -> applying.step(s, compiled(e.op()), e.statement()));
      case Effect.Verify e ->
          atMaster(e.master(), s -> applying.verify(s, compiled(e.op()), e.statement()));
      case Effect.Acknowledge e ->
          atMaster(
              e.master(),
              s -> applying.mark(s, () -> new Steps(s).acknowledge(e.op().id(), e.statement())));
      case Effect.Retract e ->
          atMaster(
              e.master(),
              s -> applying.mark(s, () -> new Steps(s).retract(e.op().id(), e.statement())));
      case Effect.RecordDone e ->
          record(t -> t.done(e.op(), compiled(e.op()).row().op(), e.settled()));
    };
  }

  private Sight look() throws SQLException {
    Session home = masters.home();
    QueueTable table = new QueueTable(home);
    QueueTable.Front front = table.front();
    Optional<Row> row = choose(front);
    current = row.map(r -> Compiled.of(r, home.dialect())).orElse(null);
    Optional<Compiled> next = Optional.ofNullable(current);
    List<Holding> holdings = new ArrayList<>();
    boolean steps = next.isPresent() && next.get().operation().way() == Way.STEPS;
    if (steps) {
      Progress p = new Steps(home).progress(next.get().row().id());
      holdings.add(new Holding.Present(masters.homeName(), List.of(), p));
    }
    for (Target t : masters.others()) {
      holdings.add(holding(t, table, next));
    }
    return new Sight(
        front.unsettled().map(r -> Compiled.of(r, home.dialect()).operation()),
        front.failed().map(r -> new Sight.Stop(r.id(), r.statusDescription().orElse("no reason"))),
        next.map(Compiled::operation),
        next.flatMap(Compiled::flaw),
        front
            .upgrade()
            .map(r -> "operation " + r.id() + " waits for phase " + phaseOf(r).text() + " to open"),
        holdings,
        front.unsettled().isPresent()
            ? replicas.behind(front.unsettled().get().id())
            : next.isPresent() ? replicas.outOfReach() : List.of());
  }

  /** What was begun is finished first; then upgrades whose phase is open; then custom ones. */
  private Optional<Row> choose(QueueTable.Front front) {
    if (front.started().isPresent()) {
      return front.started();
    }
    Optional<Row> upgrade = front.upgrade().filter(r -> options.phases().contains(phaseOf(r)));
    return upgrade.isPresent() || !options.custom() ? upgrade : front.custom();
  }

  private static Phase phaseOf(Row r) {
    return r.phase().orElse(Phase.EXPAND);
  }

  private Holding holding(Target target, QueueTable table, Optional<Compiled> next)
      throws SQLException {
    List<Held> held = new ArrayList<>();
    Progress progress = Progress.NONE;
    try {
      Masters.Peer peer = masters.peer(target);
      if (peer.session().dialect().way() == Way.TRANSACTION) {
        for (Operation.Ticket t : new Prepared(peer.session(), peer.lease()).list()) {
          held.add(new Held(t, Held.Fate.UNDECIDED));
        }
      }
      if (next.isPresent() && next.get().operation().way() == Way.STEPS) {
        progress = new Steps(peer.session()).progress(next.get().row().id());
      }
    } catch (Fenced e) {
      throw e;
    } catch (SQLException | Refusal e) {
      masters.drop(target.name());
      return new Holding.Absent(target.name(), target.scrub(String.valueOf(e.getMessage())));
    }
    List<Held> fates = new ArrayList<>();
    for (Held h : held) {
      fates.add(new Held(h.ticket(), table.fate(h.ticket())));
    }
    return new Holding.Present(target.name(), fates, progress);
  }

  private Compiled compiled(Operation op) {
    Compiled c = current;
    if (c == null || c.row().id() != op.id()) {
      throw new IllegalStateException(op + " is not the operation that was looked at");
    }
    return c;
  }

  private interface Write {
    void to(QueueTable table) throws SQLException;
  }

  private Event record(Write write) {
    return atHome(() -> {
      Session home = masters.home();
      return Sql.inTransaction(
          home.connection(),
          () -> {
            home.fence(true);
            write.to(new QueueTable(home));
            return new Event.Done();
          });
    });
  }

  private Event atHome(Sql.Work<Event> work) {
    try {
      return work.run();
    } catch (Fenced e) {
      masters.close();
      return new Event.Outranked(String.valueOf(e.getMessage()));
    } catch (Changed e) {
      return new Event.Unclear(String.valueOf(e.getMessage()));
    } catch (Barred e) {
      return new Event.Refused(String.valueOf(e.getMessage()), false);
    } catch (SQLException e) {
      return homeFailed(e);
    }
  }

  private Event homeFailed(SQLException e) {
    Session home = masters.entered();
    if (home != null && !home.lost()) {
      return new Event.Refused(home.explain(e), home.dialect().busy(e));
    }
    masters.close();
    return new Event.Unclear(masters.explain(e));
  }

  private interface PeerWork {
    Event run(Masters.Peer p) throws SQLException;
  }

  private interface SessionWork {
    Event run(Session s) throws SQLException;
  }

  private Event atPeer(String name, PeerWork work) {
    Target target =
        masters.others().stream().filter(t -> t.name().equals(name)).findFirst().orElseThrow();
    Masters.Peer peer;
    try {
      peer = masters.peer(target);
    } catch (SQLException | Refusal e) {
      return new Event.Unclear(target.scrub(String.valueOf(e.getMessage())));
    }
    try {
      return work.run(peer);
    } catch (Fenced e) {
      masters.close();
      return new Event.Outranked(String.valueOf(e.getMessage()));
    } catch (SQLException e) {
      Session s = peer.session();
      String text = s.explain(e);
      if (s.lost()) {
        masters.drop(name);
        return new Event.Unclear(text);
      }
      return new Event.Refused(text, s.dialect().busy(e));
    }
  }

  private Event atMaster(String name, SessionWork work) {
    return name.equals(masters.homeName())
        ? atHome(() -> work.run(masters.home()))
        : atPeer(name, p -> work.run(p.session()));
  }

  @Override
  public void close() {
    replicas.close();
    masters.close();
  }
}
