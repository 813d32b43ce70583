package dev.belay.drivers.bookkeeper;

import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Member;
import dev.belay.core.snapshot.Memory.RecordedStep;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
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
 * @param stoppedFor the pod for which autorecovery is off
 * @param delay what the delay was, and is now
 */
record Debts(Map<String, String> readOnly, Optional<String> stoppedFor, Optional<Delay> delay) {

  /** In seconds. */
  record Delay(long before, long now) {}

  /** A recorded command can still come that long: the operator drops it after 8 s, and it has 5. */
  static final Duration IN_FLIGHT = Duration.ofSeconds(15);

  /** Told so often and still read-only, a bookie is so by its own configuration or need. */
  static final int TOLD_ENOUGH = 10;

  private static final String READ_ONLY = "readOnly.";
  private static final String AUTORECOVERY = "autorecovery.offFor";
  private static final String BEFORE = "delay.before";
  private static final String NOW = "delay.now";

  Debts {
    readOnly = Map.copyOf(readOnly);
  }

  static Debts noted(Map<String, String> notes) {
    var readOnly = new TreeMap<String, String>();
    notes.forEach((key, uid) -> {
      if (key.startsWith(READ_ONLY)) {
        readOnly.put(key.substring(READ_ONLY.length()), uid);
      }
    });
    return new Debts(
        readOnly,
        Optional.ofNullable(notes.get(AUTORECOVERY)),
        Optional.ofNullable(notes.get(BEFORE))
            .map(before ->
                new Delay(Long.parseLong(before), Long.parseLong(notes.getOrDefault(NOW, "0")))));
  }

  Map<String, String> notes() {
    var notes = new TreeMap<String, String>();
    readOnly.forEach((bookie, uid) -> notes.put(READ_ONLY + bookie, uid));
    stoppedFor.ifPresent(pod -> notes.put(AUTORECOVERY, pod));
    delay.ifPresent(d -> {
      notes.put(BEFORE, Long.toString(d.before));
      notes.put(NOW, Long.toString(d.now));
    });
    return notes;
  }

  /** What is owed on this look. */
  static Debts of(Snapshot snapshot, Component component) {
    Debts noted = noted(snapshot.memory().component(component.name()).notes());
    Optional<RecordedStep> mine = snapshot.memory().step().filter(s -> component.owns(s.object()));
    String what = mine.map(RecordedStep::what).orElse("");
    boolean inFlight =
        mine.filter(s -> snapshot.at().isBefore(s.since().plus(IN_FLIGHT))).isPresent();
    return noted.with(what, component).seen(component, inFlight ? what : "");
  }

  /** The bookie that was just told often enough to be writable again; it stays owed. */
  static Optional<String> inVain(Snapshot snapshot) {
    return snapshot
        .memory()
        .step()
        .filter(s -> s.attempts() >= TOLD_ENOUGH)
        .flatMap(s -> Orders.reopened(s.what()));
  }

  private Debts with(String what, Component component) {
    var drained = new TreeMap<>(readOnly);
    Orders.drained(what).ifPresent(bookie -> drained.put(bookie, uid(component, bookie)));
    // Raised twice, the delay goes back to what it was before the first time.
    Optional<Delay> delayed =
        Orders.delayed(what)
            .map(d -> new Delay(delay.filter(o -> o.now == d.before).orElse(d).before, d.now));
    return new Debts(
        drained, Orders.stoppedFor(what).or(() -> stoppedFor), delayed.or(() -> delay));
  }

  private static String uid(Component component, String bookie) {
    return member(component, bookie).flatMap(component::podOf).map(Pod::uid).orElse("");
  }

  static Optional<Member> member(Component component, String bookie) {
    return component.topology().asOptional().flatMap(t -> t.member(bookie));
  }

  /** Without what is as it was, or as somebody else wants it; what cannot be seen stays owed. */
  private Debts seen(Component component, String inFlight) {
    var drained = new TreeMap<>(readOnly);
    drained
        .keySet()
        .removeIf(bookie ->
            member(component, bookie).filter(Readings::writable).isPresent()
                && !Orders.drained(inFlight).equals(Optional.of(bookie)));
    Fact<String> recovery = Readings.ofCluster(component, Readings.AUTORECOVERY);
    Fact<String> seconds = Readings.ofCluster(component, Readings.DELAY);
    return new Debts(
        drained,
        stoppedFor.filter(
            _ -> !recovery.is(Readings.ON) || Orders.stoppedFor(inFlight).isPresent()),
        delay.filter(d ->
            seconds.asOptional().filter(s -> !s.equals(Long.toString(d.now))).isEmpty()
                || Orders.delayed(inFlight).isPresent()));
  }

  List<String> words() {
    var words = new ArrayList<String>();
    new TreeMap<>(readOnly)
        .keySet()
        .forEach(b -> words.add(b + " writable again: it was made read-only before it went down"));
    stoppedFor.ifPresent(pod -> words.add("autorecovery on again: it was turned off for " + pod));
    delay.ifPresent(d ->
        words.add(
            "lost bookies recovered after %d s again: for the upgrade it is %d s"
                .formatted(d.before, d.now)));
    return List.copyOf(words);
  }
}
