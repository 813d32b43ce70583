import com.sun.net.httpserver.HttpServer;
import io.pravega.client.ClientConfig;
import io.pravega.client.EventStreamClientFactory;
import io.pravega.client.admin.ReaderGroupManager;
import io.pravega.client.admin.StreamManager;
import io.pravega.client.stream.EventStreamReader;
import io.pravega.client.stream.EventStreamWriter;
import io.pravega.client.stream.EventWriterConfig;
import io.pravega.client.stream.ReaderConfig;
import io.pravega.client.stream.ReaderGroupConfig;
import io.pravega.client.stream.ScalingPolicy;
import io.pravega.client.stream.Stream;
import io.pravega.client.stream.StreamConfiguration;
import io.pravega.client.stream.impl.UTF8StringSerializer;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes events to a stream one after the other and reads them back at the same time, until it is
 * stopped. GET / says how many were acknowledged, how many came back, and how long the longest time
 * without an acknowledgement was; GET /verify ends the writing, reads the whole stream once more
 * from its beginning, and says how many acknowledged events are lost and how many are there twice.
 *
 * <p>Arguments: the controller's URI, host and port.
 */
public final class Events {

  private static final String SCOPE = "belay";
  private static final String STREAM = "events";
  private static final int SEGMENTS = 4;
  private static final int PAUSE_MILLIS = 10;

  /** By default a client waits ten times longer after each try: 11 s, where half a second is enough. */
  private static final EventWriterConfig PATIENT =
      EventWriterConfig.builder().backoffMultiple(2).maxBackoffMillis(500).retryAttempts(1000).build();

  private final URI controller;
  private final EventStreamClientFactory clients;

  /** Events 0 to this one, without it, were acknowledged. */
  private final AtomicLong acknowledged = new AtomicLong();

  private final AtomicLong readBack = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private final AtomicLong longest = new AtomicLong();
  private volatile String lastFailure = "";
  private volatile long last;
  private volatile boolean stopped;
  private final Thread writer = Thread.ofPlatform().unstarted(this::writeForEver);

  private Events(URI controller) {
    this.controller = controller;
    this.clients = EventStreamClientFactory.withScope(SCOPE, ClientConfig.builder().controllerURI(controller).build());
  }

  public static void main(String[] args) throws Exception {
    var events = new Events(URI.create(args[0]));
    HttpServer server = HttpServer.create(new InetSocketAddress(args[1], Integer.parseInt(args[2])), 10);
    server.createContext(
        "/",
        exchange -> {
          boolean verify = exchange.getRequestURI().getPath().equals("/verify");
          byte[] body = (verify ? events.verified() : events.figures(-1, -1)).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    events.createStream();
    events.writer.start();
    Thread.ofPlatform().start(events::readForEver);
  }

  private void createStream() {
    try (StreamManager streams = StreamManager.create(controller)) {
      streams.createScope(SCOPE);
      streams.createStream(SCOPE, STREAM, StreamConfiguration.builder().scalingPolicy(ScalingPolicy.fixed(SEGMENTS)).build());
    }
  }

  private String figures(long lost, long twice) {
    long waiting = last == 0 || stopped ? 0 : (System.nanoTime() - last) / 1_000_000;
    return "{\"acknowledged\":%d,\"readBack\":%d,\"lost\":%d,\"twice\":%d,\"failures\":%d,\"longestGapMillis\":%d,\"lastFailure\":\"%s\"}"
        .formatted(acknowledged.get(), readBack.get(), lost, twice, failures.get(), Math.max(longest.get(), waiting), lastFailure);
  }

  private String verified() {
    stopped = true;
    try {
      writer.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    var there = new BitSet();
    long twice = 0;
    long expected = acknowledged.get();
    long deadline = System.nanoTime() + 30_000_000_000L;
    try (EventStreamReader<String> reader = reader()) {
      while (there.cardinality() < expected && System.nanoTime() < deadline) {
        String event = reader.readNextEvent(1000).getEvent();
        if (event != null) {
          int number = Integer.parseInt(event.substring(event.indexOf(' ') + 1));
          twice += there.get(number) ? 1 : 0;
          there.set(number);
        }
      }
    } catch (RuntimeException e) {
      failed(e);
    }
    return figures(expected - there.get(0, (int) expected).cardinality(), twice);
  }

  private void writeForEver() {
    try (EventStreamWriter<String> stream =
        clients.createEventWriter(STREAM, new UTF8StringSerializer(), PATIENT)) {
      while (!stopped) {
        long number = acknowledged.get();
        // The client itself tries again, for as long as it takes: one event is written once.
        await(stream.writeEvent("key " + number % 16, "event " + number));
        acknowledged.incrementAndGet();
        long now = System.nanoTime();
        if (last != 0) {
          longest.accumulateAndGet((now - last) / 1_000_000, Math::max);
        }
        last = now;
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (Exception e) {
      // No more events are acknowledged: whoever waits for some sees why.
      failed(e);
    }
  }

  private void await(CompletableFuture<Void> written) throws Exception {
    while (true) {
      try {
        written.get(5, TimeUnit.SECONDS);
        return;
      } catch (TimeoutException slow) {
        System.out.println("no acknowledgement of event " + acknowledged.get() + " for 5 s");
      }
    }
  }

  private void readForEver() {
    while (!stopped) {
      try (EventStreamReader<String> reader = reader()) {
        long read = 0;
        while (!stopped) {
          if (reader.readNextEvent(1000).getEvent() != null) {
            read++;
            readBack.accumulateAndGet(read, Math::max);
          }
        }
      } catch (RuntimeException e) {
        failed(e);
      }
    }
  }

  /** A reader of its own group, from the beginning of the stream on. */
  private EventStreamReader<String> reader() {
    String group = "group-" + System.nanoTime();
    try (ReaderGroupManager groups = ReaderGroupManager.withScope(SCOPE, controller)) {
      groups.createReaderGroup(
          group, ReaderGroupConfig.builder().stream(Stream.of(SCOPE, STREAM)).disableAutomaticCheckpoints().build());
    }
    return clients.createReader("reader", group, new UTF8StringSerializer(), ReaderConfig.builder().build());
  }

  private void failed(Exception e) {
    failures.incrementAndGet();
    lastFailure = e.toString().replaceAll("[^ -~]|[\"\\\\]", " ");
    System.out.println(lastFailure);
    try {
      Thread.sleep(200);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }
}
