package dev.belay.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The client that judges Belay, judged by a store that can be made to lie. */
class WriteLoadIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final TreeMap<String, String> store = new TreeMap<>();
  private volatile boolean refuses;
  private volatile boolean forgets;
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/v3/kv/put", e -> answer(e, this::put));
    server.createContext("/v3/kv/range", e -> answer(e, this::range));
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private URI endpoint() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private WriteLoad load(URI... endpoints) {
    return WriteLoad.start(List.of(endpoints), "test", 200);
  }

  private static void awaitWrites(WriteLoad load, int count) {
    Await.until(
        count + " writes",
        LIMIT,
        () -> load.figures().acknowledged() >= count,
        () -> load.figures().toString());
  }

  @Test
  void every_acknowledged_write_is_read_back() {
    try (WriteLoad load = load(endpoint())) {
      awaitWrites(load, 50);

      WriteLoad.Verdict verdict = load.verify();

      assertThat(verdict.lost()).isZero();
      assertThat(verdict.readBack()).isEqualTo(verdict.acknowledged()).isGreaterThanOrEqualTo(50);
      assertThat(load.figures().acknowledged()).isEqualTo(verdict.acknowledged());
    }
  }

  @Test
  void a_store_that_acknowledges_and_forgets_is_found_out() {
    try (WriteLoad load = load(endpoint())) {
      awaitWrites(load, 20);
      forgets = true;
      awaitWrites(load, 40);
      forgets = false;
      awaitWrites(load, 60);

      assertThat(load.verify().lost()).isBetween(10, 50);
    }
  }

  @Test
  void a_key_that_vanishes_later_is_lost() {
    try (WriteLoad load = load(endpoint())) {
      awaitWrites(load, 20);
      load.stop();
      synchronized (store) {
        store.pollFirstEntry();
      }

      assertThat(load.verify().lost()).isEqualTo(1);
    }
  }

  @Test
  void an_endpoint_that_is_down_is_left_for_another() {
    try (WriteLoad load = load(URI.create("http://127.0.0.1:1"), endpoint())) {
      awaitWrites(load, 50);

      assertThat(load.verify().lost()).isZero();
      assertThat(load.figures().failed()).isPositive();
    }
  }

  @Test
  void a_refusal_is_a_gap_and_no_loss() {
    try (WriteLoad load = load(endpoint())) {
      awaitWrites(load, 20);
      refuses = true;
      Await.until(
          "a gap",
          LIMIT,
          () -> load.figures().openGap().toMillis() > 600,
          () -> load.figures().toString());
      refuses = false;
      awaitWrites(load, load.figures().acknowledged() + 20);

      assertThat(load.verify().lost()).isZero();
      assertThat(load.figures().longestGap()).isGreaterThan(Duration.ofMillis(600));
    }
  }

  @Test
  void more_keys_than_one_page_are_all_read() {
    synchronized (store) {
      for (int i = 0; i < 5000; i++) {
        store.put("test/!%05d".formatted(i), "x");
      }
    }
    try (WriteLoad load = load(endpoint())) {
      awaitWrites(load, 30);

      assertThat(load.verify().lost()).isZero();
    }
  }

  @Test
  void without_any_member_the_trouble_is_named() {
    try (WriteLoad load = load(URI.create("http://127.0.0.1:1"))) {
      assertThatThrownBy(() -> load.verify(Duration.ofSeconds(1)))
          .isInstanceOf(DemoException.class)
          .hasMessageContaining("could not be read back");
    }
  }

  private interface Handler {
    JsonNode apply(JsonNode question);
  }

  private void answer(HttpExchange exchange, Handler handler) throws IOException {
    JsonNode question = JSON.readTree(exchange.getRequestBody());
    byte[] body =
        (refuses ? "{}" : handler.apply(question).toString()).getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(refuses ? 503 : 200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private JsonNode put(JsonNode question) {
    if (!forgets) {
      synchronized (store) {
        store.put(text(question, "key"), text(question, "value"));
      }
    }
    ObjectNode answer = JSON.createObjectNode();
    answer.putObject("header").put("revision", "7");
    return answer;
  }

  private JsonNode range(JsonNode question) {
    String from = text(question, "key");
    String end = question.has("range_end") ? text(question, "range_end") : from + "\0";
    int limit = question.path("limit").asInt(Integer.MAX_VALUE);
    ObjectNode answer = JSON.createObjectNode();
    ArrayNode found = answer.putArray("kvs");
    synchronized (store) {
      for (var entry : store.subMap(from, end).entrySet()) {
        if (found.size() == limit) {
          answer.put("more", true);
          break;
        }
        found
            .addObject()
            .put("key", EtcdGateway.encode(entry.getKey()))
            .put("value", EtcdGateway.encode(entry.getValue()));
      }
    }
    return answer;
  }

  private static String text(JsonNode question, String field) {
    return EtcdGateway.decode(question.path(field).asText());
  }
}
