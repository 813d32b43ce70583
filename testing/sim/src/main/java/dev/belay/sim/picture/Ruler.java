package dev.belay.sim.picture;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** From time to place. Where nothing happens for long, time is folded. */
final class Ruler {

  private static final double PER_SECOND = 26;
  private static final long LONG = 6000;
  private static final long EDGE = 1500;
  private static final double FOLDED = 46;

  /** A stretch of time that is drawn evenly. */
  record Piece(long from, long to, double x, double width, boolean folded) {}

  private final List<Piece> pieces = new ArrayList<>();

  /**
   * @param moments when something happens; what lies outside start and end is left out
   */
  Ruler(long start, long end, List<Long> moments) {
    var sorted = new TreeSet<>(moments);
    sorted.add(end);
    long last = start;
    for (long moment : sorted.subSet(start, true, end, true)) {
      if (moment - last > LONG) {
        add(last, last + EDGE, false);
        add(last + EDGE, moment - EDGE, true);
        add(moment - EDGE, moment, false);
      } else {
        add(last, moment, false);
      }
      last = moment;
    }
  }

  private void add(long from, long to, boolean folded) {
    double width = folded ? FOLDED : (to - from) / 1000.0 * PER_SECOND;
    pieces.add(new Piece(from, to, width(), width, folded));
  }

  double width() {
    return pieces.isEmpty() ? 0 : pieces.getLast().x() + pieces.getLast().width();
  }

  double x(long millis) {
    for (Piece p : pieces) {
      if (millis <= p.to()) {
        double share = (double) Math.max(0, millis - p.from()) / Math.max(1, p.to() - p.from());
        return p.x() + share * p.width();
      }
    }
    return width();
  }

  List<Piece> folds() {
    return pieces.stream().filter(Piece::folded).toList();
  }

  /** Every fifth second that is not folded away. */
  List<Long> ticks() {
    var ticks = new ArrayList<Long>();
    for (long t = 5000 * ((pieces.getFirst().from() + 4999) / 5000);
        t <= pieces.getLast().to();
        t += 5000) {
      long tick = t;
      if (folds().stream().noneMatch(f -> f.from() < tick && tick < f.to())) {
        ticks.add(t);
      }
    }
    return ticks;
  }
}
