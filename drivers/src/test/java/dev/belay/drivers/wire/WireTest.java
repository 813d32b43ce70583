package dev.belay.drivers.wire;

import static dev.belay.drivers.contract.FakeMember.body;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.contract.FakeMember;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What goes out, and what does not. */
class WireTest {

  private final FakeMember member = FakeMember.replaying("", "member", Map.of());
  private final Calls calls = new Calls(DriverConfig.PLAIN);

  @AfterEach
  void stop() {
    calls.close();
    member.close();
  }

  /** Whoever was stopped for long does not send on waking up what others take for dead. */
  @ParameterizedTest
  @EnumSource
  void nothing_is_sent_when_its_time_is_over(Wire.Times times) {
    member.on("/go", body(200, "{}"));
    assertThat(send(times, Duration.ofSeconds(20))).isInstanceOf(Reply.Ok.class);
    Reply<JsonNode> late = send(times, Duration.ofSeconds(-1));
    assertThat(late).isEqualTo(new Reply.Unsent<>());
    assertThat(late.why()).isEqualTo("was not asked: the time for it was over");
    assertThat(member.askedFor("/go")).isEqualTo(1);
  }

  private Reply<JsonNode> send(Wire.Times times, Duration left) {
    var request =
        HttpRequest.newBuilder(member.seat().address().resolve("/go"))
            .PUT(HttpRequest.BodyPublishers.ofString("{}"));
    return calls.wire().send(request, times, Deadline.in(left), Wire::json);
  }
}
