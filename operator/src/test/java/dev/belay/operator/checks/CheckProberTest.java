package dev.belay.operator.checks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.Question;
import dev.belay.core.model.Check;
import dev.belay.core.model.Check.State;
import dev.belay.operator.wire.Answer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who is asked, whose answers are kept, and who is woken. Each answer is given by the test. */
class CheckProberTest {

  private static final Instant T = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration SOON = Duration.ofMillis(1);
  private static final Duration NEVER = Duration.ofDays(1);
  private static final String CLUSTER = "cluster-uid";

  /** An asked host waits here for the answer that the test gives it. */
  private final Map<String, SynchronousQueue<Answer>> answers = new ConcurrentHashMap<>();

  private final Map<String, AtomicInteger> asked = new ConcurrentHashMap<>();
  private final AtomicInteger woken = new AtomicInteger();
  private final CheckProber prober = new CheckProber(this::ask, Clock.fixed(T, ZoneOffset.UTC));

  private Answer ask(String host, Question question) throws InterruptedException {
    asked.computeIfAbsent(host, _ -> new AtomicInteger()).incrementAndGet();
    return line(host).take();
  }

  private SynchronousQueue<Answer> line(String host) {
    return answers.computeIfAbsent(host, _ -> new SynchronousQueue<>());
  }

  @AfterEach
  void stop() {
    prober.close();
  }

  @Test
  void nothing_is_known_before_the_first_answer() throws Exception {
    Due due = due("a", "10.0.0.1", Asked.tries(3, NEVER));
    follow(due);
    await(() -> asked("10.0.0.1") == 1);
    assertThat(results(due)).isEmpty();

    give("10.0.0.1", Answer.good("answered 200"));

    await(() -> !results(due).isEmpty());
    assertThat(results(due))
        .containsExactly(
            new Check.Result(due.question().check(), "a", State.PASSED, "answered 200", T));
  }

  @Test
  void asks_again_and_fails_after_the_last_try() throws Exception {
    Due due = due("a", "10.0.0.1", Asked.tries(2, SOON));
    follow(due);

    give("10.0.0.1", Answer.bad("answered 503"));
    await(() -> state(due).equals(Optional.of(State.TRYING)));
    give("10.0.0.1", Answer.bad("answered 503"));
    await(() -> state(due).equals(Optional.of(State.FAILED)));
    give("10.0.0.1", Answer.good("answered 200"));
    await(() -> state(due).equals(Optional.of(State.PASSED)));
  }

  @Test
  void a_flapping_member_is_never_failed_by_answers_that_do_not_follow_each_other()
      throws Exception {
    Due due = due("a", "10.0.0.1", Asked.tries(2, SOON));
    follow(due);

    for (int i = 0; i < 5; i++) {
      give("10.0.0.1", Answer.bad("answered 503"));
      await(() -> state(due).equals(Optional.of(State.TRYING)));
      give("10.0.0.1", Answer.good("answered 200"));
      await(() -> state(due).equals(Optional.of(State.PASSED)));
    }
    assertThat(woken).hasValue(10);
  }

  @Test
  void wakes_only_when_the_state_changes() throws Exception {
    Due due = due("a", "10.0.0.1", Asked.tries(2, SOON));
    follow(due);

    for (int i = 0; i < 4; i++) {
      give("10.0.0.1", Answer.good("answered 200"));
    }
    // The fifth question is asked when the fourth answer has been dealt with.
    await(() -> asked("10.0.0.1") == 5);
    assertThat(woken).hasValue(1);
  }

  @Test
  void what_stays_due_goes_on_and_another_pod_begins_anew() throws Exception {
    Question question = Asked.tries(2, SOON);
    Due old = due("a", "10.0.0.1", question);
    Due other = due("b", "10.0.0.2", question);
    follow(old, other);
    give("10.0.0.1", Answer.bad("answered 503"));
    give("10.0.0.2", Answer.bad("answered 503"));
    await(() -> state(old).isPresent() && state(other).isPresent());

    Due fresh = due("a2", "10.0.0.1", question);
    follow(fresh, other);

    assertThat(state(old)).as("of a pod that is gone").isEmpty();
    assertThat(state(fresh)).as("of its successor").isEmpty();
    await(() -> asked("10.0.0.1") >= 2);
    give("10.0.0.2", Answer.bad("answered 503"));
    await(() -> state(other).equals(Optional.of(State.FAILED)));
    give("10.0.0.1", Answer.bad("answered 503"));
    await(() -> state(fresh).equals(Optional.of(State.TRYING)));
  }

  @Test
  void an_answer_that_is_too_old_is_not_handed_over() throws Exception {
    Due due = due("a", "10.0.0.1", Asked.tries(3, Duration.ofMinutes(10)));
    follow(due);
    give("10.0.0.1", Answer.good("answered 200"));
    await(() -> !results(due).isEmpty());

    Duration age = Duration.ofMinutes(20).plus(due.question().timeout());
    assertThat(prober.results(CLUSTER, List.of(due), T.plus(age))).hasSize(1);
    assertThat(prober.results(CLUSTER, List.of(due), T.plus(age).plusMillis(1))).isEmpty();
  }

  @Test
  void stops_with_what_is_no_longer_due_and_with_the_cluster() throws Exception {
    Due one = due("a", "10.0.0.1", Asked.tries(3, SOON));
    Due two = due("b", "10.0.0.2", Asked.tries(3, SOON));
    follow(one, two);
    await(() -> asked("10.0.0.1") == 1 && asked("10.0.0.2") == 1);

    follow(two);
    assertThat(prober.size()).isEqualTo(1);
    await(() -> refused("10.0.0.1"));

    prober.forget(CLUSTER);
    assertThat(prober.size()).isZero();
    await(() -> refused("10.0.0.2"));
    assertThat(woken).hasValue(0);
  }

  @Test
  void a_member_that_hangs_keeps_nobody_else_waiting() throws Exception {
    Due hanging = due("a", "10.0.0.1", Asked.tries(3, NEVER));
    Due well = due("b", "10.0.0.2", Asked.tries(3, NEVER));
    follow(hanging, well);

    give("10.0.0.2", Answer.good("answered 200"));

    await(() -> state(well).equals(Optional.of(State.PASSED)));
    assertThat(state(hanging)).isEmpty();
  }

  private static Due due(String uid, String host, Question question) {
    return new Due("db", question, uid, host, T);
  }

  private void follow(Due... due) {
    prober.follow(CLUSTER, List.of(due), woken::incrementAndGet);
  }

  private List<Check.Result> results(Due due) {
    return prober.results(CLUSTER, List.of(due), T);
  }

  private Optional<State> state(Due due) {
    return results(due).stream().map(Check.Result::state).findFirst();
  }

  private int asked(String host) {
    return asked.getOrDefault(host, new AtomicInteger()).get();
  }

  private void give(String host, Answer answer) throws InterruptedException {
    assertThat(line(host).offer(answer, 30, TimeUnit.SECONDS)).as(host + " is asked").isTrue();
  }

  /** Whether nobody waits for an answer of this host. */
  private boolean refused(String host) {
    return !line(host).offer(Answer.good("answered 200"));
  }

  private interface Condition {
    boolean holds();
  }

  private static void await(Condition condition) throws InterruptedException {
    Instant end = Instant.now().plusSeconds(30);
    while (!condition.holds()) {
      assertThat(Instant.now()).isBefore(end);
      Thread.sleep(1);
    }
  }
}
