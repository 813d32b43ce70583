package dev.belay.sim.world;

import java.time.Duration;
import java.time.Instant;
import java.util.PriorityQueue;

/**
 * The virtual clock and everything that is going to happen. One thread; equal times happen in the
 * order in which they were planned.
 */
public final class Timeline {

  public static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

  /** In milliseconds, unlike everywhere else: this is compared a million times. */
  private record Entry(long at, long order, Runnable what) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int byTime = Long.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Entry> queue = new PriorityQueue<>();
  private Instant now = START;
  private long millis;
  private long planned;
  private long happened;
  private Runnable afterEach = () -> {};

  public Instant now() {
    return now;
  }

  /** Milliseconds since the start, for people. */
  public long millis() {
    return millis;
  }

  public long happened() {
    return happened;
  }

  public void afterEach(Runnable check) {
    this.afterEach = check;
  }

  public void after(Duration delay, Runnable what) {
    queue.add(new Entry(millis + delay.toMillis(), planned++, what));
  }

  /**
   * Lets time pass while something is under way: whatever else happens meanwhile happens inside
   * this call. That is how reads, writes and stalls of an operator take time without threads.
   */
  public void pass(Duration duration) {
    long end = millis + duration.toMillis();
    for (Entry next = queue.peek(); next != null && next.at() <= end; next = queue.peek()) {
      queue.remove();
      moveTo(next.at());
      happens(next.what());
    }
    moveTo(end);
  }

  /** At once; whoever looks after each event looks after this one too. */
  public void happens(Runnable what) {
    happened++;
    what.run();
    afterEach.run();
  }

  /** Never back: whoever waited inside another one's wait may have gone further. */
  private void moveTo(long moment) {
    if (moment > millis) {
      millis = moment;
      now = START.plusMillis(moment);
    }
  }
}
