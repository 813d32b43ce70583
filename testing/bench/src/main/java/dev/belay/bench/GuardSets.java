package dev.belay.bench;

import dev.belay.bench.GuardCell.Write;
import dev.belay.core.guard.Mark;
import dev.belay.core.guard.Mark.Stamp;
import dev.belay.core.model.Workload;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import java.util.Map;
import java.util.stream.IntStream;

/** The StatefulSets of the guard's table, and the patches that are sent to them. */
final class GuardSets {

  /** A merge patch that only the owner may send. */
  static final String ON_DELETE =
      "{\"spec\":{\"updateStrategy\":{\"type\":\"OnDelete\",\"rollingUpdate\":null}}}";

  private static final String ACCOUNT = "system:serviceaccount:belay-system:belay-operator";
  private static final int ENTRY_BYTES = 100;
  private static final String VALUE = "v".repeat(65);

  private GuardSets() {}

  /** A set without replicas, so that no pods take part. */
  static StatefulSet set(GuardCell cell) {
    StatefulSetBuilder set =
        new StatefulSetBuilder()
            .withNewMetadata()
            .withName(cell.set())
            .withNamespace(cell.namespace())
            .endMetadata()
            .withNewSpec()
            .withReplicas(0)
            .withServiceName(cell.set())
            .withNewSelector()
            .withMatchLabels(Map.of("app", cell.set()))
            .endSelector()
            .withNewUpdateStrategy()
            .withType("RollingUpdate")
            .withNewRollingUpdate()
            .withPartition(created(cell))
            .endRollingUpdate()
            .endUpdateStrategy()
            .withTemplate(template(cell.set(), cell.kilobytes()))
            .endSpec();
    return (cell.labelled() ? marked(set) : set).build();
  }

  private static StatefulSetBuilder marked(StatefulSetBuilder set) {
    return set.editMetadata()
        .addToLabels(Mark.LABEL, "c0")
        .addToAnnotations(Mark.ANNOTATION, new Stamp(1, ACCOUNT).toString())
        .endMetadata();
  }

  /** The partition of the new set, which is created before the policies. */
  static int created(GuardCell cell) {
    return cell.write() == Write.FROZEN ? Workload.FROZEN : 0;
  }

  /** The partition that the API server stores with each write. */
  static int written(GuardCell cell) {
    return cell.labelled() && cell.write() == Write.RELEASED ? Workload.FROZEN : created(cell);
  }

  /** Environment variables fill the template: many small fields, as in real ones. */
  static PodTemplateSpec template(String app, int kilobytes) {
    return new PodTemplateSpecBuilder()
        .withNewMetadata()
        .addToLabels("app", app)
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("app")
        .withImage("app:1")
        .withEnv(
            IntStream.range(0, kilobytes * 1024 / ENTRY_BYTES - 1)
                .mapToObj(i -> new EnvVar("SETTING_%04d".formatted(i), VALUE, null))
                .toList())
        .endContainer()
        .endSpec()
        .build();
  }

  /** A JSON merge patch with another template, and with partition 0 unless the set stays frozen. */
  static String patch(Write write, int number) {
    String template =
        "\"template\":{\"metadata\":{\"annotations\":{\"bench/write\":\"%d\"}}}".formatted(number);
    return switch (write) {
      case RELEASED ->
          "{\"spec\":{\"updateStrategy\":{\"rollingUpdate\":{\"partition\":0}},%s}}"
              .formatted(template);
      case FROZEN -> "{\"spec\":{%s}}".formatted(template);
      case UNCHANGED -> throw new IllegalArgumentException("no patch without a change");
    };
  }

  /** A StatefulCluster that names a set of its own, which does not exist. */
  static String cluster(int number) {
    return """
    {"apiVersion": "belay.dev/v1alpha1", "kind": "StatefulCluster", "metadata": {"name": "c%1$d"},
     "spec": {"components": [
       {"name": "app", "workload": {"name": "app-%1$d"}, "driver": {"type": "none"}}]}}
    """
        .formatted(number);
  }
}
