package dev.belay.sim.operator;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.driver.WayBack;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Version;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.Versions;
import dev.belay.core.state.Note;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Objection.Weight;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the simulated system demands of an upgrade: the same kind of demands as etcd's. */
public final class RaftPolicy implements SystemPolicy {

  static final String CLUSTER_VERSION = "clusterVersion";

  private static final Reason ONE_MINOR_AT_A_TIME =
      new Reason(
          "OneMinorAtATime",
          "A binary two minors ahead of the cluster version, or behind it, does not start.",
          "Go through every minor version.",
          "As etcd does it.");

  private static final List<Rule> RULES =
      List.of(new Rule(ONE_MINOR_AT_A_TIME, RaftPolicy::oneMinorAtATime));

  @Override
  public List<Rule> rules() {
    return RULES;
  }

  private static Optional<Objection> oneMinorAtATime(
      Snapshot snapshot, Component component, Step step) {
    boolean moves =
        step instanceof Step.Release
            || step instanceof Step.RecreatePod
            || step instanceof Step.SetTemplate;
    if (!moves) {
      return Optional.empty();
    }
    Optional<String> wanted =
        step instanceof Step.SetTemplate set
            ? Optional.of(set.version())
            : component.workload().asOptional().flatMap(RaftPolicy::templateVersion);
    Optional<Integer> target = wanted.flatMap(Version::parse).map(v -> v.number(1));
    Optional<Integer> cluster = clusterVersion(component).or(() -> noted(snapshot, component));
    if (cluster.isEmpty() || target.isEmpty()) {
      return Optional.of(
          ONE_MINOR_AT_A_TIME.objection(
              component.name(),
              "the cluster version is unknown",
              "bring a member back",
              Weight.WAIT));
    }
    int minor = cluster.get();
    return target.get() >= minor && target.get() <= minor + 1
        ? Optional.empty()
        : Optional.of(
            ONE_MINOR_AT_A_TIME.objection(
                component.name(),
                "the cluster version is 3." + minor + ", 3." + target.get() + " is wanted",
                "choose 3." + minor + " or 3." + (minor + 1),
                Weight.HUMAN));
  }

  private static Optional<Integer> clusterVersion(Component component) {
    List<Member> members =
        component.topology().asOptional().map(Topology::members).orElse(List.of());
    for (Member member : members) {
      if (member.reading(CLUSTER_VERSION) instanceof Fact.Known<String>(String minor)) {
        return Optional.of(Integer.valueOf(minor));
      }
    }
    return Optional.empty();
  }

  private static Optional<Integer> noted(Snapshot snapshot, Component component) {
    return snapshot.memory().component(component.name()).notes().stream()
        .map(note -> Integer.valueOf(note.value(CLUSTER_VERSION)))
        .findFirst();
  }

  private static Optional<String> templateVersion(Workload workload) {
    return Versions.ofTemplate(workload).asOptional();
  }

  @Override
  public Comparator<Member> successors(Component component) {
    return Comparator.comparing((Member m) -> !updated(component, m)).thenComparing(Member::name);
  }

  private static boolean updated(Component component, Member member) {
    Optional<String> revision = component.workload().asOptional().map(Workload::updateRevision);
    return component.podOf(member).map(Pod::revision).equals(revision);
  }

  @Override
  public List<Note> remember(Snapshot snapshot, Component component) {
    return clusterVersion(component)
        .or(() -> noted(snapshot, component))
        .map(minor -> new Note("cluster", "", Map.of(CLUSTER_VERSION, Integer.toString(minor))))
        .map(List::of)
        .orElse(List.of());
  }

  @Override
  public WayBack wayBack(Component component) {
    return clusterVersion(component)
        .map(minor -> WayBack.floor("3." + minor, "the cluster version has moved"))
        .orElseGet(() -> WayBack.unknown("no member says the cluster version"));
  }

  /** The cluster version moves seconds after the last member has the new minor. */
  @Override
  public Optional<String> closes(Component component, Pod target) {
    Optional<Integer> wanted =
        component
            .workload()
            .asOptional()
            .flatMap(RaftPolicy::templateVersion)
            .flatMap(Version::parse)
            .map(v -> v.number(1));
    Optional<Integer> cluster = clusterVersion(component);
    boolean last =
        component.podList().stream()
            .filter(p -> !p.uid().equals(target.uid()))
            .allMatch(p -> updated(component, p));
    // Where nobody can say where it stands, it may be about to move.
    boolean moves = wanted.isPresent() && cluster.filter(c -> c >= wanted.get()).isEmpty();
    return last && moves
        ? Optional.of("the cluster version moves to 3." + wanted.get())
        : Optional.empty();
  }

  private static boolean updated(Component component, Pod pod) {
    return component
        .workload()
        .asOptional()
        .filter(w -> w.updateRevision().equals(pod.revision()))
        .isPresent();
  }

  private static final SystemPolicy RAFT = new RaftPolicy();

  /** The policies the simulated operator knows, by driver type. */
  public static SystemPolicy byType(String driver) {
    return driver.equals("raft") ? RAFT : SystemPolicy.NONE;
  }
}
