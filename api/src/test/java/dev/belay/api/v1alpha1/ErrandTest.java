package dev.belay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.api.v1alpha1.ActionSpec.Method;
import dev.belay.api.v1alpha1.Errand.Pace;
import dev.belay.core.model.Action;
import dev.belay.core.model.Action.Moment;
import dev.belay.core.model.Check.On;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Actions as they are written become errands that core can decide on and anybody can send. */
class ErrandTest {

  private static final String DRAIN = "http: {method: PUT, port: 8080, path: /drain}";

  @Test
  void no_actions_are_no_errands() {
    assertThat(Errand.of("actions", null)).isEmpty();
    assertThat(errands("{}")).isEmpty();
  }

  @Test
  void one_line_is_enough() {
    Errand errand =
        errands("{beforeMember: [{" + DRAIN + ", undo: {method: PUT, path: /undrain}}]}")
            .getFirst();

    assertThat(errand.action())
        .isEqualTo(
            new Action(
                Moment.BEFORE_MEMBER,
                On.TARGET,
                "PUT :8080/drain",
                "PUT :8080/undrain",
                List.of()));
    assertThat(errand.request())
        .isEqualTo(new Request(Method.PUT, false, 8080, "/drain", "", List.of()));
    assertThat(errand.pace()).isEqualTo(Pace.DEFAULT);
  }

  @Test
  void every_field_arrives() {
    Errand errand =
        errands(
                """
                {beforeMember: [{
                  http: {method: POST, port: 80, path: "/x?y=1", body: "{}", expect: {statuses: [204, 409], body: OK}},
                  undo: {method: DELETE, port: 81, path: /y, body: z, expect: {statuses: [200, 404]}},
                  ask: service, timeout: 500ms, interval: 2s, tries: 7, versions: [0.12.x, "1"]}]}
                """)
            .getFirst();

    assertThat(errand.action())
        .isEqualTo(
            new Action(
                Moment.BEFORE_MEMBER,
                On.SERVICE,
                "POST service:80/x?y=1 = 204 or 409 sending {}",
                "DELETE service:81/y = 200 or 404 sending z",
                List.of("0.12.x", "1")));
    assertThat(errand.expect().body()).isEqualTo("OK");
    assertThat(errand.pace()).isEqualTo(new Pace(Duration.ofMillis(500), Duration.ofSeconds(2), 7));
  }

  @Test
  void members_are_asked_themselves_and_everything_larger_by_its_service() {
    String one = "[{" + DRAIN + "}]";
    Stream<Action> actions =
        errands(
                ("{afterUpgrade: %1$s, afterComponent: %1$s, afterMember: %1$s, beforeMember: %1$s,"
                        + " beforeComponent: %1$s, beforeUpgrade: %1$s}")
                    .formatted(one))
            .stream()
            .map(Errand::action);

    assertThat(actions.map(a -> a.moment() + " " + a.on()))
        .containsExactly(
            "BEFORE_UPGRADE SERVICE",
            "BEFORE_COMPONENT SERVICE",
            "BEFORE_MEMBER TARGET",
            "AFTER_MEMBER TARGET",
            "AFTER_COMPONENT SERVICE",
            "AFTER_UPGRADE SERVICE");
  }

  @Test
  void the_words_of_a_request_are_the_whole_request() {
    for (Method method : Method.values()) {
      for (String path : List.of("/", "/a/b?c=d&e=%20", "/x=200,sending", "/:1/a")) {
        for (String body : List.of("", "{}", "x = 200 sending y", "two\nlines ", " ")) {
          for (List<Integer> statuses : List.of(List.<Integer>of(), List.of(200), List.of(2, 3))) {
            var codes = statuses.stream().map(s -> s < 100 ? s + 400 : s).toList();
            var request = new Request(method, path.length() > 1, 65535, path, body, codes);
            assertThat(Request.read(request.words())).as(request.words()).hasValue(request);
          }
        }
      }
    }
  }

  @Test
  void what_no_request_said_is_none() {
    for (String words :
        List.of(
            "",
            "PUT",
            "PUT 8080/x",
            "HEAD :80/x",
            "PUT db:80/x",
            "PUT :80 /x",
            "PUT :80/x y",
            "put :80/x")) {
      assertThat(Request.read(words)).as(words).isEmpty();
    }
  }

  @Test
  void a_long_body_is_named_by_its_beginning_and_unlike_another() {
    String one = brief("x".repeat(4000) + "1");
    String two = brief("x".repeat(4000) + "2");

    assertThat(one).hasSizeLessThan(120).startsWith("PUT :80/a sending xxx").isNotEqualTo(two);
    assertThat(brief("a\nb")).doesNotContain("\n").isNotEqualTo(brief("a b"));
  }

  private static String brief(String body) {
    return new Request(Method.PUT, false, 80, "/a", body, List.of()).brief();
  }

  @Test
  void an_unreadable_time_names_its_field() {
    assertThatThrownBy(() -> errands("{afterMember: [{" + DRAIN + ", interval: often}]}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("actions.afterMember[0].interval: \"often\"");
  }

  private static List<Errand> errands(String yaml) {
    return Errand.of("actions", Serialization.unmarshal("---\n" + yaml, Actions.class));
  }
}
