package dev.belay.drivers.etcd;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.driver.WayBack;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Version;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Note;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.drivers.RecordedState;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What etcd demands of an upgrade: the pure half of its driver. */
public final class EtcdPolicy implements SystemPolicy {

  public static final EtcdPolicy INSTANCE = new EtcdPolicy();

  private static final long NO_LAG = 500;

  private EtcdPolicy() {}

  @Override
  public List<Rule> rules() {
    return EtcdRules.ALL;
  }

  /**
   * An updated successor need not be moved off again; among equals, the least lag worth the name,
   * the name.
   */
  @Override
  public Comparator<Member> successors(Component component) {
    return Comparator.comparingInt((Member m) -> updated(component, m) ? 0 : 1)
        .thenComparingLong(EtcdPolicy::lag)
        .thenComparing(Member::name)
        .thenComparing(Member::id);
  }

  private static boolean updated(Component component, Member member) {
    Optional<String> wanted = component.workload().asOptional().map(Workload::updateRevision);
    return wanted.isPresent() && component.podOf(member).map(Pod::revision).equals(wanted);
  }

  /** Under load healthy members differ by a few entries at any moment: that is no difference. */
  private static long lag(Member member) {
    return member
        .reading(Readings.LAG)
        .map(text -> Math.max(0, Long.parseLong(text) - NO_LAG))
        .asOptional()
        .orElse(Long.MAX_VALUE);
  }

  @Override
  public List<Note> remember(Snapshot snapshot, Component component) {
    return SnapshotNotes.next(RecordedState.notes(snapshot, component), component);
  }

  /** etcd starts no member below the cluster version, and moves that only forward by itself. */
  @Override
  public WayBack wayBack(Component component) {
    return switch (Versions.agreed(component, Optional.empty())) {
      case Fact.Unknown<Map<String, Version>>(String why) -> WayBack.unknown(why);
      case Fact.Known<Map<String, Version>>(var agreed) -> {
        // Where members differ for a moment, the highest is the one that will hold.
        Version version = agreed.values().stream().max(Version::compareNumbers).orElseThrow();
        Minor floor = Minor.of(version);
        yield WayBack.floor(
            floor + ".0",
            someoneIsAhead(component, floor)
                ? "the cluster version is still %s; it moves seconds after the last member is new, and then there is no way back"
                    .formatted(floor)
                : "the cluster version is %s and etcd starts no member below it".formatted(floor));
      }
    };
  }

  /** The last member on the older minor release keeps the cluster version where it is. */
  @Override
  public Optional<String> closes(Component component, Pod target) {
    Optional<Minor> to =
        component
            .workload()
            .flatMap(dev.belay.core.rules.Versions::ofTemplate)
            .flatMap(Versions::parsed)
            .asOptional()
            .map(Minor::of);
    boolean last =
        to.isPresent()
            && component.topology().asOptional().stream()
                .flatMap(t -> t.members().stream())
                .allMatch(m ->
                    runs(component, m, to.get())
                        != component.podOf(m).filter(target::equals).isPresent());
    return last
        ? Optional.of(
            "the cluster version moves to " + to.get() + " seconds after the last member is new")
        : Optional.empty();
  }

  private static boolean runs(Component component, Member member, Minor minor) {
    return Versions.running(component, member)
        .asOptional()
        .map(Minor::of)
        .filter(minor::equals)
        .isPresent();
  }

  private static boolean someoneIsAhead(Component component, Minor floor) {
    return component.topology().asOptional().stream()
        .flatMap(t -> t.members().stream())
        .flatMap(m -> Versions.running(component, m).asOptional().stream())
        .anyMatch(v -> Minor.of(v).compareTo(floor) > 0);
  }
}
