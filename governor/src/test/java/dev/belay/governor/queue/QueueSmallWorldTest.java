package dev.belay.governor.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.belay.governor.queue.Operation.Way;
import dev.belay.governor.queue.World.Gov;
import dev.belay.governor.queue.World.Row;
import dev.belay.governor.queue.World.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Every world that two governors, crashes at every point, lost replies, take-overs, a master that
 * goes away and a person who decides can lead to.
 */
class QueueSmallWorldTest {

  private static final int FAULTS = 2;

  @Test
  void one_master_in_transactions() {
    assertThat(explore(world(1, row(1, null), row(2, "a"), row(3, null)))).isGreaterThan(300);
  }

  @Test
  void two_masters_in_transactions() {
    assertThat(explore(world(2, row(1, null), row(2, null)))).isGreaterThan(5_000);
  }

  @Test
  void a_statement_that_only_one_master_refuses_is_aborted_on_all() {
    assertThat(explore(world(3, row(1, "c"), row(2, null)))).isGreaterThan(10_000);
  }

  @Test
  void steps_with_a_query_that_settles_doubt() {
    assertThat(explore(world(2, steps(1, true, null), row(2, null)))).isGreaterThan(5_000);
  }

  @Test
  void steps_that_only_a_person_can_settle() {
    assertThat(explore(world(2, steps(1, false, "b"), row(2, null)))).isGreaterThan(5_000);
  }

  @Test
  void a_replica_that_lags_at_will() {
    World transactions = world(2, row(1, null), row(2, null));
    transactions.replica = true;
    assertThat(explore(transactions)).isGreaterThan(5_000);
    World steps = world(1, steps(1, true, null), row(2, null));
    steps.replica = true;
    assertThat(explore(steps)).isGreaterThan(1_000);
  }

  /** What cannot be walked through whole: longer queues, any number of faults and decisions. */
  @Test
  void long_lives_by_seed() {
    for (long seed = 1; seed <= 2_000; seed++) {
      try {
        live(new Random(seed));
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  private static void live(Random chance) {
    World w = world(1 + chance.nextInt(3));
    w.replica = chance.nextInt(4) == 0;
    int length = 2 + chance.nextInt(4);
    for (long id = 1; id <= length; id++) {
      String poisoned = chance.nextInt(4) == 0 ? w.all().get(chance.nextInt(w.masters)) : null;
      w.rows.add(
          chance.nextBoolean() ? row(id, poisoned) : steps(id, chance.nextBoolean(), poisoned));
    }
    for (int i = 0; i < 150; i++) {
      // Faults and decisions are rationed by chance here, not by their number.
      w.faults = chance.nextInt(4) == 0 ? 0 : FAULTS;
      w.people = chance.nextInt(10) == 0 ? 0 : 1;
      List<World> next = new ArrayList<>(successors(w));
      next.removeIf(n -> n.rows.stream().filter(r -> r.id == 9).count() > 1);
      World chosen = next.get(chance.nextInt(next.size()));
      holds(w, chosen);
      w = chosen;
    }
    endsWellWhenFaultsStop(w);
  }

  private static Queue queue(World w) {
    return new Queue(2, w.replica);
  }

  private static World world(int masters, Row... rows) {
    World w = new World(masters);
    w.rows.addAll(List.of(rows));
    return w;
  }

  private static Row row(long id, String poisonedAt) {
    return new Row(id, Way.TRANSACTION, 1, false, poisonedAt);
  }

  private static Row steps(long id, boolean verifiable, String poisonedAt) {
    return new Row(id, Way.STEPS, 2, verifiable, poisonedAt);
  }

  private static int explore(World first) {
    Set<String> seen = new HashSet<>();
    ArrayDeque<World> todo = new ArrayDeque<>(List.of(first));
    seen.add(first.key());
    while (!todo.isEmpty()) {
      World w = todo.poll();
      endsWellWhenFaultsStop(w);
      for (World next : successors(w)) {
        holds(w, next);
        if (seen.add(next.key())) {
          todo.add(next);
        }
      }
    }
    return seen.size();
  }

  private static List<World> successors(World w) {
    List<World> out = new ArrayList<>();
    for (int g = 0; g < 2; g++) {
      out.add(move(w, g, Fate.FINE));
      if (w.faults < FAULTS) {
        for (Fate fate : Fate.values()) {
          if (fate != Fate.FINE) {
            World next = move(w, g, fate);
            next.faults++;
            out.add(next);
          }
        }
      }
    }
    if (w.masters > 1) {
      if (!w.down.isEmpty()) {
        World up = w.copy();
        up.down = "";
        out.add(up);
      } else if (w.faults < FAULTS) {
        World down = w.copy();
        down.down = "b";
        down.faults++;
        out.add(down);
      }
    }
    if (w.replica) {
      World replayed = w.copy();
      replayed.replay();
      out.add(replayed);
    }
    if (w.people < 1 && w.masters == 2) {
      // Somebody queues an upgrade, which goes before everything that has not begun.
      World urgent = w.copy();
      urgent.people++;
      urgent.rows.addFirst(row(9, null));
      out.add(urgent);
    }
    if (w.people < 1) {
      w.rows.stream()
          .filter(r -> r.status == Status.FAILED && r.settled && w.down.isEmpty())
          .forEach(r -> out.addAll(decisionsOf(w, r)));
    }
    return out;
  }

  /** What may become of one effect. */
  private enum Fate {
    FINE,
    CRASH_BEFORE,
    CRASH_AFTER,
    REPLY_LOST,
    CRASH_BETWEEN_STATEMENT_AND_ACK,
    TAKEN_OVER_BEFORE
  }

  private static World move(World before, int g, Fate fate) {
    return act(before.copy(), g, fate);
  }

  private static World act(World w, int g, Fate fate) {
    Gov me = w.govs.get(g);
    Gov other = w.govs.get(1 - g);
    Effect effect = me.state.effect();
    if (fate == Fate.CRASH_BEFORE) {
      w.crash(me);
      return w;
    }
    if (fate == Fate.TAKEN_OVER_BEFORE) {
      w.endSessions(me);
      w.crash(other);
      other.holdsLock = true;
      return w;
    }
    if (effect instanceof Effect.Rest) {
      me.state = queue(w).next(me.state, new Event.Tick());
      return w;
    }
    if (!me.holdsLock) {
      if (effect instanceof Effect.Look && !other.holdsLock) {
        me.holdsLock = true;
      } else {
        // Its sessions are gone or never were: no database listens to it.
        me.state = queue(w).next(me.state, new Event.Unclear("no session"));
        return w;
      }
    }
    if (fate == Fate.CRASH_BETWEEN_STATEMENT_AND_ACK) {
      if (effect instanceof Effect.Apply a
          && !a.master().equals(w.down)
          && !a.master().equals(w.row(a.op().id()).poisonedAt)) {
        w.takeEffect(a.master(), a.op().id(), a.statement());
      }
      w.crash(me);
      return w;
    }
    Event event = w.carryOut(me, effect);
    switch (fate) {
      case CRASH_AFTER -> w.crash(me);
      case REPLY_LOST -> {
        // A connection that loses a reply is lost itself, and with it what was open in it.
        me.openAtHome = -1;
        me.state = queue(w).next(me.state, new Event.Unclear("reply lost"));
      }
      default -> me.state = queue(w).next(me.state, event);
    }
    return w;
  }

  private static List<World> decisionsOf(World w, Row failed) {
    List<World> out = new ArrayList<>();
    boolean doubt =
        w.intents.stream()
            .anyMatch(i -> i.split("/")[1].equals("" + failed.id) && !w.acks.contains(i));
    World retry = w.copy();
    retry.people++;
    Row r = retry.row(failed.id);
    r.attempt++;
    r.status = Status.PENDING;
    r.poisonedAt = null;
    if (doubt) {
      // The person looks and tells the truth.
      for (String i : List.copyOf(retry.intents)) {
        if (!retry.acks.contains(i)) {
          if (retry.effects.containsKey(i)) {
            retry.acks.add(i);
          } else {
            retry.intents.remove(i);
          }
        }
      }
    }
    out.add(retry);
    if (!doubt) {
      World skip = w.copy();
      skip.people++;
      Row s = skip.row(failed.id);
      s.attempt++;
      s.status = Status.DONE;
      s.skipped = true;
      out.add(skip);
    }
    return out;
  }

  private static void holds(World before, World w) {
    w.effects.forEach((what, times) -> {
      if (times != 1) {
        fail(what + " took effect " + times + " times: " + w.key());
      }
    });
    boolean earlierDecided = true;
    Set<Long> undecided = new HashSet<>();
    for (Row r : w.rows) {
      boolean visible = false;
      for (String m : w.all()) {
        for (int k = 0; k < r.statements; k++) {
          visible |= w.times(m, r.id, k) > 0;
          if (r.status == Status.DONE && r.settled && !r.skipped && w.times(m, r.id, k) != 1) {
            fail("done and settled, yet absent on " + m + ": " + w.key());
          }
        }
        String prepared = m + "/" + r.id + "/" + r.attempt;
        if (r.status == Status.PENDING && w.prepared.contains(prepared)) {
          undecided.add(r.id);
        }
      }
      for (int k = 0; k < r.statements && w.replica; k++) {
        if (r.status == Status.DONE
            && r.settled
            && !r.skipped
            && !w.replayed.contains("a/" + r.id + "/" + k)) {
          fail("done and settled, yet not replayed: " + w.key());
        }
      }
      if (r.way == Way.TRANSACTION && visible && (r.status != Status.DONE || r.skipped)) {
        fail("visible before it was decided: " + w.key());
      }
      if ((visible || r.started) && !earlierDecided && w.rows.getFirst().id != 9) {
        fail("out of order: " + w.key());
      }
      if (r.settled && r.status != Status.PENDING) {
        for (String m : w.all()) {
          if (w.prepared.contains(m + "/" + r.id + "/" + r.attempt)) {
            fail("settled, yet prepared on " + m + ": " + w.key());
          }
        }
      }
      earlierDecided &= r.status == Status.DONE && r.settled;
    }
    if (undecided.size() > 1) {
      fail("two operations are prepared: " + w.key());
    }
    for (Row was : before.rows) {
      if (was.status == Status.DONE && w.row(was.id).status != Status.DONE) {
        fail("a decision was taken back: " + w.key());
      }
    }
  }

  /** Both governors run on without faults: the line ends, nothing is left behind. */
  private static void endsWellWhenFaultsStop(World from) {
    World w = from.copy();
    w.down = "";
    int ended = 0;
    for (int i = 0; i < 200 && ended < 2; i++) {
      int g = w.govs.get(1).holdsLock ? 1 : 0;
      if (w.govs.get(g).state instanceof State.Resting r
          && (r.why() == Effect.Rest.Why.DRAINED || r.why() == Effect.Rest.Why.STOPPED)) {
        // The first rest may stem from a look that is out of date by now.
        ended++;
      }
      w.replay();
      act(w, g, Fate.FINE);
    }
    assertThat(ended).as(w.key()).isEqualTo(2);
    boolean stopped = w.rows.stream().anyMatch(r -> r.status == Status.FAILED);
    for (Row r : w.rows) {
      if (!w.prepared.isEmpty() || !r.settled || (!stopped && r.status != Status.DONE)) {
        fail("does not end well: " + w.key());
      }
    }
  }
}
