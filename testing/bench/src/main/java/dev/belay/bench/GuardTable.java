package dev.belay.bench;

import dev.belay.bench.GuardCell.Guarding;
import dev.belay.bench.GuardCell.Write;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The latencies of writes next to bare ones, and whether the wanted bounds held. */
final class GuardTable {

  /** A wanted bound on a ratio of medians. */
  enum Bound {
    UNLABELLED("unlabelled 1.0 x bare", 1.1),
    LABELLED("labelled at most 2 x bare", 2.0),
    FLAT("labelled the same with 1,000 StatefulClusters as with 1", 1.1);

    final String text;
    final double limit;

    Bound(String text, double limit) {
      this.text = text;
      this.limit = limit;
    }

    boolean holds(double ratio) {
      return ratio <= limit;
    }
  }

  /** One line: the same write to a bare, an unlabelled and a labelled set. */
  record Row(GuardCell cell, Latencies bare, Latencies unlabelled, Latencies labelled) {

    double ratio(Bound bound) {
      return switch (bound) {
        case UNLABELLED -> unlabelled.ratioTo(bare);
        case LABELLED -> labelled.ratioTo(bare);
        case FLAT -> throw new IllegalArgumentException("flat is a bound on two rows");
      };
    }
  }

  /** A ratio that a bound is about, and where it was measured. */
  record Finding(Bound bound, double ratio, String where) {

    boolean held() {
      return bound.holds(ratio);
    }
  }

  private final List<Row> rows;

  GuardTable(Map<GuardCell, Latencies> measured) {
    this.rows =
        GuardCell.all().stream()
            .filter(c -> c.guarding() == Guarding.BARE)
            .map(c ->
                new Row(
                    c,
                    of(measured, c),
                    of(measured, c.with(Guarding.UNLABELLED)),
                    of(measured, c.with(Guarding.LABELLED))))
            .toList();
  }

  private static Latencies of(Map<GuardCell, Latencies> measured, GuardCell cell) {
    Latencies latencies = measured.get(cell);
    if (latencies == null) {
      throw new IllegalArgumentException("not measured: " + cell);
    }
    return latencies;
  }

  /** Every ratio that has a bound, in the order of the rows. */
  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    for (Row row : rows) {
      String where = where(row.cell()) + ", " + clusters(row.cell());
      findings.add(new Finding(Bound.UNLABELLED, row.ratio(Bound.UNLABELLED), where));
      findings.add(new Finding(Bound.LABELLED, row.ratio(Bound.LABELLED), where));
    }
    for (Write write : Write.values()) {
      for (int kilobytes : GuardCell.KILOBYTES) {
        Row few = row(write, kilobytes, GuardCell.CLUSTERS.getFirst());
        Row many = row(write, kilobytes, GuardCell.CLUSTERS.getLast());
        double ratio = many.labelled().ratioTo(few.labelled());
        findings.add(new Finding(Bound.FLAT, ratio, where(few.cell())));
      }
    }
    return findings;
  }

  private Row row(Write write, int kilobytes, int clusters) {
    GuardCell bare = new GuardCell(write, kilobytes, clusters, Guarding.BARE);
    return rows.stream().filter(r -> r.cell().equals(bare)).findFirst().orElseThrow();
  }

  /** The table, then one line per bound. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%-28s %8s %8s  %14s  %14s %6s  %14s %6s"
            .formatted(
                "write", "template", "clusters", "bare", "unlabelled", "x", "labelled", "x"));
    rows.forEach(r -> lines.add(line(r)));
    lines.add("");
    for (Bound bound : Bound.values()) {
      lines.add(verdict(bound));
    }
    return lines;
  }

  private static String line(Row row) {
    return String.format(
        Locale.ROOT,
        "%-28s %5d KB %,8d  %s  %s %s  %s %s",
        row.cell().write().text,
        row.cell().kilobytes(),
        row.cell().clusters(),
        times(row.bare()),
        times(row.unlabelled()),
        ratio(Bound.UNLABELLED, row.ratio(Bound.UNLABELLED)),
        times(row.labelled()),
        ratio(Bound.LABELLED, row.ratio(Bound.LABELLED)));
  }

  private static String times(Latencies latencies) {
    return String.format(
        Locale.ROOT, "%6.2f %7.2f", latencies.medianMillis(), latencies.quantileMillis(0.95));
  }

  /** An exclamation mark stands at a ratio above its bound. */
  private static String ratio(Bound bound, double ratio) {
    return String.format(Locale.ROOT, "%5.2f%s", ratio, bound.holds(ratio) ? " " : "!");
  }

  private String verdict(Bound bound) {
    List<Finding> about = findings().stream().filter(f -> f.bound() == bound).toList();
    List<Finding> above = about.stream().filter(f -> !f.held()).toList();
    Finding worst =
        about.stream().max((a, b) -> Double.compare(a.ratio(), b.ratio())).orElseThrow();
    return String.format(
        Locale.ROOT,
        "wanted: %s (limit %.2f): %s; highest %.2f (%s)",
        bound.text,
        bound.limit,
        above.isEmpty()
            ? "held in all " + about.size()
            : "missed in " + above.size() + " of " + about.size(),
        worst.ratio(),
        worst.where());
  }

  private static String where(GuardCell cell) {
    return "%s, %d KB".formatted(cell.write().text, cell.kilobytes());
  }

  private static String clusters(GuardCell cell) {
    return String.format(Locale.ROOT, "%,d StatefulClusters", cell.clusters())
        .replaceFirst("^1 StatefulClusters", "1 StatefulCluster");
  }
}
