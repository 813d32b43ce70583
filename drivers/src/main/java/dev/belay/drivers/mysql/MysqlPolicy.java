package dev.belay.drivers.mysql;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.driver.WayBack;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Version;
import dev.belay.core.rules.Versions;
import dev.belay.core.state.Command;
import dev.belay.core.state.Note;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.drivers.RecordedState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What MySQL and MariaDB demand of an upgrade: the pure half of their driver. */
public final class MysqlPolicy implements SystemPolicy {

  public static final MysqlPolicy INSTANCE = new MysqlPolicy();

  private MysqlPolicy() {}

  @Override
  public List<Rule> rules() {
    return MysqlRules.ALL;
  }

  /**
   * A replica may be newer than its primary, never older: so one that is not updated yet leads as
   * long as there is one, and of those the lowest ordinal, which is updated last.
   */
  @Override
  public Comparator<Member> successors(Component component) {
    return Comparator.comparingInt((Member m) -> updated(component, m) ? 1 : 0)
        .thenComparingInt(m -> followsTheLeader(component, m) ? 0 : 1)
        .thenComparingInt(m -> m.reading(Readings.LOGS).is("true") ? 0 : 1)
        .thenComparingInt(m -> component.podOf(m).map(Pod::ordinal).orElse(Integer.MAX_VALUE))
        .thenComparing(Member::name);
  }

  private static boolean updated(Component component, Member member) {
    return component.podOf(member).filter(p -> MysqlRules.updated(component, p)).isPresent();
  }

  private static boolean followsTheLeader(Component component, Member member) {
    return component
        .topology()
        .asOptional()
        .flatMap(t -> t.leader().asOptional().flatMap(l -> t.member(l.memberId())))
        .filter(l -> member.reading(Readings.SOURCE).is(l.name()))
        .isPresent();
  }

  @Override
  public Optional<Command> handOver(
      Snapshot snapshot, Component component, Member from, Member successor) {
    return HandOver.of(snapshot, component).isPresent() || HandOver.givenUp(snapshot, component)
        ? Optional.empty()
        : new Switchover(Roles.of(component)).begin(from.name(), successor.name());
  }

  @Override
  public Optional<Command> tend(Snapshot snapshot, Component component, Optional<Pod> busy) {
    return HandOver.of(snapshot, component)
        .flatMap(h -> new Switchover(Roles.of(component)).goOn(h, snapshot.at()));
  }

  @Override
  public List<Note> remember(Snapshot snapshot, Component component) {
    var next = new ArrayList<>(HandOver.next(snapshot, component));
    next.addAll(Ran.of(component, RecordedState.notes(snapshot, component)).notes());
    return RecordedState.sorted(next);
  }

  @Override
  public List<String> owes(Component component, List<Note> notes) {
    return HandOver.noted(notes)
        .map(h ->
            "one writable primary that everybody follows: %s was made read-only so that %s can take over"
                .formatted(h.from(), h.to()))
        .stream()
        .toList();
  }

  /** For the forecast the switchover is one step: what it begins, it ends within seconds. */
  @Override
  public Component after(Component component, Command command) {
    return Switchover.begins(command)
        ? component.withTopology(
            component.topology().map(t -> Forward.led(t, command.argument(Switchover.TO))))
        : component;
  }

  /** Neither supports data that a newer series has run on. */
  @Override
  public WayBack wayBack(Component component) {
    return wayBack(component, List.of());
  }

  @Override
  public WayBack wayBack(Component component, List<Note> notes) {
    if (component.topology() instanceof Fact.Unknown<Topology>(String why)) {
      return WayBack.unknown(why);
    }
    return Ran.of(component, notes)
        .highest(component)
        .map(s ->
            WayBack.floor(
                s + ".0",
                "a server has run %s on its data, and no older series is supported on that"
                    .formatted(s)))
        .orElse(WayBack.unknown("no member tells its version"));
  }

  private static Stream<Series> running(Component component) {
    return component.topology().asOptional().stream()
        .flatMap(t -> t.members().stream())
        .flatMap(m -> Series.of(m).asOptional().stream());
  }

  /** The first member on a newer series closes it. */
  @Override
  public Optional<String> closes(Component component, Pod target) {
    Optional<Series> to =
        component
            .workload()
            .flatMap(Versions::ofTemplate)
            .asOptional()
            .flatMap(Version::parse)
            .map(Series::of);
    boolean first = to.isPresent() && running(component).allMatch(s -> s.compareTo(to.get()) < 0);
    return first
        ? Optional.of(
            "%s is the first to run %s on its data, and no older series is supported on that"
                .formatted(target.name(), to.get()))
        : Optional.empty();
  }
}
