package dev.belay.operator.act;

import dev.belay.core.plan.Decision;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Component.Guarding;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Holds a StatefulCluster back from deletion only while one of its sets is parked, so that the set
 * can be un-parked first. With the policies in place there is none: nothing to clean up.
 */
public final class Finalizer {

  private static final String NAME = "belay.dev/unpark";

  private final KubernetesClient client;

  public Finalizer(KubernetesClient client) {
    this.client = client;
  }

  public void keep(Sight sight, Decision decision) {
    var meta = sight.cluster().getMetadata();
    List<String> now = Objects.requireNonNullElse(meta.getFinalizers(), List.of());
    boolean wanted =
        sight.snapshot().subject().deleting()
            ? !(decision instanceof Decision.Done)
            : sight.snapshot().components().stream().anyMatch(c -> parked(sight, c));
    if (wanted == now.contains(NAME) || (wanted && sight.snapshot().subject().deleting())) {
      return;
    }
    var finalizers = new ArrayList<>(now);
    if (!finalizers.remove(NAME)) {
      finalizers.add(NAME);
    }
    // The status was just written: only the list itself must not have changed since it was read.
    var patch =
        List.of(
            Map.of("op", "test", "path", "/metadata/uid", "value", meta.getUid()),
            Map.of("op", "add", "path", "/metadata/finalizers", "value", finalizers));
    try {
      client
          .resource(sight.cluster())
          .patch(PatchContext.of(PatchType.JSON), Serialization.asJson(patch));
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
        throw e;
      }
    }
  }

  private static boolean parked(Sight sight, Component component) {
    return component.guard().is(Guarding.PARKED)
        && sight.snapshot().memory().component(component.name()).adopted();
  }
}
