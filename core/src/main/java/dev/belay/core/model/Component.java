package dev.belay.core.model;

import dev.belay.core.model.Spec.ComponentSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * All that was read of one component. Pods are in the order of their ordinals, as numbers; those of
 * a Deployment have none, and are in the order of their names.
 *
 * @param rival another StatefulCluster that names the same workload and goes first, if there is one
 */
public record Component(
    ComponentSpec spec,
    Fact<Workload> workload,
    Fact<List<Pod>> pods,
    Fact<Topology> topology,
    Fact<List<Budget>> budgets,
    Fact<Guarding> guard,
    Fact<Optional<String>> rival,
    List<Check.Result> checks,
    List<Action.Result> acts) {

  /** Stands for the pod's name in {@code driver.memberName}. */
  private static final String POD = "{pod}";

  private static final Comparator<Pod> ORDER =
      Comparator.comparingInt(Pod::ordinal).thenComparing(Pod::name);

  /** What freezes a template change of this set. */
  public enum Guarding {
    /** Admission policies freeze it; at rest the partition is 0. */
    POLICY,
    /** Nobody but who deletes a pod replaces it: the set's own strategy is OnDelete. */
    ON_DELETE,
    /** The partition rests at frozen, so that any template change is frozen by construction. */
    PARKED
  }

  public Component {
    checks = List.copyOf(checks);
    acts = List.copyOf(acts);
    pods = pods.map(Component::ordered);
  }

  private static List<Pod> ordered(List<Pod> pods) {
    for (int i = 1; i < pods.size(); i++) {
      if (ORDER.compare(pods.get(i - 1), pods.get(i)) > 0) {
        return pods.stream().sorted(ORDER).toList();
      }
    }
    return List.copyOf(pods);
  }

  /** One of which nothing was asked by an action. */
  public Component(
      ComponentSpec spec,
      Fact<Workload> workload,
      Fact<List<Pod>> pods,
      Fact<Topology> topology,
      Fact<List<Budget>> budgets,
      Fact<Guarding> guard,
      Fact<Optional<String>> rival,
      List<Check.Result> checks) {
    this(spec, workload, pods, topology, budgets, guard, rival, checks, List.of());
  }

  public String name() {
    return spec.name();
  }

  public Component withWorkload(Fact<Workload> other) {
    return new Component(spec, other, pods, topology, budgets, guard, rival, checks, acts);
  }

  public Component withPods(Fact<List<Pod>> other) {
    return new Component(spec, workload, other, topology, budgets, guard, rival, checks, acts);
  }

  public Component withChecks(List<Check.Result> other) {
    return new Component(spec, workload, pods, topology, budgets, guard, rival, other, acts);
  }

  public Component withTopology(Fact<Topology> other) {
    return new Component(spec, workload, pods, other, budgets, guard, rival, checks, acts);
  }

  public Component withActs(List<Action.Result> other) {
    return new Component(spec, workload, pods, topology, budgets, guard, rival, checks, other);
  }

  /** The member that lives in a pod: by the name the system gives it, else by its address. */
  public Fact<Member> memberOf(Pod pod) {
    return topology.flatMap(t -> match(t, pod));
  }

  private Fact<Member> match(Topology t, Pod pod) {
    // This is asked several times for every pod, by most rules: loops, and no text made anew.
    String pattern = spec.memberName();
    String name = pattern.equals(POD) ? pod.name() : pattern.replace(POD, pod.name());
    var found = new ArrayList<Member>(1);
    for (Member m : t.members()) {
      if (m.name().equals(name)) {
        found.add(m);
      }
    }
    if (found.isEmpty()) {
      for (Member m : t.members()) {
        if (!Collections.disjoint(m.hosts(), pod.hosts())) {
          found.add(m);
        }
      }
    }
    return switch (found.size()) {
      case 1 -> Fact.known(found.getFirst());
      case 0 ->
          Fact.unknown("no member is called " + name + " or has the address of " + pod.name());
      default -> Fact.unknown(found.size() + " members claim to be " + pod.name());
    };
  }

  /** Where it stands in the spec, as messages name it. */
  public String path() {
    return "spec.components[" + name() + "]";
  }

  /** Whether this is the name of its workload or of one of its pods. */
  public boolean owns(String object) {
    return spec.workload().equals(object) || Among.any(podList(), p -> p.name().equals(object));
  }

  /** Whether the member in this pod is known to lead. */
  public boolean leads(Pod pod) {
    Optional<String> leader =
        topology.asOptional().flatMap(t -> t.leader().asOptional()).map(Topology.Leader::memberId);
    return memberOf(pod)
        .asOptional()
        .filter(m -> leader.filter(m.id()::equals).isPresent())
        .isPresent();
  }

  public Optional<Pod> pod(String name) {
    return Among.first(podList(), p -> p.name().equals(name));
  }

  /** The pod a member lives in. */
  public Optional<Pod> podOf(Member member) {
    return Among.first(
        podList(),
        p -> memberOf(p).asOptional().map(m -> m.id().equals(member.id())).orElse(false));
  }

  /** The pods that belong to the set's size: one beyond it is being scaled away. */
  public List<Pod> podsInRange(Workload of) {
    List<Pod> all = podList();
    var inRange = new ArrayList<Pod>(all.size());
    for (Pod pod : all) {
      if (of.contains(pod.ordinal())) {
        inRange.add(pod);
      }
    }
    return inRange;
  }

  /**
   * The pods, or none when they could not be read: for display and for searching, never for
   * counting.
   */
  public List<Pod> podList() {
    return pods.asOptional().orElse(List.of());
  }
}
