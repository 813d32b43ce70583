package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.cli.Asking.Answer;
import dev.belay.cli.Deciding.Verdict;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What may be decided about a failed migration, and what that writes. */
class DecidingTest {

  private static final String TOKEN = "2026-11-16T10:00:00Z-ann";
  private static final String FAILED = Samples.text("migration-failed");

  @Test
  void decides_on_the_one_that_failed() {
    assertThat(write(FAILED, Verdict.RETRY, null)).isEqualTo(request("retry", null, TOKEN));
    assertThat(write(FAILED, Verdict.SKIP, 3L)).isEqualTo(request("skip", null, TOKEN));
    assertThat(write(FAILED, Verdict.APPLIED, null)).isEqualTo(request("resolve", true, TOKEN));
    assertThat(write(FAILED, Verdict.NOT_APPLIED, 3L)).isEqualTo(request("resolve", false, TOKEN));
    assertThat(on(FAILED, Verdict.RETRY, null, null).says())
        .startsWith("asked for retry of operation 3, 3.6.16.1 add a column (" + TOKEN + ")")
        .contains("belay status my-etcd -n db -w");
  }

  @Test
  void another_operation_is_refused_with_the_one_that_is_meant() {
    assertThat(refusal(FAILED, Verdict.SKIP, 7L, null))
        .contains("operation 7 of my-etcd waits for no decision", "is 3, 3.6.16.1 add a column")
        .contains("belay migration skip my-etcd -n db --id 3");
    assertThat(refusal(FAILED, Verdict.APPLIED, 7L, null))
        .contains("belay migration resolve my-etcd -n db --id 3 --applied");
  }

  @Test
  void nothing_to_decide_is_said_with_what_there_is() {
    assertThat(refusal(Samples.text("failed"), Verdict.RETRY, null, null))
        .contains("my-etcd declares no migrations")
        .contains("cure: spec.migrations names a database");
    String pending = FAILED.replace("\"status\": \"failed\"", "\"status\": \"pending\"");
    assertThat(refusal(pending, Verdict.RETRY, null, null))
        .contains("no migration of my-etcd waits for a decision: expand failed; 3.6.16.1")
        .contains("cure: belay explain my-etcd -n db");
    String unread =
        FAILED.replaceFirst("migrations: \\{.*", "migrations: {\"trouble\": \"no answer\"}");
    assertThat(refusal(unread, Verdict.SKIP, 3L, null))
        .contains("waits for a decision: no answer", "cure: make the database readable first");
    assertThat(refusal(Samples.text("pending"), Verdict.SKIP, null, null))
        .contains("no operator has written a status yet");
  }

  @Test
  void what_is_asked_already_is_not_asked_again_unless_it_was_refused() {
    String asked =
        FAILED.replace(
            "spec:\n", "spec:\n  requests: {migration: {id: 3, action: retry, token: mine}}\n");
    assertThat(on(asked, Verdict.RETRY, null, null))
        .isInstanceOf(Answer.Already.class)
        .extracting(Answer::says)
        .asString()
        .contains("retry of operation 3 is asked for already (mine)");
    assertThat(on(asked, Verdict.SKIP, null, null)).isInstanceOf(Answer.Write.class);
    String refused =
        asked.replace(
            "\"object\": \"migration 3.6.16.1\"", "\"object\": \"spec.requests.migration\"");
    assertThat(on(refused, Verdict.RETRY, null, null)).isInstanceOf(Answer.Write.class);
    String handled = asked.replace("status:\n", "status:\n  requests: {migration: mine}\n");
    assertThat(on(handled, Verdict.RETRY, null, null))
        .as("it failed again: a new decision")
        .isInstanceOf(Answer.Write.class);
    assertThat(refusal(handled, Verdict.RETRY, null, "mine"))
        .contains("the token mine was handled already")
        .contains("leave --token out");
  }

  private static Map<String, Object> request(
      String action, @Nullable Boolean applied, String token) {
    var request = new HashMap<String, @Nullable Object>();
    request.put("id", 3L);
    request.put("action", action);
    request.put("applied", applied);
    request.put("token", token);
    return Map.of("requests", Map.of("migration", request));
  }

  private static Answer on(
      String sample, Verdict verdict, @Nullable Long id, @Nullable String token) {
    var asking = new Asking(Samples.parse(sample), new Commands(List.of()), Samples.NOW, "ann");
    return new Deciding(asking).on(verdict, id, token);
  }

  private static Map<String, Object> write(String sample, Verdict verdict, @Nullable Long id) {
    return ((Answer.Write) on(sample, verdict, id, null)).spec();
  }

  private static String refusal(
      String sample, Verdict verdict, @Nullable Long id, @Nullable String token) {
    return catchThrowableOfType(Trouble.class, () -> on(sample, verdict, id, token)).text();
  }
}
