package dev.belay.operator.marks;

import dev.belay.core.guard.Mark;
import dev.belay.operator.observe.Live;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lists the workloads with the label of a mark, page by page: there may be thousands. */
final class MarkedWorkloads {

  private static final long PAGE = 100;

  private final KubernetesClient client;

  MarkedWorkloads(KubernetesClient client) {
    this.client = client;
  }

  /** An empty list stands for every namespace. */
  void in(List<String> namespaces, Consumer<Live> each) {
    if (namespaces.isEmpty()) {
      pages(client.apps().statefulSets().inAnyNamespace(), s -> each.accept(new Live.Set(s)));
      pages(client.apps().deployments().inAnyNamespace(), d -> each.accept(new Live.Deployed(d)));
    }
    for (String namespace : namespaces) {
      pages(client.apps().statefulSets().inNamespace(namespace), s -> each.accept(new Live.Set(s)));
      pages(
          client.apps().deployments().inNamespace(namespace),
          d -> each.accept(new Live.Deployed(d)));
    }
  }

  private static <T extends HasMetadata, L extends KubernetesResourceList<T>> void pages(
      FilterWatchListDeletable<T, L, ?> all, Consumer<T> each) {
    @Nullable String next = null;
    do {
      L page =
          all.withLabel(Mark.LABEL)
              .list(new ListOptionsBuilder().withLimit(PAGE).withContinue(next).build());
      page.getItems().forEach(each);
      next = page.getMetadata().getContinue();
    } while (next != null && !next.isEmpty());
  }
}
