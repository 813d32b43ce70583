package dev.belay.bench;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** A PostgreSQL on loopback with its default settings, in a folder of its own. */
final class PostgresServer implements AutoCloseable {

  private static final boolean ROOT = System.getProperty("user.name", "").equals("root");

  private final Path dir;
  private final int port;
  private int databases;

  private PostgresServer(Path dir, int port) {
    this.dir = dir;
    this.port = port;
  }

  static PostgresServer start() throws IOException {
    Path dir = Files.createTempDirectory("belay-bench-pg");
    Path archive = dir.resolve("postgres.txz");
    try (InputStream in =
        Objects.requireNonNull(
            PostgresServer.class.getResourceAsStream("/postgres-linux-x86_64.txz"))) {
      Files.copy(in, archive);
    }
    run(List.of("tar", "-xJf", archive.toString(), "-C", dir.toString()));
    Files.delete(archive);
    if (ROOT) {
      // PostgreSQL refuses to be run by root.
      run(List.of("chown", "-R", "postgres", dir.toString()));
    }
    int port;
    try (ServerSocket s = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = s.getLocalPort();
    }
    PostgresServer server = new PostgresServer(dir, port);
    String data = dir.resolve("data").toString();
    server.program("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8");
    server.program(
        "pg_ctl",
        "-D",
        data,
        "-o",
        "-p " + port + " -c listen_addresses=127.0.0.1 -c unix_socket_directories=''",
        "-l",
        dir.resolve("log").toString(),
        "-w",
        "start");
    return server;
  }

  /** The URL of a new database. */
  String database() throws SQLException {
    String name = "bench" + ++databases;
    try (Connection c = DriverManager.getConnection(url("postgres"), "postgres", "");
        Statement s = c.createStatement()) {
      s.execute("CREATE DATABASE " + name);
    }
    return url(name);
  }

  private String url(String database) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
  }

  private void program(String name, String... args) throws IOException {
    List<String> command = new ArrayList<>();
    if (ROOT) {
      command.addAll(
          List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"));
    }
    command.add(dir.resolve("bin").resolve(name).toString());
    command.addAll(List.of(args));
    run(command);
  }

  private static void run(List<String> command) throws IOException {
    Process p =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (p.waitFor() != 0) {
        throw new IOException(command + " exited with " + p.exitValue());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public void close() throws IOException {
    program("pg_ctl", "-D", dir.resolve("data").toString(), "-m", "immediate", "-w", "stop");
    try (Stream<Path> all = Files.walk(dir)) {
      for (Path p : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(p);
      }
    }
  }
}
