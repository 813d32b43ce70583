package dev.belay.api.guard;

import dev.belay.core.model.Workload;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Accounts that change the template of one set and release all its members in the same write, again
 * and again, whether the API server answers or not.
 */
final class TemplateWriters implements AutoCloseable {

  private static final String BODY =
      """
      {"spec":{"template":{"metadata":{"annotations":{"change":"%s"}}},\
      "updateStrategy":{"rollingUpdate":{"partition":0}}}}\
      """;

  private static final long LIMIT_SECONDS = 20;

  /** The API server has stored it and said so. */
  final AtomicLong answered = new AtomicLong();

  /** The same, while the API server was not ready yet. */
  final AtomicLong early = new AtomicLong();

  /** The API server said no. */
  final AtomicLong refused = new AtomicLong();

  /** Nobody said anything: no server, or a server that died. */
  final AtomicLong unanswered = new AtomicLong();

  /** What was stored without being frozen, which must not be. */
  final Queue<String> unfrozen = new ConcurrentLinkedQueue<>();

  private final String namespace;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean ended;
  private volatile boolean ready = true;

  TemplateWriters(String namespace, List<String> accounts) {
    this.namespace = namespace;
    accounts.forEach(account -> threads.add(Thread.ofVirtual().start(() -> write(account))));
  }

  /** Whether the API server is known to be ready. */
  void ready(boolean now) {
    ready = now;
  }

  private void write(String account) {
    for (int i = 0; !ended; i++) {
      try {
        patch(World.client(account), account + "-" + i);
      } catch (ExecutionException | TimeoutException e) {
        unanswered.incrementAndGet();
      }
      pause();
    }
  }

  private void patch(KubernetesClient client, String change)
      throws ExecutionException, TimeoutException {
    var http = client.getHttpClient();
    var request =
        http.newHttpRequestBuilder()
            .uri(
                "%sapis/apps/v1/namespaces/%s/statefulsets/%s?fieldManager=%s"
                    .formatted(client.getMasterUrl(), namespace, GuardCase.SET, "writer"))
            .patch("application/merge-patch+json", BODY.formatted(change))
            .timeout(LIMIT_SECONDS, TimeUnit.SECONDS)
            .build();
    try {
      judge(http.sendAsync(request, String.class).get(LIMIT_SECONDS, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void judge(HttpResponse<String> response) {
    if (!response.isSuccessful()) {
      refused.incrementAndGet();
      return;
    }
    answered.incrementAndGet();
    if (!ready) {
      early.incrementAndGet();
    }
    var stored = Serialization.unmarshal(response.body(), StatefulSet.class);
    var strategy = stored.getSpec().getUpdateStrategy().getRollingUpdate();
    if (strategy.getPartition() != Workload.FROZEN) {
      unfrozen.add(response.body());
    }
  }

  /** Short, so that requests arrive when the port opens; not 0, so that the server can start. */
  private static void pause() {
    try {
      Thread.sleep(15);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** After this nothing more is sent. */
  void end() {
    ended = true;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Override
  public void close() {
    end();
  }
}
