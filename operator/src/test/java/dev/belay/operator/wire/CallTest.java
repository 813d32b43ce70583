package dev.belay.operator.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.operator.wire.Listener.Told;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is sent over the wire, and which answers are good. */
class CallTest {

  private static final Duration LONG = Duration.ofSeconds(30);

  private Listener member;

  @BeforeEach
  void listen() throws IOException {
    member = new Listener();
  }

  @AfterEach
  void stop() {
    member.close();
  }

  @Test
  void sends_the_method_the_path_and_the_body() throws Exception {
    assertThat(send("PUT", "/a?b=%20c", "{\"x\":1}").good()).isTrue();
    assertThat(send("POST", "/text", "drain ü").good()).isTrue();

    assertThat(member.told())
        .containsExactly(
            new Told("PUT", "/a?b=%20c", "{\"x\":1}", "application/json", "7"),
            new Told("POST", "/text", "drain ü", "text/plain; charset=utf-8", "8"));
  }

  @Test
  void every_method_goes_without_a_body_too() throws Exception {
    for (String method : List.of("GET", "POST", "PUT", "PATCH", "DELETE")) {
      assertThat(send(method, "/x", "")).isEqualTo(Answer.good("answered 200"));
    }
    assertThat(member.heard())
        .containsExactly("GET /x", "POST /x", "PUT /x", "PATCH /x", "DELETE /x");
    assertThat(member.told()).allMatch(t -> t.body().isEmpty() && t.type() == null);
    assertThat(member.told().stream().filter(t -> t.method().startsWith("P")))
        .as("servers want a length with these")
        .allMatch(t -> "0".equals(t.length()));
  }

  @Test
  void any_2xx_is_good_unless_statuses_are_named() throws Exception {
    member.answering(204).answering(299).answering(404).answering(500);
    assertThat(send("PUT", "/x", "").good()).isTrue();
    assertThat(send("PUT", "/x", "").good()).isTrue();
    assertThat(send("PUT", "/x", "")).isEqualTo(Answer.bad("answered 404"));
    assertThat(send("PUT", "/x", "")).isEqualTo(Answer.bad("answered 500"));

    member.answering(404).answering(200);
    var named = new Expectation(List.of(204, 404), null, null, null);
    assertThat(send("DELETE", named).good()).isTrue();
    assertThat(send("DELETE", named)).isEqualTo(Answer.bad("answered 200"));
  }

  @Test
  void what_is_expected_of_the_body_must_hold_as_well() throws Exception {
    member.saying("{\"enabled\":true}");
    var off = new Expectation(List.of(), null, "/enabled", "false");
    var on = new Expectation(List.of(), null, "/enabled", "true");

    assertThat(send("PUT", off)).isEqualTo(Answer.bad("/enabled is \"true\""));
    assertThat(send("PUT", on).good()).isTrue();
  }

  @Test
  void a_redirect_is_never_followed_to_be_done_elsewhere() throws Exception {
    for (int status : List.of(301, 302, 303, 307, 308)) {
      member.answering(status);
      assertThat(send("PUT", "/drain", "").reading())
          .isEqualTo("answered " + status + ", which is not followed");
    }
    assertThat(member.heard()).hasSize(5).containsOnly("PUT /drain");
  }

  @Test
  void a_proxy_of_the_machine_is_not_asked() throws Exception {
    ProxySelector before = ProxySelector.getDefault();
    ProxySelector.setDefault(ProxySelector.of(new InetSocketAddress(Listener.HOST, 1)));
    try {
      assertThat(send("PUT", "/drain", "").good()).isTrue();
    } finally {
      ProxySelector.setDefault(before);
    }
  }

  private Answer send(String method, Expectation expectation) throws InterruptedException {
    return new Call(method, member.port(), "/x", "", expectation).to(Listener.HOST, LONG);
  }

  private Answer send(String method, String path, String body) throws InterruptedException {
    var any = new Expectation(List.of(), null, null, null);
    return new Call(method, member.port(), path, body, any).to(Listener.HOST, LONG);
  }
}
