package dev.belay.operator.marks;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the policy that freezes and its binding, so that their guard is probed again as soon as
 * one changes. Without it (an older API server, or missing rights) a change is noticed by the next
 * periodic probe.
 */
public final class PolicyWatch implements AutoCloseable {

  private static final String API = "admissionregistration.k8s.io/v1";
  private static final String NAME = "belay-guard";

  private static final Logger LOG = LoggerFactory.getLogger("belay");

  private final List<SharedIndexInformer<?>> informers = new ArrayList<>();

  public PolicyWatch(KubernetesClient client, Runnable changed) {
    for (String kind : List.of("MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding")) {
      SharedIndexInformer<GenericKubernetesResource> informer =
          client
              .genericKubernetesResources(API, kind)
              .withName(NAME)
              .runnableInformer(0)
              .addEventHandler(new Changes(changed))
              .exceptionHandler((_, e) -> {
                LOG.debug("{} {} is not watched: {}", kind, NAME, e.getMessage());
                return true;
              });
      informers.add(informer);
      var _ = informer.start();
    }
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
