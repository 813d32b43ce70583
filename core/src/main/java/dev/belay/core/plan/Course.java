package dev.belay.core.plan;

import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Memory.Cause;
import dev.belay.core.snapshot.Memory.ComponentMemory;
import dev.belay.core.snapshot.Memory.Refused;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Workload;
import java.util.List;
import java.util.Optional;

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

  /** The template is again what was good before this roll-out, and members still have to follow. */
  public boolean returning() {
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
    return component.podList().stream().filter(p -> p.revision().equals(wanted)).toList();
  }

  /** The pods of the set that are not, highest ordinal first. */
  public List<Pod> outdated() {
    String wanted = wanted();
    return workload()
        .map(w ->
            component.podsInRange(w).stream()
                .filter(p -> !p.revision().equals(wanted))
                .toList()
                .reversed())
        .orElse(List.of());
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
              case Step.Release _, Step.Evict _, Step.HandOver _ -> Optional.of(w.updateRevision());
              case Step.RecreatePod recreate ->
                  component.podList().stream()
                      .filter(p -> p.name().equals(recreate.pod()))
                      .findFirst()
                      .map(w::comesBackAt);
              default -> Optional.empty();
            });
  }

  Objection refusal(String object, Refused refused) {
    String what = refused.version().isEmpty() ? refused.revision() : refused.version();
    String reading =
        switch (refused.cause()) {
          case FAILED -> what + " failed on " + refused.object() + ": " + refused.reason();
          case ROLLED_BACK -> what + " was rolled back: " + refused.reason();
          case ABORTED -> what + " was aborted: " + refused.reason();
        };
    return new Objection(
        "",
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
