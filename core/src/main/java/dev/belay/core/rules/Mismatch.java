package dev.belay.core.rules;

import static dev.belay.core.state.Objection.Weight.HUMAN;
import static dev.belay.core.state.Objection.Weight.PROGRESS;

import dev.belay.core.model.Component;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Version;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Whether the members run the version that was asked for, by their own account. The images can be
 * those of a version and bring another one: a tag that was moved, or a container that has nothing
 * to do with it. Where the system tells no version, its image's tag is all there is to believe.
 */
public record Mismatch(Snapshot snapshot, Component component) {

  public static final Reason VERSION_MISMATCH =
      new Reason(
          "VersionMismatch",
          "With trigger Version, members that have the images of the version asked for run that"
              + " version by their own account; else nobody follows them, and the upgrade is not"
              + " called complete. Only the numbers count, and a system that tells no version is"
              + " believed its image.",
          "Correct images of the component, or ask for the version that its images bring.",
          "A tag can be moved, and an image named for the wrong container changes nothing that"
              + " counts: both look like an upgrade that is done.");

  /** What a system says of its members can be a moment behind them. */
  private static final Duration A_MOMENT = Duration.ofSeconds(30);

  /** No further member is taken to what turned out to be another version. */
  static Optional<Objection> versionMismatch(Snapshot snapshot, Component component, Step step) {
    var course = new Course(snapshot, component);
    return course
        .leadsTo(step)
        .filter(course.wanted()::equals)
        .flatMap(_ -> new Mismatch(snapshot, component).objection());
  }

  /** Of whoever has the images of the version and runs another one. */
  public Optional<Objection> objection() {
    var course = new Course(snapshot, component);
    if (course.withdrawing()) {
      // Members that go back have the images of the revision before.
      return Optional.empty();
    }
    Optional<Workload> workload = component.workload().asOptional();
    Optional<Aim> aim =
        Aim.of(snapshot, component)
            .filter(a -> workload.filter(w -> !a.differsFrom(w)).isPresent());
    Optional<Version> asked = aim.map(Aim::version).flatMap(Version::parse);
    return asked.flatMap(version ->
        course.arrived().stream()
            .flatMap(p -> against(p, aim.orElseThrow(), version).stream())
            .findFirst());
  }

  private Optional<Objection> against(Pod pod, Aim aim, Version asked) {
    return component
        .memberOf(pod)
        .flatMap(Member::version)
        .asOptional()
        .flatMap(Version::parse)
        .filter(_ -> pod.ready() && !pod.terminating())
        .filter(_ -> MemberState.memberTrouble(component, pod).isEmpty())
        .filter(read -> !agree(asked, read))
        .map(read -> objection(pod, aim, read));
  }

  /**
   * As far as both of them say: 3.6 asks for any 3.6.x, and a suffix says nothing of the system.
   */
  private static boolean agree(Version asked, Version read) {
    return read.startsWith(asked) || asked.startsWith(read);
  }

  private Objection objection(Pod pod, Aim aim, Version read) {
    String container = component.workload().map(Workload::mainContainer).asOptional().orElse("");
    boolean named = aim.images().containsKey(container);
    return VERSION_MISMATCH.objection(
        pod.name(),
        aim.version()
            + " was asked for, and it runs "
            + read
            + (named
                ? " with the image " + aim.images().get(container)
                : "; the component's images name none for the container " + container),
        (named
                ? "use images that bring " + aim.version()
                : "name the image of the container " + container + " among them")
            + ", or ask for the version that they bring",
        isFresh(pod) ? PROGRESS : HUMAN);
  }

  /** It came up a moment ago. */
  private boolean isFresh(Pod pod) {
    ComponentMemory memory = snapshot.memory().component(component.name());
    Optional<Instant> since = Optional.ofNullable(memory.servingSince().get(pod.uid()));
    return memory.target().isPresent()
        && since.filter(s -> !s.plus(A_MOMENT).isAfter(snapshot.at())).isEmpty();
  }
}
