package dev.belay.sim.check;

import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.report.Report;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.sim.operator.Witness.Deed;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.SetObject;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The safety promises as far as one component is concerned. */
final class Ward {

  /** How long a release may stay latent before Belay, undisturbed, must have taken it back. */
  private static final Duration LATENT = Duration.ofSeconds(6);

  private record Released(String instance, Deed deed, String template, Instant at) {}

  private final World world;
  private final Part part;
  private final Hand hand;
  private final Asked asked;
  private final Turns turns;
  private final Owners owners;
  private final Looks looks;
  private final Partitions partitions;
  private final Truth truth;
  private final Quorum quorum;
  private final Failures failures;
  private final Retreat retreat;
  private final Dues dues;
  private final Tries tries;
  private final Answers answers;
  private final Soaks soaks;
  private final Stops stops;
  private final Consents consents;
  private final Whole whole;
  private final Map<Integer, Released> released = new TreeMap<>();
  private final Map<String, Integer> replacements = new TreeMap<>();
  private String template;
  private String settled = "";
  private long setVersion = -1;

  Ward(World world, Part part, Hand hand, Asked asked, Turns turns, Causes causes, Owners owners) {
    this.turns = turns;
    this.owners = owners;
    this.world = world;
    this.part = part;
    this.hand = hand;
    this.asked = asked;
    this.truth = new Truth(world, part);
    this.looks = new Looks(world, part, asked, turns);
    this.partitions = new Partitions(world, part, truth, asked);
    this.quorum = new Quorum(world, part, truth);
    this.retreat = new Retreat(world, part, truth, causes);
    this.failures = new Failures(world, part, retreat);
    this.dues = new Dues(world, part);
    this.tries = new Tries(world, part);
    this.answers = new Answers(world, part, truth);
    this.soaks = new Soaks(world, part);
    this.stops = new Stops(world, part, retreat);
    this.consents = new Consents(world, part, truth, retreat);
    this.whole = new Whole(part);
    this.template = part.wanted();
    part.onReplace(this::replaced);
  }

  Part part() {
    return part;
  }

  Truth truth() {
    return truth;
  }

  /** The last revision that Belay called complete, which S15 judges. */
  String settled() {
    return settled;
  }

  /** Taken back on somebody's account, and back: it waits for another template or word. */
  boolean rests(Deed deed) {
    // No fence covers another component: a template that came after the look, nobody could have
    // known.
    boolean then = retreat.wanted(part.store.setAsOf(deed.looked()), deed);
    return (then || retreat.wanted(part.set(), deed)) && retreat.isBack();
  }

  /** Whether every member has served at the newest revision. */
  boolean isWhole(Deed deed) {
    return whole.isThere(deed);
  }

  /** How many members still have what they, too, shall go back from. */
  long stillToGoBack(Deed deed) {
    // What has no revision of its own to come back at goes back by its template alone.
    boolean back =
        !part.setup.isDeployment() && retreat.wanted(part.store.setAsOf(deed.looked()), deed);
    Truth.Window window = truth.since(deed.looked());
    boolean forward = !part.wanted().equals(settled);
    return back && forward && part.set().status().currentRevision().equals(settled)
        ? Long.bitCount(truth.now().exists() & ~window.everOutdated())
        : 0;
  }

  /** After every event. */
  void afterEvent() {
    if (truth.update()) {
      asked.moved();
      quorum.check();
    }
    failures.update(hand.consents(world.time.now()));
    failures.stopsTheLine();
    retreat.update();
    dues.check();
    tries.update();
    soaks.update();
    stops.update();
    stops.goesBack(asked.progress(), failures.failedBefore(world.time.now().minusSeconds(8)));
    consents.update();
    whole.update();
    SetObject set = part.set();
    if (set.version() != setVersion) {
      setVersion = set.version();
      asked.moved();
      // What was taken back is Belay's no more: who releases it then answers for it.
      released.keySet().removeIf(o -> !isReleased(o));
    }
    if (!part.wanted().equals(template)) {
      template = part.wanted();
      replacements.clear();
      released.clear();
      boolean claimed = world.api.cluster().isPresent();
      boolean rolls = set.spec().update() == Workload.Update.ROLLING_UPDATE;
      boolean marked = set.mark().present() && claimed;
      if (world.api.guarded() && marked && rolls && set.spec().partition() != Workload.FROZEN) {
        throw new Violation("S6", "a template change was stored unfrozen");
      }
    }
    if (!part.raft.lost().isEmpty()) {
      throw new Violation("S1", "an acknowledged write is lost: " + part.raft.lost());
    }
  }

  /** Whether an object that a step is aimed at is one of this component's. */
  boolean knows(Fence fence) {
    return switch (fence) {
      case Fence.ObjectVersion object ->
          object.kind() == Fence.Kind.POD
              ? object.name().startsWith(part.name() + "-")
              : object.kind() == Fence.Kind.of(part.setup.kind())
                  && object.name().equals(part.name());
      case Fence.LeaderTerm leader -> leader.name().startsWith("m");
      case Fence.Request request -> part.owns(request.name());
      case Fence.Cluster _, Fence.MemberTerm _, Fence.Migration _, Fence.Verdict _ -> false;
    };
  }

  void acts(Deed deed, Instant ready) {
    boolean takesDown = deed.step() instanceof Step.Release || deed.step() instanceof Step.Evict;
    if (takesDown || deed.step() instanceof Step.LetRoll) {
      stops.check(deed, deed.step().what());
    }
    // Answers to actions and checks take their time.
    if (takesDown && world.setup.parts().stream().noneMatch(p -> p.actions() || p.checks())) {
      looks.prompt(deed.step(), ready);
    }
    if (deed.step() instanceof Step.Disruptive) {
      Looks.live(deed);
      if (!deed.suspended()) {
        looks.fresh(deed);
      }
    }
    if (!hand.consents(deed.looked())) {
      consents.check(deed);
    }
    switch (deed.step()) {
      case Step.Release release -> release(deed, release);
      case Step.RecreatePod recreate -> takesDown(deed, recreate.uid(), recreate.what());
      case Step.Evict evict -> takesDown(deed, evict.uid(), evict.what());
      case Step.SetTemplate set -> retreat.written(deed, set);
      case Step.TransferLeader transfer -> transfer(deed, transfer);
      case Step.Force _ ->
          world.api.cluster().flatMap(ClusterObject::status).ifPresent(hand::forces);
      case Step.LetRoll roll -> letRoll(deed, roll);
      case Step.PartitionWrite write -> partitions.check(deed, write);
      default -> {}
    }
  }

  private void release(Deed deed, Step.Release release) {
    int before = part.set().spec().partition();
    if (release.partition() >= before) {
      throw new Violation("S8", release.what() + " was done already: the partition is " + before);
    }
    partitions.lowers(deed, release);
    int ordinal = release.partition() + part.setup.firstOrdinal();
    released.forEach((other, earlier) -> {
      if (other != ordinal && stillOld(other) && isReleased(other)) {
        String promise = earlier.instance().equals(deed.instance()) ? "S3" : "S8";
        throw new Violation(
            promise, release.what() + " while the release of " + other + " has not struck");
      }
    });
    if (!hand.consents(deed.looked())) {
      failures.check(deed, release.what());
      disrupts(deed, release.partition(), part.wanted(), release.what());
    }
    released.put(ordinal, new Released(deed.instance(), deed, written(), world.time.now()));
  }

  /** A controller is let loose on a whole component: nobody else is down, and it is its turn. */
  private void letRoll(Deed deed, Step.LetRoll roll) {
    if (hand.consents(deed.looked())) {
      return;
    }
    failures.check(deed, roll.what());
    int elsewhere = turns.downElsewhere(this, deed.looked());
    if (elsewhere > rollout(deed).tolerateUnhealthy()) {
      throw new Violation(
          "S3", roll.what() + " while " + elsewhere + " are down in other components");
    }
    Disruption disruption = disruption(deed, part.wanted());
    boolean heals = part.pods().stream().anyMatch(p -> disruption.hopeless(1L << p.ordinal()));
    if (!heals) {
      turns.check(deed, this, part.wanted(), roll.what());
    }
  }

  private void disrupts(Deed deed, int index, String goal, String what) {
    Disruption disruption = disruption(deed, goal);
    int elsewhere = turns.downElsewhere(this, deed.looked());
    disruption.check(index, deed.looked(), elsewhere, what);
    // Who is stuck on what was never good is healed out of turn.
    if (!disruption.hopeless(1L << index)) {
      turns.check(deed, this, goal, what);
      int ordinal = index + part.setup.firstOrdinal();
      answers.check(deed, ordinal, goal, what);
      soaks.check(deed, ordinal, rollout(deed), goal, what);
      part.store.podAt(ordinal).ifPresent(pod -> dues.takesDown(deed, pod, what));
    }
  }

  private Disruption disruption(Deed deed, String goal) {
    return new Disruption(part, truth, rollout(deed), settled, goal);
  }

  private String written() {
    return part.set().spec().template().revision();
  }

  private boolean stillOld(int ordinal) {
    return part.outdated().stream().anyMatch(p -> p.ordinal() == ordinal && !p.terminating());
  }

  private boolean isReleased(int ordinal) {
    return ordinal - part.setup.firstOrdinal() >= part.set().spec().partition();
  }

  private void takesDown(Deed deed, String uid, String what) {
    Optional<PodObject> found = part.store.pod(uid);
    if (found.isEmpty()) {
      return;
    }
    PodObject pod = found.get();
    int index = pod.ordinal() - part.setup.firstOrdinal();
    SetObject.Spec set = part.store.setAsOf(deed.looked()).spec();
    // A pod's fence does not cover the set: a revert after the look, nobody could have known.
    boolean newest =
        pod.revision().equals(part.wanted()) && pod.revision().equals(set.template().revision());
    boolean below =
        set.update() == Workload.Update.ROLLING_UPDATE
            && index < set.partition()
            && !part.setup.isDeployment();
    boolean consent = hand.consents(deed.looked());
    String goal = below ? part.set().status().currentRevision() : part.wanted();
    // After an orphaned re-create the set knows one revision only: nobody goes back there.
    boolean stays = newest && goal.equals(pod.revision());
    if (below && !stays) {
      boolean withdraws =
          retreat.wanted(deed.before(), deed)
              || retreat.wanted(part.store.setAsOf(deed.looked()), deed);
      if (!withdraws && newest) {
        throw new Violation("S10", what + ", and nobody wants it to go back");
      }
      if (!withdraws && !stuck(pod)) {
        throw new Violation("S5", what + " below the partition: it would come back old");
      }
      retreat.check(deed, what, withdraws);
    } else if (newest) {
      triedAgain(deed, pod, what);
    } else if (!consent) {
      failures.check(deed, what);
    }
    once(pod.ordinal(), goal, what);
    if (!consent) {
      disrupts(deed, index, goal, what);
      quorum.disrupted(pod.ordinal(), deed.looked());
    }
  }

  private static boolean stuck(PodObject pod) {
    return !pod.ready() && pod.state().trouble().isPresent();
  }

  /** One that has the new revision is made anew only when it was stuck before somebody asked. */
  private void triedAgain(Deed deed, PodObject pod, String what) {
    boolean again = pod.created().isBefore(asked.retried());
    boolean wasStuck =
        part.store.podsAsOf(deed.looked()).stream()
            .anyMatch(p -> p.uid().equals(pod.uid()) && stuck(p));
    if (!again || !(wasStuck || stuck(pod))) {
      throw new Violation("S9", what + ", which already has the new revision");
    }
  }

  private void transfer(Deed deed, Step.TransferLeader transfer) {
    int index = Integer.parseInt(transfer.toId().substring(1)) - part.setup.firstOrdinal();
    if ((truth.since(deed.looked()).everHealthy() & (1L << index)) == 0) {
      throw new Violation("S2", transfer.what() + ", which is not healthy");
    }
  }

  /** The controller takes down a pod that is outdated and released. */
  private void replaced(PodObject pod) {
    asked.moved();
    Released by = released.get(pod.ordinal());
    // Of another template it is whoever wrote that one, past the guard, who lets it through.
    if (by == null || !by.template().equals(written())) {
      return;
    }
    if (!hand.consents(by.deed().looked())) {
      owners.strikes("the release of " + pod.name());
    }
    once(pod.ordinal(), part.wanted(), "replace " + pod.name());
    quorum.disrupted(pod.ordinal(), by.deed().looked());
    boolean latent = world.time.now().isAfter(by.at().plusSeconds(3));
    boolean attentive = world.weather.clearFor(LATENT.plusSeconds(2));
    if (latent && attentive && !asked.deletedBefore(Instant.MAX)) {
      Instant from = world.time.now().minus(LATENT);
      Instant looked = by.deed().looked().isBefore(from) ? from : by.deed().looked();
      int index = pod.ordinal() - part.setup.firstOrdinal();
      String what = "the latent release of " + pod.name() + " strikes";
      if (hand.pausedSince(from)) {
        throw new Violation("S11", what + " although it is paused");
      }
      if (!hand.consents(from)) {
        disruption(by.deed(), part.wanted())
            .check(index, looked, turns.downElsewhere(this, looked), what);
      }
    }
    released.remove(pod.ordinal());
  }

  /** L4: no pod is restarted twice for one revision, unless asked to. */
  private void once(int ordinal, String goal, String what) {
    String key = ordinal + " to " + goal + ", asked " + asked.words();
    boolean cameBackOld = replacements.containsKey(key) && !stillCounts(ordinal, goal);
    int times = cameBackOld ? 1 : replacements.merge(key, 1, Integer::sum);
    if (times > 1) {
      throw new Violation("L4", what + " for the second time at " + goal);
    }
  }

  /** A pod that came back elsewhere because of somebody else has to be done again. */
  private boolean stillCounts(int ordinal, String goal) {
    return part.pods().stream()
        .noneMatch(p -> p.ordinal() == ordinal && !p.revision().equals(goal));
  }

  Spec.Rollout rollout(Deed deed) {
    return deed.basis().spec().components().stream()
        .filter(c -> c.name().equals(part.name()))
        .findFirst()
        .orElseThrow()
        .rollout();
  }

  void recorded(Snapshot basis, Report report, Instant looked) {
    ComponentMemory before = basis.memory().component(part.name());
    ComponentMemory after = report.memory().component(part.name());
    settled = after.lastGood().map(Memory.Good::revision).orElse("");
    retreat.recorded(basis, report);
    consents.recorded(basis, report, looked);
    whole.recorded(basis, report);
    tries.recorded(basis, report, looked);
    boolean completes =
        before.target().isPresent() && after.target().isEmpty() && !basis.subject().deleting();
    if (completes) {
      new Completion(world, part, truth).check(after, looked);
      answers.complete(basis, after);
    }
  }
}
