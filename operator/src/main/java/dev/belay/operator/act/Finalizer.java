package dev.belay.operator.act;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.model.Component;
import dev.belay.core.model.Component.Guarding;
import dev.belay.core.model.Workload;
import dev.belay.core.report.Report;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Memory.Obligation;
import dev.belay.core.state.Memory.Owner;
import dev.belay.core.state.Step;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds a StatefulCluster back from deletion only while something would be left behind: a parked
 * workload is un-parked first, what was done for an upgrade is taken back, and of a roll-out that
 * is under way it is said how to go on without Belay. At rest, with the policies in place, there is
 * none: nothing to clean up.
 */
public final class Finalizer {

  private static final Logger LOG = LoggerFactory.getLogger("belay");

  private final KubernetesClient client;

  public Finalizer(KubernetesClient client) {
    this.client = client;
  }

  /** Puts it on or takes it off, as what was seen and decided asks for. */
  public void keep(Sight sight, Decision decision, Report report) {
    boolean deleting = sight.snapshot().subject().deleting();
    boolean wanted =
        deleting
            ? !(decision instanceof Decision.Done)
            : sight.snapshot().components().stream()
                    .anyMatch(c -> parked(sight, c) || rolling(sight, c) || owing(sight, c))
                || report.components().stream().anyMatch(c -> !c.owes().isEmpty());
    if (wanted != isOn(sight) && !(wanted && deleting)) {
      write(sight, wanted, report.memory().owner())
          .ifPresent(
              why -> LOG.warn("finalizer of {}: {}", sight.snapshot().subject().name(), why));
    }
  }

  /**
   * Takes it off, since this install is removed: nothing would take it off later.
   *
   * @return why it is still there, if so
   */
  public Optional<String> remove(Sight sight) {
    return isOn(sight)
        ? write(sight, false, sight.snapshot().memory().owner())
            .map(why -> "its finalizer was not removed: " + why)
        : Optional.empty();
  }

  /**
   * Before a workload is parked, or anything is done that has to be taken back: a StatefulCluster
   * deleted between the two writes would leave it so for ever.
   *
   * @return why the step must not go on, if so
   */
  public Optional<String> comesBefore(Sight sight, Step step) {
    boolean parks = step instanceof Step.Rest rest && rest.partition() == Workload.FROZEN;
    boolean owes =
        (step instanceof Step.Act act && act.obligation().open())
            || (step instanceof Step.Tell tell && !tell.mends());
    return !(parks || owes) || isOn(sight)
        ? Optional.empty()
        : write(sight, true, sight.snapshot().memory().owner())
            .map(why -> "its finalizer comes first, and was refused: " + why);
  }

  private static boolean isOn(Sight sight) {
    return finalizers(sight).contains(StatefulCluster.FINALIZER);
  }

  private static List<String> finalizers(Sight sight) {
    return Objects.requireNonNullElse(sight.cluster().getMetadata().getFinalizers(), List.of());
  }

  /**
   * Empty, or why it was not written: the list has changed meanwhile, or the owner, who may have
   * done since what the finalizer is for.
   */
  private Optional<String> write(Sight sight, boolean on, Optional<Owner> owner) {
    List<String> seen = finalizers(sight);
    var wanted = new ArrayList<>(seen);
    if (on) {
      wanted.add(StatefulCluster.FINALIZER);
    } else {
      wanted.remove(StatefulCluster.FINALIZER);
    }
    // The status may just have been written, so the resourceVersion is no condition here: the list
    // itself is. Others keep their finalizers in it.
    var patch = new ArrayList<Map<String, @Nullable Object>>();
    patch.add(operation("test", "/metadata/uid", sight.cluster().getMetadata().getUid()));
    owner.ifPresent(o -> patch.add(operation("test", "/status/owner/epoch", o.epoch())));
    patch.add(operation("test", "/metadata/finalizers", seen.isEmpty() ? null : seen));
    patch.add(operation("add", "/metadata/finalizers", wanted));
    try {
      client
          .resource(sight.cluster())
          .patch(PatchContext.of(PatchType.JSON), Serialization.asJson(patch));
      return Optional.empty();
    } catch (KubernetesClientException e) {
      return Optional.of(e.getCode() + " " + e.getMessage());
    }
  }

  private static Map<String, @Nullable Object> operation(
      String op, String path, @Nullable Object value) {
    var operation = new HashMap<String, @Nullable Object>();
    operation.put("op", op);
    operation.put("path", path);
    operation.put("value", value);
    return operation;
  }

  private static boolean parked(Sight sight, Component component) {
    return !component.guard().is(Guarding.POLICY)
        && !component.guard().is(Guarding.ON_DELETE)
        && sight.snapshot().ofItsWorkloads().memory().component(component.name()).adopted();
  }

  private static boolean owing(Sight sight, Component component) {
    return sight.snapshot().memory().component(component.name()).obligations().stream()
        .anyMatch(Obligation::open);
  }

  private static boolean rolling(Sight sight, Component component) {
    return sight.snapshot().memory().component(component.name()).target().isPresent();
  }
}
