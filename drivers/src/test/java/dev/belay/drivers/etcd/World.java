package dev.belay.drivers.etcd;

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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A three-member etcd as the rules see it; tests change what matters to them. */
final class World {

  static final Fence.ObjectVersion FENCE = Scene.fence("etcd");

  private final String[] versions;
  private final Map<Integer, Map<String, Fact<String>>> readings = new HashMap<>();
  private final Map<Integer, Fact<Health>> health = new HashMap<>();
  private final Map<Integer, String> silent = new HashMap<>();
  private final Map<Integer, Pod.Readiness> readiness = new HashMap<>();
  private String image = "quay.io/coreos/etcd:v3.6.16";
  private List<Note> notes = List.of();

  private World(String[] versions) {
    this.versions = versions;
    for (int i = 0; i < versions.length; i++) {
      readings.put(i, new HashMap<>());
      health.put(i, Fact.known(new Health(true, "serves")));
      readiness.put(i, Pod.Readiness.AVAILABLE);
      metrics(i, "1000.5", "0");
    }
  }

  /** Members etcd-0, etcd-1, … that run these versions. */
  static World running(String... versions) {
    return new World(versions);
  }

  World clusterVersion(String version) {
    for (int i = 0; i < versions.length; i++) {
      reading(i, Readings.CLUSTER_VERSION, Fact.known(version));
    }
    return this;
  }

  World reading(int member, String key, Fact<String> value) {
    readings.get(member).put(key, value);
    return this;
  }

  World metrics(int member, String start, String saved) {
    reading(member, Readings.PROCESS_START, Fact.known(start));
    return reading(member, Readings.SNAPSHOTS_SAVED, Fact.known(saved));
  }

  /** The member answers nothing; its pod is not ready. */
  World broken(int member, Fact<Health> seen) {
    unreadable(member, "the name does not resolve");
    health.put(member, seen);
    readiness.put(member, Pod.Readiness.UNREADY);
    return this;
  }

  /** The member answers nothing while its pod looks ready: a frozen process. */
  World unreadable(int member, String why) {
    silent.put(member, why);
    readings.get(member).clear();
    health.put(member, Fact.unknown(why));
    return this;
  }

  World image(String image) {
    this.image = image;
    return this;
  }

  World notes(List<Note> notes) {
    this.notes = notes;
    return this;
  }

  Component component() {
    var pods = new ArrayList<Pod>();
    var members = new ArrayList<Member>();
    for (int i = 0; i < versions.length; i++) {
      String name = "etcd-" + i;
      pods.add(pod(i, versions[i], image, readiness.get(i)));
      members.add(
          new Member(
              id(i),
              name,
              List.of(name),
              i == 0 ? Role.LEADER : Role.FOLLOWER,
              health.get(i),
              silent.containsKey(i) ? Fact.unknown(silent.get(i)) : Fact.known(versions[i]),
              readings.get(i)));
    }
    var topology =
        new Topology(
            "77",
            members,
            Fact.known(new Topology.Leader(id(0), "5")),
            List.of(
                new Group(
                    "voters", members.stream().map(Member::id).toList(), members.size() / 2 + 1)));
    return component(topology, pods, image);
  }

  /** A component with this topology, whose template has this image. */
  static Component component(Topology topology, List<Pod> pods, String image) {
    return new Component(
        spec(),
        Fact.known(workload(pods.size(), image)),
        Fact.known(pods),
        Fact.known(topology),
        Fact.known(List.of()),
        Fact.known(Component.Guarding.POLICY),
        Fact.known(Optional.empty()),
        List.of());
  }

  static Pod pod(int ordinal, String version, String template, Pod.Readiness readiness) {
    String name = "etcd-" + ordinal;
    return new Pod(
        name,
        "uid-" + ordinal,
        "1",
        ordinal,
        template.endsWith(version) ? "new" : "old",
        readiness,
        false,
        Optional.empty(),
        Instant.EPOCH,
        Map.of("etcd", "quay.io/coreos/etcd:v" + version),
        List.of(name),
        Fact.known(Optional.empty()),
        false);
  }

  private static Workload workload(int replicas, String image) {
    return new Workload(
        "etcd",
        "uid",
        "1",
        1,
        1,
        replicas,
        0,
        Workload.Update.ROLLING_UPDATE,
        Workload.FROZEN,
        Workload.Order.PARALLEL,
        "old",
        "new",
        Map.of("etcd", image),
        "etcd",
        false);
  }

  private static Spec.ComponentSpec spec() {
    return new Spec.ComponentSpec(
        "etcd",
        "etcd",
        Optional.empty(),
        Map.of(),
        "etcd",
        "{pod}",
        Spec.Rollout.DEFAULT,
        List.of());
  }

  static Snapshot snapshot(Component component, List<Note> notes) {
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
        new Snapshot.Subject("default", "my-etcd", 1, "1", false),
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
            Map.of("etcd", memory),
            Optional.empty(),
            Memory.Handled.NONE,
            Optional.empty(),
            Optional.empty(),
            List.of()),
        Instant.EPOCH);
  }

  List<Objection> objections(Step step) {
    return objections(component(), notes, step);
  }

  static List<Objection> objections(Component component, List<Note> notes, Step step) {
    Snapshot snapshot = snapshot(component, notes);
    return EtcdRules.ALL.stream()
        .flatMap(rule -> rule.objection(snapshot, component, step).stream())
        .toList();
  }

  /** The objections to replacing one member's pod by one of the template, as sentences. */
  List<String> toRelease(int member) {
    return sentences(new Step.Release("etcd", FENCE, member, "etcd-" + member));
  }

  List<String> toRecreate(int member) {
    return sentences(
        new Step.RecreatePod("etcd", FENCE, "etcd-" + member, "uid-" + member, "broken"));
  }

  List<String> toTemplate(String version) {
    return sentences(new Step.SetTemplate("etcd", FENCE, version, Map.of()));
  }

  private List<String> sentences(Step step) {
    return objections(step).stream().map(o -> o.weight() + " " + o.sentence()).toList();
  }

  /** The note of a member: START/COUNT when the cluster settled on 3.6, or saved since then. */
  static Note settled(int member, String noted) {
    var values = new HashMap<>(Map.of(SnapshotNotes.MINOR, "3.6"));
    if (noted.equals("saved")) {
      values.put(SnapshotNotes.SAVED_SINCE, "true");
    } else {
      int slash = noted.indexOf('/');
      values.put(SnapshotNotes.PROCESS_START, noted.substring(0, slash));
      values.put(SnapshotNotes.SNAPSHOTS, noted.substring(slash + 1));
    }
    return new Note(SnapshotNotes.SETTLED, id(member), values);
  }

  List<Note> remembered() {
    Component component = component();
    return EtcdPolicy.INSTANCE.remember(snapshot(component, notes), component);
  }

  static String id(int member) {
    return "1844674407370955160" + member;
  }
}
