package dev.belay.governor.queue;

import dev.belay.governor.queue.Effect.Rest.Why;
import dev.belay.governor.queue.Sight.Held;
import dev.belay.governor.queue.Sight.Holding;
import dev.belay.governor.queue.State.Cursor;
import java.util.ArrayList;
import java.util.List;

/**
 * The order of work: which state follows a state after an event.
 *
 * <p>Whatever is unclear leads back to a look: a result is observed, never assumed. Everything that
 * must outlive a crash is therefore in the database, and a new governor starts with a look, too.
 *
 * @param lockTries how often an operation may meet a busy lock before it counts as failed
 * @param replicas whether there are replicas that have to replay an operation before the next one
 */
public record Queue(int lockTries, boolean replicas) {

  public static State start() {
    return new State.Looking();
  }

  public State next(State state, Event event) {
    if (event instanceof Event.Outranked(String by)) {
      return new State.Resting(Why.OUTRANKED, by);
    }
    return switch (state) {
      case State.Looking s -> looked(event);
      case State.Resting s -> s.why() == Why.OUTRANKED ? s : Queue.start();
      case State.Starting s -> event instanceof Event.Done ? s.then() : again(event);
      case State.Opening s -> opened(s, event);
      case State.Preparing s -> prepared(s, event);
      case State.Committing s -> committed(s, event);
      case State.Intending s -> intended(s, event);
      case State.Applying s -> applied(s, event);
      case State.Doubting s -> verified(s, event);
      case State.Acknowledging s ->
          event instanceof Event.Done ? advance(s.op(), s.at()) : again(event);
      case State.Retracting s -> event instanceof Event.Done ? s.then() : again(event);
      case State.Postponing s ->
          event instanceof Event.Done
              ? new State.Resting(Why.WAITING, s.op().ticket() + " met a busy lock: " + s.error())
              : again(event);
      case State.Telling s -> told(s, event);
      case State.Failing s -> again(event);
      case State.Settling s -> again(event);
      case State.Finishing s -> again(event);
    };
  }

  /** Looks again; a write of our own that the database refuses is not repeated at full speed. */
  private static State again(Event event) {
    return event instanceof Event.Refused(String error, boolean busy)
        ? new State.Resting(Why.WAITING, error)
        : Queue.start();
  }

  private State looked(Event event) {
    return switch (event) {
      case Event.Saw(Sight sight) -> decide(sight);
      case Event.Unclear(String why) -> new State.Resting(Why.WAITING, why);
      default -> again(event);
    };
  }

  /** Old decisions first, then the line. */
  private State decide(Sight sight) {
    for (Holding holding : sight.masters()) {
      if (holding instanceof Holding.Present present) {
        for (Held held : present.prepared()) {
          if (held.fate() != Held.Fate.UNDECIDED) {
            return new State.Telling(
                held.ticket(), present.master(), held.fate() == Held.Fate.COMMIT);
          }
        }
      }
    }
    if (sight.unsettled().isPresent()) {
      Operation op = sight.unsettled().get();
      List<String> missing = new ArrayList<>(absent(sight));
      missing.addAll(sight.behind());
      return missing.isEmpty()
          ? new State.Settling(op)
          : new State.Resting(
              Why.WAITING, op.ticket() + " is decided and waits for " + String.join("; ", missing));
    }
    if (sight.stop().isPresent()) {
      Sight.Stop stop = sight.stop().get();
      return new State.Resting(Why.STOPPED, "operation " + stop.id() + " failed: " + stop.error());
    }
    if (sight.next().isEmpty()) {
      return sight.waiting().isPresent()
          ? new State.Resting(Why.WAITING, sight.waiting().get())
          : new State.Resting(Why.DRAINED, "nothing is pending");
    }
    Operation op = sight.next().get();
    if (sight.flaw().isPresent()) {
      return new State.Failing(op, sight.flaw().get(), !heldAnywhere(op, sight));
    }
    if (!op.started() && !sight.behind().isEmpty()) {
      return new State.Resting(
          Why.WAITING, op.ticket() + " has not begun: " + String.join("; ", sight.behind()));
    }
    return switch (op.way()) {
      case TRANSACTION -> open(op, sight);
      case STEPS -> walk(op, sight);
    };
  }

  private static boolean heldAnywhere(Operation op, Sight sight) {
    return sight.masters().stream().anyMatch(h -> h instanceof Holding.Absent || holds(h, op));
  }

  private static boolean holds(Holding holding, Operation op) {
    return holding instanceof Holding.Present present
        && present.prepared().stream().anyMatch(h -> h.ticket().equals(op.ticket()));
  }

  /** All masters are reached before the first of them prepares. */
  private static State open(Operation op, Sight sight) {
    List<String> prepared = new ArrayList<>();
    List<String> unprepared = new ArrayList<>();
    for (Holding holding : sight.masters()) {
      (holds(holding, op) ? prepared : unprepared).add(holding.master());
    }
    List<String> absent = absent(sight);
    if (!absent.isEmpty()) {
      // A prepared transaction holds locks: it does not wait for a master that may never return.
      return prepared.isEmpty()
          ? new State.Resting(
              Why.WAITING, op.ticket() + " has not begun: " + String.join("; ", absent))
          : new State.Failing(
              op, "a master went away while others were prepared: " + absent.getFirst(), false);
    }
    State opening = new State.Opening(op, List.copyOf(unprepared), List.copyOf(prepared));
    return unprepared.isEmpty() || op.started() ? opening : new State.Starting(op, opening);
  }

  private State opened(State.Opening s, Event event) {
    return switch (event) {
      case Event.Done() -> prepareNext(s.op(), s.unprepared(), s.prepared());
      case Event.Refused(String error, boolean busy) -> {
        boolean untouched = s.prepared().isEmpty();
        yield busy && untouched && mayTryAgain(s.op())
            ? new State.Postponing(s.op(), error)
            : new State.Failing(s.op(), error, untouched);
      }
      default -> Queue.start();
    };
  }

  private State prepareNext(Operation op, List<String> unprepared, List<String> prepared) {
    return unprepared.isEmpty()
        ? new State.Committing(op, prepared.isEmpty() && !replicas)
        : new State.Preparing(op, unprepared, prepared);
  }

  private State prepared(State.Preparing s, Event event) {
    String master = s.unprepared().getFirst();
    return switch (event) {
      case Event.Done() -> {
        List<String> prepared = new ArrayList<>(s.prepared());
        prepared.add(master);
        yield prepareNext(
            s.op(), s.unprepared().subList(1, s.unprepared().size()), List.copyOf(prepared));
      }
      case Event.Refused(String error, boolean busy) -> {
        boolean untouched = s.prepared().isEmpty();
        yield busy && untouched && mayTryAgain(s.op())
            ? new State.Postponing(s.op(), master + ": " + error)
            : new State.Failing(s.op(), master + ": " + error, untouched);
      }
      case Event.Unclear(String why) ->
          new State.Failing(s.op(), master + " went away while preparing: " + why, false);
      default -> Queue.start();
    };
  }

  private static State committed(State.Committing s, Event event) {
    return event instanceof Event.Refused(String error, boolean busy)
        ? new State.Failing(s.op(), error, s.settled())
        : Queue.start();
  }

  private static State told(State.Telling s, Event event) {
    return switch (event) {
      case Event.Refused(String error, boolean busy) ->
          new State.Resting(
              Why.WAITING,
              s.ticket() + " is decided, but " + s.master() + " would not listen: " + error);
      default -> Queue.start();
    };
  }

  /** Steps go master by master; all of them are reached before the first. */
  private State walk(Operation op, Sight sight) {
    List<String> absent = absent(sight);
    if (!absent.isEmpty()) {
      return new State.Resting(
          Why.WAITING,
          op.ticket()
              + (op.started() ? " cannot go on: " : " has not begun: ")
              + String.join("; ", absent));
    }
    List<Cursor.Later> all = new ArrayList<>();
    for (Holding holding : sight.masters()) {
      if (holding instanceof Holding.Present present) {
        all.add(new Cursor.Later(present.master(), present.progress()));
      }
    }
    State first = firstOf(op, all);
    return op.started() ? first : new State.Starting(op, first);
  }

  private State firstOf(Operation op, List<Cursor.Later> masters) {
    for (int i = 0; i < masters.size(); i++) {
      Cursor.Later m = masters.get(i);
      if (m.progress().acknowledged() < op.statements()) {
        Cursor at =
            new Cursor(
                m.master(), m.progress().acknowledged(), masters.subList(i + 1, masters.size()));
        return m.progress().intended() ? new State.Doubting(op, at) : new State.Intending(op, at);
      }
    }
    return new State.Finishing(op, !replicas);
  }

  private State advance(Operation op, Cursor at) {
    return at.statement() + 1 < op.statements()
        ? new State.Intending(op, new Cursor(at.master(), at.statement() + 1, at.later()))
        : firstOf(op, at.later());
  }

  private static State intended(State.Intending s, Event event) {
    return switch (event) {
      case Event.Done() -> new State.Applying(s.op(), s.at());
      case Event.Refused(String error, boolean busy) ->
          new State.Failing(s.op(), where(s.op(), s.at()) + error, true);
      default -> Queue.start();
    };
  }

  private State applied(State.Applying s, Event event) {
    return switch (event) {
      case Event.Done() -> advance(s.op(), s.at());
      case Event.Refused(String error, boolean busy) -> {
        String text = where(s.op(), s.at()) + error;
        yield new State.Retracting(
            s.op(),
            s.at(),
            busy && mayTryAgain(s.op())
                ? new State.Postponing(s.op(), text)
                : new State.Failing(s.op(), text, true));
      }
      default -> Queue.start();
    };
  }

  private static State verified(State.Doubting s, Event event) {
    return switch (event) {
      case Event.Verified(boolean applied) ->
          applied ? new State.Acknowledging(s.op(), s.at()) : new State.Applying(s.op(), s.at());
      case Event.NotVerifiable(String why) ->
          new State.Failing(
              s.op(),
              where(s.op(), s.at())
                  + "in doubt: it may or may not have taken place ("
                  + why
                  + "); look, then say resolve --applied or resolve --not-applied",
              true);
      default -> Queue.start();
    };
  }

  private static String where(Operation op, Cursor at) {
    return "statement "
        + (at.statement() + 1)
        + " of "
        + op.statements()
        + " on "
        + at.master()
        + ": ";
  }

  private boolean mayTryAgain(Operation op) {
    return op.tries() + 1 < lockTries;
  }

  private static List<String> absent(Sight sight) {
    List<String> absent = new ArrayList<>();
    for (Holding holding : sight.masters()) {
      if (holding instanceof Holding.Absent(String master, String why)) {
        absent.add(master + " (" + why + ")");
      }
    }
    return absent;
  }
}
