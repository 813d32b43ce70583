package dev.belay.core.rules;

import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Sorted;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Memory.Good;
import dev.belay.core.state.Recording;
import dev.belay.core.state.Snapshot;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What trigger Version wants a template to be: the images of the wanted version, or, where that one
 * is sent back and nothing but the template can do it, those of the last good one.
 */
public record Aim(String version, Map<String, String> images) {

  /** After so many tries somebody else is believed to rewrite what is written. */
  private static final int TRIES = 5;

  public Aim {
    images = Sorted.copyOf(images);
  }

  public static Optional<Aim> of(Snapshot snapshot, Component component) {
    var course = new Course(snapshot, component);
    // Where the members can be taken back without it, the template stays as it is.
    boolean sentBack = course.sentBack() && !course.withdrawing();
    return snapshot
        .spec()
        .wantedVersion(component.spec())
        .filter(version -> !course.withdrawing() || !course.refuses(version))
        .flatMap(version ->
            // Another version than the refused one is a way out at any point of the way back.
            sentBack && course.refuses(version)
                ? back(snapshot, component)
                : Optional.of(new Aim(version, Versions.images(component, version))));
  }

  private static Optional<Aim> back(Snapshot snapshot, Component component) {
    return snapshot
        .memory()
        .component(component.name())
        .lastGood()
        .map(good -> new Aim(good.version(), declared(component, good)))
        .filter(aim -> !aim.images().isEmpty());
  }

  /** Whether the last good template is known, so that it can be written again. */
  static boolean canWriteBack(Snapshot snapshot, Component component, Good good) {
    return snapshot.spec().trigger() == Spec.Trigger.VERSION
        && declared(component, good).size() == component.spec().images().size();
  }

  private static Map<String, String> declared(Component component, Good good) {
    var images = new TreeMap<>(good.images());
    images.keySet().retainAll(component.spec().images().keySet());
    return images;
  }

  public boolean differsFrom(Workload workload) {
    return Among.any(
        images.entrySet(), e -> !e.getValue().equals(workload.images().get(e.getKey())));
  }

  /** Which tools wrote what is there instead, as far as they are named. */
  public List<String> writersInstead(Workload workload) {
    return images.entrySet().stream()
        .filter(e -> !e.getValue().equals(workload.images().get(e.getKey())))
        .flatMap(e -> Optional.ofNullable(workload.writers().get(e.getKey())).stream())
        .distinct()
        .toList();
  }

  /** Written again and again, and each time it is neither what was there nor what was written. */
  public boolean isRewritten(Snapshot snapshot, Component component, Workload workload) {
    boolean tried =
        snapshot
            .memory()
            .step()
            .filter(s -> Recording.setsTemplate(s, workload, version))
            .filter(s -> s.attempts() >= TRIES)
            .isPresent();
    var memory = snapshot.memory().component(component.name());
    // What Belay itself wrote before, or found there, is nobody else's: the write was refused.
    return tried
        && differsFrom(workload)
        && memory.lastGood().filter(g -> g.images().equals(workload.images())).isEmpty()
        && memory
            .written()
            .filter(w -> workload.images().entrySet().containsAll(w.images().entrySet()))
            .isEmpty();
  }
}
