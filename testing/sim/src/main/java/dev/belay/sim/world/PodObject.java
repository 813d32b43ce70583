package dev.belay.sim.world;

import dev.belay.core.model.Pod.Trouble;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A pod as the API server stores it. */
public record PodObject(
    String name,
    String uid,
    long version,
    int ordinal,
    String revision,
    Template template,
    Instant created,
    State state) {

  /** What changes in a pod's life; held is the annotation belay.dev/hold. */
  public record State(
      boolean ready,
      Instant since,
      boolean terminating,
      Optional<Trouble> trouble,
      boolean held,
      String note) {

    public State ready(boolean now, Instant at) {
      return new State(now, at, terminating, now ? Optional.empty() : trouble, held, note);
    }

    public State terminate() {
      return new State(ready, since, true, trouble, held, note);
    }

    public State trouble(Optional<Trouble> what) {
      return new State(ready, since, terminating, what, held, note);
    }

    public State hold(boolean hold) {
      return new State(ready, since, terminating, trouble, hold, note);
    }

    public State note(String text) {
      return new State(ready, since, terminating, trouble, held, text);
    }
  }

  public boolean ready() {
    return state.ready();
  }

  public boolean terminating() {
    return state.terminating();
  }

  /** Ready for at least minReadySeconds. */
  public boolean available(Duration minReady, Instant now) {
    return ready() && !state.since().plus(minReady).isAfter(now);
  }

  public String fence() {
    return uid + "/" + version;
  }
}
