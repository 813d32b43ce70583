package dev.belay.governor.jdbc;

import dev.belay.governor.queue.Effect;
import dev.belay.governor.queue.Event;

/** Sees every effect before and after it is carried out: for progress, logs and crash tests. */
public interface Watcher {

  Watcher NONE = new Watcher() {};

  default void before(Effect effect) {}

  default void after(Effect effect, Event event) {}
}
