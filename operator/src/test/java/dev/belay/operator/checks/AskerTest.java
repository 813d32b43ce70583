package dev.belay.operator.checks;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.belay.api.v1alpha1.CheckSpec.Expect;
import dev.belay.operator.wire.Answer;
import dev.belay.operator.wire.Expectation;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Good and bad answers, and everything a member may do instead of answering. */
class AskerTest {

  private static final String HOST = "127.0.0.1";
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(200);

  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private HttpServer server;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(HOST, 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  @AfterEach
  void stop() {
    over.countDown();
    server.stop(0);
  }

  @Test
  void the_status_alone_is_enough() throws Exception {
    page("/ready", 200, "whatever");

    assertThat(get("/ready", Asked.OK)).isEqualTo(Answer.good("answered 200"));
    assertThat(get("/ready", Asked.status(204))).isEqualTo(Answer.bad("answered 200"));
    assertThat(get("/absent", Asked.OK)).isEqualTo(Answer.bad("answered 404"));
    assertThat(get("/absent", Asked.status(404)).good()).isTrue();
  }

  @Test
  void a_body_is_compared_as_a_whole_without_the_space_around_it() throws Exception {
    page("/ok", 200, "\n OK \r\n");
    page("/false", 200, "false");
    page("/down", 503, "OK");

    assertThat(get("/ok", Asked.body("OK")).good()).isTrue();
    assertThat(get("/ok", Asked.body("O"))).isEqualTo(Answer.bad("answered \"OK\""));
    assertThat(get("/false", Asked.body("true"))).isEqualTo(Answer.bad("answered \"false\""));
    assertThat(get("/down", Asked.body("OK"))).isEqualTo(Answer.bad("answered 503"));
  }

  @Test
  void a_pointer_finds_one_value() throws Exception {
    page(
        "/s",
        200,
        "{\"role\":\"leader\",\"lag\":0,\"ok\":true,\"none\":null,\"l\":[{\"a\":1.50}]}");

    assertThat(get("/s", Asked.value("/role", "leader")).good()).isTrue();
    assertThat(get("/s", Asked.value("/lag", "0")).good()).isTrue();
    assertThat(get("/s", Asked.value("/ok", "true")).good()).isTrue();
    assertThat(get("/s", Asked.value("/none", "null")).good()).isTrue();
    assertThat(get("/s", Asked.value("/role", "follower")))
        .isEqualTo(Answer.bad("/role is \"leader\""));
    assertThat(get("/s", Asked.value("/missing", "")))
        .isEqualTo(Answer.bad("answered JSON without /missing"));
    assertThat(get("/s", Asked.value("/l", ""))).isEqualTo(Answer.bad("/l is a list, not a value"));
    assertThat(get("/s", Asked.value("/l/0", "")))
        .isEqualTo(Answer.bad("/l/0 is an object, not a value"));
  }

  @Test
  void what_is_not_json_never_passes() throws Exception {
    page("/text", 200, "OK");
    page("/empty", 200, "");
    page("/cut", 200, "{\"ok\": tru");
    page("/two", 200, "{\"ok\":true} {\"ok\":true}");

    for (String path : List.of("/text", "/cut", "/two")) {
      Answer answer = get(path, Asked.value("/ok", "true"));
      assertThat(answer.good()).as(path).isFalse();
      assertThat(answer.reading()).as(path).startsWith("answered what is not JSON: ");
    }
    assertThat(get("/empty", Asked.value("/ok", "true")))
        .isEqualTo(Answer.bad("answered nothing, not JSON"));
  }

  @Test
  void a_redirect_is_an_answer_and_is_not_followed() throws Exception {
    page("/there", 200, "OK");
    server.createContext(
        "/here",
        exchange -> {
          exchange.getResponseHeaders().add("Location", "/there");
          answer(exchange, 302, "OK");
        });

    assertThat(get("/here", Asked.body("OK")))
        .isEqualTo(Answer.bad("answered 302, which is not followed"));
    assertThat(get("/here", Asked.status(302)).good()).isTrue();
    assertThat(asked).containsExactly("/here", "/here");
  }

  @Test
  void a_late_answer_is_none() throws Exception {
    server.createContext("/late", _ -> hang());
    server.createContext(
        "/slow",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write('O');
          exchange.getResponseBody().flush();
          hang();
        });

    assertThat(ask("/late", Asked.OK, SHORT)).isEqualTo(Answer.bad("no answer within 200ms"));
    assertThat(ask("/slow", Asked.body("OK"), SHORT))
        .as("headers in time, body not")
        .isEqualTo(Answer.bad("no answer within 200ms"));
  }

  @Test
  void a_huge_answer_is_not_read_to_its_end() throws Exception {
    page("/most", 200, " ".repeat(Expectation.LIMIT - 2) + "OK");
    page("/more", 200, " ".repeat(Expectation.LIMIT - 1) + "OK");
    server.createContext(
        "/endless",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          byte[] much = " ".repeat(8192).getBytes(StandardCharsets.US_ASCII);
          while (over.getCount() > 0) {
            exchange.getResponseBody().write(much);
          }
        });

    assertThat(get("/most", Asked.body("OK")).good()).isTrue();
    assertThat(get("/more", Asked.body("OK")))
        .isEqualTo(Answer.bad("answered with more than 64 KiB"));
    assertThat(get("/endless", Asked.value("/ok", "true")))
        .isEqualTo(Answer.bad("answered with more than 64 KiB"));
  }

  @Test
  void what_others_write_is_short_and_printable_in_a_reading() throws Exception {
    page("/long", 200, "no\n\u001b[31m" + "x".repeat(1000));

    String reading = get("/long", Asked.body("OK")).reading();
    assertThat(reading).hasSizeLessThan(150).doesNotContain("\n").doesNotContain("\u001b");
  }

  @Test
  void a_member_that_hangs_up_has_not_answered() throws Exception {
    try (var rude = new ServerSocket(0, 5, InetAddress.getByName(HOST))) {
      Thread.startVirtualThread(() -> {
        try {
          while (true) {
            rude.accept().close();
          }
        } catch (IOException e) {
          // The test is over.
        }
      });
      Answer answer =
          new Asker().ask(HOST, Asked.http(rude.getLocalPort(), "/ready", Asked.OK, LONG));
      assertThat(answer.good()).isFalse();
      assertThat(answer.reading()).startsWith("broke off");
    }
  }

  @Test
  void tcp_asks_whether_a_connection_is_taken() throws Exception {
    int open = server.getAddress().getPort();
    assertThat(new Asker().ask(HOST, Asked.tcp(open, LONG)))
        .isEqualTo(Answer.good("takes connections"));
    assertThat(asked).isEmpty();
    int closed = closedPort();
    assertThat(new Asker().ask(HOST, Asked.tcp(closed, LONG)))
        .isEqualTo(Answer.bad("takes no connection: connection refused"));
    assertThat(new Asker().ask(HOST, Asked.http(closed, "/", Asked.OK, LONG)).reading())
        .startsWith("takes no connection");
  }

  @Test
  void a_name_that_does_not_resolve_is_said() throws Exception {
    assertThat(new Asker().ask("db-0.invalid", Asked.tcp(1, LONG)))
        .isEqualTo(Answer.bad("the name db-0.invalid does not resolve"));
  }

  private static int closedPort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
      return socket.getLocalPort();
    }
  }

  private Answer get(String path, Expect expect) throws InterruptedException {
    return ask(path, expect, LONG);
  }

  private Answer ask(String path, Expect expect, Duration timeout) throws InterruptedException {
    int port = server.getAddress().getPort();
    return new Asker().ask(HOST, Asked.http(port, path, expect, timeout));
  }

  private void page(String path, int status, String body) {
    server.createContext(path, exchange -> answer(exchange, status, body));
  }

  private void answer(HttpExchange exchange, int status, String body) throws IOException {
    asked.add(exchange.getRequestURI().getPath());
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private void hang() {
    try {
      over.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
