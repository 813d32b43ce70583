package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.belay.demo.Await;
import dev.belay.demo.BelayView;
import dev.belay.demo.EtcdCluster;
import dev.belay.demo.EtcdGateway;
import dev.belay.demo.Kubectl;
import dev.belay.demo.World;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What cannot be is refused or held, with field, value and cure, and nobody is touched. */
@ExtendWith(Arena.Provider.class)
class BadInputE2E {

  private static final String TEMPLATE = "trigger: Template";
  private static final String ETCD = "workload: {name: etcd}, driver: {type: etcd}";

  private static String cluster(String name, String spec, String component) {
    return """
    apiVersion: belay.dev/v1alpha1
    kind: StatefulCluster
    metadata: {name: %s}
    spec:
      %s
      components:
      - {name: etcd, %s}
    """
        .formatted(name, spec.replace("; ", "\n  "), component);
  }

  private static String version(String version, String container) {
    return cluster(
        "etcd",
        "trigger: Version; version: " + version,
        ETCD + ", images: {" + container + ": \"etcd:{version}\"}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          trigger: Version; version: banana | images: {etcd: "etcd:{version}"} | spec.version | banana
          trigger: Version; version: ""     | images: {etcd: "etcd:{version}"} | spec.version | numbers
          trigger: Version                  | images: {etcd: "etcd:{version}"} | spec.version | needs a version
          trigger: Version; version: 3.6.16 | images: {etcd: "etcd:3.6.16"}    | images       | {version}
          trigger: Template                 | rollout: {soak: -1s}             | soak         | 24h
          trigger: Template                 | rollout: {soak: 90000h}          | soak         | 24h
          trigger: Template                 | rollout: {readyTimeout: soon}    | readyTimeout | 24h
          trigger: Template                 | rollout: {tolerateUnhealthy: -1} | tolerateUnhealthy | 0
          trigger: Sometimes                | rollout: {}                      | spec.trigger | Sometimes
          """)
  void what_is_never_right_is_refused_at_once(
      String spec, String component, String field, String text, Arena arena) {
    var place = new Place(arena, "default");

    Kubectl.Result result =
        place.apply(cluster("refused", spec.replaceAll("\"\"", "''"), ETCD + ", " + component));

    assertThat(result.ok()).as(result.output()).isFalse();
    assertThat(result.output()).contains(field).contains(text);
  }

  @Test
  void what_does_not_fit_is_held_and_nobody_is_touched(Arena arena) throws Exception {
    try (Place place = arena.place("bad");
        EtcdCluster etcd = place.etcd()) {
      Map<String, String> before = place.uids();

      held(
          place,
          cluster("etcd", TEMPLATE, "workload: {name: etcdd}, driver: {type: etcd}"),
          "WorkloadIsReadable",
          "etcdd",
          "workload.name");
      held(place, version(World.OLD, "etcdd"), "ContainersExist", "etcdd", "use one of etcd");
      ask(place, "3.7.3", "OneMinorAtATime", "3.7.3 is more than one minor", "go to 3.6 first");
      ask(place, "3.4.1", "OneMinorAtATime", "etcd refuses to start 3.4.1", "stay on 3.5");
      rival(place);
      unreadable(place, "nope", "there is no Secret nope", "secretName");
      enableAuth(etcd.endpoints().getFirst());
      place.kubectl(
          "create",
          "secret",
          "generic",
          "wrong",
          "--from-literal=username=root",
          "--from-literal=password=wrong");
      unreadable(place, "wrong", "password", "auth");

      assertThat(place.uids()).isEqualTo(before);
    }
  }

  @Test
  void a_lower_version_is_held_also_where_no_driver_knows_the_system(Arena arena) {
    try (Place place = arena.place("bad-lower")) {
      var tiny = TinySet.of(3);
      assertThat(place.apply(tiny.statefulSet()).ok()).isTrue();
      place.await("all members", () -> place.ready() == tiny.replicas());
      String component =
          "workload: {name: tiny}, driver: {type: none}, images: {tiny: \"tiny:{version}\"}";
      assertThat(place.apply(cluster("tiny", "trigger: Version; version: '1.0'", component)).ok())
          .isTrue();
      place.adopted("tiny");
      Map<String, String> before = place.uids();

      place.patch("tiny", "\"version\":\"0.9\"");

      sentence(place, "tiny", "VersionGoesForward", "1.0 runs, 0.9 is lower", "spec.upgrade.paths");
      assertThat(place.uids()).isEqualTo(before);
    }
  }

  /** Applies it, sees the sentence, and takes it away again. */
  private static void held(Place place, String yaml, String rule, String... words) {
    assertThat(place.apply(yaml).output()).contains("created");
    sentence(place, "etcd", rule, words);
    gone(place, "etcd");
  }

  private static void sentence(Place place, String name, String rule, String... words) {
    BelayView belay = place.belay(name);
    place.await(
        "Belay objects by %s with %s".formatted(rule, String.join(", ", words)),
        () -> {
          String sentence = belay.sentence();
          return sentence.contains(" waits: " + rule + ", ")
              && Stream.of(words).allMatch(sentence::contains);
        });
  }

  private static void gone(Place place, String name) {
    place.kubectl("delete", "stc", name, "--wait");
  }

  /** An adopted cluster is asked for a version it may not have. */
  private static void ask(Place place, String version, String rule, String... words) {
    assertThat(place.apply(version(World.OLD, "etcd")).ok()).isTrue();
    place.adopted("etcd");
    place.kubectl(
        "patch",
        "stc",
        "etcd",
        "--type=merge",
        "-p",
        "{\"spec\":{\"version\":\"" + version + "\"}}");
    sentence(place, "etcd", rule, words);
    gone(place, "etcd");
  }

  private static void rival(Place place) {
    assertThat(place.apply(cluster("etcd", TEMPLATE, ETCD)).ok()).isTrue();
    place.adopted("etcd");
    // Creation times have whole seconds: the second one must not be as old as the first.
    Await.pause(Duration.ofMillis(1100));
    assertThat(place.apply(cluster("second", TEMPLATE, ETCD)).ok()).isTrue();
    sentence(
        place, "second", "OneClusterPerWorkload", "older StatefulCluster etcd", "one of the two");
    assertThat(place.belay("etcd").phase()).isEqualTo("Idle");
    gone(place, "second");
    gone(place, "etcd");
  }

  /** Members that cannot be asked: an upgrade waits, and goes nowhere. */
  private static void unreadable(Place place, String secret, String... words) {
    String auth =
        "workload: {name: etcd}, driver: {type: etcd, auth: {secretName: " + secret + "}}";
    assertThat(place.apply(cluster("etcd", TEMPLATE, auth)).ok()).isTrue();
    place.adopted("etcd");
    place.kubectl("set", "image", "sts/etcd", "etcd=etcd:" + World.NEXT);
    BelayView belay = place.belay("etcd");
    place.await(
        "Belay objects with " + String.join(", ", words),
        () -> {
          String sentence = belay.sentence();
          return Stream.of(words).allMatch(sentence::contains);
        });
    place.kubectl("set", "image", "sts/etcd", "etcd=etcd:" + World.OLD);
    gone(place, "etcd");
  }

  private static void enableAuth(URI endpoint) throws IOException, InterruptedException {
    try (var gateway = new EtcdGateway(Duration.ofSeconds(5))) {
      ObjectNode root = EtcdGateway.object().put("name", "root").put("password", "right");
      gateway.post(endpoint, "/v3/auth/user/add", root);
      gateway.post(endpoint, "/v3/auth/role/add", EtcdGateway.object().put("name", "root"));
      gateway.post(
          endpoint,
          "/v3/auth/user/grant",
          EtcdGateway.object().put("user", "root").put("role", "root"));
      gateway.post(endpoint, "/v3/auth/enable", EtcdGateway.object());
    }
  }
}
