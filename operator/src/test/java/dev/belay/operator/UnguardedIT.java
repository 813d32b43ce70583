package dev.belay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.model.Workload;
import dev.belay.core.state.Decision;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What happens when the admission policies come or go under Belay's feet. */
class UnguardedIT {

  @Test
  void a_bypassed_guard_is_noticed_the_set_is_parked_and_un_parked_on_deletion() {
    try (Rig rig = Rig.start();
        ClusterLoop loop = rig.loop("one")) {
      rig.namespace("db");
      rig.set("db", "app");
      rig.cluster("db", "app", "app");
      Rig.await(
          "adoption under the policies",
          () ->
              loop.turn("db", "app").orElseThrow().turn().decision() instanceof Decision.Done
                  && condition(rig, "Guarded").equals("True/Policy"));
      Supplier<StatefulSet> set = () -> rig.set("db", "app", true);
      assertThat(partition(set.get())).isZero();

      for (String kind : List.of("Mutating", "Validating")) {
        rig.admin
            .genericKubernetesResources(
                "admissionregistration.k8s.io/v1", kind + "AdmissionPolicyBinding")
            .withName("belay-guard")
            .delete();
      }
      // A template change that nothing freezes: Belay freezes it itself.
      Rig.await("the policy to be gone", () -> !rig.freezes("db", "app", true));
      setImage(rig, "app:2");
      Rig.await(
          "the freeze",
          () -> {
            loop.turn("db", "app");
            return partition(set.get()) == Workload.FROZEN;
          });

      // The pods of this rig never run, so the native controller has replaced them by hand here.
      rig.admin.pods().inNamespace("db").withLabel("app", "app").delete();
      setImage(rig, "app:1");
      Rig.await(
          "the set to be parked at rest",
          () -> {
            loop.turn("db", "app");
            return condition(rig, "Guarded").equals("True/Parked")
                && rig.cluster("db", "app")
                    .getMetadata()
                    .getFinalizers()
                    .contains("belay.dev/leave");
          });

      rig.admin.resource(rig.cluster("db", "app")).delete();
      Rig.await("the StatefulCluster to be gone", () -> loop.turn("db", "app").isEmpty());
      assertThat(partition(set.get())).isZero();
    }
  }

  @Test
  void a_settled_set_is_not_parked_while_new_policies_take_effect() {
    // However slow the machine, the moment in which the policies are new does not pass by itself.
    try (Rig rig = Rig.withoutPolicies();
        ClusterLoop loop = rig.loop("one", Clock.fixed(Instant.now(), ZoneOffset.UTC))) {
      rig.namespace("db");
      rig.set("db", "app");
      long before = rig.set("db", "app", true).getMetadata().getGeneration();
      rig.cluster("db", "app", "app");
      // Each of these looks finds nothing that freezes a change, as in the second after an install.
      for (int i = 0; i < 4; i++) {
        loop.turn("db", "app");
      }
      assertThat(condition(rig, "Guarded")).isEqualTo("Unknown/NotReadable");

      rig.apply("shared/guard");
      Rig.await(
          "adoption under the policies",
          () ->
              loop.turn("db", "app").orElseThrow().turn().decision() instanceof Decision.Done
                  && condition(rig, "Guarded").equals("True/Policy"));
      assertThat(rig.set("db", "app", true).getMetadata().getGeneration()).isEqualTo(before);
    }
  }

  private static void setImage(Rig rig, String image) {
    rig.admin
        .apps()
        .statefulSets()
        .inNamespace("db")
        .withName("app")
        .patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE),
            "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"app\",\"image\":\"%s\"}]}}}}"
                .formatted(image));
  }

  private static String condition(Rig rig, String type) {
    var status = rig.cluster("db", "app").getStatus();
    return status == null
        ? ""
        : status.conditions().stream()
            .filter(c -> c.getType().equals(type))
            .map(c -> c.getStatus() + "/" + c.getReason())
            .findFirst()
            .orElse("");
  }

  private static int partition(StatefulSet set) {
    return set.getSpec().getUpdateStrategy().getRollingUpdate().getPartition();
  }
}
