package dev.belay.core.rules;

import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
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
  public boolean failsUnnoticed() {
    return memory().target().isPresent() && refused().isEmpty();
  }

  /**
   * Outside of a rollout, the newest revision is not the last good one: a set that was deleted and
   * created with another template has it in every pod. It is good once all members serve at a time.
   */
  public boolean isUnproven() {
    return memory().target().isEmpty()
        && refused().isEmpty()
        && workload()
            .filter(w -> w.replicas() > 0)
            .flatMap(w -> memory().lastGood().filter(g -> !g.revision().equals(w.updateRevision())))
            .isPresent();
  }

  /** Stuck, and there already when a person asked for another try: it is to be made anew. */
  public boolean isTriedAgain(Pod pod) {
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

  /**
   * Whether the pods go to the newest revision, in a roll-out Belay knows of; a pod that is
   * released outside of one was released by somebody else.
   */
  public boolean known() {
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

  public ComponentMemory memory() {
    return snapshot.memory().component(component.name());
  }

  private Optional<Workload> workload() {
    return component.workload().asOptional();
  }
}
