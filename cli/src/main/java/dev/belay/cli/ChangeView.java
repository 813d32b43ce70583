package dev.belay.cli;

import static dev.belay.cli.Cluster.word;

import java.util.ArrayList;

/** A cluster in one line without ages: two equal lines mean that nothing worth a line changed. */
record ChangeView(boolean namespaces, Glyphs glyphs) {

  String line(Cluster cluster) {
    var words = new ArrayList<String>();
    words.add(name(cluster));
    words.add(cluster.phase());
    words.add(cluster.versions(glyphs));
    words.add(cluster.updated().isEmpty() ? "" : "updated " + cluster.updated());
    words.add(cluster.ready().isEmpty() ? "" : "ready " + cluster.ready());
    words.add(what(cluster));
    return String.join("  ", words.stream().filter(w -> !w.isEmpty()).toList());
  }

  String gone(Cluster cluster) {
    return name(cluster) + "  deleted; its workloads are as they were";
  }

  private String name(Cluster cluster) {
    return namespaces ? cluster.namespace() + "/" + cluster.name() : cluster.name();
  }

  /** What stands in the way, else what is being done. */
  private static String what(Cluster cluster) {
    return cluster
        .blockedBy()
        .map(b -> word(b.object()) + " " + cluster.verb() + ": " + Cluster.sentence(b))
        .or(() -> cluster.step().map(s -> word(s.what())))
        .orElse("");
  }
}
