package dev.belay.core.forecast;

import dev.belay.core.model.Component;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.Versions;
import dev.belay.core.state.Snapshot;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Somebody sets the main container's image to another tag, and the guard freezes that. Where the
 * template is not Belay's to write, only those images are guessed that have the version of the
 * first component now; of the others it is said that nothing is known.
 */
record Retagging(Snapshot now, String tag) {

  Snapshot world() {
    return now.seeing(now.components().stream().map(this::retagged).toList());
  }

  /** What is not in the plan, and why. */
  Stream<String> leftOut() {
    return now.components().stream()
        .flatMap(c -> c.workload().asOptional().flatMap(w -> unknown(c, w)).stream());
  }

  private Component retagged(Component component) {
    return component
        .workload()
        .asOptional()
        .filter(w -> unknown(component, w).isEmpty() && !image(w).equals(wanted(w)))
        .map(w -> Effects.templated(component, tag, Map.of(w.mainContainer(), wanted(w))))
        .orElse(component);
  }

  private Optional<String> unknown(Component component, Workload workload) {
    String why =
        image(workload).contains("@")
            ? "is pinned by a digest: which one stands for " + tag + " cannot be known"
            : isOfTheCluster(workload) ? "" : "has another version: what follows cannot be known";
    return why.isEmpty()
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "not in this plan: %s, whose image %s %s",
                component.name(),
                image(workload),
                why));
  }

  /** What has the version of the first component is expected to go along with it. */
  private boolean isOfTheCluster(Workload workload) {
    Optional<String> first =
        now.components().getFirst().workload().asOptional().flatMap(Retagging::version);
    return version(workload).equals(first) || version(workload).filter(tag::equals).isPresent();
  }

  private static Optional<String> version(Workload workload) {
    return Versions.ofTemplate(workload).asOptional();
  }

  private String wanted(Workload workload) {
    String image = image(workload);
    int colon = image.lastIndexOf(':');
    return (colon > image.lastIndexOf('/') ? image.substring(0, colon) : image) + ":" + tag;
  }

  private static String image(Workload workload) {
    return workload.images().getOrDefault(workload.mainContainer(), "");
  }
}
