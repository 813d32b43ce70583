package dev.belay.api.guard;

import dev.belay.api.guard.GuardCase.Shape;
import dev.belay.api.guard.Plane.Answer;
import dev.belay.core.model.Workload.Kind;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.nio.file.Path;

/** An account that installs and upgrades workloads by a manifest that holds everything. */
record Deployer(Path kubeconfig, KubernetesClient client, String namespace) {

  /** The program that it does so with. */
  enum Tool {
    APPLY,
    REPLACE,
    SERVER_SIDE_APPLY,
    /** The requests that Helm 3 computes of the last release, the new one and the live object. */
    HELM
  }

  Answer install(Tool tool, Shape shape) {
    return switch (tool) {
      case APPLY, SERVER_SIDE_APPLY -> upgrade(tool, shape, shape);
      case REPLACE -> kubectl(shape, "create");
      case HELM -> kubectl(shape, "create", "--field-manager=helm");
    };
  }

  /** From what the last release had. */
  Answer upgrade(Tool tool, Shape from, Shape to) {
    return switch (tool) {
      case APPLY -> kubectl(to, "apply");
      case REPLACE -> kubectl(to, "replace");
      case SERVER_SIDE_APPLY -> kubectl(to, "apply", "--server-side", "--force-conflicts");
      case HELM -> helm(from, to);
    };
  }

  /**
   * A controller that reads the workload, changes all that its own template says, and writes it.
   */
  Answer update(Shape to) {
    return World.answered(() -> updated(to));
  }

  /** Reads again when another controller wrote in between. */
  private HasMetadata updated(Shape to) {
    while (true) {
      HasMetadata live = World.workload(client, namespace, to.kind()).require();
      try {
        return client.resource(Sets.changed(live, to)).update();
      } catch (KubernetesClientException e) {
        if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
          throw e;
        }
      }
    }
  }

  Answer kubectl(Shape shape, String... verb) {
    String[] arguments = new String[verb.length + 3];
    System.arraycopy(verb, 0, arguments, 0, verb.length);
    arguments[verb.length] = "--namespace=" + namespace;
    arguments[verb.length + 1] = "-f";
    arguments[verb.length + 2] = "-";
    return Plane.kubectl(kubeconfig, Sets.manifest(namespace, shape, ""), arguments);
  }

  /** What differs from the live object, which is frozen, is in the patch: the partition always. */
  private Answer helm(Shape from, Shape to) {
    String template =
        from.template().equals(to.template())
            ? ""
            : """
            "template":{"spec":{"$setElementOrder/containers":[{"name":"db"}],\
            "containers":[{"image":"db:%s","name":"db"}]}},\
            """
                .formatted(to.template());
    String rest =
        to.kind() == Kind.DEPLOYMENT
            ? "\"paused\":" + to.paused()
            : "\"updateStrategy\":{\"rollingUpdate\":{\"partition\":" + to.partition() + "}}";
    var context =
        new PatchContext.Builder()
            .withPatchType(PatchType.STRATEGIC_MERGE)
            .withFieldManager("helm")
            .build();
    return World.answered(() ->
        World.workload(client, namespace, to.kind())
            .patch(context, "{\"spec\":{" + template + rest + "}}"));
  }
}
