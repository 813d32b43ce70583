package dev.belay.sim.world;

import java.util.ArrayList;
import java.util.List;

/** What happened, in words, and a hash of all of it: the same seed gives the same hash. */
public final class Trace {

  private final Timeline time;
  private final List<String> lines = new ArrayList<>();
  private long hash = 0xcbf29ce484222325L;

  public Trace(Timeline time) {
    this.time = time;
  }

  public void say(String who, String what) {
    long at = time.millis();
    lines.add(
        pad(at) + "  " + (who + "            ").substring(0, Math.max(12, who.length())) + what);
    hash = (hash ^ at) * 0x100000001b3L;
    hash = (hash ^ who.hashCode()) * 0x100000001b3L;
    hash = (hash ^ what.hashCode()) * 0x100000001b3L;
  }

  private static String pad(long millis) {
    String seconds = Long.toString(millis / 1000);
    String rest = Long.toString(1000 + millis % 1000).substring(1);
    return " ".repeat(Math.max(0, 5 - seconds.length())) + seconds + "." + rest;
  }

  public long hash() {
    return hash;
  }

  public List<String> lines() {
    return lines;
  }

  public List<String> last(int count) {
    return List.copyOf(lines.subList(Math.max(0, lines.size() - count), lines.size()));
  }
}
