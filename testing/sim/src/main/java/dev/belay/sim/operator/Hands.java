package dev.belay.sim.operator;

import dev.belay.core.loop.Loop;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.model.Among;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory.Obligation;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.sim.world.ApiServer;
import dev.belay.sim.world.ApiServer.Answer;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.Store;
import dev.belay.sim.world.Template;
import dev.belay.sim.world.Wish;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Act: one write, fenced on what was observed. As the operator's actor does, it refuses a
 * disruptive step whose look is more than three seconds old, because no fence covers what the
 * members themselves do, and any step after eight.
 */
final class Hands implements Loop.Actor {

  static final Duration FRESH = Duration.ofSeconds(3);

  /** What takes no member down is sent as long as a recorded command counts as alive. */
  private static final Duration STALE = Duration.ofSeconds(8);

  private final Instance instance;
  private final Witness witness;
  private final Errands errands;
  private int writes;

  Hands(Instance instance, Witness witness, Errands errands) {
    this.errands = errands;
    this.instance = instance;
    this.witness = witness;
  }

  int writes() {
    return writes;
  }

  @Override
  public Acted act(Snapshot basis, Step step) {
    instance.reach(Instance.Point.BEFORE_ACT);
    Instant looked = instance.looked;
    Instant asOf = instance.asOf;
    boolean stalls = instance.world.weather.isArmed(Fault.OPERATOR_STALLS);
    boolean afterCheck = instance.world.weather.argument(Fault.OPERATOR_STALLS) % 2 == 1;
    if (stalls && !afterCheck) {
      stall();
    }
    instance.pauses(1);
    if (!instance.stamped) {
      return new Acted(false, "a workload does not carry the stamp of this owner yet");
    }
    Duration limit = step instanceof Step.Disruptive ? FRESH : STALE;
    if (instance.world.time.now().isAfter(looked.plus(limit))) {
      return new Acted(false, "looked too long ago");
    }
    if (stalls && afterCheck) {
      stall();
    }
    boolean pauses = instance.pauses(2);
    instance.takesTime(1, 8);
    if (instance.world.weather.strikes(Fault.CONFLICT)) {
      touch(step.fence());
    }
    if (instance.fails()) {
      return new Acted(false, "the API server answered 503");
    }
    // An errand begins inside the process; what may be late is the request, up to its time-out.
    boolean errand = step instanceof Step.Act || step instanceof Step.Undo;
    if (!errand && instance.world.weather.strikes(Fault.LATE_WRITE)) {
      Duration held = instance.rng.millis(300, 8000);
      instance.world.weather.blindFor(held);
      instance.say("sends \"" + step.what() + "\", held up for " + held.toMillis() + " ms");
      instance.world.time.after(held, () -> apply(basis, step, looked, asOf, true));
      return new Acted(false, "no answer in time");
    }
    Answer answer = apply(basis, step, looked, asOf, pauses || (stalls && afterCheck));
    instance.reach(Instance.Point.AFTER_ACT);
    if (instance.world.weather.strikes(Fault.REPLY_LOST)) {
      return new Acted(false, "the reply was lost");
    }
    return new Acted(answer == Answer.OK, answer.toString());
  }

  private void stall() {
    instance.world.weather.strikes(Fault.OPERATOR_STALLS);
    Duration pause = instance.rng.millis(1500, 20_000);
    instance.say("stands still for " + pause.toMillis() + " ms");
    instance.world.weather.blindFor(pause);
    instance.sleeps(pause);
  }

  private void touch(Fence fence) {
    Optional<Part> part = instance.world.owner(fence.name());
    if (part.isEmpty()) {
      return;
    }
    Store store = part.get().store;
    if (!(fence instanceof Fence.ObjectVersion object)) {
      return;
    }
    switch (object.kind()) {
      case STATEFUL_SET, DEPLOYMENT -> store.annotateSet(Optional.empty(), "touched");
      case POD ->
          Among.first(store.pods(), p -> p.name().equals(fence.name()))
              .ifPresent(
                  p -> store.writePod(p.uid(), Optional.empty(), s -> s.note(s.note() + "+")));
    }
  }

  private Answer apply(Snapshot basis, Step step, Instant looked, Instant asOf, boolean suspended) {
    var deed =
        new Witness.Deed(
            instance.self.instance(), basis, step, part(step).set(), looked, asOf, suspended);
    witness.sends(instance.self.instance(), step);
    Answer answer = fenced(step);
    if (answer == Answer.OK) {
      witness.acts(deed);
      answer = send(step, looked);
      writes++;
    }
    instance.say(step.what() + " → " + answer);
    witness.ended(instance.self.instance(), step, answer);
    return answer;
  }

  /** Whether the state a step was decided on still stands; the API server and the leader ask. */
  private Answer fenced(Step step) {
    ApiServer api = instance.world.api;
    if (!api.up()) {
      return Answer.UNAVAILABLE;
    }
    Part part = part(step);
    boolean stands =
        switch (step.fence()) {
          case Fence.ObjectVersion object -> part.isAt(object);
          case Fence.LeaderTerm leader -> leads(part, leader);
          // What is sent to a member has no fence.
          case Fence.Request _ -> true;
          case Fence.Cluster cluster ->
              api.cluster().filter(c -> c.name().equals(cluster.name())).isPresent();
          case Fence.MemberTerm _, Fence.Migration _, Fence.Verdict _ -> false;
        };
    return stands ? Answer.OK : Answer.CONFLICT;
  }

  /** Whose step it is; those about the StatefulCluster itself are nobody's in particular. */
  private Part part(Step step) {
    return instance.world.part(step.component()).orElseGet(instance.world::first);
  }

  private static boolean leads(Part part, Fence.LeaderTerm fence) {
    var raft = part.raft;
    return raft.leader() >= 0
        && fence.name().equals("m" + raft.leader())
        && fence.term().equals(Long.toString(raft.term()));
  }

  private Answer send(Step step, Instant looked) {
    Store store = part(step).store;
    Optional<String> fence =
        step.fence() instanceof Fence.ObjectVersion object
            ? Optional.of(Part.text(object))
            : Optional.empty();
    return switch (step) {
      case Step.PartitionWrite write ->
          store.writeSet(
              instance.install.account(), fence, spec -> spec.withPartition(write.partition()));
      case Step.SetTemplate set -> {
        int restarts = store.set().spec().template().restarts();
        String image = set.images().values().iterator().next();
        yield store.writeSet(
            instance.install.account(),
            fence,
            spec -> spec.withTemplate(Template.of(image, restarts)).withPartition(Workload.FROZEN));
      }
      case Step.RecreatePod pod -> store.writePod(pod.uid(), fence, PodObject.State::terminate);
      case Step.Evict pod ->
          instance.world.weather.holds(Fault.BUDGET_EXHAUSTED)
              ? Answer.REFUSED
              : store.writePod(pod.uid(), fence, PodObject.State::terminate);
      case Step.Act act -> errand(part(step), act.obligation(), false, looked);
      case Step.Undo undo -> errand(part(step), undo.obligation(), true, looked);
      case Step.Tell _, Step.Migrate _, Step.Settle _ ->
          throw new IllegalArgumentException("nobody here does " + step.what());
      case Step.TransferLeader transfer -> {
        long term = Long.parseLong(transfer.fence().term());
        yield part(step).raft.transfer(transfer.fromId(), term, transfer.toId())
            ? Answer.OK
            : Answer.REFUSED;
      }
      case Step.Unforce _ -> {
        instance.world.api.writeClusterSpec(spec -> Wish.force(spec, Spec.Force.NONE));
        yield Answer.OK;
      }
      case Step.Revoke revoke -> revoke(store, revoke);
      case Step.Recorded recorded ->
          throw new IllegalArgumentException("nothing to do for " + recorded);
    };
  }

  private Answer errand(Part part, Obligation obligation, boolean undo, Instant looked) {
    boolean there =
        Among.any(part.pods(), p -> p.name().equals(obligation.object()) && !p.terminating());
    if (there) {
      errands.send(part, obligation, undo, looked);
    }
    return there ? Answer.OK : Answer.REFUSED;
  }

  private static Answer revoke(Store store, Step.Revoke revoke) {
    Fence.ObjectVersion object = revoke.fence();
    Optional<String> fence = Optional.of(Part.text(object));
    return object.kind() == Fence.Kind.POD
        ? store.writePod(object.uid(), fence, s -> s.note(revoke.stepId()))
        : store.annotateSet(fence, revoke.stepId());
  }
}
