package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.api.v1alpha1.StatefulCluster;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The schema of checks on a real API server. */
class ChecksIT {

  private static final String DRY_RUN =
      "/apis/belay.dev/v1alpha1/namespaces/default/statefulclusters?dryRun=All&fieldValidation=Strict";

  private static final String WHERE = "spec.components[0].checks.";

  @BeforeAll
  static void installed() {
    Plane.installed();
    Plane.eventually("the schema is served", ChecksIT::served);
  }

  private static boolean served() {
    try {
      return post("") != null;
    } catch (KubernetesClientException e) {
      return false;
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          afterMember   | ask: each                                                      | afterMember[0]                     | exactly one of http and tcp
          afterMember   | tcp: {port: 1}, http: {port: 1, path: /}                      | afterMember[0]                     | exactly one of http and tcp
          beforeUpgrade | tcp: {port: 1}, ask: target                                    | beforeUpgrade                      | set ask to each or service
          afterUpgrade  | tcp: {port: 1}, ask: target                                    | afterUpgrade                       | set ask to each or service
          beforeComponent | tcp: {port: 1}, ask: target                                  | beforeComponent                    | set ask to each or service
          afterComponent | tcp: {port: 1}, ask: target                                   | afterComponent                     | set ask to each or service
          afterMember   | tcp: {port: 1}, ask: leader                                    | afterMember[0].ask                 | "each", "service", "target"
          afterMember   | tcp: {port: 0}                                                | afterMember[0].tcp.port            | greater than or equal to 1
          afterMember   | tcp: {port: 65536}                                            | afterMember[0].tcp.port            | less than or equal to 65535
          afterMember   | tcp: {}                                                       | afterMember[0].tcp.port            | Required value
          afterMember   | http: {port: 1}                                               | afterMember[0].http.path           | Required value
          afterMember   | http: {port: 1, path: ready}                                  | afterMember[0].http.path           | "ready"
          afterMember   | http: {port: 1, path: "/a b"}                                 | afterMember[0].http.path           | "/a b"
          afterMember   | http: {port: 1, path: "/%zz"}                                 | afterMember[0].http.path           | "/%zz"
          afterMember   | http: {port: 1, path: "/#x"}                                  | afterMember[0].http.path           | "/#x"
          afterMember   | http: {port: 1, path: /, expect: {status: 99}}                | afterMember[0].http.expect.status  | greater than or equal to 100
          afterMember   | http: {port: 1, path: /, expect: {pointer: /a}}               | afterMember[0].http.expect         | pointer and value go together
          afterMember   | http: {port: 1, path: /, expect: {value: a}}                  | afterMember[0].http.expect         | pointer and value go together
          afterMember   | http: {port: 1, path: /, expect: {pointer: a, value: b}}      | afterMember[0].http.expect.pointer | "a"
          afterMember   | http: {port: 1, path: /, expect: {body: a, pointer: /a, value: b}} | afterMember[0].http.expect    | keep one of the two
          afterMember   | http: {port: 1, path: /, expect: {pointer: /a, value: true}}  | afterMember[0].http.expect.value   | string
          afterMember   | tcp: {port: 1}, timeout: 99ms                                 | afterMember[0].timeout             | from 100ms to 1m
          afterMember   | tcp: {port: 1}, timeout: 61s                                  | afterMember[0].timeout             | from 100ms to 1m
          afterMember   | tcp: {port: 1}, timeout: soon                                 | afterMember[0].timeout             | "soon"
          afterMember   | tcp: {port: 1}, interval: 999ms                               | afterMember[0].interval            | from 1s to 10m
          afterMember   | tcp: {port: 1}, interval: 11m                                 | afterMember[0].interval            | from 1s to 10m
          afterMember   | tcp: {port: 1}, tries: 0                                      | afterMember[0].tries               | greater than or equal to 1
          afterMember   | tcp: {port: 1}, tries: 21                                     | afterMember[0].tries               | less than or equal to 20
          afterMember   | tcp: {port: 1}}, {tcp: {port: 1}, ask: target, tries: 9        | afterMember                        | the same check is there twice
          afterUpgrade  | http: {port: 1, path: /}}, {http: {port: 1, path: /}, ask: each | afterUpgrade                      | the same check is there twice
          beforeComponent | tcp: {port: 1}}, {tcp: {port: 1}, ask: each, tries: 9        | beforeComponent                    | the same check is there twice
          afterComponent | tcp: {port: 1}}, {tcp: {port: 1}, ask: each, tries: 9         | afterComponent                     | the same check is there twice
          """)
  void refuses_bad_input_with_field_and_cure(
      String moment, String check, String field, String says) {
    var refusal =
        catchThrowableOfType(
            KubernetesClientException.class, () -> post(moment + ": [{" + check + "}]"));

    assertThat(refusal).as("accepted: " + check).isNotNull();
    assertThat(refusal.getCode()).isEqualTo(422);
    assertThat(refusal.getMessage()).contains(WHERE + field).contains(says);
  }

  @Test
  void ten_checks_are_enough_for_a_moment() {
    assertThat(post("beforeMember: [" + many(10) + "]")).isNotNull();
    var refusal =
        catchThrowableOfType(
            KubernetesClientException.class, () -> post("beforeMember: [" + many(11) + "]"));
    assertThat(refusal.getMessage())
        .contains(WHERE + "beforeMember")
        .contains("must have at most 10 items");
  }

  private static String many(int n) {
    return IntStream.rangeClosed(1, n)
        .mapToObj(i -> "{tcp: {port: " + i + "}}")
        .collect(Collectors.joining(", "));
  }

  @Test
  void https_is_not_there_yet_and_says_so() {
    var refusal =
        catchThrowableOfType(
            KubernetesClientException.class,
            () -> post("afterMember: [{http: {port: 1, path: /, scheme: https}}]"));
    assertThat(refusal)
        .hasMessageContaining("unknown field \"" + WHERE + "afterMember[0].http.scheme\"");
  }

  @Test
  void good_input_is_taken_and_the_rest_is_filled_in() {
    var checks =
        post("beforeUpgrade: [{tcp: {port: 1}}], beforeComponent: [{tcp: {port: 1}}], afterComponent:"
                + " [{tcp: {port: 1}, ask: service}], beforeMember: [{tcp: {port: 1}, ask: target}, {tcp:"
                + " {port: 1}, ask: each}], afterMember: [{http: {port: 80, path: '/a?b=%20c'}}],"
                + " afterUpgrade: [{http: {port: 80, path: /, expect: {pointer: /a~1b/0, value:"
                + " 'true'}}, timeout: 1m, interval: 10m, tries: 20}]")
            .getSpec()
            .components()
            .getFirst()
            .checks();

    var one = checks.afterMember().getFirst();
    assertThat(one.timeout()).isEqualTo("5s");
    assertThat(one.interval()).isEqualTo("5s");
    assertThat(one.tries()).isEqualTo(3);
    assertThat(one.http().expect().status()).isEqualTo(200);
    assertThat(checks.beforeMember()).hasSize(2);
  }

  @Test
  void the_example_is_taken() throws IOException {
    String example = Files.readString(Path.of("../examples/checks.yaml"));
    Map<?, ?> object = Serialization.unmarshal(example, Map.class);
    assertThat(Plane.admin().raw(DRY_RUN, "POST", Serialization.asJson(object)))
        .contains("clusterUnderReplicated");
  }

  @Test
  void explain_reads_well() {
    Plane.eventually(
        "the schema is published",
        () ->
            Plane.kubectl(Plane.adminKubeconfig(), "", "explain", "stc.spec.components.checks")
                    .exit()
                == 0);
    assertThat(Plane.must("", "explain", "stc.spec.components.checks").replaceAll("\\s+", " "))
        .contains("afterMember <[]Object>")
        .contains("One that fails fails the upgrade.");
  }

  private static StatefulCluster post(String checks) {
    Map<?, ?> object =
        Serialization.unmarshal(
            """
            apiVersion: belay.dev/v1alpha1
            kind: StatefulCluster
            metadata: {name: x}
            spec: {components: [{name: db, workload: {name: db}, driver: {type: none}, checks: {%s}}]}
            """
                .formatted(checks),
            Map.class);
    return Serialization.unmarshal(
        Plane.admin().raw(DRY_RUN, "POST", Serialization.asJson(object)), StatefulCluster.class);
  }
}
