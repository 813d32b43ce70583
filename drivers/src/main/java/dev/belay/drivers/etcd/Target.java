package dev.belay.drivers.etcd;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Version;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Step;
import java.util.Optional;

/** The version a step would bring to a component's members. */
sealed interface Target {

  /** The step changes no version. */
  record None() implements Target {}

  /** It brings this version, to one pod or (empty) as the new template. */
  record To(Version version, Optional<String> pod) implements Target {

    Minor minor() {
      return Minor.of(version);
    }
  }

  /** The workload cannot be seen. */
  record Unseen(String pod, Fact.Unknown<?> unknown) implements Target {}

  /** It brings a version that cannot be told from this value of a field. */
  record NoVersion(String field, String value) implements Target {}

  static Target of(Component component, Step step) {
    if (step instanceof Step.SetTemplate set) {
      return Version.parse(set.version())
          .<Target>map(v -> new To(v, Optional.empty()))
          .orElseGet(() -> new NoVersion("spec.version", set.version()));
    }
    return step.takesDown().map(pod -> ofPod(component, pod)).orElseGet(None::new);
  }

  private static Target ofPod(Component component, String pod) {
    return switch (component.workload()) {
      case Fact.Unknown<Workload> unknown -> new Unseen(pod, unknown);
      case Fact.Known<Workload>(Workload workload) -> {
        String image = workload.images().getOrDefault(workload.mainContainer(), "");
        boolean same =
            component.podList().stream()
                .filter(p -> p.name().equals(pod))
                .map(p -> image(p, workload))
                .anyMatch(image::equals);
        yield same && !image.isEmpty()
            ? new None()
            : Version.ofImage(image)
                .<Target>map(v -> new To(v, Optional.of(pod)))
                .orElseGet(
                    () -> new NoVersion("image of container " + workload.mainContainer(), image));
      }
    };
  }

  /** The image a pod runs in the workload's main container; empty when it has none. */
  static String image(Pod pod, Workload workload) {
    return pod.images().getOrDefault(workload.mainContainer(), "");
  }
}
