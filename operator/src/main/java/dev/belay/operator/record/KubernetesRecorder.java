package dev.belay.operator.record;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.api.v1alpha1.StatusMapping;
import dev.belay.core.forecast.Outlook;
import dev.belay.core.loop.Loop.Recorded;
import dev.belay.core.report.Report;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Instant;

/** Writes the status on the condition that nobody wrote since it was read. */
public final class KubernetesRecorder {

  private final KubernetesClient client;

  public KubernetesRecorder(KubernetesClient client) {
    this.client = client;
  }

  public Recorded record(StatefulCluster basis, Report report, Outlook outlook, Instant now) {
    StatefulClusterStatus status = StatusMapping.status(report, outlook, basis, now);
    if (status.equals(basis.getStatus())) {
      return Recorded.UNCHANGED;
    }
    var written = new StatefulCluster();
    written.setMetadata(
        new ObjectMetaBuilder()
            .withName(basis.getMetadata().getName())
            .withNamespace(basis.getMetadata().getNamespace())
            .withUid(basis.getMetadata().getUid())
            .withResourceVersion(basis.getMetadata().getResourceVersion())
            .build());
    written.setSpec(basis.getSpec());
    written.setStatus(status);
    try {
      client.resource(written).updateStatus();
      return Recorded.WRITTEN;
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT
          || e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
        return Recorded.CONFLICT;
      }
      throw e;
    }
  }
}
