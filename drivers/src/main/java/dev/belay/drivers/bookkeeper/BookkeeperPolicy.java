package dev.belay.drivers.bookkeeper;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.driver.WayBack;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import dev.belay.core.state.Note;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.drivers.RecordedState;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What BookKeeper demands of an upgrade: the pure half of its driver. */
public final class BookkeeperPolicy implements SystemPolicy {

  public static final BookkeeperPolicy INSTANCE = new BookkeeperPolicy();

  /** What waits longer than this for something else is not prepared any more meanwhile. */
  private static final Duration A_MOMENT = Duration.ofSeconds(30);

  /** How often a command is sent before a bookie goes down without it. */
  private static final int TRIES = 3;

  private BookkeeperPolicy() {}

  @Override
  public List<Rule> rules() {
    return BookkeeperRules.ALL;
  }

  @Override
  public Comparator<Member> successors(Component component) {
    return Comparator.comparing(Member::name);
  }

  /**
   * First nobody restores copies of what is back in a moment, then clients are sent elsewhere. The
   * delay keeps the net under a second loss; only a new auditor does not know of it, so that
   * recovery is off while the auditor's own bookie is down.
   */
  @Override
  public Optional<Command> prepare(Snapshot snapshot, Component component, Pod target) {
    Optional<Member> bookie = component.memberOf(target).asOptional().filter(m -> !m.knownDown());
    return bookie.flatMap(b ->
        Stream.of(
                slowRecovery(component, target),
                stopRecovery(component, target, b),
                drain(component, target, b))
            .skip(givenUp(snapshot, component, target))
            .flatMap(Optional::stream)
            .findFirst());
  }

  /**
   * How many of the preparations are let be: those before the one that was tried last, and that one
   * when it was tried often enough. They spare copying and time-outs; no bookie has to allow them.
   */
  private static int givenUp(Snapshot snapshot, Component component, Pod target) {
    Optional<RecordedStep> last =
        RecordedState.step(snapshot, component).filter(s -> s.object().equals(target.name()));
    Optional<Command> command = last.flatMap(Command::of);
    int often = last.filter(s -> s.attempts() >= TRIES).isPresent() ? 1 : 0;
    if (command.filter(Orders::drains).isPresent()) {
      return 2 + often;
    }
    return command.filter(Orders::stopsRecovery).isPresent()
        ? 1 + often
        : command.flatMap(Orders::delayed).isPresent() ? often : 0;
  }

  private static Optional<Command> slowRecovery(Component component, Pod target) {
    long wanted = component.spec().rollout().readyTimeout().toSeconds();
    return recovery(component)
        .flatMap(_ -> Readings.ofCluster(component, Readings.DELAY).asOptional())
        .map(Long::parseLong)
        .filter(delay -> delay < wanted)
        .flatMap(delay ->
            through(component, target).map(m -> Orders.delay(m, target.name(), delay, wanted)));
  }

  /** Where the delay cannot be read, it cannot be put back either. */
  private static Optional<Command> stopRecovery(Component component, Pod target, Member bookie) {
    Fact<String> delay = Readings.ofCluster(component, Readings.DELAY);
    return recovery(component)
        .filter(auditor -> auditor.equals(bookie.name()) || delay instanceof Fact.Unknown)
        .flatMap(_ -> through(component, target))
        .map(m -> Orders.stopRecovery(m, target.name()));
  }

  /** Who audits, where lost copies are restored at all: what the user turned off stays off. */
  private static Optional<String> recovery(Component component) {
    return Readings.ofCluster(component, Readings.AUTORECOVERY)
        .asOptional()
        .filter(Readings.ON::equals)
        .flatMap(_ -> Readings.ofCluster(component, Readings.AUDITOR).asOptional())
        .filter(auditor -> !auditor.equals(Readings.NOBODY));
  }

  /** Without a writable bookie in its place, read-only is only a longer outage. */
  private static Optional<Command> drain(Component component, Pod target, Member bookie) {
    return Readings.writable(bookie) && spared(component, bookie)
        ? Optional.of(Orders.drain(bookie, target.name()))
        : Optional.empty();
  }

  private static boolean spared(Component component, Member bookie) {
    Optional<Topology> topology = component.topology().asOptional();
    int required =
        topology.stream()
            .flatMap(t -> t.groupsOf(bookie.id()).stream())
            .mapToInt(Group::required)
            .max()
            .orElse(Integer.MAX_VALUE);
    return topology.stream()
            .flatMap(t -> t.members().stream())
            .filter(m -> !m.id().equals(bookie.id()) && m.healthy() && Readings.writable(m))
            .count()
        >= required;
  }

  /** Through whom the cluster is told: rather not the one that is about to go. */
  private static Optional<Member> through(Component component, Pod target) {
    return component.topology().asOptional().stream()
        .flatMap(t -> t.members().stream())
        .filter(m -> m.healthy() && m.reading(Command.TERM) instanceof Fact.Known)
        .min(
            Comparator.comparing((Member m) ->
                    component.podOf(m).map(Pod::name).equals(Optional.of(target.name())))
                .thenComparing(Member::name));
  }

  @Override
  public Optional<Command> tend(Snapshot snapshot, Component component, Optional<Pod> busy) {
    Debts debts = Debts.of(snapshot, component);
    Optional<Pod> going = busy.filter(p -> !stalled(snapshot, p));
    List<String> awaited = awaited(snapshot, component);
    return reopen(snapshot, component, going)
        .or(() -> close(snapshot, component, debts))
        .or(() ->
            debts
                .stoppedFor()
                .filter(pod -> going.filter(p -> p.name().equals(pod)).isEmpty())
                .filter(pod -> !awaited.contains(pod))
                .flatMap(_ -> anyone(component))
                .map(m -> Orders.resumeRecovery(m, pod(component, m))))
        .or(() ->
            debts
                .delay()
                .filter(_ -> going.isEmpty() && awaited.isEmpty())
                .flatMap(d ->
                    anyone(component)
                        .map(m -> Orders.restoreDelay(m, pod(component, m), d.before()))));
  }

  /**
   * The pods that are gone and not made anew yet: down for the upgrade like those that are just
   * starting, but in nobody's list.
   */
  private static List<String> awaited(Snapshot snapshot, Component component) {
    boolean goesOn =
        snapshot.memory().component(component.name()).target().isPresent()
            && !snapshot.spec().paused()
            && !snapshot.subject().deleting()
            && !waits(snapshot);
    return component.workload().asOptional().filter(_ -> goesOn).stream()
        .flatMap(w ->
            IntStream.range(0, w.replicas()).mapToObj(i -> w.name() + "-" + (w.firstOrdinal() + i)))
        .filter(pod -> component.podList().stream().noneMatch(p -> p.name().equals(pod)))
        .toList();
  }

  /** Each bookie but the very pod that is about to go. */
  private static Optional<Command> reopen(
      Snapshot snapshot, Component component, Optional<Pod> going) {
    Optional<String> inVain = Debts.inVain(snapshot, component);
    return Debts.of(snapshot, component).readOnly().entrySet().stream()
        .filter(e -> !inVain.equals(Optional.of(e.getKey())))
        .filter(e -> going.filter(p -> p.uid().equals(e.getValue())).isEmpty())
        .flatMap(e -> Debts.member(component, e.getKey()).stream())
        .filter(Readings::readOnly)
        .findFirst()
        .map(m -> Orders.reopen(m, pod(component, m)));
  }

  /** As soon as it is back: until then clients may have begun to write to it. */
  private static Optional<Command> close(Snapshot snapshot, Component component, Debts debts) {
    Optional<String> inVain = Debts.inVain(snapshot, component);
    return debts.toClose(component).stream()
        .filter(m -> !inVain.equals(Optional.of(m.name())))
        .findFirst()
        .map(m -> Orders.close(m, pod(component, m)));
  }

  /** Ready to go, and kept from it for a while: until it may, it serves as it did before. */
  private static boolean stalled(Snapshot snapshot, Pod pod) {
    return pod.ready() && !pod.terminating() && waits(snapshot);
  }

  private static boolean waits(Snapshot snapshot) {
    return snapshot
        .memory()
        .blocked()
        .filter(b -> b.since().plus(A_MOMENT).isBefore(snapshot.at()))
        .isPresent();
  }

  private static Optional<Member> anyone(Component component) {
    return component.topology().asOptional().stream()
        .flatMap(t -> t.members().stream())
        .filter(m -> m.healthy() && m.reading(Command.TERM) instanceof Fact.Known)
        .min(Comparator.comparing(Member::name));
  }

  private static String pod(Component component, Member member) {
    return component.podOf(member).map(Pod::name).orElse(member.name());
  }

  @Override
  public List<Note> remember(Snapshot snapshot, Component component) {
    return Debts.of(snapshot, component).notes();
  }

  @Override
  public List<String> owes(Component component, List<Note> notes) {
    return Debts.noted(notes).words(component);
  }

  @Override
  public Component after(Component component, Command command) {
    return component.withTopology(
        component
            .topology()
            .map(t ->
                new Topology(
                    t.clusterId(),
                    t.members().stream().map(m -> after(m, command)).toList(),
                    t.leader(),
                    t.groups())));
  }

  /** The mode is one bookie's, all else is everybody's. */
  private static Member after(Member member, Command command) {
    var effect = Orders.effect(command);
    if (effect.getKey().equals(Readings.MODE) && !member.id().equals(command.memberId())) {
      return member;
    }
    var readings = new TreeMap<>(member.readings());
    readings.put(effect.getKey(), Fact.known(effect.getValue()));
    readings.put(Command.TERM, Picture.term(readings));
    return new Member(
        member.id(),
        member.name(),
        member.hosts(),
        member.role(),
        member.health(),
        member.version(),
        readings);
  }

  /** 4.18 and 4.17 were seen to start on each other's data. */
  @Override
  public WayBack wayBack(Component component) {
    return WayBack.open(
        "bookies write nothing down that would make an older release refuse to start");
  }
}
