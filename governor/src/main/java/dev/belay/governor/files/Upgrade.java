package dev.belay.governor.files;

import dev.belay.governor.Refusal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Which files of a folder the queue does not have yet, or why the two do not fit together. */
public final class Upgrade {

  private Upgrade() {}

  /** An upgrade row that the queue has. */
  public record Known(long id, Version version, String checksum, String status) {}

  /** The versions in (current, target], each asked for on its own, in order. */
  public static List<Migration> missing(
      List<Migration> folder, List<Known> queue, Optional<Version> target) {
    List<String> refusals = new ArrayList<>();
    Map<Version, Known> known = new HashMap<>();
    queue.forEach(k -> known.put(k.version(), k));
    Optional<Version> highest = queue.stream().map(Known::version).max(Version::compareTo);
    List<Migration> missing = new ArrayList<>();
    for (Migration m : folder) {
      Known k = known.remove(m.version());
      if (k == null && highest.isPresent() && m.version().compareTo(highest.get()) < 0) {
        refusals.add(
            m.file()
                + ": version "
                + m.version()
                + " comes after "
                + highest.get()
                + " was queued; give it a version above that");
      } else if (k == null && (target.isEmpty() || m.version().compareTo(target.get()) <= 0)) {
        missing.add(m);
      } else if (k != null && !k.checksum().equals(m.checksum())) {
        refusals.add(changed(m, k));
      }
    }
    for (Known k : queue) {
      if (known.containsKey(k.version())) {
        refusals.add(
            "V"
                + k.version()
                + " was queued as operation "
                + k.id()
                + " and has no file; put the file back");
      }
    }
    if (target.isPresent() && folder.stream().noneMatch(m -> m.version().equals(target.get()))) {
      refusals.add("version " + target.get() + " has no file; the highest is " + highestOf(folder));
    }
    if (!refusals.isEmpty()) {
      throw new Refusal(String.join("\n", refusals));
    }
    return List.copyOf(missing);
  }

  private static String changed(Migration m, Known k) {
    return m.file()
        + ":1: changed after it was queued as operation "
        + k.id()
        + " ("
        + k.status()
        + "); "
        + (k.status().equals("failed")
            ? "retry " + k.id() + " --file " + m.file() + " takes the new text"
            : "put the old text back and write the change as the next version");
  }

  private static String highestOf(List<Migration> folder) {
    return folder.isEmpty() ? "none" : folder.getLast().version().toString();
  }
}
