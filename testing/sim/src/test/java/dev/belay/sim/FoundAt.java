package dev.belay.sim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The promise by which, and the seed at which, each planted bug was last found; written anew with
 * -Dbelay.rewrite=true.
 */
final class FoundAt {

  static final String CURE =
      "write planted-bugs.txt anew: build/mvn -pl testing/sim -am test -Dtest=PlantedBugsTest"
          + " -DargLine=-Dbelay.rewrite=true -Dsurefire.failIfNoSpecifiedTests=false";

  private static final Path FILE = Path.of("src/test/resources/planted-bugs.txt");

  /** By which promise, at which seed. */
  record Find(String promise, long seed) {}

  private FoundAt() {}

  static Optional<Find> find(String bug) {
    return Optional.ofNullable(read().get(bug));
  }

  static SortedSet<String> promises() {
    return read().values().stream()
        .map(Find::promise)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  static SortedSet<String> names() {
    return new TreeSet<>(read().keySet());
  }

  /** Only when the file is written anew. */
  static void remember(String bug, Find find) {
    if (Boolean.getBoolean("belay.rewrite")) {
      SortedMap<String, Find> all = read();
      all.put(bug, find);
      write(all);
    }
  }

  /** Only when the file is written anew. */
  static void keepOnly(Set<String> bugs) {
    if (Boolean.getBoolean("belay.rewrite")) {
      SortedMap<String, Find> all = read();
      all.keySet().retainAll(bugs);
      write(all);
    }
  }

  /** A line is a bug's name, the promise and the seed, with spaces between them. */
  private static SortedMap<String, Find> read() {
    var all = new TreeMap<String, Find>();
    try {
      for (String line : Files.readAllLines(FILE)) {
        int seed = line.lastIndexOf(' ');
        int promise = line.lastIndexOf(' ', seed - 1);
        all.put(
            line.substring(0, promise),
            new Find(line.substring(promise + 1, seed), Long.parseLong(line.substring(seed + 1))));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all;
  }

  private static void write(SortedMap<String, Find> all) {
    String text =
        all.entrySet().stream()
            .map(e -> e.getKey() + " " + e.getValue().promise() + " " + e.getValue().seed() + "\n")
            .collect(Collectors.joining());
    try {
      Files.writeString(FILE, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
