package dev.belay.drivers.bookkeeper;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Sorted;
import dev.belay.core.state.Command;
import dev.belay.core.state.Note;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.Snapshot;
import dev.belay.drivers.RecordedState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What Belay changed for the upgrade and has to take back. It begins with the recorded step that
 * changes it and is noted from the next look on; it ends when the cluster is seen as it was, or as
 * somebody else made it meanwhile.
 *
 * @param readOnly the bookies made read-only, with the uid of the pod that was to go down
 * @param usersOwn the bookies that were read-only before, with the uid of the pod they lived in:
 *     its restart makes them writable, and they are made read-only again
 * @param stoppedFor the pod for which autorecovery is off
 * @param delay what the delay was, and is now
 */
record Debts(
    Map<String, String> readOnly,
    Map<String, String> usersOwn,
    Optional<String> stoppedFor,
    Optional<Delay> delay) {

  /** In seconds. */
  record Delay(long before, long now) {

    /** Empty when one of them is not a number. */
    static Optional<Delay> parse(String before, String now) {
      try {
        return Optional.of(new Delay(Long.parseLong(before), Long.parseLong(now)));
      } catch (NumberFormatException e) {
        return Optional.empty();
      }
    }
  }

  /** A command that was sent at its last moment may need a while until its effect is seen. */
  static final Duration IN_FLIGHT = Command.LIFE.plusSeconds(5);

  /** Told so often and still read-only, a bookie is so by its own configuration or need. */
  static final int TOLD_ENOUGH = 10;

  private static final String READ_ONLY = "readOnly";
  private static final String USERS_OWN = "readOnlyBefore";
  private static final String UID = "uid";
  private static final String RECOVERY_OFF = "autorecoveryOff";
  private static final String POD = "pod";
  private static final String DELAY = "delay";
  private static final String BEFORE = "before";
  private static final String NOW = "now";

  Debts {
    readOnly = Sorted.copyOf(readOnly);
    usersOwn = Sorted.copyOf(usersOwn);
  }

  static Debts noted(List<Note> notes) {
    return new Debts(
        uids(notes, READ_ONLY),
        uids(notes, USERS_OWN),
        RecordedState.note(notes, RECOVERY_OFF, "").map(n -> n.value(POD)),
        RecordedState.note(notes, DELAY, "")
            .flatMap(n -> Delay.parse(n.value(BEFORE), n.value(NOW))));
  }

  private static Map<String, String> uids(List<Note> notes, String kind) {
    var byBookie = new TreeMap<String, String>();
    RecordedState.notes(notes, kind).forEach(n -> byBookie.put(n.about(), n.value(UID)));
    return byBookie;
  }

  List<Note> notes() {
    var notes = new ArrayList<Note>();
    readOnly.forEach((bookie, uid) -> notes.add(new Note(READ_ONLY, bookie, Map.of(UID, uid))));
    usersOwn.forEach((bookie, uid) -> notes.add(new Note(USERS_OWN, bookie, Map.of(UID, uid))));
    stoppedFor.ifPresent(pod -> notes.add(new Note(RECOVERY_OFF, "", Map.of(POD, pod))));
    delay.ifPresent(
        d -> notes.add(new Note(DELAY, "", Map.of(BEFORE, "" + d.before, NOW, "" + d.now))));
    return RecordedState.sorted(notes);
  }

  /** What is owed on this look. */
  static Debts of(Snapshot snapshot, Component component) {
    Debts noted = noted(RecordedState.notes(snapshot, component));
    Optional<RecordedStep> step = RecordedState.step(snapshot, component);
    Optional<Command> command = step.flatMap(Command::of);
    boolean inFlight =
        step.filter(s -> snapshot.at().isBefore(s.since().plus(IN_FLIGHT))).isPresent();
    boolean rolling = snapshot.memory().component(component.name()).target().isPresent();
    Debts seen = noted.with(command, component).seen(component, command.filter(_ -> inFlight));
    return rolling ? seen.withUsersOwn(component) : seen.withoutUntouched(component);
  }

  /** What nobody restarted for an upgrade is not Belay's to put back when it is over. */
  private Debts withoutUntouched(Component component) {
    var touched = new TreeMap<>(usersOwn);
    touched.values().removeIf(uid -> lives(component, uid));
    return new Debts(readOnly, touched, stoppedFor, delay);
  }

  private static boolean lives(Component component, String uid) {
    return component.podList().stream().anyMatch(p -> p.uid().equals(uid));
  }

  /** Who is read-only and was not made so by Belay is to stay so. */
  private Debts withUsersOwn(Component component) {
    var more = new TreeMap<>(usersOwn);
    component.topology().asOptional().stream()
        .flatMap(t -> t.members().stream())
        .filter(m -> Readings.readOnly(m) && !readOnly.containsKey(m.name()))
        .forEach(m -> component.podOf(m).ifPresent(pod -> more.put(m.name(), pod.uid())));
    return new Debts(readOnly, more, stoppedFor, delay);
  }

  /** The bookie that was just told often enough what it shall be again; it stays owed. */
  static Optional<String> inVain(Snapshot snapshot, Component component) {
    return RecordedState.step(snapshot, component)
        .filter(s -> s.attempts() >= TOLD_ENOUGH)
        .flatMap(Command::of)
        .filter(Orders::restoresMode)
        .map(Command::memberId);
  }

  private Debts with(Optional<Command> command, Component component) {
    var drained = new TreeMap<>(readOnly);
    // Without the uid of its pod the bookie would be reopened while it is about to go down.
    command
        .filter(c -> Orders.drains(c) && component.pods() instanceof Fact.Known)
        .map(Command::memberId)
        .ifPresent(bookie -> drained.put(bookie, uid(component, bookie)));
    // Raised twice, the delay goes back to what it was before the first time.
    Optional<Delay> delayed =
        command
            .flatMap(Orders::delayed)
            .map(d -> new Delay(delay.filter(o -> o.now == d.before).orElse(d).before, d.now));
    Optional<String> stopped = command.filter(Orders::stopsRecovery).map(Command::object);
    return new Debts(drained, usersOwn, stopped.or(() -> stoppedFor), delayed.or(() -> delay));
  }

  private static String uid(Component component, String bookie) {
    return member(component, bookie).flatMap(component::podOf).map(Pod::uid).orElse("");
  }

  static Optional<Member> member(Component component, String bookie) {
    return component.topology().asOptional().flatMap(t -> t.member(bookie));
  }

  /** Without what is as it was, or as somebody else wants it; what cannot be seen stays owed. */
  private Debts seen(Component component, Optional<Command> inFlight) {
    Optional<String> drainInFlight = inFlight.filter(Orders::drains).map(Command::memberId);
    var drained = new TreeMap<>(readOnly);
    drained
        .keySet()
        .removeIf(bookie ->
            member(component, bookie).filter(Readings::writable).isPresent()
                && !drainInFlight.equals(Optional.of(bookie)));
    Fact<String> recovery = Readings.ofCluster(component, Readings.AUTORECOVERY);
    Fact<String> seconds = Readings.ofCluster(component, Readings.DELAY);
    return new Debts(
        drained,
        stillToClose(component),
        stoppedFor.filter(
            _ -> !recovery.is(Readings.ON) || inFlight.filter(Orders::stopsRecovery).isPresent()),
        delay.filter(d ->
            seconds.asOptional().filter(s -> !s.equals(Long.toString(d.now))).isEmpty()
                || inFlight.flatMap(Orders::delayed).isPresent()));
  }

  /** Without those that are what they were, and those that somebody made writable meanwhile. */
  private Map<String, String> stillToClose(Component component) {
    var open = new TreeMap<>(usersOwn);
    open.entrySet()
        .removeIf(e ->
            member(component, e.getKey())
                .filter(m ->
                    restarted(component, m, e.getValue())
                        ? Readings.readOnly(m)
                        : Readings.writable(m))
                .isPresent());
    return open;
  }

  /** The bookies that are writable by their restart, and were not before. */
  List<Member> toClose(Component component) {
    return usersOwn.entrySet().stream()
        .flatMap(e ->
            member(component, e.getKey())
                .filter(m -> restarted(component, m, e.getValue()) && Readings.writable(m))
                .stream())
        .toList();
  }

  private static boolean restarted(Component component, Member member, String uid) {
    return component.podOf(member).filter(pod -> !pod.uid().equals(uid)).isPresent();
  }

  List<String> words(Component component) {
    var words = new ArrayList<String>();
    readOnly
        .keySet()
        .forEach(b -> words.add(b + " writable again: it was made read-only before it went down"));
    usersOwn.forEach((b, uid) -> {
      if (!lives(component, uid)) {
        words.add(b + " read-only again: it was so before its restart");
      }
    });
    stoppedFor.ifPresent(pod -> words.add("autorecovery on again: it was turned off for " + pod));
    delay.ifPresent(d ->
        words.add(
            "lost bookies recovered after %d s again: for the upgrade it is %d s"
                .formatted(d.before, d.now)));
    return List.copyOf(words);
  }
}
