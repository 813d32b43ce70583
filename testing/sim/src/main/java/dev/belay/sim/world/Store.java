package dev.belay.sim.world;

import dev.belay.core.guard.Author;
import dev.belay.core.guard.Guard;
import dev.belay.core.guard.GuardedSet;
import dev.belay.core.guard.Mark;
import dev.belay.core.model.Among;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Memory.Owner;
import dev.belay.sim.world.ApiServer.Answer;
import dev.belay.sim.world.ApiServer.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The StatefulSet of one component and its pods, as the API server keeps them. Facts: every write
 * to an object moves its resourceVersion; a write with a precondition on uid and resourceVersion
 * that does not hold is a 409; only a change of spec moves the generation; status is written apart
 * from spec; admission sees every write to a set's spec; a deleted pod stays, terminating, until
 * its kubelet says it is gone.
 */
public final class Store {

  private final Timeline time;
  private final Trace trace;
  private final ApiServer api;
  private final History<SetObject> set;
  private final History<List<PodObject>> pods;
  private final History<Boolean> exists;
  private final List<Consumer<Kind>> watchers = new ArrayList<>();
  private final Workload.Kind kind;

  public Store(Timeline time, Trace trace, ApiServer api, PartSetup setup) {
    this.time = time;
    this.trace = trace;
    this.api = api;
    this.kind = setup.kind();
    this.set =
        new History<>(
            time.now(),
            new SetObject(
                setup.name(),
                "set-0",
                1,
                1,
                setup.firstSpec(),
                SetObject.Status.NONE,
                "",
                Mark.NONE));
    this.pods = new History<>(time.now(), List.of());
    this.exists = new History<>(time.now(), true);
  }

  /** Told of writes to the set and its pods. */
  public void watch(Consumer<Kind> watcher) {
    watchers.add(watcher);
  }

  /** The set, or what it was last. */
  public SetObject set() {
    return set.last();
  }

  public boolean exists() {
    return exists.last();
  }

  public boolean existedAsOf(Instant moment) {
    return exists.asOf(moment);
  }

  public List<PodObject> pods() {
    return pods.last();
  }

  public SetObject setAsOf(Instant moment) {
    return set.asOf(moment);
  }

  /** The set in the state that a reader saw who read this resourceVersion. */
  public Optional<SetObject> setAt(String version) {
    return set.newest(s -> Long.toString(s.version()).equals(version));
  }

  public List<PodObject> podsAsOf(Instant moment) {
    return pods.asOf(moment);
  }

  public Optional<PodObject> pod(String uid) {
    return Among.first(pods(), p -> p.uid().equals(uid));
  }

  public Optional<PodObject> podAt(int ordinal) {
    return Among.first(pods(), p -> p.ordinal() == ordinal);
  }

  public boolean up() {
    return api.up();
  }

  /** Whoever cannot write now tries again. */
  public void whenUp(Runnable write) {
    if (up()) {
      write.run();
    } else {
      time.after(Duration.ofMillis(400), () -> whenUp(write));
    }
  }

  /** A write to the set's spec, by an account, on condition of a state if there is one. */
  public Answer writeSet(
      String user, Optional<String> fence, UnaryOperator<SetObject.Spec> change) {
    if (!up()) {
      return Answer.UNAVAILABLE;
    }
    SetObject old = set();
    if (!exists() || fence.filter(f -> !f.equals(old.fence())).isPresent()) {
      return Answer.CONFLICT;
    }
    SetObject.Spec wanted = change.apply(old.spec());
    Optional<GuardedSet> admitted =
        admit(
            Optional.of(guardedSet(old.spec(), old.mark())), guardedSet(wanted, old.mark()), user);
    if (admitted.isEmpty()) {
      return Answer.REFUSED;
    }
    SetObject.Spec stored = wanted.withPartition(admitted.get().partition());
    if (!stored.equals(old.spec())) {
      store(old.specified(api.nextVersion(), stored));
    }
    return Answer.OK;
  }

  /** A write to the mark, by an operator; the guard keeps the old one where it is not allowed. */
  public Answer writeMark(Install install, String fence, Mark mark) {
    if (!up()) {
      return Answer.UNAVAILABLE;
    }
    SetObject old = set();
    if (!exists() || !fence.equals(old.fence())) {
      return Answer.CONFLICT;
    }
    Optional<Mark> stored =
        admit(
                Optional.of(guardedSet(old.spec(), old.mark())),
                guardedSet(old.spec(), mark),
                install.account())
            .map(GuardedSet::mark);
    if (stored.filter(mark::equals).isEmpty()) {
      return Answer.REFUSED;
    }
    store(old.marked(api.nextVersion(), mark));
    return Answer.OK;
  }

  /** The guard of core, if its policies are installed. */
  private Optional<GuardedSet> admit(Optional<GuardedSet> before, GuardedSet after, String user) {
    if (!api.guarded()) {
      return Optional.of(after);
    }
    var claims =
        api.cluster().stream()
            .map(c ->
                new Guard.Claim(
                    ApiServer.NAMESPACE,
                    c.name(),
                    List.of(new Guard.Named(kind, set().name())),
                    c.owner().map(Owner::account),
                    c.owner().filter(Owner::released).isPresent()))
            .toList();
    boolean operator = Install.isAccount(user);
    var write = new Guard.Write(before, after, new Author(user, operator, !operator));
    return switch (api.guard().apply(write, claims)) {
      case Guard.Verdict.Refused(String message) -> {
        trace.say("guard", "refuses " + user + ": " + message.substring(0, 40) + "…");
        yield Optional.empty();
      }
      case Guard.Verdict.Admitted(GuardedSet stored) -> Optional.of(stored);
    };
  }

  private GuardedSet guardedSet(SetObject.Spec spec, Mark mark) {
    return new GuardedSet(
        kind,
        ApiServer.NAMESPACE,
        set().name(),
        spec.template().revision(),
        spec.update(),
        spec.partition(),
        mark);
  }

  public Answer writeSetStatus(SetObject.Status status) {
    if (!up()) {
      return Answer.UNAVAILABLE;
    }
    SetObject old = set();
    if (exists() && !old.status().equals(status)) {
      store(old.reporting(api.nextVersion(), status));
    }
    return Answer.OK;
  }

  /** An annotation: moves the resourceVersion and nothing else. */
  public Answer annotateSet(Optional<String> fence, String note) {
    SetObject old = set();
    if (!up()) {
      return Answer.UNAVAILABLE;
    }
    if (!exists() || fence.filter(f -> !f.equals(old.fence())).isPresent()) {
      return Answer.CONFLICT;
    }
    store(old.annotated(api.nextVersion(), note));
    return Answer.OK;
  }

  /** {@code kubectl delete}: gone at once; its pods follow, taken by the garbage collector. */
  public void deleteSet() {
    api.nextVersion();
    exists.add(time.now(), false);
    tell(Kind.SET);
  }

  /** New status and uid; pods that an orphaning delete has left are taken over. */
  public void createSet(String user, SetObject.Spec spec) {
    exists.add(time.now(), true);
    GuardedSet asked = guardedSet(spec, Mark.NONE);
    GuardedSet admitted = admit(Optional.empty(), asked, user).orElse(asked);
    store(
        new SetObject(
            set().name(),
            "set-" + api.nextUid(),
            api.nextVersion(),
            1,
            spec.withPartition(admitted.partition()),
            SetObject.Status.NONE,
            "",
            admitted.mark()));
  }

  private void store(SetObject object) {
    set.add(time.now(), object);
    tell(Kind.SET);
  }

  public PodObject createPod(int ordinal, String revision, Template template) {
    var state = new PodObject.State(false, time.now(), false, Optional.empty(), false, "");
    int number = api.nextUid();
    boolean named = kind == Workload.Kind.STATEFUL_SET;
    var pod =
        new PodObject(
            named ? set().podName(ordinal) : set().name() + "-x" + number,
            "pod-" + number,
            api.nextVersion(),
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
              api.nextVersion(),
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
    api.nextVersion();
    store(Among.those(pods(), p -> !p.uid().equals(uid)));
  }

  private void store(List<PodObject> list) {
    pods.add(time.now(), List.copyOf(list));
    tell(Kind.POD);
  }

  private void tell(Kind kind) {
    watchers.forEach(w -> w.accept(kind));
    api.tell(kind);
  }
}
