package dev.belay.cli;

import dev.belay.api.v1alpha1.ComponentStatus;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Blocked;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A StatefulCluster as people read it: what is absent in the resource is empty here. */
record Cluster(StatefulCluster resource) {

  String name() {
    return word(resource.getMetadata().getName());
  }

  String namespace() {
    return word(resource.getMetadata().getNamespace());
  }

  Optional<StatefulClusterStatus> status() {
    return Optional.ofNullable(resource.getStatus());
  }

  private <T> Optional<T> get(Function<StatefulClusterStatus, @Nullable T> field) {
    return status().flatMap(s -> Optional.ofNullable(field.apply(s)));
  }

  /** Pending is Kubernetes' word for what nobody has taken up yet. */
  String phase() {
    return get(StatefulClusterStatus::phase).orElse("Pending");
  }

  String currentVersion() {
    return get(StatefulClusterStatus::currentVersion).orElse("");
  }

  String targetVersion() {
    return get(StatefulClusterStatus::targetVersion).orElse("");
  }

  String updated() {
    return get(StatefulClusterStatus::updated).orElse("");
  }

  String ready() {
    return get(StatefulClusterStatus::ready).orElse("");
  }

  String waitingFor() {
    return get(StatefulClusterStatus::waitingFor).orElse("");
  }

  Optional<Blocked> blockedBy() {
    return get(StatefulClusterStatus::blockedBy);
  }

  Optional<StatefulClusterStatus.Step> step() {
    return get(StatefulClusterStatus::step);
  }

  Optional<StatefulClusterStatus.WayBack> wayBack() {
    return get(StatefulClusterStatus::wayBack);
  }

  List<ComponentStatus> components() {
    return status().map(StatefulClusterStatus::components).orElse(List.of());
  }

  Optional<ComponentStatus> component(String name) {
    return components().stream().filter(c -> c.name().equals(name)).findFirst();
  }

  boolean unready(String pod) {
    return get(StatefulClusterStatus::members).filter(m -> m.unready().contains(pod)).isPresent();
  }

  Optional<Condition> condition(String type) {
    return status().stream()
        .flatMap(s -> s.conditions().stream())
        .filter(c -> type.equals(c.getType()))
        .findFirst();
  }

  boolean is(String type, String status) {
    return condition(type).filter(c -> status.equals(c.getStatus())).isPresent();
  }

  long generation() {
    return Objects.requireNonNullElse(resource.getMetadata().getGeneration(), 0L);
  }

  long observedGeneration() {
    return get(StatefulClusterStatus::observedGeneration).orElse(0L);
  }

  /** Whether the spec changed after the operator looked last. */
  boolean stale() {
    return status().isPresent() && observedGeneration() < generation();
  }

  /** From what to what: 3.5.35 → 3.6.16, or the one version when nothing is rolled out. */
  String versions(Glyphs glyphs) {
    if (targetVersion().isEmpty() || targetVersion().equals(currentVersion())) {
      return currentVersion();
    }
    return currentVersion().isEmpty()
        ? glyphs.arrow() + " " + targetVersion()
        : currentVersion() + " " + glyphs.arrow() + " " + targetVersion();
  }

  /** What freezes a new revision, of every component: almost always one word. */
  String guards() {
    return components().stream()
        .map(c -> word(c.guard()))
        .filter(g -> !g.isEmpty())
        .distinct()
        .collect(Collectors.joining(", "));
  }

  /** The revision that the members of a component are meant to run, as far as the status says. */
  static String newestRevision(ComponentStatus component) {
    var target = component.target();
    var good = component.lastGood();
    return target != null ? word(target.revision()) : good != null ? word(good.revision()) : "";
  }

  /** What stands in the way and what cures it, in the words of the rule. */
  static String sentence(Blocked blocked) {
    return word(blocked.rule())
        + (word(blocked.reading()).isEmpty() ? "" : ", " + blocked.reading())
        + (word(blocked.cure()).isEmpty() ? "" : "; cure: " + blocked.cure());
  }

  /** What the blocked object does in this phase. */
  String verb() {
    return switch (phase()) {
      case "Held" -> "is held";
      case "Failed" -> "stops the line";
      default -> "waits";
    };
  }

  static String lower(@Nullable String text) {
    return word(text).toLowerCase(Locale.ROOT);
  }

  static String word(@Nullable String text) {
    return text == null ? "" : text;
  }
}
