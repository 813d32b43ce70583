package dev.belay.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What makes a member crash whenever it is started: some of its files are put aside and nothing but
 * zeros is in their place. They can be put back.
 *
 * @param ending of the names of those files
 */
record Ruin(Place place, String pod, String ending) {

  private static final String ASIDE = ".before";

  /** Its files are ruined under it, and it is killed. */
  void killed() {
    done();
    process().ifPresent(ProcessHandle::destroyForcibly);
  }

  /** Its files are ruined under it, and it is asked to end: what it still writes is put aside. */
  void ended() {
    done();
    process().ifPresent(ProcessHandle::destroy);
  }

  private Optional<ProcessHandle> process() {
    return place.arena().sandbox().pidOf(place.namespace(), pod).flatMap(ProcessHandle::of);
  }

  private void done() {
    try {
      for (Path file : files(ending)) {
        Files.move(file, file.resolveSibling(file.getFileName() + ASIDE));
        Files.write(file, new byte[4096]);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Its files are put back; what starts it next is whatever started it before. */
  void repaired() {
    try {
      for (Path aside : files(ending + ASIDE)) {
        String name = aside.getFileName().toString();
        Files.move(
            aside,
            aside.resolveSibling(name.substring(0, name.length() - ASIDE.length())),
            StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<Path> files(String ending) throws IOException {
    try (Stream<Path> all = Files.walk(place.volume("data-" + pod))) {
      List<Path> found = all.filter(f -> f.toString().endsWith(ending)).toList();
      if (found.isEmpty()) {
        throw new IllegalStateException("no file of " + pod + " ends with " + ending);
      }
      return found;
    }
  }
}
