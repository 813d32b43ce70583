package dev.belay.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A client that writes keys nobody wrote before, reads each back at once, and in the end reads all
 * of them. Several writers share the work, so that a silence is the system's and not the time-out
 * of one unlucky connection.
 */
public final class WriteLoad implements AutoCloseable {

  private static final int WRITERS = 4;
  private static final int PAGE = 2000;
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final Duration READ_BACK_LIMIT = Duration.ofSeconds(20);

  /**
   * How it goes.
   *
   * @param perSecond writes acknowledged in the last second
   * @param openGap how long ago the last acknowledged write was
   * @param longestGap the longest time without an acknowledged write, the open one included
   */
  public record Figures(
      int acknowledged, long failed, int perSecond, Duration openGap, Duration longestGap) {}

  /** What became of the acknowledged writes. */
  public record Verdict(int acknowledged, int readBack, int lost) {}

  private final List<URI> endpoints;
  private final String prefix;
  private final EtcdGateway gateway = new EtcdGateway(PATIENCE);
  private final Ledger ledger = new Ledger();
  private final AtomicLong next = new AtomicLong();
  private final List<Thread> writers = new ArrayList<>();
  private volatile int rate;
  private volatile boolean stopped;
  private volatile Figures last = new Figures(0, 0, 0, Duration.ZERO, Duration.ZERO);

  private WriteLoad(List<URI> endpoints, String prefix, int rate) {
    this.endpoints = List.copyOf(endpoints);
    this.prefix = prefix;
    this.rate = rate;
  }

  /** Starts writing about {@code rate} keys per second; the prefix must be this load's own. */
  public static WriteLoad start(List<URI> endpoints, String prefix, int rate) {
    WriteLoad load = new WriteLoad(endpoints, prefix, rate);
    for (int i = 0; i < WRITERS; i++) {
      int first = i;
      load.writers.add(Thread.ofVirtual().name("writer-" + i).start(() -> load.write(first)));
    }
    return load;
  }

  /**
   * From now on about so many writes per second. Between writes that are few by intention there are
   * gaps by intention: the longest one counts from when they are more.
   */
  public void pace(int perSecond) {
    if (perSecond > rate) {
      ledger.beginGap(System.nanoTime());
    }
    rate = perSecond;
  }

  public Figures figures() {
    return stopped ? last : ledger.figures(System.nanoTime());
  }

  private void write(int endpoint) {
    int at = endpoint % endpoints.size();
    while (!stopped) {
      long began = System.nanoTime();
      String key = "%s/%08d".formatted(prefix, next.incrementAndGet());
      try {
        writeAndRead(endpoints.get(at), key);
        while (System.nanoTime() - began < TimeUnit.SECONDS.toNanos(WRITERS) / rate && !stopped) {
          // Briefly, since the pace may change meanwhile.
          TimeUnit.NANOSECONDS.sleep(
              Math.min(
                  TimeUnit.MILLISECONDS.toNanos(50),
                  TimeUnit.SECONDS.toNanos(WRITERS) / rate - (System.nanoTime() - began)));
        }
      } catch (IOException e) {
        at = (at + 1) % endpoints.size();
        ledger.fail();
        pauseAfterFailure();
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void writeAndRead(URI endpoint, String key) throws IOException, InterruptedException {
    String value = "value of " + key;
    gateway.put(endpoint, key, value);
    ledger.acknowledge(key, value, System.nanoTime());
    JsonNode found = gateway.get(endpoint, key).path("kvs").path(0).path("value");
    if (!value.equals(EtcdGateway.decode(found.asText()))) {
      ledger.contradict(key);
    }
  }

  /** A refused connection fails in no time: without a pause the writers would spin. */
  private void pauseAfterFailure() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the writing; an answer under way is still waited for. */
  public Figures stop() {
    if (!stopped) {
      last = ledger.figures(System.nanoTime());
      stopped = true;
      for (Thread writer : writers) {
        joined(writer);
      }
      Figures end = ledger.figures(System.nanoTime());
      last =
          new Figures(
              end.acknowledged(),
              end.failed(),
              last.perSecond(),
              last.openGap(),
              last.longestGap());
    }
    return last;
  }

  private static void joined(Thread writer) {
    try {
      writer.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stops and reads every key back; what was acknowledged and is not there is lost. */
  public Verdict verify() {
    return verify(READ_BACK_LIMIT);
  }

  public Verdict verify(Duration patience) {
    stop();
    return ledger.judge(readAll(patience));
  }

  private Map<String, String> readAll(Duration patience) {
    Instant limit = Instant.now().plus(patience);
    String trouble = "";
    for (int i = 0; Instant.now().isBefore(limit); i++) {
      try {
        return readAll(endpoints.get(i % endpoints.size()));
      } catch (IOException e) {
        trouble = String.valueOf(e.getMessage());
        pauseAfterFailure();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    throw new DemoException(
        "the acknowledged writes could not be read back",
        "no member answered within %d s: %s".formatted(patience.toSeconds(), trouble),
        "look at the members: they have no quorum");
  }

  private Map<String, String> readAll(URI endpoint) throws IOException, InterruptedException {
    Map<String, String> found = new HashMap<>();
    // '0' is the character after '/': the end of everything below the prefix.
    String end = prefix + "0";
    String from = prefix + "/";
    while (true) {
      JsonNode page = gateway.range(endpoint, from, end, PAGE);
      for (JsonNode kv : page.path("kvs")) {
        from = EtcdGateway.decode(kv.path("key").asText());
        found.put(from, EtcdGateway.decode(kv.path("value").asText()));
      }
      if (!page.path("more").asBoolean()) {
        return found;
      }
      from += "\0";
    }
  }

  @Override
  public void close() {
    stopped = true;
    writers.forEach(Thread::interrupt);
    gateway.close();
  }
}
