package dev.belay.operator.marks;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the policy that freezes and its binding, so that their guard is probed again as soon as
 * one changes. Without it (an older API server, or missing rights) a change is noticed by the next
 * periodic probe.
 */
public final class PolicyWatch implements AutoCloseable {

  private static final String GROUP = "admissionregistration.k8s.io";
  private static final String NAME = "belay-guard";

  private static final Logger LOG = LoggerFactory.getLogger("belay");

  private final List<SharedIndexInformer<?>> informers = new ArrayList<>();

  public PolicyWatch(KubernetesClient client, Runnable changed) {
    var kinds =
        Map.of(
            "MutatingAdmissionPolicy", "mutatingadmissionpolicies",
            "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings");
    kinds.forEach((kind, plural) -> {
      // The client would look for the kind otherwise, and fail on an API server that has none.
      var resource =
          new ResourceDefinitionContext.Builder()
              .withGroup(GROUP)
              .withVersion("v1")
              .withKind(kind)
              .withPlural(plural)
              .withNamespaced(false)
              .build();
      SharedIndexInformer<GenericKubernetesResource> informer =
          client
              .genericKubernetesResources(resource)
              .withName(NAME)
              .runnableInformer(0)
              .addEventHandler(new Changes(changed))
              .exceptionHandler((_, e) -> {
                LOG.debug("{} {} is not watched: {}", kind, NAME, e.getMessage());
                return !isForbidden(e);
              });
      informers.add(informer);
      var _ = informer.start();
    });
  }

  /** An install of some namespaces has no right to see the policies, and would ask for ever. */
  private static boolean isForbidden(Throwable e) {
    return e instanceof KubernetesClientException refused
        && refused.getCode() == HttpURLConnection.HTTP_FORBIDDEN;
  }

  private record Changes(Runnable changed)
      implements ResourceEventHandler<GenericKubernetesResource> {

    @Override
    public void onAdd(GenericKubernetesResource policy) {
      changed.run();
    }

    @Override
    public void onUpdate(GenericKubernetesResource before, GenericKubernetesResource after) {
      changed.run();
    }

    @Override
    public void onDelete(GenericKubernetesResource policy, boolean unknown) {
      changed.run();
    }
  }

  @Override
  public void close() {
    informers.forEach(SharedIndexInformer::stop);
  }
}
