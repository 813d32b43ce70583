package dev.belay.core.rollout;

import static dev.belay.core.state.Objection.Weight.INVALID;
import static dev.belay.core.state.Objection.Weight.PROGRESS;
import static dev.belay.core.state.Objection.Weight.WAIT;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec.Strategy;
import dev.belay.core.model.Version;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;

/** Whether a component can be worked on at all: what was asked for exists, and can be seen. */
public final class Fitness {

  private Fitness() {}

  public static List<Objection> objections(
      Snapshot snapshot, Component component, Workload workload) {
    var found = new ArrayList<Objection>();
    rival(component, workload, found);
    strategy(component, workload, found);
    unknownContainers(component, workload, found);
    snapshot
        .spec()
        .wantedVersion(component.spec())
        .filter(v -> Version.parse(v).isEmpty())
        .ifPresent(v ->
            found.add(
                Reasons.VERSION_IS_READABLE.objection(
                    "spec.version",
                    "\"" + v + "\" is no version",
                    "write numbers and dots, then any suffix: 3.6.16, v1.2, 8.0.36-debian-12",
                    INVALID)));
    unseen(component, workload, found);
    return found;
  }

  /** Without a word on it, the strategy is the one the workload's own stands for. */
  private static void strategy(Component component, Workload workload, List<Objection> found) {
    boolean onDelete = workload.ownStrategy() == Strategy.ON_DELETE;
    component
        .spec()
        .rollout()
        .strategy()
        .filter(s -> onDelete != (s == Strategy.ON_DELETE))
        .ifPresent(s ->
            found.add(
                Reasons.STRATEGY_FITS.objection(
                    workload.name(),
                    String.format(
                        Locale.ROOT,
                        "rollout.strategy is %s, updateStrategy of the StatefulSet is %s",
                        word(s),
                        onDelete ? "OnDelete" : "RollingUpdate"),
                    "leave rollout.strategy out, or "
                        + (onDelete
                            ? "set it to OnDelete"
                            : "set updateStrategy.type of the StatefulSet to OnDelete before it is"
                                + " adopted"),
                    INVALID)));
  }

  private static String word(Strategy strategy) {
    return switch (strategy) {
      case PARTITION -> "Partition";
      case ON_DELETE -> "OnDelete";
      case NATIVE -> "Native";
    };
  }

  private static void rival(Component component, Workload workload, List<Objection> found) {
    switch (component.rival()) {
      case Fact.Unknown<Optional<String>> unknown ->
          found.add(Reasons.ONE_CLUSTER_PER_WORKLOAD.unseen(workload.name(), unknown));
      case Fact.Known<Optional<String>>(Optional<String> rival) ->
          rival.ifPresent(name ->
              found.add(
                  Reasons.ONE_CLUSTER_PER_WORKLOAD.objection(
                      workload.name(),
                      "the older StatefulCluster " + name + " names it too",
                      "remove it from one of the two",
                      INVALID)));
    }
  }

  private static void unknownContainers(
      Component component, Workload workload, List<Objection> found) {
    var unknown = new TreeSet<>(component.spec().images().keySet());
    unknown.removeAll(workload.images().keySet());
    if (!unknown.isEmpty()) {
      found.add(
          Reasons.CONTAINERS_EXIST.objection(
              component.path() + ".images",
              "no container is called " + String.join(", ", unknown),
              "use one of " + String.join(", ", new TreeSet<>(workload.images().keySet())),
              INVALID));
    }
  }

  private static void unseen(Component component, Workload workload, List<Objection> found) {
    if (workload.deleting()) {
      found.add(
          Reasons.WORKLOAD_STAYS.objection(
              workload.name(), "it is being deleted", "re-create it", WAIT));
    }
    unobserved(workload).ifPresent(found::add);
    if (component.pods() instanceof Fact.Unknown<List<Pod>> unknown) {
      found.add(Reasons.PODS_ARE_READABLE.unseen(workload.name(), unknown));
    }
    if (component.guard() instanceof Fact.Unknown<Component.Guarding> unknown) {
      found.add(Reasons.GUARD_IS_KNOWN.unseen(workload.name(), unknown));
    }
  }

  /** Its revisions are those of an older spec. */
  public static Optional<Objection> unobserved(Workload workload) {
    return workload.observed()
        ? Optional.empty()
        : Optional.of(
            Reasons.WORKLOAD_IS_OBSERVED.objection(
                workload.name(),
                String.format(
                    Locale.ROOT,
                    "its controller has seen generation %d of %d",
                    workload.observedGeneration(),
                    workload.generation()),
                "wait for the " + workload.kind() + " controller",
                PROGRESS));
  }
}
