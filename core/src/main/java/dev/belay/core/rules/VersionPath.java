package dev.belay.core.rules;

import static dev.belay.core.state.Objection.Weight.HUMAN;
import static dev.belay.core.state.Objection.Weight.PROGRESS;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Version;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Whether the version a step leads to may follow every version that is alive. */
public record VersionPath(Snapshot snapshot, Component component) {

  public static final Reason VERSION_GOES_FORWARD =
      new Reason(
          "VersionGoesForward",
          "A lower version is refused, unless it is the last good one or spec.upgrade.paths declares"
              + " the way down, and the way back is open.",
          "Choose a version that is not lower than any that runs, or declare the path.",
          "pravega-operator#156: any version was taken. cloud-on-k8s#5259: a typo in a"
              + " version had no way back.");

  /** A version that the whole cluster shares must be a legal step for whoever lags behind too. */
  static Optional<Objection> versionGoesForward(Snapshot snapshot, Component component, Step step) {
    return new VersionPath(snapshot, component).objection(step);
  }

  private Optional<Objection> objection(Step step) {
    boolean moves =
        step instanceof Step.SetTemplate
            || step instanceof Step.LetRoll
            || step.takesDown().isPresent();
    if (!moves) {
      return Optional.empty();
    }
    Optional<Objection> own = againstAny(step);
    return own.isEmpty() && step instanceof Step.SetTemplate && shares(component)
        ? snapshot.components().stream()
            .filter(c -> !c.name().equals(component.name()) && shares(c))
            .flatMap(c -> new VersionPath(snapshot, c).againstAny(step).stream())
            .findFirst()
        : own;
  }

  private Optional<Objection> againstAny(Step step) {
    for (Pod pod : component.podList()) {
      Optional<Objection> objection = against(pod, step);
      if (objection.isPresent()) {
        return objection;
      }
    }
    return step instanceof Step.SetTemplate set ? againstMissing(set) : Optional.empty();
  }

  private static boolean shares(Component component) {
    return component.spec().version().isEmpty();
  }

  private Optional<Objection> against(Pod pod, Step step) {
    Optional<Fact<String>> told = Versions.target(component, pod, step);
    if (told.isPresent() && told.get() instanceof Fact.Unknown<String>(String why)) {
      return untold(pod, why);
    }
    Optional<Version> target = told.flatMap(VersionPath::parse).map(v -> orLastGood(v, step));
    if (target.isEmpty()) {
      return Optional.empty();
    }
    Optional<Version> running = parse(alive(pod));
    if (running.isPresent()) {
      return judge(pod.name(), running.get(), target.get());
    }
    // Systems that care for versions object to an unknown one by rules of their own.
    boolean waits = !pod.ready() && !pod.stuck() && step instanceof Step.SetTemplate;
    Optional<Version> coming =
        waits && !isRefused(pod.revision())
            ? parse(Versions.ofImages(component, pod))
            : Optional.empty();
    return outOfSight(pod.name(), coming, target.get(), waits ? PROGRESS : HUMAN);
  }

  /** Who declared something about versions has to tell them; what was good before needs no word. */
  private Optional<Objection> untold(Pod pod, String why) {
    var upgrade = snapshot.spec().upgrade();
    boolean asks =
        !upgrade.paths().isEmpty() || upgrade.approval() == Spec.Approval.BEFORE_IRREVERSIBLE;
    boolean wasGood =
        memory()
            .lastGood()
            .filter(g -> component.workload().map(Workload::images).is(g.images()))
            .isPresent();
    return asks && !wasGood && new ClosedPath(snapshot, component).isConcerned()
        ? refuse(
            pod.name(),
            why
                + ", and "
                + (upgrade.paths().isEmpty()
                    ? "spec.upgrade.approval is BeforeIrreversible"
                    : "spec.upgrade.paths speaks of versions"),
            "use an image with the version in its tag, or take that declaration away")
        : Optional.empty();
  }

  /** A new template takes whoever is missing along, from where it was last or was to go. */
  private Optional<Objection> againstMissing(Step.SetTemplate set) {
    Optional<Workload> workload =
        component
            .workload()
            .asOptional()
            .filter(w -> w.kind() == Workload.Kind.STATEFUL_SET)
            .filter(w -> component.podsInRange(w).size() < w.replicas());
    Optional<Version> target = Version.parse(set.version()).map(v -> orLastGood(v, set));
    if (workload.isEmpty() || target.isEmpty()) {
      return Optional.empty();
    }
    Workload incomplete = workload.get();
    boolean under = memory().target().isPresent() && !isRefused(incomplete.updateRevision());
    Optional<Version> coming = under ? parse(Versions.ofTemplate(incomplete)) : Optional.empty();
    return isLastGood(target.get())
        ? closed(incomplete.name(), "a member is missing", target.get(), "the version it had")
        : outOfSight(incomplete.name(), coming, target.get(), PROGRESS);
  }

  /** Of one that cannot be asked: its data is the last good version's, or what it was to run. */
  private Optional<Objection> outOfSight(
      String object, Optional<Version> coming, Version target, Objection.Weight weight) {
    return Stream.concat(lastGood().stream(), coming.stream())
        .flatMap(maybe ->
            judge(object, maybe, target).stream()
                .map(o ->
                    VERSION_GOES_FORWARD.objection(
                        object,
                        "who is out of sight may be at " + maybe + ": " + o.reading(),
                        "wait until every member is back, or " + o.cure(),
                        weight)))
        .findFirst();
  }

  private Optional<Objection> judge(String object, Version running, Version target) {
    if (target.sameNumbers(running)) {
      return Optional.empty();
    }
    boolean lower = target.olderThan(running);
    return isLastGood(target) || (lower && isWhereItCameFrom(target))
        ? back(object, running, target)
        : forward(object, running, target);
  }

  /** To the last good version there is a way, unless it was declared that there is none. */
  private Optional<Objection> back(String object, Version running, Version target) {
    return closed(object, running + " runs", target, running.text())
        .or(() -> irreversible(object, running, target));
  }

  private Optional<Objection> closed(String object, String seen, Version target, String least) {
    var declared = new Floor(snapshot, component, SystemPolicy.NONE).wayBack();
    if (declared.floor() instanceof Fact.Unknown<Optional<String>> unknown) {
      return Optional.of(VERSION_GOES_FORWARD.unseen(object, unknown));
    }
    return declared
        .floor()
        .asOptional()
        .flatMap(floor -> floor)
        .filter(floor -> Floor.below(target.text(), floor))
        .flatMap(_ ->
            refuse(object, seen + ", and " + declared.reason(), "choose " + least + " or higher"));
  }

  /** Where nothing was ever good, the floor knows of no path that led here; the members do. */
  private Optional<Objection> irreversible(String object, Version running, Version target) {
    return snapshot.spec().upgrade().paths().stream()
        .filter(Spec.Path::irreversible)
        .filter(p ->
            Version.matches(p.from(), target.text()) && Version.matches(p.to(), running.text()))
        .findFirst()
        .flatMap(_ ->
            refuse(
                object,
                running + " runs, and spec.upgrade.paths declares no way back from it to " + target,
                "choose " + running + " or higher"));
  }

  private Optional<Objection> forward(String object, Version running, Version target) {
    List<Spec.Path> paths = snapshot.spec().upgrade().paths();
    boolean declared = Among.any(paths, p -> leads(p, running, target));
    if (target.olderThan(running)) {
      // A path that leads up as well, as from 3.6.x to 3.6.x, declares nothing about the way down.
      return Among.any(paths, p -> leads(p, running, target) && !leads(p, target, running))
          ? back(object, running, target)
          : refuse(
              object,
              running + " runs, " + target + " is lower",
              "choose "
                  + running
                  + " or higher; if the system can go down, declare that path in spec.upgrade.paths");
    }
    return declared || paths.isEmpty() || isNoneOfTheirs(paths, running, target)
        ? Optional.empty()
        : refuse(
            object,
            "spec.upgrade.paths has none from " + running + " to " + target,
            "go by a version in between, or declare the path");
  }

  private static boolean leads(Spec.Path path, Version from, Version to) {
    return Version.matches(path.from(), from.text()) && Version.matches(path.to(), to.text());
  }

  /** Several systems in one cluster: paths of one say nothing about the versions of another. */
  private boolean isNoneOfTheirs(List<Spec.Path> paths, Version running, Version target) {
    boolean ownVersion =
        snapshot.spec().trigger() == Spec.Trigger.TEMPLATE
            || component.spec().version().isPresent();
    return snapshot.components().size() > 1
        && ownVersion
        && Among.none(
            paths,
            p ->
                Version.matches(p.from(), running.text())
                    || Version.matches(p.to(), target.text()));
  }

  private static Optional<Objection> refuse(String object, String reading, String cure) {
    return Optional.of(VERSION_GOES_FORWARD.objection(object, reading, cure, HUMAN));
  }

  /**
   * What runs: a pod that never came up runs nothing, whatever its image says; one that is down for
   * a moment is at what it served.
   */
  private Fact<String> alive(Pod pod) {
    Fact<String> read = component.memberOf(pod).flatMap(Member::version);
    if (read instanceof Fact.Known<String>) {
      return read;
    }
    Optional<Memory.Good> good =
        memory().lastGood().filter(g -> g.revision().equals(pod.revision()));
    if (!pod.ready() && good.isPresent()) {
      return Fact.known(good.get().version());
    }
    return pod.ready() || memory().served().contains(pod.uid())
        ? Versions.running(component, pod)
        : read;
  }

  private boolean isRefused(String revision) {
    return memory().refused().filter(r -> r.revision().equals(revision)).isPresent();
  }

  /**
   * What leads back to the last good images leads to the version that was read of them: a tag such
   * as 10.11 says less than a server that runs 10.11.19, and is not lower.
   */
  private Version orLastGood(Version told, Step step) {
    return memory()
        .lastGood()
        .filter(good -> isThat(good, step))
        .flatMap(good -> Version.parse(good.version()))
        .orElse(told);
  }

  private boolean isThat(Memory.Good good, Step step) {
    return step instanceof Step.SetTemplate set
        ? !set.images().isEmpty() && good.images().entrySet().containsAll(set.images().entrySet())
        : component.workload().map(Workload::updateRevision).is(good.revision());
  }

  private boolean isLastGood(Version target) {
    return lastGood().filter(target::sameNumbers).isPresent();
  }

  private Optional<Version> lastGood() {
    return memory().lastGood().map(Memory.Good::version).flatMap(Version::parse);
  }

  private Memory.ComponentMemory memory() {
    return snapshot.memory().component(component.name());
  }

  /**
   * Where nothing was ever seen whole, a revert leads to what the set itself still calls current
   * and members run: they are its witnesses.
   */
  private boolean isWhereItCameFrom(Version target) {
    String current = component.workload().asOptional().map(Workload::currentRevision).orElse("");
    return memory().lastGood().isEmpty()
        && component.podList().stream()
            .filter(p -> p.revision().equals(current) && p.ready())
            .flatMap(p -> parse(alive(p)).stream())
            .anyMatch(target::sameNumbers);
  }

  private static Optional<Version> parse(Fact<String> text) {
    return text.asOptional().flatMap(Version::parse);
  }
}
