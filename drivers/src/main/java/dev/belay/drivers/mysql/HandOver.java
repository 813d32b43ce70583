package dev.belay.drivers.mysql;

import dev.belay.core.model.Component;
import dev.belay.core.state.Command;
import dev.belay.core.state.Memory.Target;
import dev.belay.core.state.Note;
import dev.belay.core.state.Snapshot;
import dev.belay.drivers.RecordedState;
import dev.belay.drivers.mysql.Roles.Stand;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A planned switchover under way, as it is remembered: it began when a primary was made read-only
 * by Belay, which is a recorded step, and it is over when there is one writable primary that
 * everybody follows.
 *
 * @param from the primary that was made read-only
 * @param to who takes over
 * @param since when that was decided
 * @param address at which replicas reached the primary, as in mysql-0.mysql:3306; may be empty
 * @param led whether the successor may have been told to take writes
 */
record HandOver(String from, String to, Instant since, String address, boolean led) {

  /** For how long nobody may write before the old primary takes writes again. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final String HAND_OVER = "handOver";
  private static final String FROM = "from";
  private static final String TO = "to";
  private static final String SINCE = "since";
  private static final String ADDRESS = "address";
  private static final String LED = "led";

  private static final String GIVEN_UP = "handOverGivenUp";
  private static final String TRIED = "tried";

  /** The switchover that is under way on this look; empty when there is none. */
  static Optional<HandOver> of(Snapshot snapshot, Component component) {
    return begun(snapshot, component)
        .or(() ->
            noted(RecordedState.notes(snapshot, component)).map(h -> h.led(snapshot, component)))
        .filter(h -> !(isWhole(component) && h.over(Roles.of(component))));
  }

  /** A pod that is just being made anew is no member yet, and may be who is still to follow. */
  private static boolean isWhole(Component component) {
    return component
        .workload()
        .asOptional()
        .filter(w -> Roles.of(component).stands().size() >= w.replicas())
        .isPresent();
  }

  /** A step that is on record may have been carried out, whatever became of who recorded it. */
  private static Optional<HandOver> begun(Snapshot snapshot, Component component) {
    return RecordedState.step(snapshot, component)
        .flatMap(step ->
            Command.of(step)
                .filter(Switchover::begins)
                .map(c -> {
                  String from = c.argument(Switchover.FROM);
                  String address = address(Roles.of(component), from);
                  return new HandOver(
                      from, c.argument(Switchover.TO), step.since(), address, false);
                }));
  }

  private HandOver led(Snapshot snapshot, Component component) {
    boolean now =
        RecordedState.step(snapshot, component)
            .flatMap(Command::of)
            .filter(c -> c.verb().equals(Switchover.LEAD))
            .filter(c ->
                c.argument(Switchover.FROM).equals(from) && c.argument(Switchover.TO).equals(to))
            .isPresent();
    return new HandOver(from, to, since, address, led || now);
  }

  private static String address(Roles roles, String primary) {
    return roles.stands().stream()
        .filter(s -> s.follows(primary))
        .flatMap(s -> s.member().reading(Readings.SOURCE_ADDRESS).asOptional().stream())
        .findFirst()
        .orElse("");
  }

  /** A note without a readable time has expired: the old primary takes writes again. */
  static Optional<HandOver> noted(List<Note> notes) {
    return RecordedState.note(notes, HAND_OVER, "")
        .map(n ->
            new HandOver(
                n.value(FROM),
                n.value(TO),
                RecordedState.time(n, SINCE).orElse(Instant.EPOCH),
                n.value(ADDRESS),
                n.value(LED).equals("true")));
  }

  private Note note() {
    return new Note(
        HAND_OVER,
        "",
        Map.of(FROM, from, TO, to, SINCE, since.toString(), ADDRESS, address, LED, "" + led));
  }

  /** Everybody answers, one takes writes without a source, and all others follow that one. */
  private boolean over(Roles roles) {
    return roles.everybodyAnswers()
        && roles.open().size() == 1
        && roles.open().getFirst().free()
        && roles.others(roles.open().getFirst()).stream()
            .allMatch(s -> s.follows(roles.open().getFirst().name()) && !stopped(s));
  }

  /** Whether it is the successor, and was stopped on the way to taking over. */
  boolean stopped(Stand stand) {
    return stand.name().equals(to) && stand.member().reading(Readings.RUNS).is("false");
  }

  boolean expired(Instant now) {
    return since.plus(PATIENCE).isBefore(now);
  }

  /** What to remember from now on. */
  static List<Note> next(Snapshot snapshot, Component component) {
    var next = new ArrayList<Note>();
    of(snapshot, component).map(HandOver::note).ifPresent(next::add);
    if (returned(snapshot, component) || givenUp(snapshot, component)) {
      next.add(new Note(GIVEN_UP, "", Map.of(TRIED, tried(snapshot, component))));
    }
    return next;
  }

  private static boolean returned(Snapshot snapshot, Component component) {
    return noted(RecordedState.notes(snapshot, component))
        .filter(h -> h.expired(snapshot.at()))
        .flatMap(h -> Roles.of(component).named(h.from))
        .filter(Stand::open)
        .isPresent();
  }

  /** One that was given up is not begun again in the same roll-out unless a person asks for it. */
  static boolean givenUp(Snapshot snapshot, Component component) {
    return RecordedState.note(RecordedState.notes(snapshot, component), GIVEN_UP, "")
        .filter(n -> n.value(TRIED).equals(tried(snapshot, component)))
        .isPresent();
  }

  private static String tried(Snapshot snapshot, Component component) {
    return snapshot
        .memory()
        .component(component.name())
        .target()
        .map(Target::tried)
        .map(Instant::toString)
        .orElse("");
  }
}
