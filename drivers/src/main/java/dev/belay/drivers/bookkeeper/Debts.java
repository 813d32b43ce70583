package dev.belay.drivers.bookkeeper;

import dev.belay.core.driver.Command;
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
  record Delay(long before, long now) {}

  /** A command that was sent at its last moment may need a while until its effect is seen. */
  static final Duration IN_FLIGHT = Command.LIFE.plusSeconds(5);

  /** Told so often and still read-only, a bookie is so by its own configuration or need. */
  static final int TOLD_ENOUGH = 10;

  private static final String READ_ONLY = "readOnly.";
  private static final String USERS_OWN = "readOnlyBefore.";
  private static final String AUTORECOVERY = "autorecovery.offFor";
  private static final String BEFORE = "delay.before";
  private static final String NOW = "delay.now";

  Debts {
    readOnly = Map.copyOf(readOnly);
    usersOwn = Map.copyOf(usersOwn);
  }

  static Debts noted(Map<String, String> notes) {
    return new Debts(
        noted(notes, READ_ONLY),
        noted(notes, USERS_OWN),
        Optional.ofNullable(notes.get(AUTORECOVERY)),
        Optional.ofNullable(notes.get(BEFORE))
            .map(before ->
                new Delay(Long.parseLong(before), Long.parseLong(notes.getOrDefault(NOW, "0")))));
  }

  private static Map<String, String> noted(Map<String, String> notes, String prefix) {
    var byBookie = new TreeMap<String, String>();
    notes.forEach((key, uid) -> {
      if (key.startsWith(prefix)) {
        byBookie.put(key.substring(prefix.length()), uid);
      }
    });
    return byBookie;
  }

  Map<String, String> notes() {
    var notes = new TreeMap<String, String>();
    readOnly.forEach((bookie, uid) -> notes.put(READ_ONLY + bookie, uid));
    usersOwn.forEach((bookie, uid) -> notes.put(USERS_OWN + bookie, uid));
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
    boolean rolling = snapshot.memory().component(component.name()).target().isPresent();
    Debts mineSeen = noted.with(what, component).seen(component, inFlight ? what : "");
    return rolling ? mineSeen.withUsersOwn(component) : mineSeen.withoutUntouched(component);
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
  static Optional<String> inVain(Snapshot snapshot) {
    return snapshot
        .memory()
        .step()
        .filter(s -> s.attempts() >= TOLD_ENOUGH)
        .flatMap(s -> Orders.reopened(s.what()).or(() -> Orders.closed(s.what())));
  }

  private Debts with(String what, Component component) {
    var drained = new TreeMap<>(readOnly);
    Orders.drained(what).ifPresent(bookie -> drained.put(bookie, uid(component, bookie)));
    // Raised twice, the delay goes back to what it was before the first time.
    Optional<Delay> delayed =
        Orders.delayed(what)
            .map(d -> new Delay(delay.filter(o -> o.now == d.before).orElse(d).before, d.now));
    return new Debts(
        drained, usersOwn, Orders.stoppedFor(what).or(() -> stoppedFor), delayed.or(() -> delay));
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
        stillToClose(component),
        stoppedFor.filter(
            _ -> !recovery.is(Readings.ON) || Orders.stoppedFor(inFlight).isPresent()),
        delay.filter(d ->
            seconds.asOptional().filter(s -> !s.equals(Long.toString(d.now))).isEmpty()
                || Orders.delayed(inFlight).isPresent()));
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
    return new TreeMap<>(usersOwn)
        .entrySet().stream()
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
    new TreeMap<>(readOnly)
        .keySet()
        .forEach(b -> words.add(b + " writable again: it was made read-only before it went down"));
    new TreeMap<>(usersOwn)
        .forEach((b, uid) -> {
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
