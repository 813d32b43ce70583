package dev.belay.cli;

import static dev.belay.cli.World.admin;
import static dev.belay.cli.World.as;
import static dev.belay.cli.World.belay;
import static dev.belay.cli.World.create;
import static dev.belay.cli.World.eventually;
import static dev.belay.cli.World.resource;
import static dev.belay.cli.World.revision;
import static dev.belay.cli.World.write;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.belay.cli.Samples.Recorder;
import dev.belay.cli.World.Ran;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the verbs write, on a real API server; the statuses are written as an operator would. */
class AskIT {

  @Test
  void what_is_asked_stands_in_the_spec_once() {
    create("asked", "failed");
    Ran retry = belay("retry", "asked", "-n", "db");
    assertThat(retry.exit()).as(retry.err()).isZero();
    String token = requests("asked").get("retry");
    assertThat(token).startsWith("20").endsWith("Z-" + System.getProperty("user.name"));
    assertThat(retry.out()).contains("asked for retry of asked (" + token + ")");
    Ran again = belay("retry", "asked", "-n", "db");
    assertThat(again.exit()).isZero();
    assertThat(again.out()).contains("asked for already (" + token + ")");
    assertThat(belay("status", "asked", "-n", "db").out()).contains("asked: retry (" + token + ")");
    Ran instead = belay("abort", "asked", "-n", "db", "-o", "json");
    assertThat(instead.exit()).as(instead.err()).isZero();
    assertThat(requests("asked")).containsOnlyKeys("abort");
    assertThat(instead.out()).contains("\"abort\" : \"20").doesNotContain("managedFields");
  }

  @Test
  void refuses_what_could_do_nothing_and_writes_nothing() {
    create("floor", "failed-no-way-back");
    Ran floor = belay("rollback", "floor", "-n", "db");
    assertThat(floor.exit()).isEqualTo(4);
    assertThat(floor.err())
        .contains("there is no way back: not below 3.6.0, the cluster version is 3.6.0")
        .contains("cure: go forward");
    create("rests", "idle");
    for (String verb : List.of("approve", "retry", "rollback", "abort")) {
      Ran ran = belay(verb, "rests", "-n", "db");
      assertThat(ran.exit()).as(verb).isEqualTo(4);
      assertThat(ran.err()).startsWith("belay: nothing ").contains("cure: ");
      assertThat(belay(verb, "nobody", "-n", "db").exit()).isEqualTo(4);
    }
    assertThat(requests("floor")).isEmpty();
    assertThat(requests("rests")).isEmpty();
  }

  @Test
  void approves_what_waits_and_nothing_else() {
    create("approved", "approval");
    Ran stale = belay("approve", "approved", "-n", "db", "--token", "3.6.15/etcd/leader");
    assertThat(stale.exit()).isEqualTo(4);
    assertThat(stale.err()).contains("not of 3.6.15").contains("--token 3.6.16/etcd/leader");
    assertThat(requests("approved")).isEmpty();
    Ran held = belay("wait", "approved", "-n", "db", "--timeout", "20s");
    assertThat(held.exit()).isEqualTo(2);
    String command =
        held.err()
            .lines()
            .filter(l -> l.startsWith("to approve: belay "))
            .findFirst()
            .orElseThrow();
    String[] words = command.replace("to approve: belay ", "").split(" ");
    assertThat(Main.run(Recorder.pipe().terminal(), Clock.systemUTC(), words)).isZero();
    assertThat(requests("approved")).isEqualTo(Map.of("approve", "3.6.16/etcd/leader"));
  }

  @Test
  void pauses_and_resumes() {
    create("halted", "upgrading");
    assertThat(belay("pause", "halted", "-n", "db").out()).contains("halted is paused", "resume");
    assertThat(spec("halted")).containsEntry("paused", true);
    assertThat(belay("pause", "halted", "-n", "db").out()).contains("paused already");
    write("halted", "paused", revision());
    assertThat(belay("wait", "halted", "-n", "db", "--timeout", "20s").exit()).isEqualTo(2);
    assertThat(belay("resume", "halted", "-n", "db").exit()).isZero();
    assertThat(spec("halted")).containsEntry("paused", false);
  }

  @Test
  void decides_on_a_failed_migration_and_forgets_what_an_earlier_decision_said() {
    create("shop", "migration-failed");
    Ran resolve = belay("migration", "resolve", "shop", "-n", "db", "--applied", "--token", "one");
    assertThat(resolve.exit()).as(resolve.err()).isZero();
    assertThat(decision("shop"))
        .isEqualTo(Map.of("id", 3, "action", "resolve", "applied", true, "token", "one"));
    Ran skip = belay("migration", "skip", "shop", "-n", "db", "--id", "3", "--token", "two");
    assertThat(skip.exit()).as(skip.err()).isZero();
    assertThat(decision("shop")).isEqualTo(Map.of("id", 3, "action", "skip", "token", "two"));
    assertThat(belay("migration", "skip", "shop", "-n", "db", "--id", "4").exit()).isEqualTo(4);
  }

  @Test
  void a_write_never_lands_on_what_was_not_read() {
    create("raced", "failed");
    GenericKubernetesResource before = resource("raced").get();
    write("raced", "rolling-back", revision());
    var clusters = new Clusters(admin(), "db", "the server");
    assertThat(clusters.write(before, Map.of("paused", true))).isEmpty();
    assertThat(spec("raced")).containsEntry("paused", false);
    assertThat(clusters.write(clusters.get("raced"), Map.of("paused", true))).isPresent();
  }

  @Test
  void shows_what_was() throws IOException {
    create("past", "rolled-back");
    assertThat(belay("history", "past", "-n", "db").out())
        .contains("FROM     TO       STARTED")
        .contains("3.5.35   3.6.16   2026-11-16T09:30:00Z   26m     10m      RolledBack");
    var json =
        new ObjectMapper().readTree(belay("history", "past", "-n", "db", "-o", "json").out());
    assertThat(json.at("/history/1/approvedBy").asText()).isEqualTo("ann@example.com");
    create("new", "idle");
    Ran none = belay("history", "new", "-n", "db");
    assertThat(none.exit()).isZero();
    assertThat(none.err()).contains("no upgrade of new is known yet");
  }

  @Test
  void names_the_right_that_is_missing() {
    create("readonly", "failed");
    admin()
        .load(
            new ByteArrayInputStream(
                """
                apiVersion: rbac.authorization.k8s.io/v1
                kind: Role
                metadata: {name: reads, namespace: db}
                rules: [{apiGroups: [belay.dev], resources: [statefulclusters], verbs: [get]}]
                ---
                apiVersion: rbac.authorization.k8s.io/v1
                kind: RoleBinding
                metadata: {name: reads, namespace: db}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reads}
                subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: bob}]
                """
                    .getBytes(StandardCharsets.UTF_8)))
        .create();
    Path bob = World.user("bob");
    eventually(() -> as(bob, "explain", "readonly", "-n", "db").exit() == 0);
    Ran write = as(bob, "retry", "readonly", "-n", "db");
    assertThat(write.exit()).isEqualTo(4);
    assertThat(write.err())
        .contains("bob may not patch statefulclusters.belay.dev in namespace db")
        .contains("verbs [get, patch]");
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> spec(String name) {
    return (Map<String, Object>) resource(name).get().getAdditionalProperties().get("spec");
  }

  private static Object decision(String name) {
    return ((Map<?, ?>) spec(name).get("requests")).get("migration");
  }

  @SuppressWarnings("unchecked")
  private static Map<String, String> requests(String name) {
    return (Map<String, String>) spec(name).getOrDefault("requests", Map.of());
  }
}
