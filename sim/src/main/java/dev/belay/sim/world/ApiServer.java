package dev.belay.sim.world;

import dev.belay.core.guard.Guard;
import dev.belay.core.report.Report;
import dev.belay.core.snapshot.Memory.Owner;
import dev.belay.core.snapshot.Spec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Objects with resourceVersions. Facts: every write to an object moves its resourceVersion; a write
 * with a precondition on uid and resourceVersion that does not hold is a 409; only a change of spec
 * moves the generation; status is written apart from spec; admission sees every write to a set's
 * spec; a deleted pod stays, terminating, until its kubelet says it is gone; an object with a
 * finalizer stays until the finalizer is removed.
 */
public final class ApiServer {

  public static final String NAMESPACE = "prod";

  /** What can be watched. */
  public enum Kind {
    CLUSTER,
    SET,
    POD
  }

  /** How a write ended. */
  public enum Answer {
    OK,
    CONFLICT,
    REFUSED,
    UNAVAILABLE
  }

  private final Timeline time;
  private final Weather weather;
  private final Trace trace;
  private final boolean policies;
  private final BiFunction<Guard.Write, List<Guard.Claim>, Guard.Verdict> guard;
  private final History<SetObject> set;
  private final History<List<PodObject>> pods;
  private final History<Optional<ClusterObject>> cluster;
  private final List<Consumer<Kind>> watchers = new ArrayList<>();
  private long version = 100;
  private int uids;

  public ApiServer(
      Timeline time,
      Weather weather,
      Trace trace,
      BiFunction<Guard.Write, List<Guard.Claim>, Guard.Verdict> guard,
      Setup setup) {
    this.time = time;
    this.weather = weather;
    this.trace = trace;
    this.policies = setup.policies();
    this.guard = guard;
    this.set =
        new History<>(
            time.now(),
            new SetObject("db", "set-0", 1, 1, setup.firstSpec(), SetObject.Status.NONE, ""));
    this.pods = new History<>(time.now(), List.of());
    this.cluster = new History<>(time.now(), Optional.empty());
  }

  public void watch(Consumer<Kind> watcher) {
    watchers.add(watcher);
  }

  /** Moves with every write. */
  public long version() {
    return version;
  }

  public SetObject set() {
    return set.last();
  }

  public List<PodObject> pods() {
    return pods.last();
  }

  public Optional<ClusterObject> cluster() {
    return cluster.last();
  }

  public SetObject setAsOf(Instant moment) {
    return set.asOf(moment);
  }

  public List<PodObject> podsAsOf(Instant moment) {
    return pods.asOf(moment);
  }

  public Optional<ClusterObject> clusterAsOf(Instant moment) {
    return cluster.asOf(moment);
  }

  public Optional<PodObject> pod(String uid) {
    return pods().stream().filter(p -> p.uid().equals(uid)).findFirst();
  }

  public Optional<PodObject> podAt(int ordinal) {
    return pods().stream().filter(p -> p.ordinal() == ordinal).findFirst();
  }

  public boolean up() {
    return !weather.holds(Fault.API_OUTAGE);
  }

  public boolean guarded() {
    return policies && !weather.holds(Fault.GUARD_MISSING);
  }

  /** A write to the set's spec, by an account, on condition of a state if there is one. */
  public Answer writeSet(
      String user, Optional<String> fence, UnaryOperator<SetObject.Spec> change) {
    if (!up()) {
      return Answer.UNAVAILABLE;
    }
    SetObject old = set();
    if (fence.isPresent() && !fence.get().equals(old.fence())) {
      return Answer.CONFLICT;
    }
    SetObject.Spec wanted = change.apply(old.spec());
    Optional<SetObject.Spec> admitted = admit(Optional.of(old.spec()), wanted, user);
    if (admitted.isEmpty()) {
      return Answer.REFUSED;
    }
    if (!admitted.get().equals(old.spec())) {
      store(
          new SetObject(
              old.name(),
              old.uid(),
              ++version,
              old.generation() + 1,
              admitted.get(),
              old.status(),
              old.note()));
    }
    return Answer.OK;
  }

  /** The guard of core, if its policies are installed. */
  private Optional<SetObject.Spec> admit(
      Optional<SetObject.Spec> before, SetObject.Spec after, String user) {
    if (!guarded()) {
      return Optional.of(after);
    }
    var claims =
        cluster().stream()
            .map(c ->
                new Guard.Claim(
                    NAMESPACE,
                    c.name(),
                    Guard.Named.sets(set().name()),
                    c.memory().owner().map(Owner::account)))
            .toList();
    var write = new Guard.Write(before.map(this::guardedSet), guardedSet(after), user);
    return switch (guard.apply(write, claims)) {
      case Guard.Verdict.Refused(String message) -> {
        trace.say("guard", "refuses " + user + ": " + message.substring(0, 40) + "…");
        yield Optional.empty();
      }
      case Guard.Verdict.Admitted(Guard.GuardedSet stored) ->
          Optional.of(after.withPartition(stored.partition()));
    };
  }

  private Guard.GuardedSet guardedSet(SetObject.Spec spec) {
    return new Guard.GuardedSet(
        NAMESPACE, set().name(), spec.template().revision(), spec.update(), spec.partition());
  }

  public Answer writeSetStatus(SetObject.Status status) {
    if (!up()) {
      return Answer.UNAVAILABLE;
    }
    SetObject old = set();
    if (!old.status().equals(status)) {
      store(
          new SetObject(
              old.name(), old.uid(), ++version, old.generation(), old.spec(), status, old.note()));
    }
    return Answer.OK;
  }

  /** An annotation: moves the resourceVersion and nothing else. */
  public Answer annotateSet(Optional<String> fence, String note) {
    SetObject old = set();
    if (!up()) {
      return Answer.UNAVAILABLE;
    }
    if (fence.isPresent() && !fence.get().equals(old.fence())) {
      return Answer.CONFLICT;
    }
    store(
        new SetObject(
            old.name(), old.uid(), ++version, old.generation(), old.spec(), old.status(), note));
    return Answer.OK;
  }

  /** {@code kubectl delete --cascade=orphan} and create: pods stay, status and uid are new. */
  public void recreateSet(String user, SetObject.Spec spec) {
    SetObject.Spec admitted = admit(Optional.empty(), spec, user).orElse(spec);
    store(
        new SetObject(
            set().name(), "set-" + ++uids, ++version, 1, admitted, SetObject.Status.NONE, ""));
  }

  private void store(SetObject object) {
    set.add(time.now(), object);
    tell(Kind.SET);
  }

  public PodObject createPod(int ordinal, String revision, Template template) {
    var state = new PodObject.State(false, time.now(), false, Optional.empty(), false, "");
    var pod =
        new PodObject(
            set().podName(ordinal),
            "pod-" + ++uids,
            ++version,
            ordinal,
            revision,
            template,
            time.now(),
            state);
    var list = new ArrayList<>(pods());
    list.add(pod);
    list.sort(Comparator.comparingInt(PodObject::ordinal));
    store(list);
    return pod;
  }

  /** A change of a pod that still exists; what is gone stays gone. */
  public Answer writePod(
      String uid, Optional<String> fence, UnaryOperator<PodObject.State> change) {
    Optional<PodObject> found = pod(uid);
    if (!up()) {
      return Answer.UNAVAILABLE;
    }
    if (found.isEmpty() || fence.filter(f -> !f.equals(found.get().fence())).isPresent()) {
      return Answer.CONFLICT;
    }
    PodObject old = found.get();
    PodObject.State state = change.apply(old.state());
    if (!state.equals(old.state())) {
      var changed =
          new PodObject(
              old.name(),
              old.uid(),
              ++version,
              old.ordinal(),
              old.revision(),
              old.template(),
              old.created(),
              state);
      store(pods().stream().map(p -> p.uid().equals(uid) ? changed : p).toList());
    }
    return Answer.OK;
  }

  public void removePod(String uid) {
    version++;
    store(pods().stream().filter(p -> !p.uid().equals(uid)).toList());
  }

  private void store(List<PodObject> list) {
    pods.add(time.now(), List.copyOf(list));
    tell(Kind.POD);
  }

  public void createCluster(String name, Spec spec) {
    store(
        Optional.of(
            new ClusterObject(name, "stc-" + ++uids, ++version, 1, spec, false, Optional.empty())));
  }

  public void writeClusterSpec(UnaryOperator<Spec> change) {
    cluster()
        .filter(c -> !change.apply(c.spec()).equals(c.spec()))
        .ifPresent(c ->
            store(
                Optional.of(
                    new ClusterObject(
                        c.name(),
                        c.uid(),
                        ++version,
                        c.generation() + 1,
                        change.apply(c.spec()),
                        c.deleting(),
                        c.status()))));
  }

  public void deleteCluster() {
    cluster()
        .ifPresent(c ->
            store(
                Optional.of(
                    new ClusterObject(
                        c.name(),
                        c.uid(),
                        ++version,
                        c.generation() + 1,
                        c.spec(),
                        true,
                        c.status()))));
  }

  public void removeFinalizer() {
    version++;
    store(Optional.empty());
  }

  /** A status write with the resourceVersion of the object it was read from. */
  public Answer writeClusterStatus(String expectedVersion, Report report) {
    if (!up()) {
      return Answer.UNAVAILABLE;
    }
    Optional<ClusterObject> found = cluster();
    if (found.isEmpty() || !Long.toString(found.get().version()).equals(expectedVersion)) {
      return Answer.CONFLICT;
    }
    ClusterObject c = found.get();
    store(
        Optional.of(
            new ClusterObject(
                c.name(),
                c.uid(),
                ++version,
                c.generation(),
                c.spec(),
                c.deleting(),
                Optional.of(report))));
    return Answer.OK;
  }

  private void store(Optional<ClusterObject> object) {
    cluster.add(time.now(), object);
    tell(Kind.CLUSTER);
  }

  private void tell(Kind kind) {
    watchers.forEach(w -> w.accept(kind));
  }

  /** Whoever cannot write now tries again. */
  public void whenUp(Runnable write) {
    if (up()) {
      write.run();
    } else {
      time.after(Duration.ofMillis(400), () -> whenUp(write));
    }
  }
}
