package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.api.v1alpha1.StatefulCluster;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The declaration of driver http on a real API server: what it refuses, and how. */
class HttpSpecIT {

  private static final String DRY_RUN =
      "/apis/belay.dev/v1alpha1/namespaces/default/statefulclusters?dryRun=All&fieldValidation=Strict";

  private static final String TRANSFER = "transfer: {path: \"/stepdown\"}";

  private static final String ROLE = "role: {pointer: /r, leader: [l], follower: [f]}";

  /** A driver that is refused, and what the refusal must say: field and cure. */
  private record Bad(String name, String driver, List<String> says) {}

  private static final List<Bad> BAD =
      List.of(
          bad(
              "no declaration",
              "type: http, port: 80",
              "spec.components[0].driver",
              "describe the system in http"),
          bad(
              "a declaration for a known system",
              "type: etcd, http: {path: /s, healthy: {status: 200}}",
              "spec.components[0].driver",
              "remove http where the type names the system"),
          bad(
              "no port",
              "type: http, http: {path: /s, healthy: {status: 200}}",
              "spec.components[0].driver",
              "set port to where the members answer HTTP"),
          bad("no path", "type: http, port: 80, http: {healthy: {status: 200}}", "http.path"),
          bad("no health", "type: http, port: 80, http: {path: /s}", "http.healthy", "Required"),
          bad(
              "a relative path",
              http("path: s, healthy: {status: 200}"),
              "http.path",
              "begin with"),
          bad(
              "a blank in a path",
              http("path: \"/a b\", healthy: {status: 200}"),
              "http.path",
              "hexadecimal digits"),
          bad(
              "health by nothing",
              http("path: /s, healthy: {path: /h}"),
              "http.healthy",
              "say what a healthy member answers"),
          bad(
              "health by status and value",
              http("path: /s, healthy: {status: 200, is: [ok]}"),
              "http.healthy",
              "status alone decides"),
          bad(
              "an error as health",
              http("path: /s, healthy: {status: 503}"),
              "http.healthy.status",
              "503"),
          bad(
              "a pointer without its slash",
              http("path: /s, healthy: {pointer: role}"),
              "http.healthy.pointer",
              "write /role for"),
          bad(
              "a pointer with a bare tilde",
              http("path: /s, healthy: {status: 200}, version: {pointer: /a~b}"),
              "http.version.pointer",
              "~0 for ~"),
          bad(
              "a leader nobody knows",
              leader(TRANSFER),
              "http.leader",
              "say how the leader is known"),
          bad(
              "a leader known in two ways",
              leader(ROLE + ", named: {pointer: /l}, " + TRANSFER),
              "http.leader",
              "in one way"),
          bad("a leader that cannot be moved", leader(ROLE), "http.leader.transfer", "Required"),
          bad(
              "a word for two roles",
              leader(ROLE.replace("[f]", "[f, l]") + ", " + TRANSFER),
              "http.leader.role",
              "a value stands for one role"),
          bad(
              "no word for follower",
              leader(ROLE.replace(", follower: [f]", "") + ", " + TRANSFER),
              "http.leader.role.follower",
              "Required"),
          bad(
              "a term that is not read",
              leader(ROLE + ", transfer: {path: \"/stepdown?term={term}\"}"),
              "http.leader",
              "say where the term is read"),
          bad(
              "a term in the body that is not read",
              leader(ROLE + ", transfer: {path: /stepdown, body: \"{term}\"}"),
              "http.leader",
              "say where the term is read"),
          bad(
              "an unknown place",
              leader(ROLE + ", transfer: {path: \"/stepdown?to={new}\"}"),
              "http.leader.transfer.path",
              "no other places than {leader}, {successor} and {term}"),
          bad(
              "a method that changes nothing",
              leader(ROLE + ", transfer: {path: /s, method: GET}"),
              "http.leader.transfer.method",
              "\"POST\", \"PUT\""),
          bad(
              "a lag without a limit",
              http("path: /s, healthy: {status: 200}, lag: {pointer: /l}"),
              "http.lag.max",
              "Required"),
          bad(
              "a negative minimum",
              http("path: /s, healthy: {status: 200}, minHealthy: -1"),
              "http.minHealthy",
              "-1"),
          bad(
              "a header that is the client's own",
              http("path: /s, healthy: {status: 200}, headers: {host: x}"),
              "http.headers",
              "that a client may set"),
          bad(
              "a header with a line break",
              http("path: /s, healthy: {status: 200}, headers: {X-A: \"a\\nb\"}"),
              "http.headers",
              "printable ASCII"));

  @BeforeAll
  static void installed() {
    Plane.installed();
    Plane.eventually(
        "the schema is served",
        () -> Plane.kubectl(Plane.adminKubeconfig(), "", "get", "stc").exit() == 0);
  }

  @TestFactory
  Stream<DynamicTest> refuses_what_cannot_be_asked_with_field_and_cure() {
    return BAD.stream().map(b -> DynamicTest.dynamicTest(b.name, () -> refused(b)));
  }

  private static void refused(Bad bad) {
    var refusal = catchThrowableOfType(KubernetesClientException.class, () -> post(bad.driver));
    assertThat(refusal).as("accepted: " + bad.driver).isNotNull();
    assertThat(refusal.getCode()).isEqualTo(422);
    assertThat(refusal.getMessage()).contains(bad.says);
  }

  @Test
  void takes_the_example_as_it_is() throws Exception {
    String example = Files.readString(Path.of("../examples/http.yaml"));
    Map<?, ?> object = Serialization.unmarshal(example.split("\n---\n")[0], Map.class);
    var http = post(object).getSpec().components().getFirst().driver().http();
    assertThat(http.path()).isEqualTo("/status");
    assertThat(http.lag().max()).isEqualTo(100);
    assertThat(http.leader().role().leader()).containsExactly("leader");
    assertThat(http.leader().transfer().method()).hasToString("POST");
    assertThat(http.leader().transfer().sendTo()).hasToString("LEADER");
  }

  /** The sketches of docs/drivers/http.md: what a reader copies is at least accepted. */
  @Test
  void takes_every_declaration_of_the_page() throws Exception {
    List<String> blocks =
        Arrays.stream(Files.readString(Path.of("../docs/drivers/http.md")).split("```yaml\n"))
            .skip(1)
            .map(b -> b.substring(0, b.indexOf("```")))
            .filter(b -> b.startsWith("type: http"))
            .toList();
    assertThat(blocks).hasSize(3);
    for (String block : blocks) {
      Map<?, ?> driver = Serialization.unmarshal(block, Map.class);
      assertThat(post(Serialization.asJson(driver).replaceAll("^\\{|\\}$", "")).getSpec())
          .isNotNull();
    }
  }

  @Test
  void explain_reads_well() {
    Plane.eventually(
        "the schema is published",
        () -> Plane.kubectl(Plane.adminKubeconfig(), "", "explain", "stc").exit() == 0);
    assertThat(Plane.must("", "explain", "stc.spec.components.driver.http").replaceAll("\\s+", " "))
        .contains("Where every member is asked with GET")
        .contains("How many voters must stay healthy while one restarts.");
  }

  private static String http(String declaration) {
    return "type: http, port: 80, http: {" + declaration + "}";
  }

  private static String leader(String leader) {
    return http("path: /s, healthy: {status: 200}, leader: {" + leader + "}");
  }

  private static Bad bad(String name, String driver, String... says) {
    return new Bad(name, driver, List.of(says));
  }

  private static StatefulCluster post(String driver) {
    return post(
        Serialization.unmarshal(
            """
            apiVersion: belay.dev/v1alpha1
            kind: StatefulCluster
            metadata: {name: x}
            spec: {components: [{name: db, workload: {name: db}, driver: {%s}}]}
            """
                .formatted(driver),
            Map.class));
  }

  private static StatefulCluster post(Map<?, ?> object) {
    return Serialization.unmarshal(
        Plane.admin().raw(DRY_RUN, "POST", Serialization.asJson(object)), StatefulCluster.class);
  }
}
