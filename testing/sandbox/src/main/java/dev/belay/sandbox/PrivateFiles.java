package dev.belay.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** Files that only their owner may read, from the first byte on. */
public final class PrivateFiles {
  private PrivateFiles() {}

  /** Replaces the file at once: a reader sees the old or the new content, never a half. */
  public static void write(Path file, String content) throws IOException {
    Path fresh =
        Files.createTempFile(
            file.toAbsolutePath().getParent(),
            "." + file.getFileName(),
            null,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(fresh, content);
    Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Makes a folder that only its owner may enter. */
  public static Path folder(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    return folder;
  }
}
