package dev.belay.cli;

import dev.belay.api.v1alpha1.Component;
import dev.belay.api.v1alpha1.Component.Kind;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A workload as kubectl names it: statefulset/etcd. */
record WorkloadRef(Kind kind, String name) {

  /** kubectl itself prints statefulset.apps/etcd. */
  private static final Pattern FORM =
      Pattern.compile("(?<kind>[A-Za-z]+)(\\.apps)?/(?<name>[a-z0-9]([-a-z0-9.]*[a-z0-9])?)");

  /** Empty when the text names neither a StatefulSet nor a Deployment. */
  static Optional<WorkloadRef> parse(String text) {
    Matcher m = FORM.matcher(text);
    return m.matches()
        ? kind(m.group("kind")).map(kind -> new WorkloadRef(kind, m.group("name")))
        : Optional.empty();
  }

  private static Optional<Kind> kind(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "sts", "statefulset", "statefulsets" -> Optional.of(Kind.STATEFUL_SET);
      case "deploy", "deployment", "deployments" -> Optional.of(Kind.DEPLOYMENT);
      default -> Optional.empty();
    };
  }

  boolean isNamedBy(Cluster cluster) {
    return cluster.resource().getSpec().components().stream()
        .map(Component::workload)
        .anyMatch(w -> w.kindOrDefault() == kind && w.name().equals(name));
  }

  @Override
  public String toString() {
    return kind.word().toLowerCase(Locale.ROOT) + "/" + name;
  }
}
