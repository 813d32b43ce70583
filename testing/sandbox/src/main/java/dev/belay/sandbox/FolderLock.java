package dev.belay.sandbox;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Keeps two sandboxes out of one folder. */
final class FolderLock implements AutoCloseable {
  private final FileChannel channel;

  private FolderLock(FileChannel channel) {
    this.channel = channel;
  }

  static FolderLock take(Path dir) {
    try {
      Files.createDirectories(dir);
      FileChannel channel =
          FileChannel.open(
              dir.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (!locked(channel)) {
        channel.close();
        throw new SandboxException(
            "--dir %s is in use by another sandbox; stop it or take another folder".formatted(dir));
      }
      return new FolderLock(channel);
    } catch (IOException e) {
      throw new SandboxException(
          "--dir %s cannot be used: %s; take a folder you may write to".formatted(dir, e), e);
    }
  }

  private static boolean locked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException heldByThisProcess) {
      return false;
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new SandboxException("cannot release the folder lock", e);
    }
  }
}
