package dev.belay.drivers.etcd;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Version;
import dev.belay.core.state.Note;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Objection.Weight;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.drivers.RecordedState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** What etcd demands of an upgrade, beyond what holds for every system. */
final class EtcdRules {

  /** The first 3.5 from which etcd supports the upgrade to 3.6. */
  private static final Version READY_FOR_3_6 = Version.parse("3.5.26").orElseThrow();

  static final Reason ONE_MINOR_AT_A_TIME =
      new Reason(
          "OneMinorAtATime",
          "etcd reads data and talks to members of the neighbouring minor release only: a skipped"
              + " minor, or a way back after the cluster version has moved, leaves members that do"
              + " not start.",
          "Go through each minor release in turn, from the newest patch of the one before.",
          "etcd's own upgrade guides go by one minor. k0smotron#1579 asks to have it"
              + " refused up front, etcd-operator#168 to have 3.5.20 before 3.6.");

  static final Reason CLUSTER_VERSION_IS_SETTLED =
      new Reason(
          "ClusterVersionIsSettled",
          "A member of the next minor release refuses to join while the cluster version lags"
              + " behind.",
          "Wait: the cluster version follows a few seconds after the last member is new. If it"
              + " does not, look for a member that still runs the older release.",
          "Tried on real etcd 3.5, 3.6 and 3.7: the version of the cluster rises a few"
              + " seconds after the last member is new, and then there is no way back.");

  static final Reason OLD_LOG_IS_BEHIND_A_SNAPSHOT =
      new Reason(
          "OldLogIsBehindASnapshot",
          "etcd 3.7 panics when it replays log entries from the time of 3.5 that no raft snapshot"
              + " covers.",
          "Let every member save a raft snapshot on 3.6: write about --snapshot-count entries"
              + " (10,000 unless set), or run 3.6 with a lower --snapshot-count.",
          "Tried on real etcd: the same data directory starts on 3.6, and starts on 3.7"
              + " once a snapshot covers the old entries.");

  static final List<Rule> ALL =
      List.of(
          new Rule(ONE_MINOR_AT_A_TIME, EtcdRules::oneMinorAtATime),
          new Rule(CLUSTER_VERSION_IS_SETTLED, EtcdRules::clusterVersionIsSettled),
          new Rule(OLD_LOG_IS_BEHIND_A_SNAPSHOT, EtcdRules::oldLogIsBehindASnapshot));

  private EtcdRules() {}

  private static Optional<Objection> oneMinorAtATime(
      Snapshot snapshot, Component component, Step step) {
    return switch (Target.of(component, step)) {
      case Target.None none -> Optional.empty();
      case Target.Unseen(String pod, Fact.Unknown<?> unknown) ->
          Optional.of(ONE_MINOR_AT_A_TIME.unseen(pod, unknown));
      case Target.NoVersion(String field, String value) ->
          human(
              field,
              field + " is \"" + value + "\", from which no version can be told",
              "give a version, as in quay.io/coreos/etcd:v3.6.16 (a digest may follow the tag)");
      case Target.To to ->
          switch (component.topology()) {
            case Fact.Unknown<Topology> unknown ->
                Optional.of(ONE_MINOR_AT_A_TIME.unseen(component.name(), unknown));
            case Fact.Known<Topology>(Topology topology) ->
                first(topology.members(), member -> illegal(component, member, to));
          };
    };
  }

  private static Optional<Objection> illegal(Component component, Member member, Target.To to) {
    String name = Versions.name(member);
    return switch (Versions.running(component, member)) {
      case Fact.Unknown<Version> unknown -> Optional.of(ONE_MINOR_AT_A_TIME.unseen(name, unknown));
      case Fact.Known<Version>(Version from) -> {
        Minor here = Minor.of(from);
        Minor there = to.minor();
        String move = name + " runs " + from + ", " + to.version() + " ";
        if (there.equals(here)) {
          yield Optional.empty();
        }
        if (there.isNextOf(here)) {
          yield here.equals(Minor.V3_5) && from.olderThan(READY_FOR_3_6)
              ? human(
                  name,
                  move + "needs at least " + READY_FOR_3_6 + " on every member",
                  "go to the newest 3.5 first")
              : Optional.empty();
        }
        if (here.isNextOf(there)) {
          yield wayBackClosed(component, name, to);
        }
        yield there.compareTo(here) > 0
            ? human(
                name,
                move + "is more than one minor release on",
                "go to " + new Minor(here.major(), here.minor() + 1) + " first")
            : human(name, move + "is more than one minor release back", "stay on " + here);
      }
    };
  }

  private static Optional<Objection> wayBackClosed(Component component, String name, Target.To to) {
    return switch (Versions.agreed(component, to.pod())) {
      case Fact.Unknown<Map<String, Version>> unknown ->
          Optional.of(ONE_MINOR_AT_A_TIME.unseen(name, unknown));
      case Fact.Known<Map<String, Version>>(var agreed) ->
          agreed.entrySet().stream()
              .filter(e -> !Minor.of(e.getValue()).equals(to.minor()))
              .findFirst()
              .map(e ->
                  ONE_MINOR_AT_A_TIME.objection(
                      name,
                      "the cluster version is %s on %s: etcd refuses to start %s"
                          .formatted(e.getValue(), e.getKey(), to.version()),
                      "stay on " + Minor.of(e.getValue()) + ", or restore a backup",
                      Weight.HUMAN));
    };
  }

  private static Optional<Objection> clusterVersionIsSettled(
      Snapshot snapshot, Component component, Step step) {
    if (!(Target.of(component, step) instanceof Target.To to)) {
      return Optional.empty();
    }
    // Who cannot be read is OneMinorAtATime's to name.
    Optional<Minor> lowest =
        members(component).stream()
            .flatMap(m -> minor(component, m).stream())
            .min(Minor::compareTo);
    if (lowest.isEmpty() || !to.minor().isNextOf(lowest.get())) {
      return Optional.empty();
    }
    return switch (Versions.agreed(component, to.pod())) {
      case Fact.Unknown<Map<String, Version>> unknown ->
          Optional.of(CLUSTER_VERSION_IS_SETTLED.unseen(component.name(), unknown));
      case Fact.Known<Map<String, Version>>(var agreed) ->
          agreed.entrySet().stream()
              .filter(e -> !Minor.of(e.getValue()).equals(lowest.get()))
              .findFirst()
              .map(e ->
                  CLUSTER_VERSION_IS_SETTLED.objection(
                      e.getKey(),
                      "cluster version is %s on %s, %s is needed before %s"
                          .formatted(e.getValue(), e.getKey(), lowest.get(), to.minor()),
                      "it follows seconds after the last member is on " + lowest.get(),
                      Weight.WAIT));
    };
  }

  private static Optional<Objection> oldLogIsBehindASnapshot(
      Snapshot snapshot, Component component, Step step) {
    if (!(Target.of(component, step) instanceof Target.To to) || !to.minor().equals(Minor.V3_7)) {
      return Optional.empty();
    }
    List<Member> members = members(component);
    boolean begun = members.stream().anyMatch(m -> minor(component, m).equals(on(Minor.V3_7)));
    List<Note> notes = RecordedState.notes(snapshot, component);
    return first(
        members.stream()
            .filter(m -> minor(component, m).equals(on(Minor.V3_6)))
            .filter(m -> !begun || to.pod().isEmpty() || livesIn(component, m, to.pod()))
            .toList(),
        member -> logNotCovered(notes, member));
  }

  private static Optional<Objection> logNotCovered(List<Note> notes, Member member) {
    String name = Versions.name(member);
    return switch (SnapshotNotes.saved(notes, Minor.V3_6, member)) {
      case Fact.Unknown<Boolean> unknown ->
          Optional.of(OLD_LOG_IS_BEHIND_A_SNAPSHOT.unseen(name, unknown));
      case Fact.Known<Boolean>(Boolean saved) ->
          saved
              ? Optional.empty()
              : Optional.of(
                  OLD_LOG_IS_BEHIND_A_SNAPSHOT.objection(
                      name,
                      "no raft snapshot saved on " + name + " since the cluster settled on 3.6",
                      "at most --snapshot-count more writes (10,000 unless set), or 3.6 with a"
                          + " lower --snapshot-count",
                      Weight.WAIT));
    };
  }

  private static boolean livesIn(Component component, Member member, Optional<String> pod) {
    return component.podOf(member).map(p -> p.name()).equals(pod);
  }

  private static Optional<Minor> minor(Component component, Member member) {
    return Versions.running(component, member).map(Minor::of).asOptional();
  }

  private static Optional<Minor> on(Minor minor) {
    return Optional.of(minor);
  }

  private static List<Member> members(Component component) {
    return component.topology().map(Topology::members).asOptional().orElse(List.of());
  }

  private static Optional<Objection> first(
      List<Member> members, Function<Member, Optional<Objection>> judge) {
    return members.stream().flatMap(m -> judge.apply(m).stream()).findFirst();
  }

  private static Optional<Objection> human(String object, String reading, String cure) {
    return Optional.of(ONE_MINOR_AT_A_TIME.objection(object, reading, cure, Weight.HUMAN));
  }
}
