package dev.belay.core.plan;

import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Member;
import dev.belay.core.snapshot.Memory;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Version;
import java.util.Optional;

/** Whether the version a step leads to may follow every version that is alive. */
record VersionPath(Snapshot snapshot, Component component) {

  Optional<Objection> objection(Step step) {
    return component.podList().stream().flatMap(pod -> against(pod, step).stream()).findFirst();
  }

  private Optional<Objection> against(Pod pod, Step step) {
    if (!(step instanceof Step.SetTemplate)
        && !(step instanceof Step.Release)
        && !(step instanceof Step.RecreatePod)) {
      return Optional.empty();
    }
    Optional<Version> target = Versions.target(component, pod, step).flatMap(VersionPath::parse);
    Optional<Version> running = parse(alive(pod));
    // Systems that care for versions object to an unknown one by rules of their own.
    if (target.isEmpty() || running.isEmpty() || !target.get().olderThan(running.get())) {
      return Optional.empty();
    }
    if (isLastGood(target.get())) {
      return Optional.empty();
    }
    return Optional.of(
        new Objection(
            "",
            pod.name(),
            running.get() + " runs, " + target.get() + " is lower",
            "choose " + running.get() + " or higher",
            Objection.Weight.HUMAN));
  }

  /** What runs: a pod that never came up runs nothing, whatever its image says. */
  private Fact<String> alive(Pod pod) {
    Fact<String> read = component.memberOf(pod).flatMap(Member::version);
    return read instanceof Fact.Known<String> || !pod.ready()
        ? read
        : Versions.running(component, pod);
  }

  private boolean isLastGood(Version target) {
    return snapshot
        .memory()
        .component(component.name())
        .lastGood()
        .map(Memory.Good::version)
        .flatMap(Version::parse)
        .filter(target::sameNumbers)
        .isPresent();
  }

  private static Optional<Version> parse(Fact<String> text) {
    return text.asOptional().flatMap(Version::parse);
  }
}
