package dev.belay.cli;

import dev.belay.api.v1alpha1.StatefulClusterStatus.Blocked;
import dev.belay.cli.Line.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** One line per cluster, with the columns of {@code kubectl get stc}. */
record ListView(boolean namespaces) {

  List<Line> lines(List<Cluster> clusters, Sight sight) {
    var rows = new ArrayList<List<Span>>();
    rows.add(header());
    clusters.stream()
        .sorted(Comparator.comparing(Cluster::namespace).thenComparing(Cluster::name))
        .forEach(c -> rows.add(row(c, sight)));
    return new Table(rows, "   ").lines();
  }

  private List<Span> header() {
    var names =
        new ArrayList<>(
            List.of("NAME", "VERSION", "TARGET", "PHASE", "UPDATED", "READY", "BLOCKED-BY", "AGE"));
    if (namespaces) {
      names.addFirst("NAMESPACE");
    }
    return names.stream().map(n -> new Span(n, Hue.QUIET)).toList();
  }

  private List<Span> row(Cluster cluster, Sight sight) {
    var row = new ArrayList<Span>();
    if (namespaces) {
      row.add(plain(cluster.namespace()));
    }
    row.add(new Span(cluster.name(), Hue.STRONG));
    row.add(plain(cluster.currentVersion()));
    row.add(plain(cluster.targetVersion()));
    row.add(new Span(cluster.phase(), Hue.ofPhase(cluster.phase())));
    row.add(plain(cluster.updated()));
    row.add(plain(cluster.ready()));
    row.add(plain(cluster.released() ? "NotSelected" : blockedBy(cluster)));
    row.add(
        plain(
            Ages.since(cluster.resource().getMetadata().getCreationTimestamp(), sight.now())
                .map(Ages::compact)
                .orElse("")));
    return row;
  }

  private static String blockedBy(Cluster cluster) {
    return cluster.blockedBy().map(Blocked::rule).orElse("");
  }

  private static Span plain(String text) {
    return new Span(text, Hue.PLAIN);
  }
}
