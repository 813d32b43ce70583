package dev.belay.core.rules;

import dev.belay.core.driver.WayBack;
import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Version;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Good;
import dev.belay.core.state.Memory.Ran;
import dev.belay.core.state.Snapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The way back as far as spec.upgrade.paths declares it. What has run behind a path without return
 * is noted while the roll-out lasts: the one that ran it may be lost, or made anew and never start,
 * and its data stays converted. The declaration itself is not noted: taken away, it was wrong.
 */
public record ClosedPath(Snapshot snapshot, Component component) {

  private static final Comparator<Ran> FURTHEST =
      Comparator.comparing(Ran::version, Version::compareNumbers).thenComparing(r -> !r.inDoubt());

  /** How far back the declared paths allow; empty when they say nothing. */
  Optional<WayBack> wayBack() {
    if (Among.none(paths(), Spec.Path::irreversible)) {
      return Optional.empty();
    }
    Optional<WayBack> closed =
        ran().map(r -> WayBack.floor(r.version().text(), declaration(from(), r.version().text())));
    return closed.or(() ->
        Among.first(component.podList(), this::hidesItsVersion)
            .map(p ->
                WayBack.unknown(
                    p.name()
                        + " does not tell its version, and spec.upgrade.paths declares some"
                        + " irreversible")));
  }

  boolean closes(String from, String to) {
    return Among.any(
        paths(),
        p -> p.irreversible() && Version.matches(p.from(), from) && Version.matches(p.to(), to));
  }

  static String declaration(String from, String to) {
    return "spec.upgrade.paths declares " + from + " to " + to + " irreversible";
  }

  /** The furthest version that has run behind a path without return; noted while it counts. */
  public Optional<Ran> ran() {
    var all = new ArrayList<Ran>();
    Optional<Ran> noted = memory().target().flatMap(_ -> memory().observed().ran());
    noted.filter(this::stands).ifPresent(all::add);
    for (Pod pod : component.podList()) {
      if (mayHaveRun(pod)) {
        Versions.running(component, pod)
            .asOptional()
            .flatMap(Version::parse)
            .map(v -> new Ran(v, hasRun(pod) ? "" : pod.uid()))
            .ifPresent(all::add);
      }
    }
    return Among.those(all, r -> isBehind(r.version())).stream().max(FURTHEST);
  }

  private boolean isBehind(Version version) {
    return closes(from(), version.text())
        && Version.parse(from()).filter(version::sameNumbers).isEmpty();
  }

  /** Until the very pod says that it never started; one that is gone says nothing. */
  private boolean stands(Ran ran) {
    return !ran.inDoubt()
        || Among.none(component.podList(), p -> p.uid().equals(ran.doubted()) && p.neverStarted());
  }

  private static boolean mayHaveRun(Pod pod) {
    return pod.ready() || !pod.neverStarted();
  }

  private static boolean hasRun(Pod pod) {
    return pod.ready() || (pod.trouble().isPresent() && !pod.neverStarted());
  }

  /** One at another revision than the last good, with another image, that may have run it. */
  private boolean hidesItsVersion(Pod pod) {
    return mayHaveRun(pod)
        && good().filter(g -> differs(pod, g)).isPresent()
        && isConcerned()
        && Versions.running(component, pod) instanceof Fact.Unknown<String>;
  }

  private boolean differs(Pod pod, Good good) {
    String main = component.workload().asOptional().map(Workload::mainContainer).orElse("");
    return !pod.revision().equals(good.revision())
        && !pod.images().getOrDefault(main, "").equals(good.images().get(main));
  }

  /** Several systems in one cluster: the paths of one say nothing about another. */
  boolean isConcerned() {
    return snapshot.components().size() == 1
        || Among.any(
            paths(), p -> Version.matches(p.from(), from()) || Version.matches(p.to(), from()));
  }

  private List<Spec.Path> paths() {
    return snapshot.spec().upgrade().paths();
  }

  private String from() {
    return good().map(Good::version).orElse("");
  }

  private Optional<Good> good() {
    return memory().lastGood();
  }

  private ComponentMemory memory() {
    return snapshot.memory().component(component.name());
  }
}
