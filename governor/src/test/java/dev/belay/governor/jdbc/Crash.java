package dev.belay.governor.jdbc;

import dev.belay.governor.queue.Effect;
import dev.belay.governor.queue.Event;

/** Ends the governor at the n-th point; a point is before or after an effect. */
final class Crash implements Watcher {
  private int left;

  Crash(int point) {
    left = point;
  }

  @SuppressWarnings("serial")
  static final class Now extends Error {}

  @Override
  public void before(Effect effect) {
    point();
  }

  @Override
  public void after(Effect effect, Event event) {
    point();
  }

  private void point() {
    if (left-- == 0) {
      throw new Now();
    }
  }
}
