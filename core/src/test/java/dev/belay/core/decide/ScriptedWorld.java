package dev.belay.core.decide;

import dev.belay.core.loop.Loop;
import dev.belay.core.model.Action;
import dev.belay.core.model.Budget;
import dev.belay.core.model.Check;
import dev.belay.core.model.Component;
import dev.belay.core.model.Component.Guarding;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Fleet;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.report.Report;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A set of pods and a quorum system that move only when a test says so. It runs the production loop
 * and applies accepted steps to itself, so that a test can read a whole upgrade step by step.
 */
final class ScriptedWorld {

  static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

  String component = "etcd";

  /** The name of its set, where that is another than the component's. */
  Optional<String> set = Optional.empty();

  /** The components behind this one; what belongs to the cluster is kept here alone. */
  final List<ScriptedWorld> more = new ArrayList<>();

  Fleet fleet = Fleet.UNLIMITED;

  /** Why the pods cannot be listed; empty when they can. */
  String unlisted = "";

  final Map<Integer, ScriptedPod> pods = new TreeMap<>();
  Instant now = START;
  int replicas;
  int first;
  int partition;
  Workload.Update update = Workload.Update.ROLLING_UPDATE;
  Workload.Order order = Workload.Order.PARALLEL;
  String image = "etcd:3.5.35";
  String goodImage = image;
  long setVersion = 100;
  long generation = 1;
  long observed = 1;
  Guarding guard = Guarding.POLICY;
  Workload.Kind kind = Workload.Kind.STATEFUL_SET;
  String stalled = "";

  /** The set's controller has not yet called a roll-out complete that is. */
  boolean slow;

  /** What somebody else makes of every template that Belay writes. */
  Optional<String> rewritten = Optional.empty();

  /** The image of a second container, called agent. */
  Optional<String> sidecar = Optional.empty();

  /** Which tool wrote the image that is there; empty where none is named. */
  Optional<String> writer = Optional.empty();

  final ScriptedSystem system = new ScriptedSystem();
  Fact<List<Budget>> budgets = Fact.known(List.of());
  Spec.Trigger trigger = Spec.Trigger.TEMPLATE;
  Optional<String> version = Optional.empty();
  Optional<String> ownVersion = Optional.empty();
  Map<String, String> images = Map.of();
  Spec.Requests requests = Spec.Requests.NONE;
  Spec.Upgrade upgrade = Spec.Upgrade.DEFAULT;
  Spec.Force force = Spec.Force.NONE;
  boolean paused;
  List<Check> checks = List.of();
  final List<Check.Result> results = new ArrayList<>();
  List<Action> actions = List.of();
  final ScriptedActions sent = new ScriptedActions();

  /** Why its workload is not seen; empty when it is. */
  String unseen = "";

  final ScriptedQueue queue = new ScriptedQueue();
  Spec.Rollout rollout = Spec.Rollout.DEFAULT;
  Optional<String> rival = Optional.empty();
  boolean deleting;
  Snapshot.Self self = new Snapshot.Self("belay", "one", "system:serviceaccount:b:belay");
  Snapshot.Selection selection = Snapshot.Selection.MATCHES;
  Memory memory = Memory.EMPTY;
  final List<Step> taken = new ArrayList<>();
  final ScriptedPolicy policy = new ScriptedPolicy();
  private int uids;

  static ScriptedWorld settled(int replicas) {
    return settled(replicas, 0);
  }

  static ScriptedWorld settled(int replicas, int first) {
    var world = new ScriptedWorld();
    world.replicas = replicas;
    world.system.voters = replicas;
    world.first = first;
    world.system.leader = Optional.of(first);
    for (int i = 0; i < replicas; i++) {
      world.pods.put(first + i, world.fresh(world.image));
    }
    return world;
  }

  /** One more component, settled. */
  ScriptedWorld and(String name, int count) {
    ScriptedWorld world = settled(count);
    world.component = name;
    world.image = name + ":1.0";
    world.goodImage = world.image;
    world
        .pods
        .values()
        .forEach(p -> {
          p.image = world.image;
          p.revision = revision(world.image);
        });
    world.now = now;
    more.add(world);
    return world;
  }

  /** A settled set that Belay has adopted. */
  static ScriptedWorld adopted(int replicas) {
    ScriptedWorld world = settled(replicas);
    world.turns(4);
    world.taken.clear();
    return world;
  }

  private ScriptedPod fresh(String podImage) {
    var pod = new ScriptedPod();
    pod.uid = "uid-" + ++uids;
    pod.image = podImage;
    pod.revision = revision(podImage);
    pod.created = now;
    return pod;
  }

  static String revision(String image) {
    return "rev-" + image;
  }

  String name(int ordinal) {
    return component + "-" + ordinal;
  }

  static int ordinal(String name) {
    return Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
  }

  ScriptedPod pod(String name) {
    return pods.get(ordinal(name));
  }

  /** A template change as the guard lets it through. */
  ScriptedWorld template(String newImage) {
    image = newImage;
    partition = Workload.FROZEN;
    return written();
  }

  /** Somebody wrote the set, and its controller has seen it. */
  private ScriptedWorld written() {
    generation++;
    observed = generation;
    setVersion++;
    return this;
  }

  /** {@code kubectl rollout pause}. */
  ScriptedWorld pausedByHand() {
    partition = Workload.FROZEN;
    return written();
  }

  ScriptedWorld down(String pod) {
    pod(pod).down();
    return this;
  }

  ScriptedWorld unwell(String pod) {
    pod(pod).health = Fact.known(new Member.Health(false, "knows no leader"));
    pod(pod).readiness = Pod.Readiness.UNREADY;
    return this;
  }

  ScriptedWorld silent(String pod) {
    pod(pod).health = Fact.unknown("no answer in time");
    return this;
  }

  ScriptedWorld up(String pod) {
    pod(pod).up();
    return this;
  }

  ScriptedWorld leads(String pod) {
    system.leads(ordinal(pod));
    return this;
  }

  /** The controller replaces a released pod; it starts unready. */
  ScriptedWorld replace(String pod) {
    ScriptedPod state = fresh(image);
    state.down();
    pods.put(ordinal(pod), state);
    setVersion++;
    return this;
  }

  /** The controller makes a deleted pod anew, at the revision its index stands for. */
  void recreate(String pod) {
    String newest = image;
    boolean reached = update == Workload.Update.ON_DELETE || ordinal(pod) - first >= partition;
    image = reached ? newest : goodImage;
    replace(pod);
    image = newest;
  }

  /** Whoever was missing or going is back at the revision all others have. */
  void mended() {
    for (int ordinal = first; ordinal < first + replicas; ordinal++) {
      if (pods.get(ordinal) == null || pods.get(ordinal).terminating) {
        pods.put(ordinal, fresh(goodImage));
      }
    }
  }

  ScriptedWorld scale(int wanted) {
    replicas = wanted;
    return written();
  }

  ScriptedWorld pass(Duration time) {
    now = now.plus(time);
    more.forEach(w -> w.pass(time));
    return this;
  }

  Loop.Turn turn() {
    var planner = new Planner(_ -> policy);
    return new Loop(planner, this::snapshot, this::record, this::act).turn();
  }

  ScriptedWorld turns(int count) {
    for (int i = 0; i < count; i++) {
      turn();
    }
    return this;
  }

  Decision decide() {
    return new Planner(_ -> policy).decide(snapshot());
  }

  private Loop.Recorded record(Snapshot basis, Report report) {
    boolean changed = !report.memory().equals(memory);
    memory = report.memory();
    return changed ? Loop.Recorded.WRITTEN : Loop.Recorded.UNCHANGED;
  }

  private Loop.Acted act(Snapshot basis, Step step) {
    if ((step instanceof Step.Tell || step instanceof Step.TransferLeader) && policy.stubborn) {
      return new Loop.Acted(false, "answered 500");
    }
    ScriptedWorld part =
        Stream.concat(Stream.of(this), more.stream())
            .filter(w -> step.component().isEmpty() || w.component.equals(step.component()))
            .findFirst()
            .orElseThrow();
    if (step instanceof Step.Undo && part.sent.unaddressed) {
      return new Loop.Acted(false, "has no address now");
    }
    taken.add(step);
    part.carryOut(step);
    return new Loop.Acted(true, "");
  }

  private void carryOut(Step step) {
    switch (step) {
      case Step.PartitionWrite write -> {
        partition = write.partition();
        setVersion++;
      }
      case Step.SetTemplate set -> {
        String written = rewritten.orElse(set.images().values().iterator().next());
        // A write that changes nothing moves nothing.
        if (!written.equals(image)) {
          template(written);
        }
      }
      case Step.TransferLeader transfer -> leads(transfer.to());
      case Step.RecreatePod recreate -> recreate(recreate.pod());
      case Step.Evict evict -> recreate(evict.pod());
      case Step.Act act -> sent.send(act.obligation().id(), act.action().what(), false);
      case Step.Undo undo -> sent.send(undo.obligation().id(), undo.obligation().undo(), true);
      case Step.Tell tell -> policy.told(tell.command());
      case Step.Migrate migrate -> queue.begin(migrate);
      case Step.Settle settle -> queue.settle(settle);
      case Step.Unforce _ -> force = Spec.Force.NONE;
      case Step.Revoke _ -> setVersion++;
      case Step.Recorded _ -> throw new AssertionError("record-only steps are never acted on");
    }
  }

  /** No two looks are taken at the same time. */
  Snapshot snapshot() {
    pass(Duration.ofMillis(1));
    List<Component> components =
        Stream.concat(Stream.of(this), more.stream()).map(ScriptedWorld::component).toList();
    return new Snapshot(
        new Snapshot.Subject("db", "my-etcd", 1, "1", deleting),
        self,
        new Spec(
            trigger,
            version,
            components.stream().map(Component::spec).toList(),
            upgrade,
            paused,
            requests,
            force,
            queue.declared),
        components,
        memory,
        now,
        queue.ledger(),
        fleet,
        selection);
  }

  private Component component() {
    boolean byHand = update == Workload.Update.ON_DELETE;
    return new Component(
        new Spec.ComponentSpec(
            component,
            kind,
            set.orElse(component),
            ownVersion,
            images,
            component,
            "{pod}",
            rollout,
            checks,
            actions),
        unseen.isEmpty() ? Fact.known(workload()) : Fact.unknown(unseen),
        unlisted.isEmpty() && unseen.isEmpty()
            ? Fact.known(
                pods.entrySet().stream().map(e -> e.getValue().seen(this, e.getKey())).toList())
            : Fact.unknown(unseen.isEmpty() ? unlisted : component + " cannot be read"),
        system.topology(this),
        budgets,
        Fact.known(byHand ? Guarding.ON_DELETE : guard),
        Fact.known(rival),
        results,
        sent.results);
  }

  Workload workload() {
    boolean complete =
        pods.size() == replicas
            && pods.values().stream()
                .allMatch(p ->
                    p.revision.equals(revision(image)) && p.readiness != Pod.Readiness.UNREADY);
    // Under OnDelete the set never calls a roll-out complete.
    if (complete && !slow && update == Workload.Update.ROLLING_UPDATE) {
      goodImage = image;
    }
    Map<String, String> containers = new TreeMap<>(Map.of(component, image));
    sidecar.ifPresent(s -> containers.put("agent", s));
    Map<String, String> writers = new TreeMap<>();
    writer.ifPresent(w -> writers.put(component, w));
    return new Workload(
        kind,
        set.orElse(component),
        set.orElse(component) + "-uid",
        String.valueOf(setVersion),
        generation,
        observed,
        replicas,
        first,
        update,
        partition,
        order,
        revision(goodImage),
        revision(image),
        containers,
        component,
        false,
        stalled,
        writers);
  }
}
