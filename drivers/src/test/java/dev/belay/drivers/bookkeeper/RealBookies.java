package dev.belay.drivers.bookkeeper;

import dev.belay.core.driver.Driver.Seat;
import dev.belay.drivers.contract.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * A real ZooKeeper and real bookies on loopback addresses of their own, called bookie-0, bookie-1,
 * … with autorecovery inside each; and a client that fills ledgers of three copies: of three
 * bookies each one has a copy of everything, and none can take the place of another.
 */
final class RealBookies implements AutoCloseable {

  private static final int ZOOKEEPER = 100;
  private static final int CLIENT = 101;

  private final Path dir;
  private final int size;
  final Processes processes = new Processes();

  private RealBookies(Path dir, int size) {
    this.dir = dir;
    this.size = size;
  }

  static RealBookies start(Path dir, String version, int size) {
    var bookies = new RealBookies(dir, size);
    bookies.zookeeper();
    bookies.format(version);
    IntStream.range(0, size).forEach(i -> bookies.run(i, version));
    return bookies;
  }

  List<Seat> seats() {
    return IntStream.range(0, size)
        .mapToObj(i ->
            new Seat(
                "bookie-" + i, "bookie-" + i, URI.create("http://" + processes.host(i) + ":8080")))
        .toList();
  }

  private void zookeeper() {
    processes.start(
        ZOOKEEPER,
        List.of(Processes.binary("images/zookeeper/3.9.5", "entrypoint").toString()),
        Map.of(
            "ZOO_DATA_DIR",
            folder("zookeeper").toString(),
            "ZOO_TICK_TIME",
            "1000",
            "ZOO_CFG_EXTRA",
            "clientPortAddress=" + processes.host(ZOOKEEPER)),
        dir.resolve("zookeeper.log"));
    while (!listens(processes.host(ZOOKEEPER), 2181)) {
      LockSupport.parkNanos(50_000_000);
    }
  }

  private void format(String version) {
    processes.start(
        CLIENT,
        List.of(entrypoint(version), "shell", "initnewcluster"),
        settings(0),
        dir.resolve("format.log"));
    processes.gone(CLIENT);
  }

  /** Starts a bookie, again or for the first time, on its data. */
  void run(int i, String version) {
    processes.start(
        i,
        List.of(entrypoint(version), "bookie"),
        settings(i),
        dir.resolve("bookie-" + i + ".log"));
  }

  /** Fills ledgers until it is stopped. */
  void write(String version) {
    processes.start(
        CLIENT,
        List.of(
            entrypoint(version),
            "ledgers",
            metadata(),
            "3",
            "3",
            "2",
            processes.host(CLIENT),
            "8000"),
        Map.of(),
        dir.resolve("client.log"));
  }

  void stopWriting() {
    processes.kill(CLIENT);
  }

  /** What the client says about its entries. */
  URI figures(String path) {
    return URI.create("http://" + processes.host(CLIENT) + ":8000/" + path);
  }

  private Map<String, String> settings(int i) {
    var settings = new HashMap<String, String>();
    settings.put("BK_metadataServiceUri", metadata());
    settings.put("BK_zkTimeout", "4000");
    settings.put("BK_bookieId", "bookie-" + i);
    settings.put("BK_bookiePort", "3181");
    settings.put("BK_advertisedAddress", processes.host(i));
    settings.put("BK_listeningInterface", "lo");
    settings.put("BK_allowLoopback", "true");
    settings.put("BK_journalDirectory", folder("bookie-" + i).resolve("journal").toString());
    settings.put("BK_ledgerDirectories", folder("bookie-" + i).resolve("ledgers").toString());
    settings.put("BK_diskUsageThreshold", "0.99");
    settings.put("BK_diskUsageWarnThreshold", "0.98");
    settings.put("BK_autoRecoveryDaemonEnabled", "true");
    settings.put("BK_httpServerEnabled", "true");
    settings.put("BK_httpServerClass", "org.apache.bookkeeper.http.vertx.VertxHttpServer");
    settings.put("BK_httpServerHost", processes.host(i));
    settings.put("BK_httpServerPort", "8080");
    return settings;
  }

  private String metadata() {
    return "zk+hierarchical://" + processes.host(ZOOKEEPER) + ":2181/ledgers";
  }

  private static String entrypoint(String version) {
    return Processes.binary("images/bookkeeper/" + version, "entrypoint").toString();
  }

  private Path folder(String name) {
    try {
      return Files.createDirectories(dir.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean listens(String host, int port) {
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port), 500);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() {
    processes.close();
  }
}
