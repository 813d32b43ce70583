package dev.belay.operator.actions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.ActionSpec;
import dev.belay.api.v1alpha1.Errand.Pace;
import dev.belay.api.v1alpha1.Request;
import dev.belay.core.model.Action;
import dev.belay.core.model.Action.State;
import dev.belay.operator.actions.Parcel.Duty;
import dev.belay.operator.wire.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is sent how often, what is kept of it, and who is woken. Each answer is the test's. */
class SenderTest {

  private static final Instant T = Instant.parse("2026-01-01T00:00:00Z");
  private static final String CLUSTER = "cluster-uid";
  private static final Duration SOON = Duration.ofMillis(1);
  private static final Duration NEVER = Duration.ofDays(1);
  private static final Answer GOOD = Answer.good("answered 200");
  private static final Answer BAD = Answer.bad("answered 503");

  private final List<String> sent = new CopyOnWriteArrayList<>();
  private final SynchronousQueue<Answer> answers = new SynchronousQueue<>();
  private final AtomicInteger onTheWay = new AtomicInteger();
  private final AtomicInteger together = new AtomicInteger();
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicInteger woken = new AtomicInteger();
  private final AtomicReference<Instant> now = new AtomicReference<>(T);
  private final AtomicBoolean held = new AtomicBoolean(true);
  private final Sender sender = new Sender(this::send, now::get, held::get);

  private Answer send(Parcel parcel) throws InterruptedException {
    sent.add((parcel.undo() ? "undo " : "do ") + parcel.duty().id());
    together.accumulateAndGet(onTheWay.incrementAndGet(), Math::max);
    try {
      Answer answer = null;
      while (answer == null && !over.get()) {
        answer = answers.poll(20, TimeUnit.MILLISECONDS);
      }
      return answer == null ? GOOD : answer;
    } finally {
      onTheWay.decrementAndGet();
    }
  }

  @AfterEach
  void stop() {
    over.set(true);
    sender.close();
  }

  @Test
  void its_end_waits_for_what_is_on_its_way_and_tries_nothing_again() throws Exception {
    begin(parcel("a", false, SOON, 3));
    await(() -> sent.size() == 1);
    CompletableFuture<Void> end = CompletableFuture.runAsync(sender::close);
    assertThat(end).failsWithin(Duration.ofMillis(200));
    give(BAD);
    assertThat(end).succeedsWithin(Duration.ofSeconds(5));
    assertThat(sent).hasSize(1);
  }

  @Test
  void its_end_waits_also_for_a_forgotten_request_on_its_way() throws Exception {
    begin(parcel("a", false, SOON, 3));
    begin(parcel("b", false, SOON, 3));
    await(() -> sent.size() == 2);
    results("b");
    sender.forget(CLUSTER);
    CompletableFuture<Void> end = CompletableFuture.runAsync(sender::close);
    assertThat(end).failsWithin(Duration.ofMillis(200));
    give(BAD);
    assertThat(end).failsWithin(Duration.ofMillis(200));
    give(BAD);
    assertThat(end).succeedsWithin(Duration.ofSeconds(5));
    assertThat(sent).hasSize(2);
  }

  @Test
  void is_sending_until_the_first_good_answer() throws Exception {
    begin(parcel("a", false, SOON, 3));
    assertThat(results("a")).containsExactly(new Action.Result("a", false, State.SENDING, ""));

    give(BAD);
    await(() -> reading("a").equals("answered 503 (try 1 of 3)"));
    assertThat(state("a")).isEqualTo(State.SENDING);
    give(GOOD);

    await(() -> woken.get() == 1);
    assertThat(results("a"))
        .containsExactly(new Action.Result("a", false, State.PASSED, "answered 200"));
    assertThat(sent).containsExactly("do a", "do a");
  }

  @Test
  void fails_after_the_last_try_and_is_not_sent_again() throws Exception {
    begin(parcel("a", false, SOON, 2));
    give(BAD);
    give(BAD);

    await(() -> woken.get() == 1);
    assertThat(results("a"))
        .containsExactly(new Action.Result("a", false, State.FAILED, "answered 503"));
    assertThat(sent).hasSize(2);
  }

  @Test
  void the_same_thing_is_not_sent_twice_at_once_and_is_sent_again_when_asked_for()
      throws Exception {
    begin(parcel("a", false, NEVER, 1));
    await(() -> sent.size() == 1);
    begin(parcel("a", false, NEVER, 1));
    give(BAD);
    await(() -> woken.get() == 1);
    assertThat(sent).hasSize(1);

    begin(parcel("a", false, NEVER, 1));
    assertThat(state("a")).isEqualTo(State.SENDING);
    give(GOOD);
    await(() -> state("a") == State.PASSED);
    assertThat(sent).hasSize(2);
  }

  @Test
  void an_undo_waits_for_the_answer_on_its_way_and_ends_the_tries() throws Exception {
    begin(parcel("a", false, SOON, 9));
    await(() -> sent.size() == 1);

    begin(parcel("a", true, SOON, 9));
    assertThat(results("a")).containsExactly(new Action.Result("a", true, State.SENDING, ""));
    give(BAD);
    await(() -> sent.size() == 2);
    give(GOOD);

    await(() -> state("a") == State.PASSED);
    assertThat(results("a").getFirst().undo()).isTrue();
    assertThat(sent).containsExactly("do a", "undo a");
    assertThat(woken).hasValue(1);
  }

  /** Many times, since a thread that should wait and does not may still come too late by chance. */
  @Test
  void an_action_and_its_undo_are_never_on_their_way_together() throws Exception {
    for (int i = 0; i < 50; i++) {
      boolean undo = i % 2 == 1;
      begin(parcel("a", undo, SOON, 1));
      int begun = i + 1;
      await(() -> sent.size() == begun);
      begin(parcel("a", !undo, SOON, 1));
      give(GOOD);
    }
    assertThat(together).hasValue(1);
  }

  @Test
  void an_undo_does_not_wait_for_the_next_try() throws Exception {
    begin(parcel("a", false, NEVER, 9));
    give(BAD);
    await(() -> !reading("a").isEmpty());

    begin(parcel("a", true, NEVER, 9));

    await(() -> sent.equals(List.of("do a", "undo a")));
  }

  @Test
  void an_undo_of_yesterday_says_nothing_about_an_action_that_is_done_again() throws Exception {
    begin(parcel("a", true, SOON, 1));
    give(GOOD);
    await(() -> state("a") == State.PASSED);

    begin(parcel("a", false, SOON, 1));

    assertThat(results("a")).containsExactly(new Action.Result("a", false, State.SENDING, ""));
  }

  @Test
  void what_is_owed_no_longer_is_forgotten_and_not_tried_again() throws Exception {
    begin(parcel("a", false, NEVER, 9));
    begin(parcel("b", false, NEVER, 9));
    give(BAD);
    give(BAD);
    await(() -> !reading("a", "b").isEmpty() && !reading("b", "a").isEmpty());

    assertThat(results("b")).extracting(Action.Result::id).containsExactly("b");
    assertThat(sender.size()).isEqualTo(1);
    assertThat(results("a", "b")).extracting(Action.Result::id).containsExactly("b");
    sender.forget(CLUSTER);
    assertThat(sender.size()).isZero();
    assertThat(woken).hasValue(0);
  }

  @Test
  void a_member_that_hangs_keeps_nobody_else_waiting() throws Exception {
    begin(parcel("a", false, NEVER, 1));
    begin(parcel("b", false, NEVER, 1));
    await(() -> sent.size() == 2);
    give(GOOD);
    await(() -> woken.get() == 1);
    assertThat(results("a", "b"))
        .extracting(Action.Result::state)
        .containsExactlyInAnyOrder(State.SENDING, State.PASSED);
  }

  @Test
  void nothing_is_sent_because_of_a_look_that_is_too_old() throws Exception {
    begin(parcel("a", false, SOON, 3));
    await(() -> sent.size() == 1);
    now.set(T.plus(Sender.STALE).plusMillis(1));
    give(BAD);
    await(() -> lastReading("a").contains("try 1 of 3"));
    assertThat(answers.offer(GOOD, 200, TimeUnit.MILLISECONDS)).as("it was tried again").isFalse();

    results("a");

    give(GOOD);
    await(() -> state("a") == State.PASSED);
    assertThat(sent).hasSize(2);
  }

  @Test
  void no_try_begins_without_the_Lease() throws Exception {
    begin(parcel("a", false, SOON, 3));
    await(() -> sent.size() == 1);
    held.set(false);
    give(BAD);
    await(() -> reading("a").contains("try 1 of 3"));
    assertThat(answers.offer(GOOD, 200, TimeUnit.MILLISECONDS)).as("it was tried again").isFalse();
    begin(parcel("b", false, SOON, 3));
    assertThat(answers.offer(GOOD, 200, TimeUnit.MILLISECONDS)).as("b was begun").isFalse();
    assertThat(sent).containsExactly("do a");

    held.set(true);

    give(GOOD);
    give(GOOD);
    await(() -> woken.get() == 2);
    assertThat(sent).containsExactlyInAnyOrder("do a", "do a", "do b");
  }

  @Test
  void what_is_begun_anew_has_nothing_to_do_with_earlier_answers() throws Exception {
    begin(parcel("a", false, SOON, 1));
    give(BAD);
    await(() -> state("a") == State.FAILED);
    var again = new Duty("db", "a", T.plusSeconds(1));
    begin(parcel("b", false, NEVER, 1));

    assertThat(sender.results(CLUSTER, List.of(again, duty("b")), T)).containsOnlyKeys(duty("b"));
    begin(parcel(again, false, SOON, 1));
    assertThat(sender.results(CLUSTER, List.of(again), T).get(again).state())
        .isEqualTo(State.SENDING);
  }

  private void begin(Parcel parcel) {
    sender.send(CLUSTER, parcel, now.get(), woken::incrementAndGet);
  }

  private static Parcel parcel(String id, boolean undo, Duration interval, int tries) {
    return parcel(duty(id), undo, interval, tries);
  }

  private static Parcel parcel(Duty duty, boolean undo, Duration interval, int tries) {
    var request = new Request(ActionSpec.Method.PUT, false, 80, "/", "", List.of());
    var expect = new ActionSpec.Expect(null, null, null, null);
    var order = new Order(request, expect, new Pace(SOON, interval, tries));
    return new Parcel(duty, undo, "10.0.0.1", order);
  }

  private static Duty duty(String id) {
    return new Duty("db", id, T);
  }

  private List<Action.Result> results(String... ids) {
    List<Duty> duties = Arrays.stream(ids).map(SenderTest::duty).toList();
    var results = sender.results(CLUSTER, duties, now.get());
    return duties.stream().flatMap(d -> Optional.ofNullable(results.get(d)).stream()).toList();
  }

  private State state(String id) {
    return results(id).getFirst().state();
  }

  /** Without saying that anybody looked just now. */
  private String lastReading(String id) {
    return sender.results(CLUSTER, List.of(duty(id)), T).get(duty(id)).reading();
  }

  private String reading(String... ids) {
    return results(ids).getFirst().reading();
  }

  private void give(Answer answer) throws InterruptedException {
    assertThat(answers.offer(answer, 30, TimeUnit.SECONDS)).as("somebody is asked").isTrue();
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
