package dev.belay.demo;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What a client was promised: every acknowledged write, and the silences between them. */
public final class Ledger {

  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final Map<String, String> acknowledged = new HashMap<>();
  private final Set<String> contradicted = new HashSet<>();
  private final Deque<Long> lastSecond = new ArrayDeque<>();
  private long last = -1;
  private long longestGap;
  private long failed;

  /** Time is given in nanoseconds of one clock. */
  public synchronized void acknowledge(String key, String value, long now) {
    acknowledged.put(key, value);
    if (last >= 0) {
      longestGap = Math.max(longestGap, now - last);
    }
    last = Math.max(last, now);
    lastSecond.addLast(now);
  }

  /** What was silent before does not count. */
  synchronized void beginGap(long now) {
    longestGap = 0;
    last = now;
  }

  public synchronized void fail() {
    failed++;
  }

  /** An acknowledged key was read, and it was not there or held something else. */
  synchronized void contradict(String key) {
    contradicted.add(key);
  }

  /** The figures at this moment; the silence that still lasts counts too. */
  public synchronized WriteLoad.Figures figures(long now) {
    while (!lastSecond.isEmpty() && lastSecond.getFirst() < now - SECOND) {
      lastSecond.removeFirst();
    }
    long open = last < 0 ? 0 : Math.max(0, now - last);
    return new WriteLoad.Figures(
        acknowledged.size(),
        failed,
        lastSecond.size(),
        Duration.ofNanos(open),
        Duration.ofNanos(Math.max(longestGap, open)));
  }

  /** Compares the promises with what is there in the end. */
  public synchronized WriteLoad.Verdict judge(Map<String, String> found) {
    Set<String> lost = new HashSet<>(contradicted);
    acknowledged.forEach((key, value) -> {
      if (!value.equals(found.get(key))) {
        lost.add(key);
      }
    });
    int readBack = (int) acknowledged.keySet().stream().filter(key -> !lost.contains(key)).count();
    return new WriteLoad.Verdict(acknowledged.size(), readBack, lost.size());
  }
}
