package dev.belay.sim.check;

import dev.belay.core.model.Among;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.report.Phase;
import dev.belay.core.report.Report;
import dev.belay.core.state.Memory.Cause;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.sim.operator.Witness.Deed;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.SetObject;
import dev.belay.sim.world.Template;
import dev.belay.sim.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** S10: members go back only when asked to or failed, only to the last good, above the floor. */
final class Retreat {

  /** A revision that a person sent back, until another template or request was seen. */
  private record SentBack(String revision, Instant since, Instant until) {
    boolean holds(String other, Instant moment) {
      return revision.equals(other) && !moment.isBefore(since) && moment.isBefore(until);
    }
  }

  private final World world;
  private final Part part;
  private final Truth truth;
  private final Causes causes;
  private final Map<String, Template> templates = new HashMap<>();
  private String good;
  private String before = "";

  /** What all of it had when Belay last adopted it or called it complete, which S15 judges. */
  private String settled;

  private String failed = "";
  private String askedFor = "";
  private Instant askedSince = Instant.EPOCH;
  private Optional<SentBack> last = Optional.empty();
  private String handled = "";
  private String retried = "";

  Retreat(World world, Part part, Truth truth, Causes causes) {
    this.causes = causes;
    this.world = world;
    this.part = part;
    this.truth = truth;
    // Where nothing was asked for yet, what the set was made with is what one comes from.
    this.good = part.wanted();
    this.settled = part.wanted();
  }

  /** After every event: where every member serves at one revision, that one is good. */
  void update() {
    SetObject set = part.set();
    String revision = set.spec().template().revision();
    templates.put(revision, set.spec().template());
    boolean whole = part.pods().size() == set.spec().replicas();
    boolean serves =
        Among.all(part.pods(), p -> p.revision().equals(revision) && serves(p) && !p.terminating());
    if (whole && serves && !revision.equals(good)) {
      before = good;
      good = revision;
    }
  }

  private boolean serves(PodObject pod) {
    return pod.ready() && (!part.setup.hasMembers() || part.raft.healthy(pod.ordinal()));
  }

  void recorded(Snapshot basis, Report report) {
    settle(basis, report);
    String known = askedFor;
    judge(basis, report);
    if (!known.equals(askedFor)) {
      Instant now = world.time.now();
      last = known.isEmpty() ? last : Optional.of(new SentBack(known, askedSince, now));
      askedSince = now;
    }
  }

  /** By what its pods have: which revision Belay remembers as good decides nothing. */
  private void settle(Snapshot basis, Report report) {
    ComponentMemory then = basis.memory().component(part.name());
    ComponentMemory now = report.memory().component(part.name());
    boolean completes = then.target().isPresent() && now.target().isEmpty();
    boolean adopts = now.adopted() && !then.adopted();
    if (completes || adopts) {
      settled =
          looked(basis)
              .filter(r -> Among.all(part.pods(), p -> p.revision().equals(r)))
              .orElse(settled);
    }
  }

  private void judge(Snapshot basis, Report report) {
    String revision = part.set().spec().template().revision();
    // That Belay says so is no licence: something must have failed.
    Optional<String> looked = looked(basis);
    if (report.phase() == Phase.FAILED && causes.found(report)) {
      // What came after the look did not fail in it.
      failed = looked.orElse(failed);
    }
    // A refused target is one until another is seen: who returns to it later asks for it.
    if (!revision.equals(askedFor) && looked.filter(r -> !r.equals(askedFor)).isPresent()) {
      askedFor = "";
    }
    // Paused meanwhile, the phase says that, and the failure is on record all the same.
    failed =
        report
            .memory()
            .component(part.name())
            .refused()
            .filter(r -> r.cause() == Cause.FAILED && causes.found(report))
            .map(Refused::revision)
            .orElse(failed);
    String retry = report.memory().handled().retry();
    if (!retry.equals(retried)) {
      // From then on it is to go forward again: what was said before is over.
      retried = retry;
      askedFor = "";
      failed = "";
    }
    String token = report.memory().handled().rollback();
    boolean asked = basis.spec().requests().rollback().filter(token::equals).isPresent();
    if (!token.equals(handled)) {
      handled = token;
      askedFor = asked ? revision : askedFor;
    }
  }

  /**
   * The revision of the template in that look. A partition that its controller has not seen yet
   * makes it no other one; of a template that it has not seen there is none.
   */
  private Optional<String> looked(Snapshot basis) {
    return basis
        .component(part.name())
        .flatMap(c -> c.workload().asOptional())
        .filter(w -> w.observed() || isOfItsTemplate(w))
        .map(Workload::updateRevision);
  }

  private boolean isOfItsTemplate(Workload workload) {
    return part.store
        .setAt(workload.resourceVersion())
        .filter(s -> s.spec().template().revision().equals(workload.updateRevision()))
        .isPresent();
  }

  /** Whether somebody wants the template's revision taken back. */
  boolean wanted(SetObject set, Deed deed) {
    String revision = set.spec().template().revision();
    boolean turns =
        world
            .api
            .clusterAsOf(deed.looked())
            .map(ClusterObject::spec)
            .filter(s -> s.upgrade().onFailure() == Spec.OnFailure.ROLLBACK)
            .isPresent();
    return askedFor.equals(revision) || (turns && failed.equals(revision));
  }

  /** Whether the template of the look was on its way back then, and is another one by now. */
  boolean wasGoingBack(Deed deed) {
    SetObject then = part.store.setAsOf(deed.looked());
    String revision = then.spec().template().revision();
    boolean asked = last.filter(l -> l.holds(revision, deed.looked())).isPresent();
    return !revision.equals(part.wanted()) && (asked || wanted(then, deed));
  }

  /**
   * Whether all of it served at this revision, lately, or when it was last called complete: in
   * between it may have served at several that nobody had to call good.
   */
  boolean wasGood(String revision) {
    return revision.equals(good) || revision.equals(before) || revision.equals(settled);
  }

  /** Nobody has what was taken back. */
  boolean isBack() {
    // One that was adopted while it was still starting was never seen to be good as a whole.
    String cameFrom = part.set().status().currentRevision();
    boolean came = !cameFrom.equals(part.wanted());
    return Among.all(part.pods(), p -> p.revision().equals(good))
        || Among.all(part.pods(), p -> p.revision().equals(before))
        || (came && Among.all(part.pods(), p -> p.revision().equals(cameFrom)));
  }

  /** A member is made anew below the partition: it comes back at currentRevision. */
  void check(Deed deed, String what, boolean withdraws) {
    SetObject seen = part.store.setAsOf(deed.looked());
    String back = seen.status().currentRevision();
    // What served for a moment, before the set called it complete, nobody had to call good.
    boolean lastGood = back.equals(good) || back.equals(before);
    if (!lastGood) {
      throw new Violation("S10", what + " brings it to " + back + ", the last good is " + good);
    }
    if (withdraws && seen.spec().partition() != Workload.FROZEN) {
      throw new Violation("S10", what + " while the set is not frozen");
    }
    Optional<Template> template = Optional.ofNullable(templates.get(back));
    int floor = truth.since(deed.looked()).lowestFloor();
    if (part.setup.hasMembers() && template.filter(t -> t.minor() < floor).isPresent()) {
      throw new Violation("S10", what + " brings it to " + back + ", below the floor 3." + floor);
    }
  }

  /** Another version than the wanted one is written only to take that one back, above the floor. */
  void written(Deed deed, Step.SetTemplate set) {
    boolean asked =
        Stream.of(world.api.clusterAsOf(deed.looked()), world.api.cluster())
            .flatMap(Optional::stream)
            .flatMap(c -> c.spec().version().stream())
            .anyMatch(set.version()::equals);
    if (asked) {
      return;
    }
    if (!wanted(deed.before(), deed)) {
      throw new Violation("S10", set.what() + ", which nobody asked for");
    }
    int floor = truth.since(deed.looked()).lowestFloor();
    boolean below =
        Among.any(templates.values(), t -> t.tag().equals(set.version()) && t.minor() < floor);
    if (part.setup.hasMembers() && below) {
      throw new Violation("S10", set.what() + ", below the floor 3." + floor);
    }
  }
}
