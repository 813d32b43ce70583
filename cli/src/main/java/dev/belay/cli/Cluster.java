package dev.belay.cli;

import dev.belay.api.v1alpha1.Annotations;
import dev.belay.api.v1alpha1.ComponentStatus;
import dev.belay.api.v1alpha1.MigrationsSpec;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.api.v1alpha1.StatefulClusterSpec.Requests;
import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Blocked;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Refused;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

  /** The install of the operator that acts on it, or acted last. */
  Optional<String> owner() {
    return get(StatefulClusterStatus::owner)
        .map(o -> word(o.install()))
        .filter(name -> !name.isEmpty());
  }

  /** The Lease of the operator that acts on it, as NAMESPACE/NAME. */
  Optional<String> lease() {
    return get(StatefulClusterStatus::owner)
        .filter(o -> !Boolean.TRUE.equals(o.released()))
        .map(o -> word(o.lease()))
        .filter(name -> !name.isEmpty());
  }

  boolean released() {
    return get(StatefulClusterStatus::owner)
        .filter(o -> Boolean.TRUE.equals(o.released()))
        .isPresent();
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

  Optional<StatefulClusterStatus.Migrations> migrations() {
    return get(StatefulClusterStatus::migrations);
  }

  List<Refused> refused() {
    return status().map(StatefulClusterStatus::refused).orElse(List.of());
  }

  /** What was done around an upgrade and is still to be taken back. */
  List<StatefulClusterStatus.Obligation> owed() {
    return status().map(StatefulClusterStatus::obligations).orElse(List.of()).stream()
        .filter(o -> !word(o.undo()).isEmpty())
        .toList();
  }

  Optional<StatefulClusterStatus.Forced> forced() {
    return get(StatefulClusterStatus::forced);
  }

  Optional<StatefulClusterStatus.Upgrade> upgrade() {
    return get(StatefulClusterStatus::upgrade);
  }

  boolean paused() {
    return Boolean.TRUE.equals(resource.getSpec().paused());
  }

  /** What is asked in the spec, heeded or not: the verb and its token. */
  Map<String, String> asked() {
    var asked = new LinkedHashMap<String, String>();
    Requests requests = resource.getSpec().requests();
    if (requests != null) {
      asked.put("approve", word(requests.approve()));
      asked.put("retry", word(requests.retry()));
      asked.put("rollback", word(requests.rollback()));
      asked.put("abort", word(requests.abort()));
      asked.put("migration", decision().map(MigrationsSpec.Request::token).orElse(""));
      asked.values().removeIf(String::isEmpty);
    }
    return asked;
  }

  /** What is asked about a failed migration, heeded or not. */
  Optional<MigrationsSpec.Request> decision() {
    return Optional.ofNullable(resource.getSpec().requests())
        .flatMap(r -> Optional.ofNullable(r.migration()));
  }

  /** What is asked and was not heeded yet. */
  Map<String, String> unheeded() {
    var waiting = new LinkedHashMap<>(asked());
    waiting.entrySet().removeIf(e -> e.getValue().equals(handled(e.getKey())));
    return waiting;
  }

  /** The token of this verb that was heeded last. */
  String handled(String verb) {
    return get(StatefulClusterStatus::requests)
        .map(h ->
            word(
                switch (verb) {
                  case "approve" -> h.approve();
                  case "retry" -> h.retry();
                  case "rollback" -> h.rollback();
                  case "migration" -> h.migration();
                  default -> h.abort();
                }))
        .orElse("");
  }

  /** Who asked, where a policy stamps it. */
  String askedBy(String verb) {
    String stamp = verb.equals("approve") ? Annotations.APPROVED_BY : Annotations.REQUESTED_BY;
    return Optional.ofNullable(resource.getMetadata().getAnnotations())
        .map(a -> word(a.get(stamp)))
        .orElse("");
  }

  /** The refused revision of a component whose members are taken back, or were. */
  Optional<Refused> withdrawn(ComponentStatus component) {
    return refused().stream()
        .filter(r -> component.name().equals(r.component()))
        .filter(r -> Boolean.TRUE.equals(r.withdrawing()))
        .findFirst();
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
    boolean back = components().stream().anyMatch(c -> withdrawn(c).isPresent());
    return versions(currentVersion(), targetVersion(), back, glyphs);
  }

  /** The same of one component. */
  String versions(ComponentStatus component, Glyphs glyphs) {
    return versions(
        word(component.currentVersion()),
        word(component.targetVersion()),
        withdrawn(component).isPresent(),
        glyphs);
  }

  private static String versions(String now, String to, boolean back, Glyphs glyphs) {
    if (to.isEmpty() || to.equals(now)) {
      return now;
    }
    String arrow = " " + glyphs.arrow() + " ";
    return (back ? to + arrow + now : now + arrow + to).strip();
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
  String wantedRevision(ComponentStatus component) {
    var target = component.target();
    var good = component.lastGood();
    if (target != null && withdrawn(component).isEmpty()) {
      return word(target.revision());
    }
    return good == null ? "" : word(good.revision());
  }

  /** The component that is still rolled, and comes before this one. */
  Optional<String> before(ComponentStatus component) {
    return components().stream()
        .takeWhile(c -> !c.name().equals(component.name()))
        .filter(c -> c.target() != null && withdrawn(c).isEmpty())
        .map(ComponentStatus::name)
        .findFirst();
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
