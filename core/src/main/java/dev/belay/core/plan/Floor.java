package dev.belay.core.plan;

import static dev.belay.core.plan.Objection.Weight.HUMAN;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.driver.WayBack;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Memory.Good;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Version;
import dev.belay.core.snapshot.Workload;
import java.util.Optional;

/** How far back a component may go: what the system itself reads, and what the user declared. */
public record Floor(Snapshot snapshot, Component component, SystemPolicy policy) {

  public WayBack wayBack() {
    WayBack system = policy.wayBack(component);
    Optional<WayBack> declared = declared();
    if (declared.isEmpty() || system.floor() instanceof Fact.Unknown<Optional<String>>) {
      return system;
    }
    Optional<Version> read = system.floor().asOptional().flatMap(f -> f).flatMap(Version::parse);
    Optional<Version> written =
        declared.get().floor().asOptional().flatMap(f -> f).flatMap(Version::parse);
    boolean higher = read.isEmpty() || read.get().olderThan(written.orElseThrow());
    return higher ? declared.get() : system;
  }

  /** A member that has run a version behind an irreversible path closes the way for all. */
  private Optional<WayBack> declared() {
    Optional<String> from = lastGood().map(Good::version);
    return component.podList().stream()
        .filter(p -> p.ready() || !p.neverStarted())
        .flatMap(p -> Versions.running(component, p).asOptional().stream())
        .filter(v -> from.filter(f -> closes(f, v)).isPresent())
        .findFirst()
        .map(v ->
            WayBack.floor(
                v,
                "spec.upgrade.paths declares " + from.orElse("") + " to " + v + " irreversible"));
  }

  private boolean closes(String from, String to) {
    return snapshot.spec().upgrade().paths().stream()
        .filter(Spec.Path::irreversible)
        .anyMatch(p -> VersionPath.matches(p.from(), from) && VersionPath.matches(p.to(), to));
  }

  /** Why the step on this pod is the one after which there is no way back; empty when it is not. */
  public Optional<String> closedBy(Pod target) {
    Optional<String> from = lastGood().map(Good::version);
    Optional<String> to = component.workload().flatMap(Versions::ofTemplate).asOptional();
    boolean declared =
        from.isPresent()
            && to.isPresent()
            && closes(from.get(), to.get())
            && new Course(snapshot, component).arrived().isEmpty();
    return declared
        ? Optional.of(
            "spec.upgrade.paths declares " + from.get() + " to " + to.get() + " irreversible")
        : policy.closes(component, target);
  }

  /** What keeps the members from going back to the last good revision. */
  Optional<Objection> objection() {
    Workload workload = component.workload().asOptional().orElseThrow();
    if (!workload.canTakeBack()) {
      return lastGood().filter(g -> Aim.canWriteBack(snapshot, component, g)).isPresent()
          ? belowFloor()
          : refuse(
              "only its template can take it back: " + why(workload),
              "revert the template where it is written (Git, Helm), or keep what runs: belay retry "
                  + snapshot.subject().name());
    }
    if (lastGood().isEmpty() || !lastGood().get().revision().equals(workload.currentRevision())) {
      return refuse(
          "RevisionHistoryLost: the set would make pods at "
              + workload.currentRevision()
              + ", the last good revision is "
              + lastGood().map(Good::revision).orElse("not known"),
          "go forward, or revert the template");
    }
    return belowFloor();
  }

  private static String why(Workload workload) {
    if (workload.kind() == Workload.Kind.DEPLOYMENT) {
      return "it is a Deployment";
    }
    return workload.update() == Workload.Update.ON_DELETE
        ? "its strategy is OnDelete"
        : "the set knows no other revision than " + workload.updateRevision();
  }

  /** What keeps a member from starting at the last good version. */
  Optional<Objection> belowFloor() {
    return switch (wayBack().floor()) {
      case Fact.Unknown<Optional<String>>(String why) ->
          refuse("the floor is unknown: " + why, "make it readable again, or go forward");
      case Fact.Known<Optional<String>>(Optional<String> floor) ->
          floor
              .filter(f -> below(lastGood().map(Good::version).orElse(""), f))
              .flatMap(f ->
                  refuse(
                      "there is no way back below " + f + ": " + wayBack().reason(),
                      "go forward: correct the template, or choose a higher version"));
    };
  }

  /** A version that cannot be read is below every floor. */
  static boolean below(String version, String floor) {
    Optional<Version> at = Version.parse(version);
    Optional<Version> limit = Version.parse(floor);
    return at.isEmpty() || limit.isEmpty() || at.get().olderThan(limit.get());
  }

  private Optional<Objection> refuse(String reading, String cure) {
    return Optional.of(
        Precondition.WAY_BACK_IS_OPEN.objection(component.spec().workload(), reading, cure, HUMAN));
  }

  private Optional<Good> lastGood() {
    return snapshot.memory().component(component.name()).lastGood();
  }
}
