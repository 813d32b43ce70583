package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.api.v1alpha1.ActionSpec.Method;
import dev.belay.api.v1alpha1.Errand;
import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.model.Action;
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

/** The schema of actions on a real API server. */
class ActionsIT {

  private static final String DRY_RUN =
      "/apis/belay.dev/v1alpha1/namespaces/default/statefulclusters?dryRun=All&fieldValidation=Strict";

  private static final String WHERE = "spec.components[0].actions.";

  private static final String PUT = "http: {method: PUT, port: 1, path: /}";

  @BeforeAll
  static void installed() {
    Plane.installed();
    Plane.eventually("the schema is served", ActionsIT::served);
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
          beforeMember    | ask: target                                                       | beforeMember[0].http                   | Required value
          beforeMember    | http: {port: 1, path: /}                                          | beforeMember[0].http.method            | Required value
          beforeMember    | http: {method: HEAD, port: 1, path: /}                            | beforeMember[0].http.method            | "GET", "PATCH", "POST", "PUT"
          beforeMember    | http: {method: put, port: 1, path: /}                             | beforeMember[0].http.method            | "put"
          beforeMember    | http: {method: PUT, path: /}                                      | beforeMember[0].http.port              | Required value
          beforeMember    | http: {method: PUT, port: 65536, path: /}                         | beforeMember[0].http.port              | less than or equal to 65535
          beforeMember    | http: {method: PUT, port: 1}                                      | beforeMember[0].http.path              | Required value
          beforeMember    | http: {method: PUT, port: 1, path: "/a b"}                        | beforeMember[0].http.path              | "/a b"
          beforeMember    | http: {method: PUT, port: 1, path: /, expect: {statuses: [99]}}   | beforeMember[0].http.expect.statuses[0] | greater than or equal to 100
          beforeMember    | http: {method: PUT, port: 1, path: /, expect: {statuses: []}}     | beforeMember[0].http.expect.statuses   | at least 1 items
          beforeMember    | http: {method: PUT, port: 1, path: /, expect: {pointer: /a}}      | beforeMember[0].http.expect            | pointer and value go together
          beforeMember    | http: {method: PUT, port: 1, path: /, expect: {body: a, pointer: /a, value: b}} | beforeMember[0].http.expect | keep one of the two
          beforeMember    | @, undo: {path: /}                                              | beforeMember[0].undo.method            | Required value
          beforeMember    | @, undo: {method: PUT}                                          | beforeMember[0].undo.path              | Required value
          beforeMember    | @, undo: {method: PUT, path: x}                                 | beforeMember[0].undo.path              | "x"
          afterMember     | @, undo: {method: PUT, path: /}                                 | afterMember                            | could take it back: remove undo
          afterComponent  | @, undo: {method: PUT, path: /}                                 | afterComponent                         | could take it back: remove undo
          afterUpgrade    | @, undo: {method: PUT, path: /}                                 | afterUpgrade                           | could take it back: remove undo
          beforeUpgrade   | @, ask: target                                                  | beforeUpgrade                          | set ask to service
          beforeComponent | @, ask: target                                                  | beforeComponent                        | set ask to service
          afterComponent  | @, ask: target                                                  | afterComponent                         | set ask to service
          afterUpgrade    | @, ask: target                                                  | afterUpgrade                           | set ask to service
          beforeMember    | @, ask: each                                                    | beforeMember[0].ask                    | "service", "target"
          beforeMember    | @, timeout: 99ms                                                | beforeMember[0].timeout                | from 100ms to 10s
          beforeMember    | @, timeout: 11s                                                 | beforeMember[0].timeout                | from 100ms to 10s
          beforeMember    | @, timeout: soon                                                | beforeMember[0].timeout                | "soon"
          beforeMember    | @, interval: 99ms                                               | beforeMember[0].interval               | from 100ms to 1m
          beforeMember    | @, interval: 61s                                                | beforeMember[0].interval               | from 100ms to 1m
          beforeMember    | @, tries: 0                                                     | beforeMember[0].tries                  | greater than or equal to 1
          beforeMember    | @, tries: 11                                                    | beforeMember[0].tries                  | less than or equal to 10
          beforeMember    | @, versions: []                                                 | beforeMember[0].versions               | at least 1 items
          beforeMember    | @, versions: ["latest"]                                         | beforeMember[0].versions               | write numbers with dots
          beforeMember    | @, versions: ["0.12.x", "1.2-r1"]                               | beforeMember[0].versions               | a suffix is not compared
          beforeMember    | @}, {@, tries: 9                                              | beforeMember                           | the same request is there twice
          beforeMember    | @}, {@, ask: target                                           | beforeMember                           | the same request is there twice
          afterMember     | @}, {@, ask: target                                           | afterMember                            | the same request is there twice
          afterComponent  | @}, {@, ask: service                                          | afterComponent                         | the same request is there twice
          afterUpgrade    | @, versions: ["1.x"]}, {@, versions: ["2.x"]                  | afterUpgrade                           | under versions of one
          """)
  void refuses_bad_input_with_field_and_cure(
      String moment, String action, String field, String says) {
    String text = moment + ": [{" + action.replace("@", PUT) + "}]";
    var refusal = catchThrowableOfType(KubernetesClientException.class, () -> post(text));

    assertThat(refusal).as("accepted: " + text).isNotNull();
    assertThat(refusal.getCode()).isEqualTo(422);
    assertThat(refusal.getMessage()).contains(WHERE + field).contains(says);
  }

  @Test
  void sixteen_actions_and_four_kilobytes_are_enough() {
    assertThat(post("beforeMember: [" + many(16) + "]")).isNotNull();
    assertThat(refusal("beforeMember: [" + many(17) + "]"))
        .contains(WHERE + "beforeMember")
        .contains("must have at most 16 items");
    assertThat(refusal("beforeMember: [" + withBody(4097) + "]"))
        .contains(WHERE + "beforeMember[0].http.body");
    assertThat(post("beforeMember: [" + withBody(4096) + "]")).isNotNull();
  }

  private static String many(int n) {
    return IntStream.rangeClosed(1, n)
        .mapToObj(i -> "{http: {method: PUT, port: " + i + ", path: /}}")
        .collect(Collectors.joining(", "));
  }

  private static String withBody(int length) {
    return "{http: {method: PUT, port: 1, path: /, body: %s}}".formatted("x".repeat(length));
  }

  private static String refusal(String actions) {
    return catchThrowableOfType(KubernetesClientException.class, () -> post(actions)).getMessage();
  }

  @Test
  void headers_are_not_there_and_it_says_so() {
    assertThat(refusal("beforeMember: [{http: {method: PUT, port: 1, path: /, headers: {A: b}}}]"))
        .contains("unknown field \"" + WHERE + "beforeMember[0].http.headers\"");
  }

  @Test
  void good_input_is_taken_and_the_rest_is_filled_in() {
    StatefulCluster cluster =
        post(
            """
            beforeUpgrade: [{http: {method: POST, port: 1, path: /, body: a}}, {http: {method: POST, port: 1, path: /, body: b}}],
            beforeComponent: [{http: {method: PATCH, port: 1, path: '/a?b=%20c'}, undo: {method: DELETE, path: /x, expect: {statuses: [200, 404]}}}],
            beforeMember: [{http: {method: PUT, port: 1, path: /}, ask: target}, {http: {method: PUT, port: 1, path: /}, ask: service, versions: [0.12.x, 0.13.1]}],
            afterMember: [{http: {method: GET, port: 1, path: /, expect: {pointer: /a, value: 'true'}}, timeout: 10s, interval: 1m, tries: 10}],
            afterComponent: [{http: {method: DELETE, port: 1, path: /, expect: {statuses: [204]}}}],
            afterUpgrade: [{http: {method: DELETE, port: 1, path: /}}]
            """
                .replace("\n", " "));

    var one = cluster.getSpec().components().getFirst().actions().beforeUpgrade().getFirst();
    assertThat(one.timeout()).isEqualTo("5s");
    assertThat(one.interval()).isEqualTo("1s");
    assertThat(one.tries()).isEqualTo(3);
    assertThat(one.http().method()).isEqualTo(Method.POST);
    assertThat(Errand.of("", cluster.getSpec().components().getFirst().actions()).getFirst().pace())
        .as("the defaults of the schema are those of the code")
        .isEqualTo(Errand.Pace.DEFAULT);
    assertThat(Mapping.spec(cluster).components().getFirst().actions())
        .extracting(Action::what)
        .contains("POST service:1/ sending a", "PATCH service:1/a?b=%20c", "PUT :1/");
  }

  @Test
  void the_example_is_taken() throws IOException {
    String example = Files.readString(Path.of("../examples/actions.yaml"));
    Map<?, ?> object = Serialization.unmarshal(example, Map.class);
    assertThat(Plane.admin().raw(DRY_RUN, "POST", Serialization.asJson(object)))
        .contains("/api/v1/bookie/state/readonly");
  }

  @Test
  void explain_reads_well() {
    Plane.eventually(
        "the schema is published",
        () ->
            Plane.kubectl(Plane.adminKubeconfig(), "", "explain", "stc.spec.components.actions")
                    .exit()
                == 0);
    assertThat(Plane.must("", "explain", "stc.spec.components.actions").replaceAll("\\s+", " "))
        .contains("beforeMember <[]Object>")
        .contains("such as draining it");
  }

  private static StatefulCluster post(String actions) {
    Map<?, ?> object =
        Serialization.unmarshal(
            """
            apiVersion: belay.dev/v1alpha1
            kind: StatefulCluster
            metadata: {name: x}
            spec: {components: [{name: db, workload: {name: db}, driver: {type: none}, actions: {%s}}]}
            """
                .formatted(actions),
            Map.class);
    return Serialization.unmarshal(
        Plane.admin().raw(DRY_RUN, "POST", Serialization.asJson(object)), StatefulCluster.class);
  }
}
