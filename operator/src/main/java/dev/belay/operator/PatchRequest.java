package dev.belay.operator;

import dev.belay.core.state.Fence;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One PATCH and nothing else. The client's own way reads the object before it writes: a request
 * more in every step, and an object that is gone would count as written.
 *
 * @param path of the object, as in /apis/apps/v1/namespaces/NAMESPACE/statefulsets/NAME
 * @param manager the field manager
 */
public record PatchRequest(KubernetesClient client, String path, String manager) {

  /**
   * Under which name the API server remembers what Belay wrote. Without one it would be that of the
   * client library, which other tools have as well.
   */
  public static final String MANAGER = "belay";

  /** To the object that a fence of this kind is about. */
  public static PatchRequest to(
      KubernetesClient client, String namespace, Fence.Kind kind, String name) {
    String form =
        switch (kind) {
          case STATEFUL_SET -> "/apis/apps/v1/namespaces/%s/statefulsets/%s";
          case DEPLOYMENT -> "/apis/apps/v1/namespaces/%s/deployments/%s";
          case POD -> "/api/v1/namespaces/%s/pods/%s";
        };
    return new PatchRequest(client, form.formatted(namespace, name), MANAGER);
  }

  /** A patch of the status of a StatefulCluster. */
  public static PatchRequest toStatus(KubernetesClient client, String namespace, String name) {
    return new PatchRequest(
        client,
        "/apis/belay.dev/v1alpha1/namespaces/%s/statefulclusters/%s/status"
            .formatted(namespace, name),
        MANAGER);
  }

  /** The same, but nothing is written. */
  public PatchRequest dryRun() {
    return new PatchRequest(client, path + "?dryRun=All", manager);
  }

  /** The same under another field manager. */
  public PatchRequest as(String other) {
    return new PatchRequest(client, path, other);
  }

  /**
   * Sends it and returns the object as it is then.
   *
   * @throws KubernetesClientException when it was refused, or when it is not known whether it was
   */
  public String send(PatchType type, String body) {
    var server = client.getConfiguration().getMasterUrl();
    var limit = Duration.ofMillis(client.getConfiguration().getRequestTimeout());
    HttpRequest request =
        client
            .getHttpClient()
            .newHttpRequestBuilder()
            .uri(uri(server))
            .patch(type.getContentType(), body)
            .timeout(limit.toMillis(), TimeUnit.MILLISECONDS)
            .build();
    HttpResponse<String> response = send(request, limit);
    if (!response.isSuccessful()) {
      throw refused(response);
    }
    return response.body();
  }

  private String uri(String server) {
    String host = server.endsWith("/") ? server.substring(0, server.length() - 1) : server;
    return host + path + (path.contains("?") ? "&" : "?") + "fieldManager=" + manager;
  }

  private HttpResponse<String> send(HttpRequest request, Duration limit) {
    var answer = client.getHttpClient().sendAsync(request, String.class);
    try {
      return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw new KubernetesClientException("PATCH " + path + " was not answered in time", e);
    } catch (ExecutionException e) {
      throw new KubernetesClientException("PATCH " + path + ": " + e.getCause(), e);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new KubernetesClientException("PATCH " + path + " was interrupted", e);
    }
  }

  private static KubernetesClientException refused(HttpResponse<String> response) {
    try {
      Status status = Serialization.unmarshal(response.body(), Status.class);
      return new KubernetesClientException(
          String.valueOf(status.getMessage()), response.code(), status);
    } catch (RuntimeException e) {
      // Something in between answered, not the API server.
      return new KubernetesClientException(
          "answered " + response.code(), e, response.code(), null, null);
    }
  }
}
