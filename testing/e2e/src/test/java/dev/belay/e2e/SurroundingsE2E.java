package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What else there is in a cluster that has a say in how pods come to be. */
@ExtendWith(Arena.Provider.class)
@Execution(ExecutionMode.CONCURRENT)
class SurroundingsE2E {

  /** Whoever asks for tiny:2.0 in this namespace gets another image, as behind a mirror. */
  private static final String REWRITES =
      """
      apiVersion: admissionregistration.k8s.io/v1
      kind: MutatingAdmissionPolicy
      metadata: {name: %1$s}
      spec:
        failurePolicy: Fail
        reinvocationPolicy: IfNeeded
        matchConstraints:
          resourceRules:
          - {apiGroups: ["%2$s"], apiVersions: [v1], resources: [%3$s], operations: [CREATE, UPDATE]}
        matchConditions:
        - {name: here, expression: "request.namespace == '%1$s'"}
        - {name: this-image, expression: "object.%4$s.containers[0].image == 'tiny:2.0'"}
        mutations:
        - patchType: JSONPatch
          jsonPatch:
            expression: >-
              [JSONPatch{op: 'replace', path: '/%5$s/containers/0/image', value: 'tiny:2.0-store'}]
      ---
      apiVersion: admissionregistration.k8s.io/v1
      kind: MutatingAdmissionPolicyBinding
      metadata: {name: %1$s}
      spec: {policyName: %1$s}
      """;

  @Test
  void who_is_ready_is_not_yet_available_for_minReadySeconds(Arena arena) {
    try (Place place = arena.place("min-ready")) {
      var tiny = TinySet.of(3);
      String set =
          tiny.statefulSet().replace("  serviceName", "  minReadySeconds: 4\n  serviceName");
      assertThat(place.apply(set).ok()).isTrue();
      place.await("all members", () -> place.ready() == 3);
      assertThat(place.apply(tiny.statefulCluster()).ok()).isTrue();
      BelayView belay = place.adopted("tiny");

      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
      place.await("all is new", () -> isDone(place, belay, "tiny:2.0"));

      Map<String, Pod> pods = place.pods();
      for (int next = 1; next >= 0; next--) {
        Instant ready = readySince(Objects.requireNonNull(pods.get("tiny-" + (next + 1))));
        Pod after = Objects.requireNonNull(pods.get("tiny-" + next));
        // Both times are whole seconds.
        assertThat(Instant.parse(after.getMetadata().getCreationTimestamp()))
            .isAfterOrEqualTo(ready.plusSeconds(3));
      }
    }
  }

  @Test
  void pods_whose_images_are_rewritten_count_by_their_revision(Arena arena) {
    try (Place place = arena.place("rewritten-pods")) {
      BelayView belay = TinySet.of(2).in(place);
      rewrites(place, "", "pods", "spec", "spec");
      place.await(
          "the policy rewrites",
          () ->
              place
                  .kubectl(
                      "run",
                      "probe",
                      "--image=tiny:2.0",
                      "--dry-run=server",
                      "-o",
                      "jsonpath={.spec.containers[0].image}")
                  .equals("tiny:2.0-store"));

      try (var pods = new PodHistory(arena.client(), place.namespace())) {
        place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");

        place.await("all is new", () -> isDone(place, belay, "tiny:2.0-store"));
        assertThat(pods.lives().values()).containsOnly(2);
      }
    }
  }

  @Test
  void a_template_that_somebody_else_rewrites_is_said_and_not_fought_over(Arena arena) {
    try (Place place = arena.place("rewritten-sets")) {
      BelayView belay =
          TinySet.of(2)
              .in(
                  place,
                  "  images: {tiny: \"tiny:{version}\"}",
                  "trigger: Version",
                  "version: \"1.0\"");
      rewrites(place, "apps", "statefulsets", "spec.template.spec", "spec/template/spec");
      place.await(
          "the policy rewrites",
          () ->
              place
                  .kubectl(
                      "patch",
                      "sts",
                      "tiny",
                      "--dry-run=server",
                      "-p",
                      "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"tiny\","
                          + "\"image\":\"tiny:2.0\"}]}}}}",
                      "-o",
                      "jsonpath={.spec.template.spec.containers[0].image}")
                  .equals("tiny:2.0-store"));
      Map<String, String> uids = place.uids();

      place.patch("tiny", "\"version\":\"2.0\"");

      place.await("it is said", () -> belay.rule().equals("TemplateOwnedElsewhere"));
      assertThat(belay.sentence()).contains("tiny:2.0-store");
      assertThat(place.uids()).isEqualTo(uids);
    }
  }

  /** Helm does it when a field changes that a set cannot change: the pods stay, the set is new. */
  @Test
  void a_set_that_is_made_anew_midway_ends_where_its_template_leads(Arena arena) {
    try (Place place = arena.place("made-anew")) {
      var tiny = TinySet.of(3);
      BelayView belay = tiny.in(place);
      place.kubectl("annotate", "pod", "tiny-1", "belay.dev/hold=true");
      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
      place.await("one is new", () -> belay.rule().equals("PodIsNotHeld"));

      Map<String, String> uids = place.uids();

      place.kubectl("delete", "sts", "tiny", "--cascade=orphan", "--wait");
      place.await("it is said", () -> belay.rule().equals("WorkloadIsReadable"));
      assertThat(place.uids()).isEqualTo(uids);
      place.kubectl("annotate", "pod", "tiny-1", "belay.dev/hold-");
      assertThat(place.apply(tiny.statefulSet().replace("tiny:1.0", "tiny:2.0")).ok()).isTrue();

      place.await("all is new", () -> isDone(place, belay, "tiny:2.0"));
    }
  }

  private static void rewrites(
      Place place, String group, String resource, String path, String pointer) {
    String policy = REWRITES.formatted(place.namespace(), group, resource, path, pointer);
    var applied = place.apply(policy);
    assertThat(applied.ok()).as(applied.output()).isTrue();
  }

  private static boolean isDone(Place place, BelayView belay, String image) {
    return belay.phase().equals("Idle")
        && place.imageByPod().values().stream().allMatch(image::equals);
  }

  private static Instant readySince(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .filter(c -> c.getType().equals("Ready"))
        .map(c -> Instant.parse(c.getLastTransitionTime()))
        .findFirst()
        .orElseThrow();
  }
}
