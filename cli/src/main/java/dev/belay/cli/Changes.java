package dev.belay.cli;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What happens to the watched clusters, in order; a lost connection is taken up again. */
final class Changes implements AutoCloseable {

  /** One change. */
  sealed interface Change {
    GenericKubernetesResource raw();

    /** It is new, or different. */
    record Seen(GenericKubernetesResource raw) implements Change {}

    /** It is no more. */
    record Gone(GenericKubernetesResource raw) implements Change {}
  }

  private final LinkedBlockingQueue<Change> queue = new LinkedBlockingQueue<>();
  private final SharedIndexInformer<GenericKubernetesResource> informer;

  Changes(SharedIndexInformer<GenericKubernetesResource> informer) {
    this.informer = informer;
    informer.addEventHandler(
        new ResourceEventHandler<>() {
          @Override
          public void onAdd(GenericKubernetesResource raw) {
            queue.add(new Change.Seen(raw));
          }

          @Override
          public void onUpdate(GenericKubernetesResource before, GenericKubernetesResource raw) {
            queue.add(new Change.Seen(raw));
          }

          @Override
          public void onDelete(GenericKubernetesResource raw, boolean unknownState) {
            queue.add(new Change.Gone(raw));
          }
        });
    // Once it ran, an unreachable server is waited for; before, it is an error.
    informer.exceptionHandler((started, error) -> started);
    try {
      informer.start().toCompletableFuture().join();
    } catch (CompletionException e) {
      informer.close();
      throw e.getCause() instanceof KubernetesClientException known
          ? known
          : new KubernetesClientException("cannot watch", e);
    }
  }

  /** The next change, if there is one in time. */
  Optional<Change> next(Duration patience) throws InterruptedException {
    return Optional.ofNullable(queue.poll(patience.toNanos(), TimeUnit.NANOSECONDS));
  }

  @Override
  public void close() {
    informer.close();
  }
}
