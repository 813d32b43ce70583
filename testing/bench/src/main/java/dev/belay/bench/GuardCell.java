package dev.belay.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One case of the guard's table: which write, to a set of which kind, in which namespace.
 *
 * @param kilobytes the size of the set's template
 * @param clusters how many StatefulClusters the namespace has
 */
record GuardCell(Write write, int kilobytes, int clusters, Guarding guarding) {

  static final List<Integer> KILOBYTES = List.of(1, 17, 80);
  static final List<Integer> CLUSTERS = List.of(1, 1_000);

  enum Write {
    /** Asks for partition 0 as well, so that the guard must freeze each write anew. */
    RELEASED("new template"),
    FROZEN("new template, frozen before"),
    UNCHANGED("no change (PUT)");

    final String text;

    Write(String text) {
      this.text = text;
    }
  }

  enum Guarding {
    /** No policies are installed. */
    BARE,
    /** Policies are installed, and the set has no label. */
    UNLABELLED,
    /** Policies are installed, and the set has a label and an owner. */
    LABELLED
  }

  static List<GuardCell> all() {
    List<GuardCell> all = new ArrayList<>();
    for (Write write : Write.values()) {
      for (int kilobytes : KILOBYTES) {
        for (int clusters : CLUSTERS) {
          for (Guarding guarding : Guarding.values()) {
            all.add(new GuardCell(write, kilobytes, clusters, guarding));
          }
        }
      }
    }
    return all;
  }

  GuardCell with(Guarding other) {
    return new GuardCell(write, kilobytes, clusters, other);
  }

  String namespace() {
    return namespace(clusters);
  }

  static String namespace(int clusters) {
    return "clusters-" + clusters;
  }

  /** The name of the set that only this case writes to. */
  String set() {
    return "%s-%d-%s".formatted(write, kilobytes, guarding).toLowerCase(Locale.ROOT);
  }

  /** The set as {@link AuditLog} names it. */
  String key() {
    return namespace() + "/" + set();
  }

  boolean labelled() {
    return guarding == Guarding.LABELLED;
  }
}
