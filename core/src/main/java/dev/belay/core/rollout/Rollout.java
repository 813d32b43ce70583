package dev.belay.core.rollout;

import static dev.belay.core.state.Objection.Weight.FAILURE;
import static dev.belay.core.state.Objection.Weight.HUMAN;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec.Strategy;
import dev.belay.core.model.Version;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.Aim;
import dev.belay.core.rules.CheckRules;
import dev.belay.core.rules.Course;
import dev.belay.core.rules.Floor;
import dev.belay.core.rules.Mismatch;
import dev.belay.core.rules.PodRules;
import dev.belay.core.rules.Reasons;
import dev.belay.core.rules.UpdatedMembers;
import dev.belay.core.state.Command;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory.Cause;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** One component on its way to a revision: what is the same under every strategy. */
public record Rollout(
    Snapshot snapshot,
    Component component,
    Workload workload,
    SystemPolicy policy,
    List<Rule> rules) {

  public Course course() {
    return new Course(snapshot, component);
  }

  /** Whether the very revision its template has is refused. */
  public boolean leadsToTheRefused() {
    return course()
        .refused()
        .filter(r -> r.revision().equals(workload.updateRevision()))
        .isPresent();
  }

  public Strategy strategy() {
    return component.spec().rollout().strategy().orElseGet(workload::ownStrategy);
  }

  /** Write the template for a version, if nobody else writes it and the path is legal. */
  Decision setTemplate(Aim aim) {
    boolean written =
        memory()
            .written()
            .filter(w -> w.version().equals(aim.version()) && w.images().equals(aim.images()))
            .isPresent();
    var step =
        new Step.SetTemplate(component.name(), Fence.of(workload), aim.version(), aim.images());
    if (written || aim.isRewritten(snapshot, component, workload)) {
      return Decision.because(List.of(ownedElsewhere(aim)));
    }
    Optional<Objection> closed =
        course().sentBack() && !isAbove(aim)
            ? new Floor(snapshot, component, policy).belowFloor()
            : Optional.empty();
    List<Objection> objections = Stream.concat(closed.stream(), objections(step).stream()).toList();
    return objections.isEmpty() ? new Perform(step) : Decision.because(objections);
  }

  private Objection ownedElsewhere(Aim aim) {
    List<String> others = aim.writersInstead(workload);
    String images = "the images Belay wrote for " + aim.version() + " to " + workload.images();
    return Reasons.TEMPLATE_OWNED_ELSEWHERE.objection(
        workload.name(),
        others.isEmpty()
            ? "somebody changed "
                + images
                + "; no field manager is named for it, as when an admission policy or webhook"
                + " rewrites what others write"
            : "the field manager " + String.join(", and ", others) + " changed " + images,
        "use trigger: Template where another tool writes the template, or stop that tool"
            + " and ask for another version, or for another try: belay retry "
            + snapshot.subject().name(),
        HUMAN);
  }

  /** Another version, higher than the last good one, is no way back. */
  private boolean isAbove(Aim aim) {
    Optional<Version> good = memory().lastGood().flatMap(g -> Version.parse(g.version()));
    return Version.parse(aim.version())
        .filter(wanted -> good.filter(g -> g.olderThan(wanted)).isPresent())
        .isPresent();
  }

  public Decision tell(Command command, boolean mends) {
    var fence = new Fence.MemberTerm(command.memberId(), command.term());
    var step = new Step.Tell(component.name(), fence, command, mends);
    List<Objection> objections = objections(step);
    return objections.isEmpty() ? new Perform(step) : Decision.because(objections);
  }

  /** Asked for another try, a member that is stuck since before that is made anew. */
  Optional<Decision> tryAgain() {
    Course course = course();
    return Among.first(course.arrived(), p -> course.isTriedAgain(p) && nobodyAboveIsOutdated(p))
        .map(p -> {
          // Below the partition it would come back on the old revision.
          Step step =
              workload.comesBackAt(p).equals(workload.updateRevision())
                  ? recreate(p, "tried again")
                  : new Step.Release(
                      component.name(), Fence.of(workload), workload.index(p.ordinal()), p.name());
          List<Objection> objections = objections(step);
          return objections.isEmpty() ? new Perform(step) : Decision.because(objections);
        });
  }

  /** Only of an ordinal do those above it matter, and only where the partition decides. */
  private boolean nobodyAboveIsOutdated(Pod pod) {
    return strategy() != Strategy.PARTITION
        || Among.none(course().outdated(), p -> p.ordinal() > pod.ordinal());
  }

  boolean aborted() {
    return course().refused().filter(r -> r.cause() == Cause.ABORTED).isPresent();
  }

  /** What is still missing where every pod has the newest revision. */
  List<Objection> unfinished() {
    var waiting = new ArrayList<Objection>();
    PodRules.complete(PodRules.EVERY_POD_EXISTS, component, workload, Optional.empty())
        .ifPresent(waiting::add);
    for (Pod pod : component.podList()) {
      UpdatedMembers.serving(snapshot, component, pod).ifPresent(waiting::add);
    }
    var checks = new CheckRules(snapshot, component);
    (course().sentBack() ? checks.afterMembers() : checks.afterComponent()).ifPresent(waiting::add);
    mismatch().ifPresent(waiting::add);
    // What failed is said first: with OrderedReady, a pod may be missing only for want of it.
    waiting.sort(Comparator.comparing(o -> o.weight() != FAILURE));
    return waiting;
  }

  Optional<Objection> mismatch() {
    return new Mismatch(snapshot, component).objection();
  }

  Step.RecreatePod recreate(Pod pod, String why) {
    return new Step.RecreatePod(component.name(), Fence.of(pod), pod.name(), pod.uid(), why);
  }

  List<Objection> objections(Step step) {
    var objections = new ArrayList<Objection>();
    for (Rule rule : policy.rules()) {
      rule.objection(snapshot, component, step).ifPresent(objections::add);
    }
    for (Rule rule : rules) {
      rule.objection(snapshot, component, step).ifPresent(objections::add);
    }
    return objections;
  }

  public ComponentMemory memory() {
    return snapshot.memory().component(component.name());
  }
}
