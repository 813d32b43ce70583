package dev.belay.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Probes, crashes and the end of pods and nodes, on the real control plane. */
class LifecycleIT {
  @TempDir static Path dir;
  private static Sandbox sandbox;
  private static Pods pods;

  @BeforeAll
  static void start() throws Exception {
    Pods.image(dir.resolve("images"), "test/app/1");
    sandbox =
        Sandbox.start(
            Sandbox.Options.in(dir.resolve("box"))
                .withNodes(2)
                .withImages(dir.resolve("images"))
                .withBackoff(Duration.ofMillis(200)));
    pods = new Pods(sandbox);
  }

  @AfterAll
  static void stop() {
    sandbox.close();
  }

  /** A pod with a claim through which the test and the pod see the same files. */
  private static Path podWithClaim(String name, String container) {
    return podWithClaim(name, "terminationGracePeriodSeconds: 20", container);
  }

  private static Path podWithClaim(String name, String extra, String container) {
    pods.apply(
        """
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: %1$s}
        spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
        ---
        apiVersion: v1
        kind: Pod
        metadata: {name: %1$s}
        spec:
          %2$s
          volumes: [{name: w, persistentVolumeClaim: {claimName: %1$s}}]
          containers:
          - name: c
            image: test/app:1
            volumeMounts: [{name: w, mountPath: /w}]
        %3$s
        """
            .formatted(name, extra, container.indent(4)));
    return pods.claimFolder(name);
  }

  @Test
  void readiness_follows_an_exec_probe_both_ways() throws Exception {
    Path shared =
        podWithClaim(
            "flips",
            "readinessProbe: {exec: {command: [test, -e, /w/well]}, periodSeconds: 1, failureThreshold: 1}");
    Pod pod = pods.await("flips", p -> p != null && "Running".equals(p.getStatus().getPhase()));
    assertThat(Pods.ready(pod)).isFalse();
    Files.createFile(shared.resolve("well"));
    pods.awaitReady("flips");
    Files.delete(shared.resolve("well"));
    Pod unready = pods.await("flips", p -> p != null && !Pods.ready(p));
    assertThat(Pods.first(unready).getRestartCount()).isZero();
  }

  @Test
  void a_frozen_process_stays_and_is_not_ready_until_it_goes_on() throws Exception {
    Path java = Path.of(System.getProperty("java.home"), "bin/java");
    podWithClaim(
        "frozen",
        """
        command: ["%s", -m, jdk.httpserver, -b, "$(IP)", -p, "8080", -d, /w]
        env: [{name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]
        ports: [{name: web, containerPort: 8080}]
        readinessProbe: {httpGet: {path: /, port: web}, periodSeconds: 1, failureThreshold: 1}
        startupProbe: {tcpSocket: {port: 8080}, periodSeconds: 1, failureThreshold: 60}
        """
            .formatted(java));
    pods.awaitReady("frozen");
    long pid = sandbox.pidOf("default", "frozen").orElseThrow();
    signal("STOP", pid);
    Pod stopped = pods.await("frozen", p -> p != null && !Pods.ready(p));
    assertThat(Pods.first(stopped).getState().getRunning()).isNotNull();
    assertThat(Pods.first(stopped).getStarted()).isTrue();
    signal("CONT", pid);
    pods.awaitReady("frozen");
    assertThat(sandbox.pidOf("default", "frozen")).contains(pid);
  }

  private static void signal(String name, long pid) throws Exception {
    assertThat(new ProcessBuilder("kill", "-s", name, "" + pid).start().waitFor()).isZero();
  }

  @Test
  void a_failed_liveness_probe_restarts_the_container() throws Exception {
    Path shared =
        podWithClaim(
            "sick",
            """
            livenessProbe: {exec: {command: [sh, -c, "! test -e /w/sick"]}, periodSeconds: 1, failureThreshold: 2, terminationGracePeriodSeconds: 1}
            readinessProbe: {exec: {command: [test, -e, /w/up]}, periodSeconds: 1}
            command: [sh, -c, "rm -f /w/sick; touch /w/up; exec sleep infinity"]
            """);
    pods.awaitReady("sick");
    Files.createFile(shared.resolve("sick"));
    Pod pod = pods.await("sick", p -> Pods.ready(p) && Pods.first(p).getRestartCount() == 1);
    assertThat(Pods.first(pod).getLastState().getTerminated().getExitCode()).isEqualTo(137);
    assertThat(pods.events("sick"))
        .contains("Killing: Container c failed liveness probe, will be restarted");
  }

  @Test
  void a_crashing_container_backs_off() throws Exception {
    podWithClaim("crash", "command: [sh, -c, 'echo crash; exit 3']");
    Pod pod =
        pods.await(
            "crash",
            p -> Pods.waiting(p, "CrashLoopBackOff") && Pods.first(p).getRestartCount() >= 2);
    assertThat(pod.getStatus().getPhase()).isEqualTo("Running");
    assertThat(Pods.first(pod).getLastState().getTerminated().getExitCode()).isEqualTo(3);
    assertThat(Pods.first(pod).getState().getWaiting().getMessage())
        .matches("back-off \\S+ restarting failed container=c pod=crash_default\\(.+\\)");
    pods.delete("crash");
    pods.awaitGone("crash");
  }

  @Test
  void a_deleted_pod_runs_its_hook_gets_sigterm_and_goes() throws Exception {
    Path shared =
        podWithClaim(
            "polite",
            """
            command: [sh, -c, "trap 'echo term >> /w/log; exit 0' TERM; while :; do sleep 0.1; done"]
            lifecycle: {preStop: {exec: {command: [sh, -c, "sleep 0.5; echo pre >> /w/log"]}}}
            """);
    pods.awaitReady("polite");
    pods.delete("polite");
    pods.awaitGone("polite");
    assertThat(Files.readString(shared.resolve("log"))).isEqualTo("pre\nterm\n");
  }

  @Test
  void one_that_ignores_sigterm_is_killed_with_its_children_after_the_grace_period()
      throws Exception {
    String mark = "97531." + System.nanoTime() % 1_000_000;
    podWithClaim(
        "stubborn",
        "terminationGracePeriodSeconds: 2",
        "command: [sh, -c, \"trap '' TERM; setsid sleep %s & while :; do sleep 0.1; done\"]"
            .formatted(mark));
    pods.awaitReady("stubborn");
    Pods.until("the child runs", () -> !Pods.commandsWith("sleep " + mark).isEmpty());
    Instant before = Instant.now();
    pods.delete("stubborn");
    pods.awaitGone("stubborn");
    assertThat(Duration.between(before, Instant.now())).isGreaterThan(Duration.ofMillis(1900));
    assertThat(Pods.commandsWith("sleep " + mark)).isEmpty();
  }

  @Test
  void a_forced_delete_kills_at_once() throws Exception {
    String mark = "86420." + System.nanoTime() % 1_000_000;
    podWithClaim("forced", "command: [sh, -c, \"trap '' TERM; sleep %s; :\"]".formatted(mark));
    pods.awaitReady("forced");
    Pods.until("it runs", () -> !Pods.commandsWith("sleep " + mark).isEmpty());
    sandbox.client().pods().inNamespace("default").withName("forced").withGracePeriod(0).delete();
    Pods.until("it is gone", () -> Pods.commandsWith("sleep " + mark).isEmpty());
  }

  @Test
  void a_silent_node_is_noticed_and_comes_back_with_its_pods() {
    pods.apply(
        """
        {apiVersion: v1, kind: Pod, metadata: {name: aboard}, spec: {nodeName: node-1, containers: [
          {name: c, image: "test/app:1"}]}}
        """);
    pods.awaitReady("aboard");
    sandbox.stopNode("node-1", true);
    assertThat(sandbox.pidOf("default", "aboard")).isEmpty();
    awaitNode("node-1", "Unknown");
    pods.await("aboard", p -> p != null && !Pods.ready(p));
    sandbox.startNode("node-1");
    awaitNode("node-1", "True");
    Pod pod = pods.awaitReady("aboard");
    assertThat(Pods.first(pod).getRestartCount()).isEqualTo(1);
  }

  private static void awaitNode(String name, String ready) {
    sandbox
        .client()
        .nodes()
        .withName(name)
        .waitUntilCondition(
            node ->
                node.getStatus().getConditions().stream()
                    .anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals(ready)),
            60,
            TimeUnit.SECONDS);
  }
}
