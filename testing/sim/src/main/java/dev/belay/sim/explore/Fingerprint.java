package dev.belay.sim.explore;

import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Step;
import dev.belay.sim.explore.SmallWorld.Seat;
import java.util.TreeSet;

/**
 * 128 bits that stand for a canonical world. Two worlds with one fingerprint would be taken for the
 * same; with 10^7 worlds the odds of that are below 10^-24.
 */
record Fingerprint(long high, long low) {

  static Fingerprint of(SmallWorld w) {
    var mix = new Mix();
    w.places().forEach(p -> place(mix, p));
    mix.add(w.wishes().paused() ? 1 : 0);
    mix.add(w.wishes().retries());
    mix.add(w.wishes().rollbacks());
    mix.add(w.wishes().aborts());
    mix.add(w.changesLeft());
    mix.add(w.faultsLeft());
    w.pending().ifPresent(p -> pending(mix, p));
    memory(mix, w);
    return new Fingerprint(mix.high, mix.low);
  }

  private static void place(Mix mix, Place p) {
    var set = p.set();
    mix.add(set.template());
    mix.add(set.current());
    mix.add(set.update());
    mix.add(set.partition());
    mix.add(set.observed() ? 1 : 0);
    for (Seat seat : p.seats()) {
      mix.add(seat.phase().code() | (long) seat.revision() << 8 | (long) seat.age() << 16);
    }
    mix.add(p.leader());
    mix.add(p.failed() ? 1 : 0);
    mix.add(p.good());
  }

  private static void pending(Mix mix, Step step) {
    mix.add(step.what());
    mix.add(step instanceof Step.PartitionWrite write ? write.partition() : -7);
  }

  private static void memory(Mix mix, SmallWorld w) {
    mix.add(w.memory().owner().isPresent() ? 1 : 0);
    w.memory()
        .step()
        .ifPresent(s -> {
          mix.add(s.step().toString());
          mix.add(Glance.age(s.since()));
          mix.add(s.attempts());
        });
    mix.add(w.memory().handled().retry());
    mix.add(w.memory().handled().rollback());
    mix.add(w.memory().handled().abort());
    for (int i = 0; i < w.places().size(); i++) {
      component(mix, w.memory().component(Terrain.name(i)));
    }
  }

  private static void component(Mix mix, ComponentMemory c) {
    mix.add(c.adopted() ? 1 : 0);
    c.lastGood().ifPresent(g -> mix.add(g.revision() + g.version()));
    mix.add(c.target().isPresent() ? 1 : 0);
    c.target()
        .ifPresent(t -> {
          mix.add(t.revision());
          mix.add(Glance.age(t.since()));
          mix.add(Glance.age(t.tried()));
          mix.add(t.through());
          new TreeSet<>(t.before()).forEach(mix::add);
        });
    mix.add(c.refused().isPresent() ? 1 : 0);
    c.refused()
        .ifPresent(r -> {
          mix.add(r.revision());
          mix.add(r.cause().name());
          mix.add(r.withdrawing() ? 1 : 0);
        });
    new TreeSet<>(c.servingSince().keySet()).forEach(mix::add);
    mix.add(-1);
    new TreeSet<>(c.served()).forEach(mix::add);
  }

  /** Two independent multiply-and-shift streams. */
  private static final class Mix {
    private long high = 0x9E3779B97F4A7C15L;
    private long low = 0xC2B2AE3D27D4EB4FL;

    void add(long value) {
      high = (high ^ value) * 0xFF51AFD7ED558CCDL;
      high ^= high >>> 32;
      low = (low + value + 0x165667B19E3779F9L) * 0xC4CEB9FE1A85EC53L;
      low ^= low >>> 29;
    }

    void add(String text) {
      for (int i = 0; i < text.length(); i++) {
        add(text.charAt(i));
      }
      add(~(long) text.length());
    }
  }
}
