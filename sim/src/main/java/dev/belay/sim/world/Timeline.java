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

  private record Entry(Instant at, long order, Runnable what) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int byTime = at.compareTo(other.at);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Entry> queue = new PriorityQueue<>();
  private Instant now = START;
  private long planned;
  private long happened;
  private Runnable afterEach = () -> {};

  public Instant now() {
    return now;
  }

  /** Milliseconds since the start, for people. */
  public long millis() {
    return Duration.between(START, now).toMillis();
  }

  public long happened() {
    return happened;
  }

  public void afterEach(Runnable check) {
    this.afterEach = check;
  }

  public void after(Duration delay, Runnable what) {
    queue.add(new Entry(now.plus(delay), planned++, what));
  }

  /**
   * Lets time pass while something is under way: whatever else happens meanwhile happens inside
   * this call. That is how reads, writes and stalls of an operator take time without threads.
   */
  public void pass(Duration duration) {
    Instant end = now.plus(duration);
    while (!queue.isEmpty() && !queue.peek().at().isAfter(end)) {
      Entry next = queue.poll();
      if (next.at().isAfter(now)) {
        now = next.at();
      }
      happened++;
      next.what().run();
      afterEach.run();
    }
    if (end.isAfter(now)) {
      now = end;
    }
  }
}
