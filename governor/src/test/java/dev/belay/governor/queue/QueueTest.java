package dev.belay.governor.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.governor.queue.Effect.Rest.Why;
import dev.belay.governor.queue.Operation.Way;
import dev.belay.governor.queue.Sight.Held;
import dev.belay.governor.queue.Sight.Holding;
import dev.belay.governor.queue.Sight.Progress;
import dev.belay.governor.queue.State.Cursor;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class QueueTest {

  private static final Queue QUEUE = new Queue(3, false);
  private static final Operation OP = new Operation(7, 1, Way.TRANSACTION, 1, 0, false);
  private static final Operation STARTED = new Operation(7, 1, Way.TRANSACTION, 1, 0, true);
  private static final Operation LAST_TRY = new Operation(7, 1, Way.TRANSACTION, 1, 2, false);
  private static final Operation STEPS = new Operation(8, 1, Way.STEPS, 2, 0, true);
  private static final Cursor AT = new Cursor("a", 0, List.of());

  static Stream<Arguments> sights() {
    return Stream.of(
        Arguments.of("an empty queue rests", look(null), resting(Why.DRAINED)),
        Arguments.of(
            "a lone master applies at once", look(OP), new State.Opening(OP, List.of(), List.of())),
        Arguments.of(
            "a start is written before the first prepare",
            look(OP, present("b")),
            new State.Starting(OP, new State.Opening(OP, List.of("b"), List.of()))),
        Arguments.of(
            "no prepare while a master is absent",
            look(OP, present("b"), absent("c")),
            resting(Why.WAITING)),
        Arguments.of(
            "what is prepared is not prepared again",
            look(STARTED, holding("b", Held.Fate.UNDECIDED), present("c")),
            new State.Opening(STARTED, List.of("c"), List.of("b"))),
        Arguments.of(
            "locks are not held for an absent master",
            look(STARTED, holding("b", Held.Fate.UNDECIDED), absent("c")),
            new State.Failing(
                STARTED, "a master went away while others were prepared: c (down)", false)),
        Arguments.of(
            "a commit is told before anything else",
            look(OP, holding("b", Held.Fate.COMMIT)),
            new State.Telling(OP.ticket(), "b", true)),
        Arguments.of(
            "an abort is told before anything else",
            look(OP, holding("b", Held.Fate.ABORT)),
            new State.Telling(OP.ticket(), "b", false)),
        Arguments.of(
            "a failed row stops the line",
            new Sight(
                Optional.empty(),
                Optional.of(new Sight.Stop(3, "no")),
                Optional.of(OP),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                List.of()),
            resting(Why.STOPPED)),
        Arguments.of(
            "an unsettled row goes before the next",
            new Sight(
                Optional.of(OP),
                Optional.empty(),
                Optional.of(STEPS),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                List.of()),
            new State.Settling(OP)),
        Arguments.of(
            "a replica that has not replayed is waited for",
            behind(Optional.of(OP), Optional.of(STEPS)),
            resting(Why.WAITING)),
        Arguments.of(
            "nothing begins while a replica is out of reach",
            behind(Optional.empty(), Optional.of(OP)),
            resting(Why.WAITING)),
        Arguments.of(
            "what was begun goes on although a replica is out of reach",
            behind(Optional.empty(), Optional.of(STARTED)),
            new State.Opening(STARTED, List.of(), List.of())),
        Arguments.of(
            "what can never run fails at once",
            new Sight(
                Optional.empty(),
                Optional.empty(),
                Optional.of(OP),
                Optional.of("op_format lua"),
                Optional.empty(),
                List.of(),
                List.of()),
            new State.Failing(OP, "op_format lua", true)),
        Arguments.of(
            "an intent without acknowledgement is doubt",
            look(STEPS, new Holding.Present("a", List.of(), new Progress(1, true))),
            new State.Doubting(STEPS, new Cursor("a", 1, List.of()))),
        Arguments.of(
            "acknowledged everywhere is done",
            look(STEPS, new Holding.Present("a", List.of(), new Progress(2, false))),
            new State.Finishing(STEPS, true)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("sights")
  void decides(String name, Sight sight, State expected) {
    State next = QUEUE.next(Queue.start(), new Event.Saw(sight));
    if (expected instanceof State.Resting r) {
      assertThat(next)
          .isInstanceOfSatisfying(State.Resting.class, n -> assertThat(n.why()).isEqualTo(r.why()));
    } else {
      assertThat(next).isEqualTo(expected);
    }
  }

  static Stream<Arguments> events() {
    Event busy = new Event.Refused("lock timeout", true);
    Event wrong = new Event.Refused("syntax", false);
    Event lost = new Event.Unclear("cut");
    return Stream.of(
        Arguments.of(
            "a busy lock is tried again",
            new State.Opening(OP, List.of(), List.of()),
            busy,
            new State.Postponing(OP, "lock timeout")),
        Arguments.of(
            "but not for ever",
            new State.Opening(LAST_TRY, List.of(), List.of()),
            busy,
            new State.Failing(LAST_TRY, "lock timeout", true)),
        Arguments.of(
            "an error is never tried again",
            new State.Opening(OP, List.of(), List.of()),
            wrong,
            new State.Failing(OP, "syntax", true)),
        Arguments.of(
            "an error at home aborts who has prepared",
            new State.Opening(OP, List.of(), List.of("b")),
            wrong,
            new State.Failing(OP, "syntax", false)),
        Arguments.of(
            "a busy lock at home aborts who has prepared",
            new State.Opening(OP, List.of(), List.of("b")),
            busy,
            new State.Failing(OP, "lock timeout", false)),
        Arguments.of(
            "a lost prepare may have happened",
            new State.Preparing(OP, List.of("b"), List.of()),
            lost,
            new State.Failing(OP, "b went away while preparing: cut", false)),
        Arguments.of(
            "a lost commit is looked up", new State.Committing(OP, true), lost, Queue.start()),
        Arguments.of(
            "a commit that the database refuses is a failure",
            new State.Committing(OP, true),
            wrong,
            new State.Failing(OP, "syntax", true)),
        Arguments.of(
            "a lost statement is looked up", new State.Applying(STEPS, AT), lost, Queue.start()),
        Arguments.of(
            "a refused statement takes its intent back",
            new State.Applying(STEPS, AT),
            wrong,
            new State.Retracting(
                STEPS, AT, new State.Failing(STEPS, "statement 1 of 2 on a: syntax", true))),
        Arguments.of(
            "found applied, acknowledged",
            new State.Doubting(STEPS, AT),
            new Event.Verified(true),
            new State.Acknowledging(STEPS, AT)),
        Arguments.of(
            "found absent, applied",
            new State.Doubting(STEPS, AT),
            new Event.Verified(false),
            new State.Applying(STEPS, AT)),
        Arguments.of(
            "a refused write of our own is not repeated at full speed",
            new State.Finishing(STEPS, true),
            wrong,
            new State.Resting(Why.WAITING, "syntax")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("events")
  void goes_on(String name, State state, Event event, State expected) {
    assertThat(QUEUE.next(state, event)).isEqualTo(expected);
  }

  @Test
  void doubt_that_no_query_settles_asks_a_person() {
    State next =
        QUEUE.next(new State.Doubting(STEPS, AT), new Event.NotVerifiable("no verify query"));
    assertThat(next)
        .isInstanceOfSatisfying(
            State.Failing.class,
            f -> assertThat(f.error()).contains("in doubt", "resolve --applied"));
  }

  @Test
  void an_outranked_governor_never_moves_again() {
    State out = QUEUE.next(new State.Committing(OP, true), new Event.Outranked("epoch 3"));
    assertThat(QUEUE.next(out, new Event.Tick())).isEqualTo(out);
    assertThat(out.effect()).isInstanceOf(Effect.Rest.class);
  }

  private static State resting(Why why) {
    return new State.Resting(why, "");
  }

  private static Sight look(Operation next, Holding... masters) {
    return new Sight(
        Optional.empty(),
        Optional.empty(),
        Optional.ofNullable(next),
        Optional.empty(),
        Optional.empty(),
        List.of(masters),
        List.of());
  }

  private static Sight behind(Optional<Operation> unsettled, Optional<Operation> next) {
    return new Sight(
        unsettled,
        Optional.empty(),
        next,
        Optional.empty(),
        Optional.empty(),
        List.of(),
        List.of("r (behind)"));
  }

  private static Holding present(String name) {
    return new Holding.Present(name, List.of(), Progress.NONE);
  }

  private static Holding absent(String name) {
    return new Holding.Absent(name, "down");
  }

  private static Holding holding(String name, Held.Fate fate) {
    return new Holding.Present(name, List.of(new Held(OP.ticket(), fate)), Progress.NONE);
  }
}
