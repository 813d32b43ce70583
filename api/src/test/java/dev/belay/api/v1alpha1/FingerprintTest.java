package dev.belay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

/** Equal templates have equal fingerprints, and no others. */
class FingerprintTest {

  @Test
  void knows_neither_order_nor_emptiness_nor_what_the_controller_adds() {
    String plain = of("{labels: {a: x, b: y}}", "app:1");
    assertThat(plain).matches("[0-9a-f]{10}");
    assertThat(of("{labels: {b: y, a: x}}", "app:1")).isEqualTo(plain);
    assertThat(of("{labels: {a: x, pod-template-hash: 7d9f, b: y}}", "app:1")).isEqualTo(plain);
    assertThat(of("{labels: {a: x, b: y}, annotations: {}}", "app:1")).isEqualTo(plain);
    assertThat(of("{labels: {a: x, b: y}, creationTimestamp: null}", "app:1")).isEqualTo(plain);
  }

  @Test
  void tells_apart_whatever_differs() {
    String plain = of("{labels: {a: x, b: y}}", "app:1");
    assertThat(of("{labels: {a: x, b: z}}", "app:1")).isNotEqualTo(plain);
    assertThat(of("{labels: {a: x, b: y}}", "app:2")).isNotEqualTo(plain);
    assertThat(of("{labels: {a: x, b: y}, annotations: {r: \"1\"}}", "app:1")).isNotEqualTo(plain);
  }

  @Test
  void a_field_that_this_client_does_not_know_counts_too() {
    String known = "{spec: {containers: [{name: a}]}}";
    String newer = "{spec: {containers: [{name: a}], fieldOfTheFuture: yes}}";
    assertThat(Fingerprint.of(template(newer))).isNotEqualTo(Fingerprint.of(template(known)));
  }

  @Test
  void the_order_of_containers_matters() {
    String form = "{spec: {containers: [{name: %s}, {name: %s}]}}";
    assertThat(Fingerprint.of(template(form.formatted("a", "b"))))
        .isNotEqualTo(Fingerprint.of(template(form.formatted("b", "a"))));
  }

  private static String of(String metadata, String image) {
    return Fingerprint.of(
        template(
            "{metadata: %s, spec: {containers: [{name: app, image: \"%s\"}]}}"
                .formatted(metadata, image)));
  }

  /** What begins with a brace would be taken for JSON. */
  private static PodTemplateSpec template(String yaml) {
    return Serialization.unmarshal("---\n" + yaml, PodTemplateSpec.class);
  }
}
