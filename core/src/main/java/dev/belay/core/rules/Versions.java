package dev.belay.core.rules;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Version;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Step;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Which versions run and which is wanted: what a driver reads counts, else the image's tag. */
public final class Versions {

  private Versions() {}

  /** The version a pod runs. */
  public static Fact<String> running(Component component, Pod pod) {
    Fact<String> read = component.memberOf(pod).flatMap(m -> m.version());
    if (read instanceof Fact.Known<String>) {
      return read;
    }
    return ofImages(component, pod);
  }

  /** The version that a pod's image stands for. */
  public static Fact<String> ofImages(Component component, Pod pod) {
    return component
        .workload()
        .flatMap(w -> ofTag(pod.images().getOrDefault(w.mainContainer(), "")));
  }

  /** The version a step leads to; empty when it changes no image of the main container. */
  public static Optional<Fact<String>> target(Component component, Pod pod, Step step) {
    if (step instanceof Step.SetTemplate set) {
      return Optional.of(Fact.known(set.version()));
    }
    return component
        .workload()
        .asOptional()
        .map(w -> w.images().getOrDefault(w.mainContainer(), ""))
        .filter(image -> !image.equals(mainImage(component, pod)))
        .map(Versions::ofTag);
  }

  /** The version a template stands for. */
  public static Fact<String> ofTemplate(Workload workload) {
    return ofTag(workload.images().getOrDefault(workload.mainContainer(), ""));
  }

  /** The images a version asks for, by container. */
  public static Map<String, String> images(Component component, String version) {
    var images = new TreeMap<String, String>();
    component
        .spec()
        .images()
        .forEach((c, image) -> images.put(c, image.replace("{version}", version)));
    return images;
  }

  private static String mainImage(Component component, Pod pod) {
    return component
        .workload()
        .asOptional()
        .map(w -> pod.images().getOrDefault(w.mainContainer(), ""))
        .orElse("");
  }

  private static Fact<String> ofTag(String image) {
    return Version.ofImage(image)
        .map(v -> Fact.known(v.text()))
        .orElseGet(() -> Fact.unknown("the image " + image + " has no version in its tag"));
  }
}
