package dev.belay.sim.operator;

import dev.belay.core.loop.Loop;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.plan.Step;
import dev.belay.core.snapshot.Memory.Fence;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Workload;
import dev.belay.sim.world.ApiServer;
import dev.belay.sim.world.ApiServer.Answer;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.Template;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Act: one write, fenced on what was observed. What a production actor must do too: refuse a
 * disruptive step whose look is more than three seconds old, because no fence covers what the
 * members themselves do.
 */
final class Hands implements Loop.Actor {

  static final Duration FRESH = Duration.ofSeconds(3);

  private final Process process;
  private final Witness witness;
  private int writes;

  Hands(Process process, Witness witness) {
    this.process = process;
    this.witness = witness;
  }

  int writes() {
    return writes;
  }

  @Override
  public Acted act(Snapshot basis, Step step) {
    process.reach(Process.Point.BEFORE_ACT);
    Instant looked = process.looked;
    boolean stalls = process.world.weather.isArmed(Fault.OPERATOR_STALLS);
    boolean afterCheck = process.world.weather.argument(Fault.OPERATOR_STALLS) % 2 == 1;
    if (stalls && !afterCheck) {
      stall();
    }
    if (step instanceof Step.Disruptive && process.world.time.now().isAfter(looked.plus(FRESH))) {
      return new Acted(false, "looked too long ago");
    }
    if (stalls && afterCheck) {
      stall();
    }
    process.takesTime(1, 8);
    if (process.world.weather.strikes(Fault.CONFLICT)) {
      touch(step.fence());
    }
    if (process.fails()) {
      return new Acted(false, "the API server answered 503");
    }
    if (process.world.weather.strikes(Fault.LATE_WRITE)) {
      Duration held = process.rng.millis(300, 8000);
      process.say("sends \"" + step.what() + "\", held up for " + held.toMillis() + " ms");
      process.world.time.after(held, () -> apply(basis, step, looked, true));
      return new Acted(false, "no answer in time");
    }
    Answer answer = apply(basis, step, looked, stalls && afterCheck);
    process.reach(Process.Point.AFTER_ACT);
    if (process.world.weather.strikes(Fault.REPLY_LOST)) {
      return new Acted(false, "the reply was lost");
    }
    return new Acted(answer == Answer.OK, answer.toString());
  }

  private void stall() {
    process.world.weather.strikes(Fault.OPERATOR_STALLS);
    Duration pause = process.rng.millis(1500, 20_000);
    process.say("stands still for " + pause.toMillis() + " ms");
    process.world.weather.blindFor(pause);
    process.world.pass(pause);
    process.say("goes on");
  }

  private void touch(Fence fence) {
    switch (fence.kind()) {
      case "StatefulSet" -> process.world.api.annotateSet(Optional.empty(), "touched");
      case "Pod" ->
          process.world.api.pods().stream()
              .filter(p -> p.name().equals(fence.name()))
              .findFirst()
              .ifPresent(p ->
                  process.world.api.writePod(
                      p.uid(), Optional.empty(), s -> s.note(s.note() + "+")));
      default -> {}
    }
  }

  private Answer apply(Snapshot basis, Step step, Instant looked, boolean suspended) {
    var deed =
        new Witness.Deed(
            process.self.instance(), basis, step, process.world.api.set(), looked, suspended);
    witness.sends(process.self.instance(), step);
    Answer answer = fenced(step);
    if (answer == Answer.OK) {
      witness.acts(deed);
      answer = send(step);
      writes++;
    }
    process.say(step.what() + " → " + answer);
    return answer;
  }

  /** Whether the state a step was decided on still stands; the API server and the leader ask. */
  private Answer fenced(Step step) {
    ApiServer api = process.world.api;
    Fence fence = step.fence();
    if (!api.up()) {
      return Answer.UNAVAILABLE;
    }
    boolean stands =
        switch (fence.kind()) {
          case "StatefulSet" ->
              api.set().name().equals(fence.name()) && api.set().fence().equals(fence.state());
          case "Pod" -> api.pods().stream().map(PodObject::fence).anyMatch(fence.state()::equals);
          case "Leader" -> leads(fence);
          default -> false;
        };
    return stands ? Answer.OK : Answer.CONFLICT;
  }

  private boolean leads(Fence fence) {
    var raft = process.world.raft;
    return raft.leader() >= 0
        && fence.name().equals("m" + raft.leader())
        && fence.state().equals(Long.toString(raft.term()));
  }

  private Answer send(Step step) {
    ApiServer api = process.world.api;
    Optional<String> fence = Optional.of(step.fence().state());
    return switch (step) {
      case Step.PartitionWrite write ->
          api.writeSet(Process.ACCOUNT, fence, spec -> spec.withPartition(write.partition()));
      case Step.SetTemplate set -> {
        int restarts = api.set().spec().template().restarts();
        String image = set.images().values().iterator().next();
        yield api.writeSet(
            Process.ACCOUNT,
            fence,
            spec -> spec.withTemplate(Template.of(image, restarts)).withPartition(Workload.FROZEN));
      }
      case Step.RecreatePod pod -> api.writePod(pod.uid(), fence, PodObject.State::terminate);
      case Step.TransferLeader transfer -> {
        long term = Long.parseLong(transfer.fence().state());
        yield process.world.raft.transfer(transfer.fromId(), term, transfer.toId())
            ? Answer.OK
            : Answer.REFUSED;
      }
      case Step.Revoke revoke -> revoke(api, revoke);
      case Step.Recorded recorded ->
          throw new IllegalArgumentException("nothing to do for " + recorded);
    };
  }

  private static Answer revoke(ApiServer api, Step.Revoke revoke) {
    Fence fence = revoke.fence();
    if (fence.kind().equals("StatefulSet")) {
      return api.annotateSet(Optional.of(fence.state()), revoke.stepId());
    }
    String uid = fence.state().substring(0, fence.state().indexOf('/'));
    return api.writePod(uid, Optional.of(fence.state()), s -> s.note(revoke.stepId()));
  }
}
