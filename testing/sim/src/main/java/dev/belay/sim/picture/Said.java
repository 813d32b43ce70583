package dev.belay.sim.picture;

import dev.belay.sim.world.Install;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One row of the story: who did what when, and how often the same was said again.
 *
 * @param until when it was said for the last time
 */
record Said(long millis, long until, String who, String what, int times) {

  private static final Pattern LINE = Pattern.compile(" *(\\d+)\\.(\\d{3})  (\\S+) +(.*)");
  private static final Pattern REPEATED = Pattern.compile("records [^:]*: |records .*");

  static List<Said> of(List<String> trace) {
    var rows = new ArrayList<Said>();
    for (String line : trace) {
      Matcher m = LINE.matcher(line);
      if (!m.matches()) {
        throw new IllegalArgumentException("no line of a trace: " + line);
      }
      long at = Long.parseLong(m.group(1)) * 1000 + Long.parseLong(m.group(2));
      add(rows, new Said(at, at, m.group(3), m.group(4), 1));
    }
    return rows;
  }

  /** Belay says again and again why it waits: the first time tells all. */
  private static void add(List<Said> rows, Said next) {
    for (int i = rows.size() - 1; i >= 0 && next.byBelay(); i--) {
      Said last = rows.get(i);
      if (last.byBelay()) {
        if (last.who.equals(next.who) && last.gist().equals(next.gist())) {
          rows.set(i, new Said(last.millis, next.millis, last.who, last.what, last.times + 1));
          return;
        }
        break;
      }
    }
    rows.add(next);
  }

  /** Phase, step and rule, without the reading, which changes while the reason does not. */
  private String gist() {
    Matcher m = REPEATED.matcher(what);
    return m.lookingAt() ? m.group() : what + millis;
  }

  boolean byBelay() {
    return Arrays.stream(Install.values()).anyMatch(i -> who.startsWith(i.label() + "-"));
  }

  /** What was decided and written down, as opposed to what was done. */
  boolean decision() {
    return byBelay() && what.startsWith("records ");
  }

  boolean deed() {
    return byBelay() && what.contains(" → ");
  }

  String seconds() {
    return seconds(millis);
  }

  static String seconds(long millis) {
    return millis / 1000 + "." + Long.toString(1000 + millis % 1000).substring(1, 3);
  }
}
