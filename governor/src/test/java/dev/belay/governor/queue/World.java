package dev.belay.governor.queue;

import dev.belay.governor.queue.Operation.Ticket;
import dev.belay.governor.queue.Operation.Way;
import dev.belay.governor.queue.Sight.Held;
import dev.belay.governor.queue.Sight.Holding;
import dev.belay.governor.queue.Sight.Progress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** A database cluster that fits in a test: rows, prepared transactions, steps, sessions. */
final class World {

  static final List<String> MASTERS = List.of("a", "b", "c");

  enum Status {
    PENDING,
    DONE,
    FAILED
  }

  /** Who is where; the machine under test is {@code state}. */
  static final class Gov {
    State state = Queue.start();
    boolean holdsLock;
    long openAtHome = -1;

    Gov copy() {
      Gov g = new Gov();
      g.state = state;
      g.holdsLock = holdsLock;
      g.openAtHome = openAtHome;
      return g;
    }
  }

  static final class Row {
    final long id;
    final Way way;
    final int statements;
    final boolean verifiable;
    String poisonedAt;
    Status status = Status.PENDING;
    int attempt = 1;
    boolean settled = true;
    boolean started;
    boolean skipped;
    int tries;

    Row(long id, Way way, int statements, boolean verifiable, String poisonedAt) {
      this.id = id;
      this.way = way;
      this.statements = statements;
      this.verifiable = verifiable;
      this.poisonedAt = poisonedAt;
    }

    Row copy() {
      Row r = new Row(id, way, statements, verifiable, poisonedAt);
      r.status = status;
      r.attempt = attempt;
      r.settled = settled;
      r.started = started;
      r.skipped = skipped;
      r.tries = tries;
      return r;
    }

    Operation op() {
      return new Operation(id, attempt, way, statements, tries, started);
    }

    @Override
    public String toString() {
      return id + "/" + status + attempt + settled + started + skipped + tries + poisonedAt;
    }
  }

  final int masters;
  final List<Row> rows = new ArrayList<>();
  final List<Gov> govs = new ArrayList<>(List.of(new Gov(), new Gov()));

  /** "master/op/statement" → how often it took effect. */
  final TreeMap<String, Integer> effects = new TreeMap<>();

  /** "master/op/statement" of intents and acknowledgements. */
  final TreeSet<String> intents = new TreeSet<>();

  final TreeSet<String> acks = new TreeSet<>();

  /** "master/op/attempt". */
  final TreeSet<String> prepared = new TreeSet<>();

  /** A replica of home, and what it has replayed; it replays everything or nothing more. */
  boolean replica;

  final TreeSet<String> replayed = new TreeSet<>();

  String down = "";
  int faults;
  int people;

  World(int masters) {
    this.masters = masters;
  }

  World copy() {
    World w = new World(masters);
    rows.forEach(r -> w.rows.add(r.copy()));
    w.govs.clear();
    govs.forEach(g -> w.govs.add(g.copy()));
    w.effects.putAll(effects);
    w.intents.addAll(intents);
    w.acks.addAll(acks);
    w.prepared.addAll(prepared);
    w.replica = replica;
    w.replayed.addAll(replayed);
    w.down = down;
    w.faults = faults;
    w.people = people;
    return w;
  }

  String key() {
    StringBuilder s = new StringBuilder();
    s.append(rows).append(effects).append(intents).append(acks).append(prepared).append(down);
    s.append(replayed);
    s.append(faults).append(people);
    govs.forEach(g -> s.append(g.state).append(g.holdsLock).append(g.openAtHome));
    return s.toString();
  }

  Row row(long id) {
    return rows.stream().filter(r -> r.id == id).findFirst().orElseThrow();
  }

  List<String> others() {
    return MASTERS.subList(1, masters);
  }

  List<String> all() {
    return MASTERS.subList(0, masters);
  }

  int times(String master, long op, int statement) {
    return effects.getOrDefault(master + "/" + op + "/" + statement, 0);
  }

  void takeEffect(String master, long op, int statement) {
    effects.merge(master + "/" + op + "/" + statement, 1, Integer::sum);
  }

  /** Ends the governor's sessions: what it had open is rolled back, its lock is free. */
  void endSessions(Gov g) {
    g.holdsLock = false;
    g.openAtHome = -1;
  }

  void crash(Gov g) {
    endSessions(g);
    g.state = Queue.start();
  }

  Sight look() {
    Optional<Row> next =
        rows.stream()
            .filter(r -> r.status == Status.PENDING && r.started)
            .findFirst()
            .or(() -> rows.stream().filter(r -> r.status == Status.PENDING).findFirst());
    boolean steps = next.isPresent() && next.get().way == Way.STEPS;
    List<Holding> holdings = new ArrayList<>();
    for (String master : steps ? all() : others()) {
      holdings.add(holding(master, next));
    }
    return new Sight(
        rows.stream()
            .filter(r -> r.status != Status.PENDING && !r.settled)
            .findFirst()
            .map(Row::op),
        rows.stream()
            .filter(r -> r.status == Status.FAILED)
            .findFirst()
            .map(r -> new Sight.Stop(r.id, "no")),
        next.map(Row::op),
        Optional.empty(),
        Optional.empty(),
        holdings,
        behind());
  }

  void replay() {
    effects.keySet().stream().filter(e -> e.startsWith("a/")).forEach(replayed::add);
  }

  private List<String> behind() {
    World caughtUp = copy();
    caughtUp.replay();
    return replica && !replayed.equals(caughtUp.replayed) ? List.of("r (behind)") : List.of();
  }

  private Holding holding(String master, Optional<Row> next) {
    if (master.equals(down)) {
      return new Holding.Absent(master, "down");
    }
    List<Held> held = new ArrayList<>();
    for (String p : prepared) {
      String[] part = p.split("/");
      if (part[0].equals(master)) {
        Ticket t = new Ticket(Long.parseLong(part[1]), Integer.parseInt(part[2]));
        Row r = row(t.id());
        Held.Fate fate =
            r.attempt != t.attempt() || r.status == Status.FAILED
                ? Held.Fate.ABORT
                : r.status == Status.DONE ? Held.Fate.COMMIT : Held.Fate.UNDECIDED;
        held.add(new Held(t, fate));
      }
    }
    Progress progress = Progress.NONE;
    if (next.isPresent() && next.get().way == Way.STEPS) {
      int n = 0;
      while (acks.contains(master + "/" + next.get().id + "/" + n)) {
        n++;
      }
      progress = new Progress(n, intents.contains(master + "/" + next.get().id + "/" + n));
    }
    return new Holding.Present(master, held, progress);
  }

  /** Carries out an effect as the databases would, for a governor that holds the lock. */
  Event carryOut(Gov g, Effect effect) {
    return switch (effect) {
      case Effect.Look e -> new Event.Saw(look());
      case Effect.Rest e -> new Event.Tick();
      case Effect.RecordStart e -> {
        row(e.op().id()).started = true;
        yield new Event.Done();
      }
      case Effect.ApplyAtHome e -> {
        if ("a".equals(row(e.op().id()).poisonedAt)) {
          yield new Event.Refused("syntax", false);
        }
        g.openAtHome = e.op().id();
        yield new Event.Done();
      }
      case Effect.Prepare e -> {
        if (e.master().equals(down)) {
          yield new Event.Unclear("down");
        }
        if (e.master().equals(row(e.op().id()).poisonedAt)) {
          yield new Event.Refused("syntax", false);
        }
        prepared.add(e.master() + "/" + e.op().id() + "/" + e.op().attempt());
        yield new Event.Done();
      }
      case Effect.CommitAtHome e -> {
        if (g.openAtHome != e.op().id()) {
          yield new Event.Unclear("no transaction");
        }
        decide(e.op(), Status.DONE, e.settled());
        takeEffect("a", e.op().id(), 0);
        g.openAtHome = -1;
        yield new Event.Done();
      }
      case Effect.RecordFailure e -> {
        g.openAtHome = -1;
        decide(e.op(), Status.FAILED, e.settled());
        yield new Event.Done();
      }
      case Effect.RecordPostponed e -> {
        row(e.op().id()).tries++;
        yield new Event.Done();
      }
      case Effect.Tell e -> {
        if (e.master().equals(down)) {
          yield new Event.Unclear("down");
        }
        String p = e.master() + "/" + e.ticket().id() + "/" + e.ticket().attempt();
        if (!prepared.remove(p)) {
          yield new Event.Refused("no such prepared transaction", false);
        }
        if (e.commit()) {
          takeEffect(e.master(), e.ticket().id(), 0);
        }
        yield new Event.Done();
      }
      case Effect.RecordSettled e -> {
        row(e.op().id()).settled = true;
        yield new Event.Done();
      }
      case Effect.Intend e ->
          atMaster(e.master(), () -> intents.add(step(e.master(), e.op(), e.statement())));
      case Effect.Apply e -> {
        if (e.master().equals(row(e.op().id()).poisonedAt)) {
          yield new Event.Refused("syntax", false);
        }
        yield atMaster(
            e.master(),
            () -> {
              takeEffect(e.master(), e.op().id(), e.statement());
              acks.add(step(e.master(), e.op(), e.statement()));
            });
      }
      case Effect.Verify e ->
          e.master().equals(down)
              ? new Event.Unclear("down")
              : row(e.op().id()).verifiable
                  ? new Event.Verified(times(e.master(), e.op().id(), e.statement()) > 0)
                  : new Event.NotVerifiable("no verify query");
      case Effect.Acknowledge e ->
          atMaster(e.master(), () -> acks.add(step(e.master(), e.op(), e.statement())));
      case Effect.Retract e ->
          atMaster(e.master(), () -> intents.remove(step(e.master(), e.op(), e.statement())));
      case Effect.RecordDone e -> {
        decide(e.op(), Status.DONE, e.settled());
        yield new Event.Done();
      }
    };
  }

  private Event atMaster(String master, Runnable write) {
    if (master.equals(down)) {
      return new Event.Unclear("down");
    }
    write.run();
    return new Event.Done();
  }

  static String step(String master, Operation op, int statement) {
    return master + "/" + op.id() + "/" + statement;
  }

  private void decide(Operation op, Status status, boolean settled) {
    Row r = row(op.id());
    if (r.status != Status.PENDING || r.attempt != op.attempt()) {
      throw new AssertionError("decided twice: " + r + " by " + op);
    }
    r.status = status;
    r.settled = settled;
  }
}
