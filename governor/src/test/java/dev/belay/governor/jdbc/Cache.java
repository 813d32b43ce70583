package dev.belay.governor.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/** Unpacks database binaries once per user. */
final class Cache {

  private Cache() {}

  interface Unpack {
    void into(Path folder) throws IOException, InterruptedException;
  }

  static Path root() {
    // PostgreSQL refuses to run as root, and another user cannot look into root's home.
    Path usual =
        System.getProperty("user.name").equals("root")
            ? Path.of("/var/cache/belay")
            : Path.of(System.getProperty("user.home"), ".cache", "belay");
    return Optional.ofNullable(System.getenv("BELAY_CACHE")).map(Path::of).orElse(usual);
  }

  static Path folder(String name, Unpack unpack) {
    Path root = root();
    Path folder = root.resolve(name);
    Path done = folder.resolve(".complete");
    try {
      Files.createDirectories(folder);
      try (FileChannel c =
              FileChannel.open(
                  root.resolve(name + ".lock"),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          FileLock lock = c.lock()) {
        if (!Files.exists(done)) {
          unpack.into(folder);
          Files.createFile(done);
        }
      }
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A version that the root pom pins. */
  static String version(String of) {
    Properties p = new Properties();
    try (InputStream in = resource("/versions.properties")) {
      p.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return p.getProperty(of);
  }

  static InputStream resource(String name) throws IOException {
    InputStream in = Cache.class.getResourceAsStream(name);
    if (in == null) {
      throw new IOException(name + " is not on the class path");
    }
    return in;
  }

  static void run(List<String> command) throws IOException, InterruptedException {
    Path log = Files.createTempFile("belay", ".log");
    int code =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start()
            .waitFor();
    if (code != 0) {
      throw new IOException(command + " exited with " + code + ": " + Files.readString(log));
    }
    Files.delete(log);
  }
}
