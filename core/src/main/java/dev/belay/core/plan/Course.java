package dev.belay.core.plan;

import dev.belay.core.snapshot.Among;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Memory.Cause;
import dev.belay.core.snapshot.Memory.ComponentMemory;
import dev.belay.core.snapshot.Memory.Refused;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Spec.Strategy;
import dev.belay.core.snapshot.Workload;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Where a component is heading: to the newest revision, or back from it. */
public record Course(Snapshot snapshot, Component component) {

  /**
   * The refusal of the very revision the template asks for, or of the version that is asked for;
   * any other is over.
   */
  public Optional<Refused> refused() {
    String newest = workload().map(Workload::updateRevision).orElse("");
    Optional<String> asked = snapshot.spec().wantedVersion(component.spec());
    return memory()
        .refused()
        .filter(r -> r.revision().equals(newest) || asked.filter(r.version()::equals).isPresent());
  }

  /** Whether this version is what is refused. */
  boolean refuses(String version) {
    return refused().map(Refused::version).filter(version::equals).isPresent();
  }

  /** Whether what is asked for is to be undone, in whatever way. */
  public boolean sentBack() {
    return refused().filter(Refused::withdrawing).isPresent();
  }

  /**
   * Sent back without another template: frozen, the set makes pods at the revision it came from.
   * One that calls its roll-out complete knows of no such revision.
   */
  public boolean withdrawing() {
    return sentBack()
        && workload()
            .filter(w ->
                w.canTakeBack() && refused().orElseThrow().revision().equals(w.updateRevision()))
            .isPresent();
  }

  /** Rolling, and nothing is refused yet: a failure would be news. */
  boolean failsUnnoticed() {
    return memory().target().isPresent() && refused().isEmpty();
  }

  /** Stuck, and there already when a person asked for another try: it is to be made anew. */
  boolean isTriedAgain(Pod pod) {
    return memory().target().filter(t -> t.before().contains(pod.uid())).isPresent()
        && pod.stuck()
        && !pod.terminating()
        && arrived().contains(pod);
  }

  /** The template is again what was good before this roll-out, and members still have to follow. */
  private boolean returning() {
    return memory()
            .lastGood()
            .filter(
                g -> workload().filter(w -> w.updateRevision().equals(g.revision())).isPresent())
            .isPresent()
        && !outdated().isEmpty();
  }

  /** The revision every member shall have. */
  public String wanted() {
    return workload().map(w -> withdrawing() ? w.currentRevision() : w.updateRevision()).orElse("");
  }

  /** The pods that are where they shall be. */
  public List<Pod> arrived() {
    String wanted = wanted();
    var arrived = new ArrayList<Pod>();
    for (Pod pod : component.podList()) {
      if (pod.revision().equals(wanted)) {
        arrived.add(pod);
      }
    }
    return arrived;
  }

  /** The pods of the set that are not, highest ordinal first. */
  public List<Pod> outdated() {
    String wanted = wanted();
    Optional<Workload> workload = workload();
    var outdated = new ArrayList<Pod>();
    for (Pod pod : component.podList().reversed()) {
      if (workload.isPresent()
          && workload.get().contains(pod.ordinal())
          && !pod.revision().equals(wanted)) {
        outdated.add(pod);
      }
    }
    return outdated;
  }

  /** Who of them goes next; nobody in particular where a controller takes them all. */
  public Optional<Pod> next() {
    Optional<Strategy> strategy =
        workload().map(w -> component.spec().rollout().strategy().orElseGet(w::ownStrategy));
    if (withdrawing()) {
      return outdated().stream().min(Withdrawal.brokenFirst(component));
    }
    return switch (strategy.orElse(Strategy.NATIVE)) {
      case PARTITION -> Among.first(outdated());
      case ON_DELETE -> ByEviction.next(component, outdated());
      case NATIVE -> Optional.empty();
    };
  }

  /**
   * Whether the pods go to the newest revision, in a roll-out Belay knows of; a pod that is
   * released outside of one was released by somebody else.
   */
  boolean known() {
    return memory()
        .target()
        .filter(t -> t.revision().equals(workload().map(Workload::updateRevision).orElse("")))
        .isPresent();
  }

  /** The revision at which the member that a step takes down comes back: partition is an index. */
  Optional<String> leadsTo(Step step) {
    return workload()
        .flatMap(w ->
            switch (step) {
              case Step.Release _, Step.Evict _, Step.LetRoll _ -> Optional.of(w.updateRevision());
              case Step.RecreatePod recreate ->
                  Among.first(component.podList(), p -> p.name().equals(recreate.pod()))
                      .map(w::comesBackAt);
              default -> Optional.empty();
            });
  }

  /** Whether a step leads to what is refused; of a component whose turn never came, the version. */
  boolean isRefused(Step step, Refused refused) {
    if (step instanceof Step.SetTemplate set) {
      return !sentBack() && set.version().equals(refused.version());
    }
    Optional<String> revision = leadsTo(step);
    boolean unnamed =
        refused.revision().isEmpty()
            && workload()
                .flatMap(w -> Versions.ofTemplate(w).asOptional())
                .filter(refused.version()::equals)
                .isPresent();
    return revision.filter(r -> unnamed || r.equals(refused.revision())).isPresent();
  }

  /** When its roll-out was last begun or tried again, or another member came to serve. */
  public Optional<Instant> lastNews() {
    return memory()
        .target()
        .flatMap(t ->
            Stream.concat(Stream.of(t.tried()), memory().servingSince().values().stream())
                .max(Instant::compareTo));
  }

  /** Whether members of it go back now, and not forward. */
  public boolean goesBack() {
    return (sentBack() && memory().target().isPresent()) || returning();
  }

  /** Whether members of it are still on their way, or have come and are not proven yet. */
  public boolean underWay() {
    return !outdated().isEmpty()
        || (memory().target().isPresent()
            && Among.any(
                arrived(), p -> UpdatedMembers.serving(snapshot, component, p).isPresent()));
  }

  /**
   * The version that is asked for is what was good before this roll-out, members have left it, and
   * the template is not written yet.
   */
  private boolean isToReturn() {
    Optional<Aim> aim = Aim.of(snapshot, component);
    return aim.isPresent()
        && workload().filter(aim.get()::differsFrom).isPresent()
        && memory()
            .lastGood()
            .filter(g -> g.images().entrySet().containsAll(aim.get().images().entrySet()))
            .filter(g -> Among.any(component.podList(), p -> !p.revision().equals(g.revision())))
            .isPresent();
  }

  /**
   * In which order components go: those on the way back first, in reverse; then the others. Whose
   * template is still to be written for the way back is among the first: the one before it would go
   * back while members of it are newer.
   */
  public static List<Component> order(Snapshot snapshot) {
    var back = new ArrayList<Component>();
    var forward = new ArrayList<Component>();
    for (Component c : snapshot.components()) {
      var course = new Course(snapshot, c);
      (course.goesBack() || course.isToReturn() ? back : forward).add(c);
    }
    var order = new ArrayList<>(back.reversed());
    order.addAll(forward);
    return order;
  }

  Objection refusal(String object, Refused refused) {
    String what = refused.version().isEmpty() ? refused.revision() : refused.version();
    String reading =
        switch (refused.cause()) {
          case FAILED -> what + " failed on " + refused.object() + ": " + refused.reason();
          case ROLLED_BACK -> what + " was rolled back: " + refused.reason();
          case ABORTED -> what + " was aborted: " + refused.reason();
        };
    return UpgradeRules.REVISION_IS_NOT_REFUSED.objection(
        object,
        reading,
        "change the template, or ask for another try: belay retry " + snapshot.subject().name(),
        refused.cause() == Cause.FAILED ? Objection.Weight.FAILURE : Objection.Weight.HUMAN);
  }

  ComponentMemory memory() {
    return snapshot.memory().component(component.name());
  }

  private Optional<Workload> workload() {
    return component.workload().asOptional();
  }
}
