package dev.belay.governor.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A real MySQL on loopback, if {@code src/test/mysql/get} has fetched it. */
final class MySql implements AutoCloseable {

  private static final AtomicInteger NAMES = new AtomicInteger();

  private final Path data;
  private final int port;
  private final Process process;

  private MySql(Path data, int port, Process process) {
    this.data = data;
    this.port = port;
    this.process = process;
  }

  static boolean there() {
    return Files.exists(Cache.root().resolve("mysql/.complete"));
  }

  static MySql start(String... settings) throws IOException, InterruptedException {
    Path data = Files.createTempDirectory("belay-mysql");
    List<String> initialize = server(data);
    initialize.add("--initialize-insecure");
    Cache.run(initialize);
    int port = Postgres.freePort();
    List<String> command = server(data);
    command.addAll(
        List.of(
            "--port=" + port,
            "--bind-address=127.0.0.1",
            "--socket=" + data.resolve("s"),
            "--mysqlx=OFF",
            "--secure-file-priv=NULL",
            "--innodb-buffer-pool-size=32M",
            "--innodb-flush-log-at-trx-commit=2"));
    command.addAll(List.of(settings));
    Process p =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(data.resolve("log").toFile())
            .start();
    MySql m = new MySql(data, port, p);
    m.awaitUp();
    return m;
  }

  /** Through its own loader, since it is of a newer system than this one. */
  private static List<String> server(Path data) {
    Path root = Cache.root().resolve("mysql");
    Path libraries = root.resolve("usr/lib/x86_64-linux-gnu");
    return new ArrayList<>(
        List.of(
            libraries.resolve("ld-linux-x86-64.so.2").toString(),
            "--library-path",
            libraries + ":" + root.resolve("usr/lib/mysql/private"),
            root.resolve("usr/sbin/mysqld").toString(),
            "--no-defaults",
            "--basedir=" + root.resolve("usr"),
            "--lc-messages-dir=" + root.resolve("usr/share/mysql"),
            "--datadir=" + data.resolve("d"),
            "--user=" + System.getProperty("user.name")));
  }

  private void awaitUp() throws IOException, InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (true) {
      try (Connection c = MariaDb.connect(target("mysql"))) {
        return;
      } catch (SQLException e) {
        if (!process.isAlive() || System.nanoTime() > end) {
          process.destroyForcibly();
          throw new IllegalStateException(
              e.getMessage() + "\n" + Files.readString(data.resolve("log")), e);
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
    try (Connection c = MariaDb.connect(target("mysql"))) {
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

  @Override
  public void close() {
    try {
      process.destroyForcibly().waitFor();
      try (Stream<Path> all = Files.walk(data)) {
        for (Path p : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(p);
        }
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
