package dev.belay.drivers.pd;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Health;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Observed;
import dev.belay.core.state.Note;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.drivers.contract.Scene;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A three-member PD in a roll-out as the rules see it; tests change what matters to them. */
final class World {

  private static final Fence.ObjectVersion FENCE = Scene.fence("pd");
  private static final String IMAGE = "pingcap/pd:v8.1.0";

  private final Map<Integer, Fact<String>> priorities = new HashMap<>();
  private final Map<Integer, Fact<String>> lags = new HashMap<>();
  private final Set<Integer> updated = new HashSet<>();
  private final Set<Integer> unwell = new HashSet<>();
  private Optional<Integer> leader = Optional.of(0);
  private Optional<Topology> real = Optional.empty();
  private List<Note> notes = List.of();

  World priority(int member, int priority) {
    priorities.put(member, Fact.known(Integer.toString(priority)));
    return this;
  }

  World unreadPriority(int member) {
    priorities.put(member, Fact.unknown("not read"));
    return this;
  }

  World lag(int member, long lag) {
    lags.put(member, Fact.known(Long.toString(lag)));
    return this;
  }

  World updated(Integer... members) {
    updated.addAll(List.of(members));
    return this;
  }

  World unwell(int member) {
    unwell.add(member);
    return this;
  }

  /** Leadership is seen at this member, and what is worth remembering is remembered. */
  World leads(int member) {
    leader = Optional.of(member);
    return look();
  }

  World nobodyLeads() {
    leader = Optional.empty();
    return look();
  }

  /** A real cluster is seen. */
  World see(Topology topology) {
    real = Optional.of(topology);
    return look();
  }

  private World look() {
    Component component = component();
    notes = PdPolicy.INSTANCE.remember(snapshot(component), component);
    return this;
  }

  List<Note> notes() {
    return notes;
  }

  List<Objection> toRelease(int member) {
    Component component = component();
    Snapshot snapshot = snapshot(component);
    var step = new Step.Release("pd", FENCE, member, "pd-" + member);
    return PdPolicy.INSTANCE.rules().stream()
        .flatMap(rule -> rule.objection(snapshot, component, step).stream())
        .toList();
  }

  /** The names of the members, best successor first. */
  List<String> successors() {
    Component component = component();
    return component.topology().asOptional().orElseThrow().members().stream()
        .sorted(PdPolicy.INSTANCE.successors(component))
        .map(Member::name)
        .toList();
  }

  Component component() {
    var pods = new ArrayList<Pod>();
    for (int i = 0; i < 3; i++) {
      pods.add(pod(i));
    }
    return new Component(
        new Spec.ComponentSpec(
            "pd", "pd", Optional.empty(), Map.of(), "pd", "{pod}", Spec.Rollout.DEFAULT, List.of()),
        Fact.known(workload()),
        Fact.known(pods),
        Fact.known(real.orElseGet(this::topology)),
        Fact.known(List.of()),
        Fact.known(Component.Guarding.POLICY),
        Fact.known(Optional.empty()),
        List.of());
  }

  private Topology topology() {
    var members = new ArrayList<Member>();
    for (int i = 0; i < 3; i++) {
      members.add(member(i));
    }
    Fact<Topology.Leader> seen =
        leader
            .map(l -> Fact.known(new Topology.Leader(id(l), "5")))
            .orElse(Fact.unknown("leadership is on its way"));
    var voters = members.stream().map(Member::id).toList();
    return new Topology("7", members, seen, List.of(new Group("voters", voters, 2)));
  }

  private Member member(int i) {
    return new Member(
        id(i),
        "pd-" + i,
        List.of("pd-" + i),
        leader.filter(l -> l == i).isPresent() ? Role.LEADER : Role.FOLLOWER,
        Fact.known(new Health(!unwell.contains(i), "")),
        Fact.known("v8.1.0"),
        Map.of(
            Readings.LEADER_PRIORITY,
            priorities.getOrDefault(i, Fact.known("0")),
            Readings.LAG,
            lags.getOrDefault(i, Fact.known("0"))));
  }

  private Pod pod(int i) {
    return new Pod(
        "pd-" + i,
        "uid-" + i,
        "1",
        i,
        updated.contains(i) ? "new" : "old",
        Pod.Readiness.AVAILABLE,
        false,
        Optional.empty(),
        Instant.EPOCH,
        Map.of("pd", IMAGE),
        List.of("pd-" + i),
        Fact.known(Optional.empty()),
        false);
  }

  private static Workload workload() {
    return new Workload(
        "pd",
        "uid",
        "1",
        1,
        1,
        3,
        0,
        Workload.Update.ROLLING_UPDATE,
        Workload.FROZEN,
        Workload.Order.PARALLEL,
        "old",
        "new",
        Map.of("pd", IMAGE),
        "pd",
        false);
  }

  private Snapshot snapshot(Component component) {
    var memory =
        new ComponentMemory(
            true,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Map.of(),
            Set.of(),
            Optional.empty(),
            notes,
            Observed.NOTHING,
            List.of(),
            "");
    return new Snapshot(
        new Snapshot.Subject("default", "pd", 1, "1", false),
        new Snapshot.Self("belay", "one", "account"),
        new Spec(
            Spec.Trigger.TEMPLATE,
            Optional.empty(),
            List.of(component.spec()),
            Spec.Upgrade.DEFAULT,
            false,
            Spec.Requests.NONE,
            Spec.Force.NONE),
        List.of(component),
        new Memory(
            Optional.empty(),
            Optional.empty(),
            0,
            Map.of("pd", memory),
            Optional.empty(),
            Memory.Handled.NONE,
            Optional.empty(),
            Optional.empty(),
            List.of()),
        Instant.EPOCH);
  }

  static String id(int member) {
    return "1844674407370955160" + member;
  }
}
