package dev.belay.drivers.mysql;

import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Memory.RecordedStep;
import dev.belay.core.snapshot.Memory.Target;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.drivers.mysql.Roles.Stand;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

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

  private static final String FROM = "handOver.from";
  private static final String TO = "handOver.to";
  private static final String SINCE = "handOver.since";
  private static final String ADDRESS = "handOver.address";
  private static final String LED = "handOver.led";
  private static final String GIVEN_UP = "handOver.givenUp";

  private static final Pattern BEGUN =
      Pattern.compile("make (\\S+) read-only so that (\\S+) can take over");

  private static final Pattern LEADS =
      Pattern.compile("make (\\S+) the writable primary in place of (\\S+)");

  /** What the step is called in which the successor takes writes. */
  static String leads(String from, String to) {
    return "make " + to + " the writable primary in place of " + from;
  }

  /** What the step is called that begins one; the record of it is read back. */
  static String begins(String from, String to) {
    return "make " + from + " read-only so that " + to + " can take over";
  }

  /** Who takes over by a step of this name; empty for any other step. */
  static Optional<String> successorIn(String what) {
    var match = BEGUN.matcher(what);
    return match.matches() ? Optional.of(match.group(2)) : Optional.empty();
  }

  /** The switchover that is under way on this look; empty when there is none. */
  static Optional<HandOver> of(Snapshot snapshot, Component component) {
    Map<String, String> notes = snapshot.memory().component(component.name()).notes();
    return begun(snapshot, component)
        .or(() -> noted(notes).map(h -> h.led(snapshot)))
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
    return snapshot
        .memory()
        .step()
        .flatMap(step -> {
          var match = BEGUN.matcher(step.what());
          return match.matches() && mine(component, step)
              ? Optional.of(
                  new HandOver(
                      match.group(1),
                      match.group(2),
                      step.since(),
                      address(Roles.of(component), match.group(1)),
                      false))
              : Optional.empty();
        });
  }

  private HandOver led(Snapshot snapshot) {
    boolean now =
        snapshot
            .memory()
            .step()
            .map(step -> LEADS.matcher(step.what()))
            .filter(m -> m.matches() && m.group(1).equals(to) && m.group(2).equals(from))
            .isPresent();
    return new HandOver(from, to, since, address, led || now);
  }

  private static boolean mine(Component component, RecordedStep step) {
    return component.podList().stream().anyMatch(p -> p.name().equals(step.object()));
  }

  private static String address(Roles roles, String primary) {
    return roles.stands().stream()
        .filter(s -> s.follows(primary))
        .flatMap(s -> s.member().reading(Readings.SOURCE_ADDRESS).asOptional().stream())
        .findFirst()
        .orElse("");
  }

  static Optional<HandOver> noted(Map<String, String> notes) {
    try {
      return notes.containsKey(FROM)
          ? Optional.of(
              new HandOver(
                  notes.get(FROM),
                  notes.getOrDefault(TO, ""),
                  Instant.parse(notes.getOrDefault(SINCE, "")),
                  notes.getOrDefault(ADDRESS, ""),
                  notes.containsKey(LED)))
          : Optional.empty();
    } catch (DateTimeParseException e) {
      throw new IllegalStateException("the note " + SINCE + " is no time", e);
    }
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
  static Map<String, String> next(Snapshot snapshot, Component component) {
    Map<String, String> notes = snapshot.memory().component(component.name()).notes();
    var next = new TreeMap<String, String>();
    of(snapshot, component)
        .ifPresent(h -> {
          next.put(FROM, h.from);
          next.put(TO, h.to);
          next.put(SINCE, h.since.toString());
          next.put(ADDRESS, h.address);
          if (h.led) {
            next.put(LED, "true");
          }
        });
    givenUp(snapshot, component, notes).ifPresent(when -> next.put(GIVEN_UP, when));
    return next;
  }

  /** One that was given up is not begun again in the same roll-out unless a person asks for it. */
  private static Optional<String> givenUp(
      Snapshot snapshot, Component component, Map<String, String> notes) {
    String tried = tried(snapshot, component);
    boolean returned =
        noted(notes)
            .filter(h -> h.expired(snapshot.at()))
            .flatMap(h -> Roles.of(component).named(h.from))
            .filter(Stand::open)
            .isPresent();
    return returned || tried.equals(notes.get(GIVEN_UP)) ? Optional.of(tried) : Optional.empty();
  }

  static boolean givenUp(Snapshot snapshot, Component component) {
    return tried(snapshot, component)
        .equals(snapshot.memory().component(component.name()).notes().get(GIVEN_UP));
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
