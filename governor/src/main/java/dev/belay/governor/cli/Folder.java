package dev.belay.governor.cli;

import dev.belay.governor.Refusal;
import dev.belay.governor.files.Migration;
import dev.belay.governor.files.MigrationFolder;
import dev.belay.governor.files.Version;
import dev.belay.governor.jdbc.Desk;
import dev.belay.governor.jdbc.Target;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A folder of migrations and how far to go in it. */
final class Folder {

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "Folder of V<version>__<text>.sql files.")
  @Nullable Path folder;

  @Option(names = "--to", paramLabel = "VERSION", description = "Highest version to queue.")
  @Nullable String to;

  boolean given() {
    return folder != null;
  }

  List<Migration> read(Target target) {
    if (folder == null) {
      throw new Refusal("--folder is missing; give the folder of V<version>__<text>.sql files");
    }
    return MigrationFolder.read(folder, Desk.syntax(target));
  }

  Optional<Version> target() {
    if (to == null) {
      return Optional.empty();
    }
    Optional<Version> version = Version.parse(to);
    if (version.isEmpty()) {
      throw new Refusal("--to \"" + to + "\" is not a version; write one like 7 or 1.4.2");
    }
    return version;
  }
}
