package dev.belay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.core.model.Check;
import dev.belay.core.model.Check.Moment;
import dev.belay.core.model.Check.On;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks as they are written become questions that core can judge and name. */
class QuestionTest {

  private static final String HTTP = "http: {port: 8080, path: /ready}";

  @Test
  void no_checks_are_no_questions() {
    assertThat(Question.of("checks", null)).isEmpty();
    assertThat(questions("{}")).isEmpty();
  }

  @Test
  void one_line_is_enough() {
    Question question = questions("{afterMember: [{" + HTTP + "}]}").getFirst();

    assertThat(question.check())
        .isEqualTo(new Check(Moment.AFTER_MEMBER, On.TARGET, "GET :8080/ready = 200"));
    assertThat(question.timeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(question.interval()).isEqualTo(Duration.ofSeconds(5));
    assertThat(question.tries()).isEqualTo(3);
  }

  @Test
  void every_field_arrives() {
    Question question =
        questions(
                "{beforeMember: [{"
                    + HTTP
                    + ", ask: service, timeout: 500ms, interval: 1m, tries: 7}]}")
            .getFirst();

    assertThat(question.check().on()).isEqualTo(On.SERVICE);
    assertThat(question.timeout()).isEqualTo(Duration.ofMillis(500));
    assertThat(question.interval()).isEqualTo(Duration.ofMinutes(1));
    assertThat(question.tries()).isEqualTo(7);
  }

  @Test
  void members_are_asked_themselves_and_a_component_or_the_whole_upgrade_asks_everyone() {
    String one = "[{" + HTTP + "}]";
    List<Check> checks =
        questions(
                ("{afterUpgrade: %1$s, afterComponent: %1$s, afterMember: %1$s, beforeMember: %1$s,"
                        + " beforeComponent: %1$s, beforeUpgrade: %1$s}")
                    .formatted(one))
            .stream()
            .map(Question::check)
            .toList();

    String what = "GET :8080/ready = 200";
    assertThat(checks)
        .containsExactly(
            new Check(Moment.BEFORE_UPGRADE, On.EACH, what),
            new Check(Moment.BEFORE_COMPONENT, On.EACH, what),
            new Check(Moment.BEFORE_MEMBER, On.TARGET, what),
            new Check(Moment.AFTER_MEMBER, On.TARGET, what),
            new Check(Moment.AFTER_COMPONENT, On.EACH, what),
            new Check(Moment.AFTER_UPGRADE, On.EACH, what));
  }

  @Test
  void a_question_is_named_by_all_that_it_asks() {
    assertThat(what("tcp: {port: 2379}")).isEqualTo("TCP :2379");
    assertThat(what("http: {port: 80, path: /x?y=1, expect: {status: 204}}"))
        .isEqualTo("GET :80/x?y=1 = 204");
    assertThat(what("http: {port: 80, path: /x, expect: {body: \" OK \"}}"))
        .isEqualTo("GET :80/x = 200 with body \"OK\"");
    assertThat(what("http: {port: 80, path: /x, expect: {pointer: /a/0, value: \"true\"}}"))
        .isEqualTo("GET :80/x = 200 with /a/0 = \"true\"");
  }

  @Test
  void an_unreadable_time_names_its_field() {
    assertThatThrownBy(() -> questions("{afterMember: [{" + HTTP + ", interval: often}]}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("checks.afterMember[0].interval: \"often\"");
  }

  private static String what(String check) {
    return questions("{afterUpgrade: [{" + check + "}]}").getFirst().check().what();
  }

  private static List<Question> questions(String yaml) {
    return Question.of("checks", Serialization.unmarshal("---\n" + yaml, Checks.class));
  }
}
