package dev.belay.cli;

import static dev.belay.cli.World.admin;
import static dev.belay.cli.World.as;
import static dev.belay.cli.World.belay;
import static dev.belay.cli.World.changeTemplate;
import static dev.belay.cli.World.create;
import static dev.belay.cli.World.kubeconfig;
import static dev.belay.cli.World.resource;
import static dev.belay.cli.World.revision;
import static dev.belay.cli.World.start;
import static dev.belay.cli.World.write;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.belay.cli.World.Ran;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the verbs show, on a real API server; the statuses are written as an operator would. */
class CliIT {

  @Test
  void without_the_crd_it_says_how_to_install_it() {
    assertThat(World.withoutCrd().exit()).isEqualTo(4);
    assertThat(World.withoutCrd().err()).contains("cure: kubectl apply -f deploy/shared/crd.yaml");
  }

  @Test
  void shows_one_cluster_and_lists_many() {
    create("shown", "waiting");
    assertThat(belay("status", "shown", "-n", "db"))
        .satisfies(r -> assertThat(r.exit()).isZero())
        .satisfies(r ->
            assertThat(r.out())
                .startsWith("shown  Waiting  3.5.35 → 3.6.16")
                .contains("etcd-2 waits: EveryGroupSurvives, 2 of 3 voters healthy"));
    assertThat(belay("status", "-n", "db").out()).startsWith("NAME ").contains("shown ");
    assertThat(belay("status", "-A").out()).startsWith("NAMESPACE ").contains("db ");
    assertThat(belay("status", "-n", "db", "-l", "tier in (none)"))
        .satisfies(r -> assertThat(r.out()).isEmpty())
        .satisfies(r -> assertThat(r.err()).contains("no StatefulClusters with labels tier in"));
    assertThat(belay("explain", "shown", "etcd-2", "-n", "db").out())
        .contains("etcd-2 (3.5.35) is held by EveryGroupSurvives")
        .contains("docs/rules.md#EveryGroupSurvives")
        .doesNotContain("etcd-1 (");
  }

  @Test
  void an_operator_that_no_longer_renews_its_lease_is_not_taken_for_running() {
    create("owned", "idle");
    var lease =
        new LeaseBuilder()
            .withNewMetadata()
            .withNamespace("db")
            .withName("gone-operator")
            .endMetadata()
            .withNewSpec()
            .withHolderIdentity("pod")
            .withRenewTime(ZonedDateTime.now(ZoneOffset.UTC).minusMinutes(5))
            .endSpec()
            .build();
    GenericKubernetesResource owned = resource("owned").get();
    Map<String, Object> owner = owned.get("status", "owner");
    owner.put("lease", "db/gone-operator");
    admin().resource(owned).updateStatus();
    assertThat(belay("status", "owned", "-n", "db").out())
        .contains("the Lease db/gone-operator of belay-system/belay does not exist; fix: start");
    admin().resource(lease).create();
    assertThat(belay("status", "owned", "-n", "db").out())
        .contains(
            "the Lease db/gone-operator of belay-system/belay was not renewed for 5 min by the")
        .contains("fix: start that operator if it does not run")
        .doesNotContain("no operator acts on it");
    lease.getSpec().setRenewTime(ZonedDateTime.now(ZoneOffset.UTC));
    admin().resource(lease).update();
    assertThat(belay("status", "owned", "-n", "db").out())
        .contains("operator: belay-system/belay")
        .doesNotContain("the Lease");
  }

  @Test
  void gives_documents_to_machines() throws IOException {
    create("document", "waiting");
    var json =
        new ObjectMapper().readTree(belay("status", "document", "-n", "db", "-o", "json").out());
    assertThat(json.at("/kind").asText()).isEqualTo("StatefulCluster");
    assertThat(json.at("/status/blockedBy/rule").asText()).isEqualTo("EveryGroupSurvives");
    assertThat(json.at("/metadata/managedFields").isMissingNode()).isTrue();
    var list = new ObjectMapper().readTree(belay("status", "-n", "db", "-o", "json").out());
    assertThat(list.at("/kind").asText()).isEqualTo("List");
    assertThat(list.at("/items").size()).isPositive();
    GenericKubernetesResource yaml =
        Serialization.unmarshal(
            belay("status", "document", "-n", "db", "-o", "yaml").out(),
            GenericKubernetesResource.class);
    assertThat(yaml.getMetadata().getName()).isEqualTo("document");
    var why =
        new ObjectMapper().readTree(belay("explain", "document", "-n", "db", "-o", "json").out());
    assertThat(why.at("/members/2/state").asText()).isEqualTo("Held");
    assertThat(why.at("/members/2/why/docs").asText())
        .isEqualTo("docs/rules.md#EveryGroupSurvives");
  }

  @Test
  void an_unknown_name_is_answered_with_those_that_exist() {
    create("exists", "idle");
    assertThat(belay("status", "nobody", "-n", "db"))
        .satisfies(r -> assertThat(r.exit()).isEqualTo(4))
        .satisfies(
            r -> assertThat(r.err()).contains("no StatefulCluster nobody").contains("exists"));
    assertThat(belay("explain", "exists", "-n", "other").err()).contains("-n db");
    assertThat(belay("wait", "nobody", "-n", "db").exit()).isEqualTo(4);
    assertThat(belay("status", "nobody", "-n", "db", "-w").exit()).isEqualTo(4);
  }

  @Test
  void names_the_right_that_is_missing() {
    Path alice = World.user("alice");
    Ran ran = as(alice, "status", "x", "-n", "db");
    assertThat(ran.exit()).isEqualTo(4);
    assertThat(ran.err())
        .contains("alice may not get statefulclusters.belay.dev in namespace db")
        .contains("cure: ask for that right");
    assertThat(as(alice, "status", "-A").err())
        .contains("alice may not list statefulclusters.belay.dev in all namespaces");
  }

  @Test
  void names_the_server_that_does_not_answer() throws IOException {
    String url = admin().getMasterUrl().toString().replaceFirst("/$", "");
    int port;
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    String dead = "https://127.0.0.1:" + port;
    Ran ran = as(kubeconfig("dead", text -> text.replace(url, dead)), "status");
    assertThat(ran.exit()).isEqualTo(4);
    assertThat(ran.err()).contains("cannot reach " + dead).contains("connection refused");
  }

  @Test
  void says_what_is_wrong_with_a_kubeconfig() throws IOException {
    assertThat(as(kubeconfig("broken", _ -> "{ not: [a kubeconfig"), "status"))
        .satisfies(r -> assertThat(r.exit()).isEqualTo(4))
        .satisfies(r -> assertThat(r.err()).contains("broken is no kubeconfig").contains("cure:"));
    assertThat(belay("status", "--context", "moon").err())
        .contains("--context moon: no such context")
        .contains("choose one of");
  }

  @Test
  void waits_with_the_exit_code_of_the_end() {
    create("done", "idle");
    Ran done = belay("wait", "done", "-n", "db", "--timeout", "20s");
    assertThat(done.exit()).isZero();
    assertThat(done.out()).contains("done: done is upgraded, it runs 3.5.35");
    assertThat(done.err()).isEmpty();
    create("failed", "failed");
    Ran failed = belay("wait", "failed", "-n", "db", "--timeout", "20s", "-q");
    assertThat(failed.exit()).isEqualTo(1);
    assertThat(failed.out()).isEmpty();
    assertThat(failed.err()).contains("failed").contains("ErrImagePull");
    create("held", "held");
    Ran held = belay("wait", "held", "-n", "db", "--timeout", "20s");
    assertThat(held.exit()).isEqualTo(2);
    assertThat(held.err()).contains("to approve: belay approve held -n db --token ");
    create("slow", "waiting");
    Ran slow = belay("wait", "slow", "-n", "db", "--timeout", "1s");
    assertThat(slow.exit()).isEqualTo(3);
    assertThat(slow.err()).contains("not done after 1s").contains("cure: etcd-0 back");
  }

  @Test
  void does_not_say_done_before_the_operator_has_seen_the_new_template() throws Exception {
    create("race", "idle");
    String before = revision();
    changeTemplate("race");
    Ran early = belay("wait", "race", "-n", "db", "--timeout", "1s");
    assertThat(early.exit()).isEqualTo(3);
    assertThat(early.err()).contains("StatefulSet etcd");
    var waiting =
        CompletableFuture.supplyAsync(() -> belay("wait", "race", "-n", "db", "--timeout", "60s"));
    String after = revision();
    assertThat(after).isNotEqualTo(before);
    write("race", "upgrading", after);
    write("race", "idle", after);
    assertThat(waiting.get(60, TimeUnit.SECONDS).exit()).isZero();
  }

  @Test
  void a_cluster_that_is_deleted_ends_the_wait() throws Exception {
    create("doomed", "waiting");
    Process wait = start("wait", "doomed", "-n", "db");
    try (var out = wait.inputReader()) {
      assertThat(out.readLine()).contains("doomed  Waiting");
      resource("doomed").delete();
      assertThat(wait.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(wait.exitValue()).isEqualTo(4);
      assertThat(wait.errorReader().readLine()).contains("was deleted");
    } finally {
      wait.destroyForcibly();
    }
  }

  @Test
  void as_a_process_it_prints_a_line_per_change_and_nothing_else() throws Exception {
    create("watched", "waiting");
    Process watch = start("status", "watched", "-n", "db", "-w");
    try (var out = watch.inputReader()) {
      assertThat(out.readLine()).matches("20\\S+Z  watched  Waiting .*EveryGroupSurvives.*");
      write("watched", "waiting", revision());
      write("watched", "upgrading", revision());
      assertThat(out.readLine()).contains("watched  Upgrading").contains("release etcd-1");
    } finally {
      // Process.destroy would close the streams that are read below.
      watch.toHandle().destroy();
    }
    assertThat(watch.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(new String(watch.getErrorStream().readAllBytes(), StandardCharsets.UTF_8)).isEmpty();
  }
}
