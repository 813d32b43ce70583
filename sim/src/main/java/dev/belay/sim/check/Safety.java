package dev.belay.sim.check;

import dev.belay.core.plan.Step;
import dev.belay.core.report.Report;
import dev.belay.core.snapshot.Memory;
import dev.belay.core.snapshot.Memory.ComponentMemory;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Workload;
import dev.belay.sim.operator.Witness;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.SetObject;
import dev.belay.sim.world.Setup;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The safety promises of DESIGN.md §4, judged at every write of Belay and after every event. */
public final class Safety implements Witness {

  /** How long a release may stay latent before Belay, undisturbed, must have taken it back. */
  private static final Duration LATENT = Duration.ofSeconds(6);

  private record Released(String instance, Deed deed, Instant at) {}

  private final World world;
  private final Truth truth;
  private final Quorum quorum;
  private final Hand hand;
  private final Failures failures;
  private final Retreat retreat;
  private final Map<Integer, Released> released = new TreeMap<>();
  private final Map<String, Integer> replacements = new TreeMap<>();
  private String template = "";
  private Instant deleted = Instant.MAX;
  private Instant progress;
  private String asked = "";
  private String settled = "";
  private boolean waitsForPerson;
  private String retryToken = "";
  private Instant retried = Instant.EPOCH;
  private long seen = -1;
  private Instant updated = Instant.EPOCH;
  private long setVersion = -1;

  public Safety(World world) {
    this.world = world;
    this.truth = new Truth(world);
    this.quorum = new Quorum(world, truth);
    this.hand = new Hand(world);
    this.failures = new Failures(world);
    this.retreat = new Retreat(world, truth);
    this.progress = world.time.now();
    this.template = world.api.set().spec().template().revision();
    world.onReplace(this::replaced);
  }

  /** When Belay last did something, or the truth last changed. */
  public Instant progress() {
    truth.update();
    return truth.now().at().isAfter(progress) ? truth.now().at() : progress;
  }

  /** What a forced roll-out left standing; empty when nothing. */
  public String lingers() {
    return hand.lingers();
  }

  /** After every event. */
  public void afterEvent() {
    long version = world.api.version() + world.raft.changes();
    // Some truths change with time alone: a node comes back, a pod becomes available.
    if (version == seen && world.time.now().isBefore(updated.plusMillis(300))) {
      return;
    }
    seen = version;
    updated = world.time.now();
    if (truth.update()) {
      progress = world.time.now();
      quorum.check();
    }
    hand.update();
    failures.update(hand.consents(world.time.now()));
    retreat.update();
    String retry = world.api.cluster().flatMap(c -> c.spec().requests().retry()).orElse(retryToken);
    if (!retry.equals(retryToken)) {
      retryToken = retry;
      retried = world.time.now();
    }
    String request = world.api.cluster().map(c -> c.uid() + "/" + c.generation()).orElse("");
    if (!request.equals(asked)) {
      asked = request;
      progress = world.time.now();
    }
    SetObject set = world.api.set();
    if (set.version() != setVersion) {
      setVersion = set.version();
      progress = world.time.now();
    }
    if (!set.spec().template().revision().equals(template)) {
      template = set.spec().template().revision();
      replacements.clear();
      released.clear();
      boolean claimed = world.api.cluster().isPresent();
      boolean rolls = set.spec().update() == Workload.Update.ROLLING_UPDATE;
      if (world.api.guarded() && claimed && rolls && set.spec().partition() != Workload.FROZEN) {
        throw new Violation("S6", "a template change was stored unfrozen");
      }
    }
    boolean leaving = world.api.cluster().filter(c -> c.deleting()).isPresent();
    if (leaving && deleted.equals(Instant.MAX)) {
      deleted = world.time.now();
    } else if (!leaving && world.api.cluster().isPresent()) {
      deleted = Instant.MAX;
    }
    if (!world.raft.lost().isEmpty()) {
      throw new Violation("S1", "an acknowledged write is lost: " + world.raft.lost());
    }
  }

  @Override
  public void sends(String instance, Step step) {
    String name = step.fence().name();
    String set = world.api.set().name();
    String cluster = world.api.cluster().map(c -> c.name()).orElse(name);
    boolean component = step.component().equals(Setup.COMPONENT);
    boolean known =
        switch (step.fence().kind()) {
          case "StatefulSet" -> component && name.equals(set);
          case "Pod" -> component && name.startsWith(set + "-");
          case "Leader" -> component && name.startsWith("m");
          case "StatefulCluster" -> name.equals(cluster);
          default -> false;
        };
    if (!known) {
      throw new Violation("S14", "\"" + step.what() + "\" is aimed at " + step.fence());
    }
  }

  @Override
  public void acts(Deed deed) {
    Instant ready = progress();
    progress = world.time.now();
    if (deed.step() instanceof Step.Release release) {
      prompt(release, ready);
    }
    if (deed.step() instanceof Step.Disruptive && !deed.suspended()) {
      fresh(deed);
    }
    if (deed.looked().isAfter(deleted) && deed.step() instanceof Step.Disruptive) {
      throw new Violation("S16", "\"" + deed.step().what() + "\" after the cluster was deleted");
    }
    hand.check(deed);
    switch (deed.step()) {
      case Step.Release release -> release(deed, release);
      case Step.RecreatePod recreate -> takesDown(deed, recreate.uid(), recreate.what());
      case Step.Evict evict -> takesDown(deed, evict.uid(), evict.what());
      case Step.SetTemplate set -> retreat.written(deed, set);
      case Step.TransferLeader transfer -> transfer(deed, transfer);
      case Step.Force _ ->
          world.api.cluster().flatMap(ClusterObject::status).ifPresent(hand::forces);
      case Step.PartitionWrite write -> partition(deed, write);
      default -> {}
    }
  }

  /** L2: a step follows soon after its last precondition. */
  private void prompt(Step.Release release, Instant ready) {
    SetObject.Spec set = world.api.set().spec();
    // Asking a member that stands still takes the driver's time-out, twice.
    int slow = world.raft.voters().stream().anyMatch(v -> v.paused) ? 2000 : 0;
    // Who waits for a person looks at the members every five seconds only.
    slow += waitsForPerson ? 5000 : 0;
    Duration allowed = world.setup.rollout().soak().plus(set.minReady()).plusMillis(1200 + slow);
    // One that hangs counts as down only when its time to become ready is over.
    boolean hangs =
        world.api.pods().stream().anyMatch(p -> p.name().equals(release.pod()) && !p.ready());
    if (!hangs
        && world.weather.clearFor(Duration.ofSeconds(15))
        && world.time.now().isAfter(ready.plus(allowed))) {
      long late = Duration.between(ready, world.time.now()).toMillis();
      throw new Violation("L2", release.what() + " " + late + " ms after nothing was in the way");
    }
  }

  private void fresh(Deed deed) {
    if (world.time.now().isAfter(deed.looked().plusMillis(3200))) {
      throw new Violation("S7", "\"" + deed.step().what() + "\" rests on an old look");
    }
    // A pod's fence does not cover the set; what changed after the look, nobody could have known.
    SetObject set = world.api.setAsOf(deed.looked());
    if (set.status().observedGeneration() < set.generation()) {
      throw new Violation("S7", "\"" + deed.step().what() + "\" before the controller has seen");
    }
  }

  private void release(Deed deed, Step.Release release) {
    int before = world.api.set().spec().partition();
    if (release.partition() >= before) {
      throw new Violation("S8", release.what() + " was done already: the partition is " + before);
    }
    lowers(deed, release);
    int ordinal = release.partition() + world.setup.firstOrdinal();
    released.forEach((other, earlier) -> {
      if (other != ordinal && stillOld(other) && isReleased(other)) {
        String promise = earlier.instance().equals(deed.instance()) ? "S3" : "S8";
        throw new Violation(
            promise, release.what() + " while the release of " + other + " has not struck");
      }
    });
    if (!hand.consents(deed.looked())) {
      failures.check(deed, release.what());
      new Disruption(world, truth, rollout(deed), settled, template())
          .check(release.partition(), deed.looked(), release.what());
    }
    released.put(ordinal, new Released(deed.instance(), deed, world.time.now()));
  }

  private boolean stillOld(int ordinal) {
    return world.outdated().stream().anyMatch(p -> p.ordinal() == ordinal && !p.terminating());
  }

  private boolean isReleased(int ordinal) {
    return ordinal - world.setup.firstOrdinal() >= world.api.set().spec().partition();
  }

  private String template() {
    return world.api.set().spec().template().revision();
  }

  private void takesDown(Deed deed, String uid, String what) {
    Optional<PodObject> found = world.api.pod(uid);
    if (found.isEmpty()) {
      return;
    }
    PodObject pod = found.get();
    boolean newest = pod.revision().equals(template());
    int index = pod.ordinal() - world.setup.firstOrdinal();
    SetObject.Spec set = world.api.setAsOf(deed.looked()).spec();
    boolean below = set.update() == Workload.Update.ROLLING_UPDATE && index < set.partition();
    boolean consent = hand.consents(deed.looked());
    String goal = below ? world.api.set().status().currentRevision() : template();
    if (below) {
      boolean withdraws = retreat.wanted(deed);
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
      new Disruption(world, truth, rollout(deed), settled, goal).check(index, deed.looked(), what);
      quorum.disrupted(pod.ordinal(), deed.looked());
    }
  }

  private static boolean stuck(PodObject pod) {
    return !pod.ready() && pod.state().trouble().isPresent();
  }

  /** One that has the new revision is made anew only when it was stuck before somebody asked. */
  private void triedAgain(Deed deed, PodObject pod, String what) {
    boolean asked = pod.created().isBefore(retried);
    boolean wasStuck =
        world.api.podsAsOf(deed.looked()).stream()
            .anyMatch(p -> p.uid().equals(pod.uid()) && stuck(p));
    if (!asked || !(wasStuck || stuck(pod))) {
      throw new Violation("S9", what + ", which already has the new revision");
    }
  }

  private void transfer(Deed deed, Step.TransferLeader transfer) {
    int index = Integer.parseInt(transfer.toId().substring(1)) - world.setup.firstOrdinal();
    if ((truth.since(deed.looked()).everHealthy() & (1L << index)) == 0) {
      throw new Violation("S2", transfer.what() + ", which is not healthy");
    }
  }

  /** Freeze, retract, rest. */
  private void partition(Deed deed, Step.PartitionWrite write) {
    int before = deed.before().spec().partition();
    if (write.partition() < before) {
      lowers(deed, write);
    } else if (write.partition() != Workload.FROZEN && !(write instanceof Step.Retract)) {
      throw new Violation("S5", write.what() + " raises the partition to " + write.partition());
    }
  }

  /** By one outdated member, the highest; or straight to rest when none is outdated. */
  private void lowers(Deed deed, Step.PartitionWrite write) {
    Instant view = Completion.view(world, deed.looked());
    long outdated = truth.since(view).alwaysOutdated() & truth.now().exists();
    int before = Math.min(deed.before().spec().partition(), Long.SIZE - 1);
    long free = outdated & ~((1L << write.partition()) - 1);
    long newly = free & ((1L << before) - 1);
    boolean one = Long.bitCount(free) <= 1 && Long.bitCount(newly) <= 1;
    boolean rests = !(write instanceof Step.Release);
    if (rests ? newly != 0 : !one) {
      String promise = deed.looked().isAfter(deleted) ? "S16" : "S5";
      throw new Violation(
          promise,
          write.what() + " (partition " + write.partition() + ") frees " + Long.bitCount(newly));
    }
  }

  /** The controller takes down a pod that is outdated and released. */
  private void replaced(PodObject pod) {
    progress = world.time.now();
    Released by = released.get(pod.ordinal());
    if (by == null) {
      return;
    }
    once(pod.ordinal(), template(), "replace " + pod.name());
    quorum.disrupted(pod.ordinal(), by.deed().looked());
    boolean latent = world.time.now().isAfter(by.at().plusSeconds(3));
    boolean attentive = world.weather.clearFor(LATENT.plusSeconds(2));
    if (latent && attentive && deleted.equals(Instant.MAX)) {
      Instant from = world.time.now().minus(LATENT);
      Instant looked = by.deed().looked().isBefore(from) ? from : by.deed().looked();
      int index = pod.ordinal() - world.setup.firstOrdinal();
      String what = "the latent release of " + pod.name() + " strikes";
      if (hand.pausedSince(from)) {
        throw new Violation("S11", what + " although it is paused");
      }
      if (!hand.consents(from)) {
        new Disruption(world, truth, rollout(by.deed()), settled, template())
            .check(index, looked, what);
      }
    }
    released.remove(pod.ordinal());
  }

  /** L4: no pod is restarted twice for one revision, unless asked to. */
  private void once(int ordinal, String goal, String what) {
    String key = ordinal + " to " + goal + ", asked " + asking();
    boolean cameBackOld = replacements.containsKey(key) && !stillCounts(ordinal, goal);
    int times = cameBackOld ? 1 : replacements.merge(key, 1, Integer::sum);
    if (times > 1) {
      throw new Violation("L4", what + " for the second time at " + goal);
    }
  }

  private String asking() {
    return world
        .api
        .cluster()
        .map(c -> c.spec().requests().retry().orElse("") + c.memory().handled().rollback())
        .orElse("");
  }

  /** A pod that came back elsewhere because of somebody else has to be done again. */
  private boolean stillCounts(int ordinal, String goal) {
    return world.api.pods().stream()
        .noneMatch(p -> p.ordinal() == ordinal && !p.revision().equals(goal));
  }

  private static Spec.Rollout rollout(Deed deed) {
    return deed.basis().spec().components().getFirst().rollout();
  }

  @Override
  public void recorded(String instance, Snapshot basis, Report report, Instant looked) {
    waitsForPerson = basis.memory().run().filter(r -> r.waitingSince().isPresent()).isPresent();
    ComponentMemory before = basis.memory().component(Setup.COMPONENT);
    ComponentMemory after = report.memory().component(Setup.COMPONENT);
    settled = after.lastGood().map(Memory.Good::revision).orElse("");
    boolean completes =
        before.target().isPresent() && after.target().isEmpty() && !basis.subject().deleting();
    hand.recorded(basis, report, completes);
    retreat.recorded(basis, report);
    if (completes) {
      new Completion(world, truth).check(after, looked);
    }
  }

  @Override
  public void broke(String instance, RuntimeException bug) {
    throw new Violation("BUG", instance + ": " + bug + " at " + bug.getStackTrace()[0]);
  }
}
