package dev.belay.core.plan;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Member;
import dev.belay.core.snapshot.Memory;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Version;
import dev.belay.core.snapshot.Workload;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Whether the version a step leads to may follow every version that is alive. */
record VersionPath(Snapshot snapshot, Component component) {

  /** A version that the whole cluster shares must be a legal step for whoever lags behind too. */
  Optional<Objection> objection(Step step) {
    boolean moves =
        step instanceof Step.SetTemplate
            || step instanceof Step.LetRoll
            || step.takesDown().isPresent();
    if (!moves) {
      return Optional.empty();
    }
    Stream<VersionPath> lagging =
        step instanceof Step.SetTemplate && shares(component)
            ? snapshot.components().stream()
                .filter(c -> !c.name().equals(component.name()) && shares(c))
                .map(c -> new VersionPath(snapshot, c))
            : Stream.empty();
    return Stream.concat(Stream.of(this), lagging)
        .flatMap(path ->
            path.component.podList().stream().flatMap(pod -> path.against(pod, step).stream()))
        .findFirst();
  }

  private static boolean shares(Component component) {
    return component.spec().version().isEmpty();
  }

  private Optional<Objection> against(Pod pod, Step step) {
    Optional<Version> target = Versions.target(component, pod, step).flatMap(VersionPath::parse);
    if (target.isEmpty()) {
      return Optional.empty();
    }
    Optional<Version> running = parse(alive(pod));
    // Systems that care for versions object to an unknown one by rules of their own.
    if (running.isEmpty() || target.get().sameNumbers(running.get())) {
      return Optional.empty();
    }
    boolean lower = target.get().olderThan(running.get());
    return isLastGood(target.get()) || (lower && isWhereItCameFrom(target.get()))
        ? back(pod, running.get(), target.get())
        : forward(pod, running.get(), target.get());
  }

  /** To the last good version there is a way, unless it was declared that there is none. */
  private Optional<Objection> back(Pod pod, Version running, Version target) {
    var declared = new Floor(snapshot, component, SystemPolicy.NONE).wayBack();
    if (declared.floor() instanceof Fact.Unknown<Optional<String>> unknown) {
      return Optional.of(Objection.unseen("", pod.name(), unknown));
    }
    return declared
        .floor()
        .asOptional()
        .flatMap(floor -> floor)
        .filter(floor -> Floor.below(target.text(), floor))
        .flatMap(_ ->
            refuse(
                pod,
                running + " runs, and " + declared.reason(),
                "choose " + running + " or higher"))
        .or(() -> irreversible(pod, running, target));
  }

  /** Where nothing was ever good, the floor knows of no path that led here; the members do. */
  private Optional<Objection> irreversible(Pod pod, Version running, Version target) {
    return snapshot.spec().upgrade().paths().stream()
        .filter(Spec.Path::irreversible)
        .filter(p -> matches(p.from(), target.text()) && matches(p.to(), running.text()))
        .findFirst()
        .flatMap(_ ->
            refuse(
                pod,
                running + " runs, and spec.upgrade.paths declares no way back from it to " + target,
                "choose " + running + " or higher"));
  }

  private Optional<Objection> forward(Pod pod, Version running, Version target) {
    List<Spec.Path> paths = snapshot.spec().upgrade().paths();
    boolean declared = paths.stream().anyMatch(p -> leads(p, running, target));
    if (target.olderThan(running)) {
      // A path that leads up as well, as from 3.6.x to 3.6.x, declares nothing about the way down.
      return paths.stream().anyMatch(p -> leads(p, running, target) && !leads(p, target, running))
          ? back(pod, running, target)
          : refuse(
              pod,
              running + " runs, " + target + " is lower",
              "choose "
                  + running
                  + " or higher; if the system can go down, declare that path in spec.upgrade.paths");
    }
    return declared || paths.isEmpty() || isNoneOfTheirs(paths, running, target)
        ? Optional.empty()
        : refuse(
            pod,
            "spec.upgrade.paths has none from " + running + " to " + target,
            "go by a version in between, or declare the path");
  }

  private static boolean leads(Spec.Path path, Version from, Version to) {
    return matches(path.from(), from.text()) && matches(path.to(), to.text());
  }

  /** Several systems in one cluster: paths of one say nothing about the versions of another. */
  private boolean isNoneOfTheirs(List<Spec.Path> paths, Version running, Version target) {
    boolean ownVersion =
        snapshot.spec().trigger() == Spec.Trigger.TEMPLATE
            || component.spec().version().isPresent();
    return snapshot.components().size() > 1
        && ownVersion
        && paths.stream()
            .noneMatch(p -> matches(p.from(), running.text()) || matches(p.to(), target.text()));
  }

  private static Optional<Objection> refuse(Pod pod, String reading, String cure) {
    return Optional.of(new Objection("", pod.name(), reading, cure, Objection.Weight.HUMAN));
  }

  /** {@code 0.4.x} matches every version that starts with 0.4; anything else its own numbers. */
  static boolean matches(String pattern, String version) {
    Optional<Version> found = Version.parse(version);
    boolean prefix = pattern.endsWith(".x");
    Optional<Version> wanted =
        Version.parse(prefix ? pattern.substring(0, pattern.length() - 2) : pattern);
    if (found.isEmpty() || wanted.isEmpty()) {
      return false;
    }
    return prefix
        ? startsWith(found.get(), wanted.get().numbers())
        : wanted.get().sameNumbers(found.get());
  }

  static boolean startsWith(Version version, List<Integer> prefix) {
    for (int i = 0; i < prefix.size(); i++) {
      if (version.number(i) != prefix.get(i)) {
        return false;
      }
    }
    return true;
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

  /**
   * Where nothing was ever seen whole, a revert leads to what the set itself still calls current
   * and members run: they are its witnesses.
   */
  private boolean isWhereItCameFrom(Version target) {
    String current = component.workload().asOptional().map(Workload::currentRevision).orElse("");
    return snapshot.memory().component(component.name()).lastGood().isEmpty()
        && component.podList().stream()
            .filter(p -> p.revision().equals(current) && p.ready())
            .flatMap(p -> parse(alive(p)).stream())
            .anyMatch(target::sameNumbers);
  }

  private static Optional<Version> parse(Fact<String> text) {
    return text.asOptional().flatMap(Version::parse);
  }
}
