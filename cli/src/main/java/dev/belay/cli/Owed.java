package dev.belay.cli;

import static dev.belay.cli.Cluster.word;

import dev.belay.api.v1alpha1.StatefulClusterStatus.Obligation;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What was done for an upgrade and is still to be taken back, in words. */
record Owed(Cluster cluster, Sight sight) {

  private static final int LONGEST = 100;

  List<String> of(String component) {
    return words(component::equals);
  }

  List<String> all() {
    return words(_ -> true);
  }

  /** By actions of the user's, then by the driver. */
  private List<String> words(Predicate<String> component) {
    Stream<String> actions =
        cluster.owed().stream().filter(o -> component.test(word(o.component()))).map(this::text);
    Stream<String> driver =
        cluster.components().stream()
            .filter(c -> component.test(word(c.name())))
            .flatMap(c -> c.owes().stream());
    return Stream.concat(actions, driver).toList();
  }

  private String text(Obligation owed) {
    String since =
        Ages.since(word(owed.since()), sight.now())
            .map(age -> " since " + Ages.compact(age))
            .orElse("");
    String how = word(owed.progress()).equals("Undoing") ? ", being taken back" : "";
    return clip(word(owed.undo())) + " for " + word(owed.object()) + since + how;
  }

  /** The same in full, for a person who undoes it. */
  static String whole(Obligation owed) {
    return oneLine(word(owed.undo())) + " for " + word(owed.object());
  }

  /** The undo is the whole request, and a body may be long and have lines of its own. */
  private static String clip(String undo) {
    String line = oneLine(undo);
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "...";
  }

  private static String oneLine(String undo) {
    return undo.replaceAll("\\s+", " ");
  }
}
