package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.Component;
import dev.belay.api.v1alpha1.Fingerprint;
import dev.belay.cli.Verdict.Done;
import dev.belay.cli.Verdict.Failed;
import dev.belay.cli.Verdict.Held;
import dev.belay.cli.Verdict.NotYet;
import dev.belay.cli.Verdict.Workload;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

/** When a wait is over, and when it only seems to be. */
class VerdictTest {

  @Test
  void idle_at_the_newest_revision_is_done() {
    assertThat(verdict("idle", settledAt("etcd-a"))).isEqualTo(new Done());
  }

  @Test
  void idle_is_not_believed_while_the_workload_has_a_newer_revision() {
    assertThat(verdict("idle", settledAt("etcd-b")))
        .isInstanceOfSatisfying(
            NotYet.class,
            n -> assertThat(n.why()).contains("etcd-b").contains("cure: start the operator"))
        .extracting("outrun")
        .isEqualTo(true);
  }

  @Test
  void idle_is_not_believed_while_the_controller_has_not_seen_the_template() {
    assertThat(verdict("idle", new Workload("StatefulSet etcd", true, false, "etcd-a")))
        .isInstanceOf(NotYet.class);
  }

  @Test
  void idle_is_not_believed_without_a_workload() {
    assertThat(verdict("idle", Workload.missing(new Component.Workload(null, "etcd", null))))
        .isInstanceOf(NotYet.class);
  }

  @Test
  void idle_is_not_believed_while_a_later_component_has_a_newer_revision() {
    Cluster idle =
        Samples.parse(
            Samples.text("components")
                .replace("phase: \"Upgrading\"", "phase: \"Idle\"")
                .replace("Upgrading, status: \"True\"", "Upgrading, status: \"False\"")
                .replaceAll("(?m)^  (step|blockedBy):.*\n", ""));
    assertThat(Verdict.of(idle, w -> new Workload(w.name(), true, true, good(idle, w.name()))))
        .isEqualTo(new Done());
    assertThat(
            Verdict.of(
                idle,
                w ->
                    new Workload(
                        w.kindOrDefault().word() + " " + w.name(),
                        true,
                        true,
                        w.kind() == Component.Kind.DEPLOYMENT ? "new" : good(idle, w.name()))))
        .isInstanceOfSatisfying(
            NotYet.class,
            n -> assertThat(n.why()).startsWith("Deployment controller has revision"));
  }

  private static String good(Cluster cluster, String component) {
    return cluster.component(component).orElseThrow().lastGood().revision();
  }

  @Test
  void a_deployment_is_compared_by_the_fingerprint_of_its_template() {
    Deployment deployment =
        Serialization.unmarshal(
            """
            metadata: {name: web, generation: 4}
            spec: {template: {spec: {containers: [{name: a, image: "a:1"}]}}}
            status: {observedGeneration: 4}
            """,
            Deployment.class);
    assertThat(Workload.of(deployment))
        .isEqualTo(
            new Workload(
                "Deployment web", true, true, Fingerprint.of(deployment.getSpec().getTemplate())));
    deployment.getMetadata().setGeneration(5L);
    assertThat(Workload.of(deployment).observed()).isFalse();
  }

  @Test
  void idle_about_an_older_spec_is_not_believed() {
    assertThat(verdict("stale", settledAt("etcd-a"))).isInstanceOf(NotYet.class);
  }

  @Test
  void idle_with_a_recorded_step_is_not_done() {
    Cluster writesTheTemplate =
        Samples.parse(
            Samples.text("idle")
                .replace(
                    "  conditions:",
                    "  step: {id: 1-2, what: set template to 3.6.16, object: etcd}\n  conditions:"));
    assertThat(Verdict.of(writesTheTemplate, _ -> settledAt("etcd-a"))).isInstanceOf(NotYet.class);
  }

  @Test
  void idle_with_an_objection_is_not_done() {
    Cluster waits =
        Samples.parse(
            Samples.text("idle")
                .replace(
                    "  conditions:",
                    "  blockedBy: {rule: WorkloadIsObserved, object: etcd}\n  conditions:"));
    assertThat(Verdict.of(waits, _ -> settledAt("etcd-a"))).isInstanceOf(NotYet.class);
  }

  @Test
  void failed_and_held_are_final_when_they_speak_of_the_newest_revision() {
    assertThat(verdict("failed", settledAt("etcd-b"))).isEqualTo(new Failed());
    assertThat(verdict("rolling-back", settledAt("etcd-b"))).isEqualTo(new Failed());
    assertThat(verdict("invalid", settledAt("etcd-a"))).isEqualTo(new Failed());
    assertThat(verdict("held", settledAt("etcd-b"))).isEqualTo(new Held());
  }

  @Test
  void paused_midway_is_held_and_paused_at_the_target_is_done() {
    assertThat(verdict("paused", settledAt("etcd-b"))).isEqualTo(new Held());
    assertThat(verdict("paused", settledAt("etcd-c"))).isInstanceOf(NotYet.class);
    Cluster atRest =
        Samples.parse(Samples.text("idle").replace("phase: \"Idle\"", "phase: Paused"));
    assertThat(Verdict.of(atRest, _ -> settledAt("etcd-a"))).isEqualTo(new Done());
    assertThat(Verdict.of(atRest, _ -> settledAt("etcd-b"))).isInstanceOf(NotYet.class);
  }

  @Test
  void what_a_person_asked_for_ends_as_held() {
    for (String sample : new String[] {"rolled-back", "aborted", "approval"}) {
      assertThat(verdict(sample, settledAt("etcd-b"))).as(sample).isEqualTo(new Held());
    }
  }

  @Test
  void a_failure_is_not_believed_after_the_template_was_corrected() {
    assertThat(verdict("failed", settledAt("etcd-c"))).isInstanceOf(NotYet.class);
  }

  @Test
  void everything_else_goes_on_and_asks_no_workload() {
    for (String sample :
        new String[] {"pending", "adopting", "upgrading", "waiting", "forced", "memberless"}) {
      Verdict verdict =
          Verdict.of(
              Samples.read(sample),
              _ -> {
                throw new AssertionError("no need to ask");
              });
      assertThat(verdict).as(sample).isInstanceOf(NotYet.class);
    }
  }

  private static Verdict verdict(String sample, Workload workload) {
    return Verdict.of(Samples.read(sample), _ -> workload);
  }

  private static Workload settledAt(String revision) {
    return new Workload("StatefulSet etcd", true, true, revision);
  }
}
