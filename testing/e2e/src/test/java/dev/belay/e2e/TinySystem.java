package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import java.util.List;

/**
 * Three components in the manner of Pravega: bookies that Belay evicts, stores that the partition
 * reaches, and a Deployment of controllers.
 */
final class TinySystem {

  static final List<String> ORDER = List.of("bookie", "store", "control");
  static final int PODS = 3 + 2 + 2;

  private TinySystem() {}

  /** The last one is written first: the order of a roll-out is Belay's, not that of the writes. */
  private static String workloads(String bookie, String store, String control) {
    return workload("Deployment", "control", 2, "progressDeadlineSeconds: 600", control)
        + workload("StatefulSet", "store", 2, "podManagementPolicy: Parallel", store)
        + workload("StatefulSet", "bookie", 3, "updateStrategy: {type: OnDelete}", bookie);
  }

  static String workload(String kind, String name, int replicas, String more, String version) {
    return """
    ---
    apiVersion: apps/v1
    kind: %1$s
    metadata: {name: %2$s}
    spec:
      %6$s
      replicas: %3$d
      %4$s
      selector: {matchLabels: {app: %2$s}}
      template:
        metadata: {labels: {app: %2$s}}
        spec:
          terminationGracePeriodSeconds: 1
          containers:
          - name: tiny
            image: tiny:%5$s
            readinessProbe:
              exec: {command: [/image/ready]}
              periodSeconds: 1
    """
        .formatted(
            kind,
            name,
            replicas,
            more,
            version,
            kind.equals("StatefulSet") ? "serviceName: " + name : "minReadySeconds: 0");
  }

  /**
   * @param version empty: whoever changes the templates starts the roll-out
   */
  static String cluster(String version) {
    boolean byVersion = !version.isEmpty();
    return """
    apiVersion: belay.dev/v1alpha1
    kind: StatefulCluster
    metadata: {name: system}
    spec:
      %1$s
      components:
      - name: bookie
        workload: {name: bookie}
        driver: {type: none}
        rollout: {readyTimeout: 1m}
        %2$s
      - name: store
        workload: {name: store}
        driver: {type: none}
        rollout: {readyTimeout: 1m}
        %3$s
      - name: control
        workload: {kind: Deployment, name: control}
        driver: {type: none}
        rollout: {readyTimeout: 1m}
        %2$s
    """
        .formatted(
            byVersion ? "trigger: Version\n  version: \"" + version + "\"" : "trigger: Template",
            byVersion ? "images: {tiny: \"tiny:{version}\"}" : "",
            byVersion ? "images: {tiny: \"tiny:{version}-store\"}" : "");
  }

  /** Applied, ready and adopted. */
  static BelayView in(Place place, String version) {
    upgrade(place, "1.0", "1.0-store", "1.0");
    place.await("all members", () -> place.ready() == PODS);
    var cluster = place.apply(cluster(version));
    assertThat(cluster.ok()).as(cluster.output()).isTrue();
    return place.adopted("system");
  }

  /** What a helm upgrade does: all templates in one go. */
  static void upgrade(Place place, String bookie, String store, String control) {
    var applied = place.apply(workloads(bookie, store, control));
    assertThat(applied.ok()).as(applied.output()).isTrue();
  }
}
