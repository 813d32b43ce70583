import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.bookkeeper.client.api.BKException;
import org.apache.bookkeeper.client.api.BookKeeper;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerEntry;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.apache.bookkeeper.conf.ClientConfiguration;

/**
 * Writes ledgers one after the other and reads each one back when it is full, until it is stopped.
 * Every acknowledged entry is remembered: GET / says how many there are and how long the longest
 * time without one was, GET /verify ends the writing, reads all of them once more
 * and says how many are lost.
 *
 * <p>Arguments: the metadata service's URI, ensemble, write quorum, ack quorum, host and port.
 */
public final class Ledgers {

  private static final byte[] PASSWORD = "ledgers".getBytes(StandardCharsets.US_ASCII);
  private static final int FULL = 100;
  private static final int PAUSE_MILLIS = 10;

  private final BookKeeper client;
  private final int ensemble;
  private final int write;
  private final int ack;

  /** How many entries of each ledger were acknowledged: those from 0 on, in order. */
  private final Map<Long, Long> acknowledged = new ConcurrentSkipListMap<>();

  private final BlockingQueue<Long> full = new LinkedBlockingQueue<>();
  private final AtomicLong readBack = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private final AtomicLong longest = new AtomicLong();
  private volatile String lastFailure = "";
  private volatile long last;
  private volatile boolean stopped;
  private final Thread writer = Thread.ofPlatform().unstarted(this::writeForEver);

  private Ledgers(BookKeeper client, int ensemble, int write, int ack) {
    this.client = client;
    this.ensemble = ensemble;
    this.write = write;
    this.ack = ack;
  }

  public static void main(String[] args) throws Exception {
    var configuration = new ClientConfiguration();
    configuration.setMetadataServiceUri(args[0]);
    configuration.setZkTimeout(4000);
    var ledgers =
        new Ledgers(
            BookKeeper.newBuilder(configuration).build(),
            Integer.parseInt(args[1]),
            Integer.parseInt(args[2]),
            Integer.parseInt(args[3]));
    ledgers.writer.start();
    Thread.ofPlatform().start(ledgers::readForEver);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(args[4], Integer.parseInt(args[5])), 10);
    server.createContext(
        "/",
        exchange -> {
          boolean verify = exchange.getRequestURI().getPath().equals("/verify");
          byte[] body = (verify ? ledgers.verified() : ledgers.figures(ledgers.lost.get())).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
  }

  private String figures(long lost) {
    long waiting = last == 0 || stopped ? 0 : (System.nanoTime() - last) / 1_000_000;
    return "{\"acknowledged\":%d,\"readBack\":%d,\"lost\":%d,\"ledgers\":%d,\"failures\":%d,\"longestGapMillis\":%d,\"lastFailure\":\"%s\"}"
        .formatted(
            acknowledged.values().stream().mapToLong(n -> n).sum(),
            readBack.get(),
            lost,
            acknowledged.size(),
            failures.get(),
            Math.max(longest.get(), waiting),
            lastFailure);
  }

  private String verified() throws IOException {
    stopped = true;
    try {
      writer.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    long missing = 0;
    for (var ledger : acknowledged.entrySet()) {
      missing += missing(ledger.getKey(), ledger.getValue());
    }
    return figures(missing);
  }

  private void writeForEver() {
    while (!stopped) {
      long id = -1;
      try (WriteHandle ledger =
          client
              .newCreateLedgerOp()
              .withEnsembleSize(ensemble)
              .withWriteQuorumSize(write)
              .withAckQuorumSize(ack)
              .withDigestType(DigestType.CRC32C)
              .withPassword(PASSWORD)
              .execute()
              .get()) {
        id = ledger.getId();
        fill(ledger);
      } catch (Exception e) {
        failed(e);
      }
      if (id >= 0) {
        full.add(id);
      }
    }
  }

  private void fill(WriteHandle ledger) throws Exception {
    acknowledged.put(ledger.getId(), 0L);
    for (long entry = 0; entry < FULL && !stopped; entry++) {
      ledger.append(text(ledger.getId(), entry));
      acknowledged.put(ledger.getId(), entry + 1);
      long now = System.nanoTime();
      if (last != 0) {
        longest.accumulateAndGet((now - last) / 1_000_000, Math::max);
      }
      last = now;
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  private void readForEver() {
    while (true) {
      try {
        long id = full.take();
        long expected = acknowledged.get(id);
        long missing = missing(id, expected);
        lost.addAndGet(missing);
        readBack.addAndGet(expected - missing);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** How many of the first entries cannot be read. Opening recovers the ledger if nobody closed it. */
  private long missing(long id, long expected) {
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (expected > 0) {
      try (ReadHandle ledger =
          client.newOpenLedgerOp().withLedgerId(id).withRecovery(true).withPassword(PASSWORD).execute().get()) {
        long there = Math.min(expected, ledger.getLastAddConfirmed() + 1);
        long good = 0;
        if (there > 0) {
          try (LedgerEntries entries = ledger.read(0, there - 1)) {
            for (LedgerEntry entry : entries) {
              good += new String(entry.getEntryBytes(), StandardCharsets.UTF_8).equals(new String(text(id, entry.getEntryId()), StandardCharsets.UTF_8)) ? 1 : 0;
            }
          }
        }
        return expected - good;
      } catch (Exception e) {
        failed(e);
        if (System.nanoTime() > deadline) {
          return expected;
        }
      }
    }
    return 0;
  }

  private void failed(Exception e) {
    failures.incrementAndGet();
    Throwable cause = e.getCause() instanceof BKException ? e.getCause() : e;
    lastFailure = cause.toString().replaceAll("[^ -~]|[\"\\\\]", " ");
    System.out.println(lastFailure);
    try {
      Thread.sleep(50);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  private static byte[] text(long ledger, long entry) {
    return ("entry " + entry + " of ledger " + ledger).getBytes(StandardCharsets.UTF_8);
  }
}
