package dev.belay.operator.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.DriverSpec;
import dev.belay.api.v1alpha1.Fingerprint;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Workload;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentStrategy;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is made of a Deployment, its ReplicaSets and its pods. */
class DeployedTest {

  private static final String STALLED =
      "{type: Progressing, status: 'False', reason: ProgressDeadlineExceeded, message: too slow}";

  @Test
  void only_living_pods_of_its_own_replica_sets_are_counted() {
    Crew crew =
        crew(
            pod("old", "rs-1", "Running"),
            pod("new", "rs-2", "Pending"),
            pod("dead", "rs-1", "Failed"),
            pod("done", "rs-1", "Succeeded"),
            pod("strange", "rs-9", "Running"));
    assertThat(crew.pods())
        .extracting(p -> p.getMetadata().getName())
        .containsExactly("old", "new");
  }

  @Test
  void it_is_on_its_way_from_the_newest_other_revision_that_runs() {
    String newest = fingerprint(LABELS, "app:3");
    Crew all =
        crew(pod("a", "rs-1", "Running"), pod("b", "rs-2", "Running"), pod("c", "rs-3", "Running"));
    assertThat(all.other(newest)).isEqualTo(fingerprint(LABELS, "app:2"));
    assertThat(crew(pod("a", "rs-1", "Running")).other(newest))
        .isEqualTo(fingerprint(LABELS, "app:1"));
    assertThat(crew(pod("c", "rs-3", "Running")).other(newest)).isEqualTo(newest);
    assertThat(crew().other(newest)).isEqualTo(newest);
  }

  @Test
  void it_is_stalled_only_while_it_rolls_what_its_controller_has_seen() {
    assertThat(workload(2, 2, false, STALLED).stalled()).isEqualTo("too slow");
    assertThat(workload(3, 2, false, STALLED).stalled()).isEmpty();
    assertThat(workload(2, 2, true, STALLED).stalled()).isEmpty();
    assertThat(workload(2, 2, false, STALLED.replace("'False'", "'True'")).stalled()).isEmpty();
    assertThat(workload(2, 2, false, STALLED.replace("Progressing", "Available")).stalled())
        .isEmpty();
  }

  @Test
  void one_that_takes_all_its_pods_down_at_once_is_known() {
    assertThat(workload(1, 1, false, "").update()).isEqualTo(Workload.Update.ROLLING_UPDATE);
    Deployment recreates = deployment(1, 1, false, "");
    recreates.getSpec().setStrategy(yaml("{type: Recreate}", DeploymentStrategy.class));
    assertThat(
            Workloads.workload(new Live.Deployed(recreates), new Crew(List.of(), Map.of()))
                .update())
        .isEqualTo(Workload.Update.RECREATE);
  }

  @Test
  void paused_is_frozen() {
    assertThat(workload(2, 2, true, "").frozen()).isTrue();
    assertThat(workload(2, 2, false, "").partition()).isZero();
  }

  @Test
  void its_pods_are_asked_at_their_address_unless_they_have_a_name() {
    var driver = yaml("{type: etcd}", DriverSpec.class);
    Live live = new Live.Deployed(deployment(1, 1, false, ""));
    Pod nameless =
        yaml("{metadata: {name: a, namespace: ns}, spec: {}, status: {podIP: 10.0.0.7}}");
    Pod named =
        yaml(
            "{metadata: {name: b, namespace: ns}, spec: {hostname: h, subdomain: s},"
                + " status: {podIP: 10.0.0.8}}");
    Pod nowhere = yaml("{metadata: {name: c, namespace: ns}, spec: {hostname: h}}");
    assertThat(Seats.of(driver, live, List.of(nameless, named, nowhere)))
        .extracting(Seat::address)
        .containsExactly(URI.create("http://10.0.0.7:2379"), URI.create("http://h.s.ns.svc:2379"));
  }

  private static final String LABELS = "{labels: {app: app}}";

  private static Crew crew(Pod... pods) {
    return Crew.of(
        new Live.Deployed(deployment(1, 1, false, "")),
        List.of(pods),
        List.of(
            replicaSet("rs-2", "app:2", 2, "d"),
            replicaSet("rs-1", "app:1", 1, "d"),
            replicaSet("rs-3", "app:3", 3, "d"),
            replicaSet("rs-9", "app:9", 9, "another")));
  }

  private static Workload workload(long generation, long seen, boolean paused, String condition) {
    return Workloads.workload(
        new Live.Deployed(deployment(generation, seen, paused, condition)),
        new Crew(List.of(), Map.of()));
  }

  private static Deployment deployment(
      long generation, long seen, boolean paused, String condition) {
    return yaml(
        """
        metadata: {name: app, uid: d, resourceVersion: "1", generation: %d}
        spec: {paused: %s, template: %s}
        status: {observedGeneration: %d, conditions: [%s]}
        """
            .formatted(generation, paused, template(LABELS, "app:3"), seen, condition),
        Deployment.class);
  }

  private static ReplicaSet replicaSet(String uid, String image, int day, String owner) {
    return yaml(
        """
        metadata:
          name: %1$s
          uid: %1$s
          creationTimestamp: "2026-11-0%2$dT00:00:00Z"
          ownerReferences: [{controller: true, uid: %3$s}]
        spec: {template: %4$s}
        """
            .formatted(
                uid, day, owner, template("{labels: {app: app, pod-template-hash: x}}", image)),
        ReplicaSet.class);
  }

  private static Pod pod(String name, String owner, String phase) {
    return yaml(
        "{metadata: {name: %s, ownerReferences: [{controller: true, uid: %s}]}, status: {phase: %s}}"
            .formatted(name, owner, phase));
  }

  private static String fingerprint(String metadata, String image) {
    return Fingerprint.of(yaml(template(metadata, image), PodTemplateSpec.class));
  }

  private static String template(String metadata, String image) {
    return "{metadata: %s, spec: {containers: [{name: app, image: \"%s\"}]}}"
        .formatted(metadata, image);
  }

  private static Pod yaml(String text) {
    return yaml(text, Pod.class);
  }

  /** What begins with a brace would be taken for JSON. */
  private static <T> T yaml(String text, Class<T> type) {
    return Serialization.unmarshal("---\n" + text, type);
  }
}
