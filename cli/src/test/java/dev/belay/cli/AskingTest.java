package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.cli.Asking.Answer;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What may be asked of a cluster in which state, and what that writes. */
class AskingTest {

  private static final String TOKEN = "2026-11-16T10:00:00Z-ann";

  @Test
  void pauses_and_resumes_once() {
    assertThat(write("upgrading", Asking::pause)).isEqualTo(Map.of("paused", true));
    assertThat(write("paused", Asking::resume)).isEqualTo(Map.of("paused", false));
    assertThat(already("paused", Asking::pause)).isEqualTo("my-etcd is paused already");
    assertThat(already("upgrading", Asking::resume)).isEqualTo("my-etcd is not paused");
    assertThat(write("pending", Asking::pause)).as("before anybody looks at it").isNotEmpty();
  }

  @Test
  void approves_what_waits() {
    var wanted = Map.of("requests", Map.of("approve", "3.6.16/etcd/leader"));
    assertThat(write("approval", a -> a.approve(null))).isEqualTo(wanted);
    assertThat(write("approval", a -> a.approve("3.6.16/etcd/leader"))).isEqualTo(wanted);
  }

  @Test
  void approves_nothing_else() {
    assertThat(refusal("approval", a -> a.approve("3.6.15/etcd/leader")))
        .contains("waits for the approval of 3.6.16/etcd/leader, not of 3.6.15/etcd/leader")
        .contains("belay approve my-etcd -n db --token 3.6.16/etcd/leader");
    for (String sample : List.of("idle", "upgrading", "failed", "aborted")) {
      assertThat(refusal(sample, a -> a.approve(null)))
          .contains("nothing of my-etcd waits for approval: it is ")
          .contains("cure: belay explain my-etcd -n db");
    }
  }

  @Test
  void an_approval_that_is_there_is_not_written_again() {
    Cluster approved =
        Samples.parse(
            Samples.text("approval")
                .replace("spec:\n", "spec:\n  requests: {approve: 3.6.16/etcd/leader}\n"));
    assertThat(asking(approved).approve(null)).isInstanceOf(Answer.Already.class);
    Cluster stale =
        Samples.parse(
            Samples.text("approval")
                .replace("spec:\n", "spec:\n  requests: {approve: 3.5.35/etcd/leader}\n"));
    assertThat(asking(stale).approve(null)).isInstanceOf(Answer.Write.class);
  }

  @Test
  void retries_what_is_refused() {
    for (String sample : List.of("failed", "rolled-back", "aborted", "rolling-back")) {
      assertThat(write(sample, Asking::retry))
          .as(sample)
          .isEqualTo(Map.of("requests", Map.of("retry", TOKEN)));
    }
    for (String sample : List.of("idle", "upgrading", "approval", "paused", "invalid")) {
      assertThat(refusal(sample, Asking::retry))
          .as(sample)
          .contains("nothing to retry: no revision is refused of my-etcd");
    }
  }

  @Test
  void rolls_back_what_is_under_way() {
    for (String sample : List.of("failed", "upgrading", "approval", "aborted", "paused")) {
      assertThat(write(sample, Asking::rollback))
          .as(sample)
          .isEqualTo(Map.of("requests", Map.of("rollback", TOKEN)));
    }
    assertThat(already("rolling-back", Asking::rollback)).contains("is rolling back already");
    assertThat(refusal("idle", Asking::rollback)).contains("no roll-out", "revert the template");
    assertThat(refusal("rolled-back", Asking::rollback)).contains("nothing to roll back");
    assertThat(refusal("idle-version", Asking::rollback)).contains("lower spec.version");
  }

  @Test
  void a_rollback_that_failed_may_be_asked_for_again() {
    Cluster stuck =
        Samples.parse(Samples.text("rolling-back").replace("UpgradeFailed", "RollbackFailed"));
    assertThat(asking(stuck).rollback()).isInstanceOf(Answer.Write.class);
  }

  @Test
  void does_not_ask_to_go_below_the_floor_and_says_why() {
    assertThat(refusal("failed-no-way-back", Asking::rollback))
        .contains("there is no way back: not below 3.6.0, the cluster version is 3.6.0")
        .contains("3.5.35 was the last good one")
        .contains("cure: go forward");
    String unknown =
        Samples.text("failed")
            .replace(
                "{\"reason\": \"not every", "{\"floor\": \"unknown\", \"reason\": \"not every");
    assertThat(asking(Samples.parse(unknown)).closed()).get().asString().contains("unknown");
    String above =
        Samples.text("failed-no-way-back").replace("\"floor\": \"3.6.0\"", "\"floor\": \"3.5.0\"");
    assertThat(asking(Samples.parse(above)).rollback()).isInstanceOf(Answer.Write.class);
  }

  @Test
  void the_floor_of_one_component_says_nothing_of_another() {
    String two =
        Samples.text("failed-no-way-back")
            .replace("\"etcd-a\", \"version\": \"3.5.35\"}", "\"etcd-a\", \"version\": \"3.6.0\"}")
            .replace(
                "  blockedBy:",
                "  - name: web\n"
                    + "    lastGood: {revision: web-a, version: \"1.0\"}\n"
                    + "    target: {revision: web-b, version: \"2.0\"}\n"
                    + "  blockedBy:");
    assertThat(asking(Samples.parse(two)).rollback()).isInstanceOf(Answer.Write.class);
    assertThat(asking(Samples.parse(two)).closed()).isEmpty();
    String named = two.replace("\"the cluster version is", "\"web: the cluster version is");
    assertThat(asking(Samples.parse(named)).closed()).as("the status says whose it is").isPresent();
  }

  @Test
  void aborts_what_is_under_way() {
    for (String sample : List.of("failed", "upgrading", "approval", "rolling-back", "waiting")) {
      assertThat(write(sample, Asking::abort))
          .as(sample)
          .isEqualTo(Map.of("requests", Map.of("abort", TOKEN)));
    }
    assertThat(already("aborted", Asking::abort))
        .contains("is aborted already")
        .contains("belay retry my-etcd -n db", "belay rollback my-etcd -n db");
    assertThat(refusal("idle", Asking::abort)).contains("nothing to abort");
    assertThat(refusal("rolled-back", Asking::abort)).contains("nothing to abort");
  }

  @Test
  void nobody_is_asked_where_nobody_looks() {
    for (Function<Asking, Answer> verb :
        List.<Function<Asking, Answer>>of(
            a -> a.approve(null), Asking::retry, Asking::rollback, Asking::abort)) {
      assertThat(refusal("pending", verb))
          .contains("no operator has written a status yet")
          .contains("cure: start the operator");
    }
  }

  /** A rollback that cannot be heeded stands before every retry. */
  @Test
  void what_is_asked_last_is_what_is_meant() {
    Cluster asked =
        Samples.parse(
            Samples.text("failed")
                .replace("spec:\n", "spec:\n  requests: {rollback: r1, abort: a1}\n"));
    var requests = new java.util.HashMap<String, Object>();
    requests.put("retry", TOKEN);
    requests.put("rollback", null);
    requests.put("abort", null);
    Answer answer = asking(asked).retry();
    assertThat(((Answer.Write) answer).spec())
        .isEqualTo(Map.of("requests", Collections.unmodifiableMap(requests)));
    assertThat(answer.says()).contains("instead of rollback (r1), instead of abort (a1)");
    assertThat(asking(asked).rollback())
        .isInstanceOfSatisfying(
            Answer.Already.class, a -> assertThat(a.says()).contains("asked for already (r1)"));
  }

  @Test
  void every_token_is_new_and_can_be_read() {
    Cluster twice =
        Samples.parse(
            Samples.text("failed")
                .replace("spec:\n", "spec:\n  requests: {retry: " + TOKEN + "}\n")
                .replace(
                    "  conditions:\n",
                    "  requests: {\"retry\": \"" + TOKEN + "\"}\n  conditions:\n"));
    assertThat(((Answer.Write) asking(twice).retry()).spec())
        .isEqualTo(Map.of("requests", Map.of("retry", TOKEN + "-2")));
    var odd = new Asking(Samples.read("failed"), new Commands(List.of()), Samples.NOW, "Ann: x\n");
    assertThat(((Answer.Write) odd.retry()).spec())
        .isEqualTo(Map.of("requests", Map.of("retry", "2026-11-16T10:00:00Z-Annx")));
  }

  private static Asking asking(Cluster cluster) {
    return new Asking(cluster, new Commands(List.of()), Samples.NOW, "ann");
  }

  private static Map<String, Object> write(String sample, Function<Asking, Answer> verb) {
    return ((Answer.Write) verb.apply(asking(Samples.read(sample)))).spec();
  }

  private static String already(String sample, Function<Asking, Answer> verb) {
    return ((Answer.Already) verb.apply(asking(Samples.read(sample)))).says();
  }

  private static String refusal(String sample, Function<Asking, Answer> verb) {
    return catchThrowableOfType(Trouble.class, () -> verb.apply(asking(Samples.read(sample))))
        .text();
  }
}
