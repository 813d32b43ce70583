package dev.belay.sim.world;

import java.util.ArrayList;
import java.util.List;

/** What happened, in words, and a hash of all of it: the same seed gives the same hash. */
public final class Trace {

  /** Put into a line only when somebody reads it: of most runs nobody reads any. */
  private record Said(long at, String who, String what) {

    String line() {
      String name = (who + "            ").substring(0, Math.max(12, who.length()));
      return pad(at) + "  " + name + what;
    }
  }

  private final Timeline time;
  private final List<Said> said = new ArrayList<>();
  private long hash = 0xcbf29ce484222325L;

  public Trace(Timeline time) {
    this.time = time;
  }

  public void say(String who, String what) {
    long at = time.millis();
    said.add(new Said(at, who, what));
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
    return said.stream().map(Said::line).toList();
  }

  public List<String> last(int count) {
    return said.subList(Math.max(0, said.size() - count), said.size()).stream()
        .map(Said::line)
        .toList();
  }
}
