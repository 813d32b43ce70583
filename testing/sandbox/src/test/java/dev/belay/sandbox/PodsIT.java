package dev.belay.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pods on the real control plane: what they get and what is said of them. */
class PodsIT {
  @TempDir static Path dir;
  private static Path images;
  private static Sandbox sandbox;
  private static Pods pods;

  @BeforeAll
  static void start() throws Exception {
    images = dir.resolve("images");
    Pods.image(images, "test/app/1");
    sandbox =
        Sandbox.start(
            Sandbox.Options.in(dir.resolve("box"))
                .withNodes(2)
                .withImages(images)
                .withBackoff(Duration.ofMillis(200)));
    pods = new Pods(sandbox);
  }

  @AfterAll
  static void stop() {
    sandbox.close();
  }

  @Test
  void a_pod_runs_as_a_process_with_an_address_of_its_own_and_a_kubelets_status() throws Exception {
    pods.apply(
        """
        {apiVersion: v1, kind: Pod, metadata: {name: plain}, spec: {containers: [
          {name: c, image: "test/app:1", args: [hello]}]}}
        """);
    Pod pod = pods.awaitReady("plain");
    assertThat(pod.getStatus().getPhase()).isEqualTo("Running");
    assertThat(pod.getStatus().getPodIP()).startsWith("127.");
    assertThat(pod.getStatus().getHostIP()).startsWith("127.");
    assertThat(pod.getStatus().getStartTime()).isNotNull();
    for (String type : new String[] {"PodScheduled", "Initialized", "ContainersReady", "Ready"}) {
      assertThat(Pods.condition(pod, type)).as(type).isEqualTo("True");
    }
    assertThat(Pods.first(pod).getState().getRunning()).isNotNull();
    assertThat(Pods.first(pod).getStarted()).isTrue();
    assertThat(Pods.first(pod).getRestartCount()).isZero();
    long pid = sandbox.pidOf("default", "plain").orElseThrow();
    assertThat(ProcessHandle.of(pid)).isPresent();
    awaitProgram(pid, "sleep");
  }

  /** The process becomes its program in two steps, a moment after the pod counts as running. */
  private static void awaitProgram(long pid, String program) throws Exception {
    Path comm = Path.of("/proc/" + pid + "/comm");
    for (int i = 0; i < 100 && !java.nio.file.Files.readString(comm).strip().equals(program); i++) {
      Thread.sleep(50);
    }
    assertThat(comm).content().isEqualTo(program + "\n");
  }

  @Test
  void names_resolve_between_pods_and_outside() throws Exception {
    pods.apply(
        """
        apiVersion: v1
        kind: Service
        metadata: {name: names}
        spec: {clusterIP: None, publishNotReadyAddresses: true, selector: {app: names}, ports: [{port: 80}]}
        ---
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: n}
        spec:
          serviceName: names
          replicas: 2
          podManagementPolicy: Parallel
          selector: {matchLabels: {app: names}}
          template:
            metadata: {labels: {app: names}}
            spec:
              terminationGracePeriodSeconds: 1
              containers:
              - name: c
                image: test/app:1
                command:
                - sh
                - -c
                - |
                  for name in n-0.names n-1.names n-1.names.default n-0.names.default.svc n-1.names.default.svc.cluster.local; do
                    until getent ahostsv4 $name; do sleep 0.05; done
                  done
                  until test $(getent ahostsv4 names.default.svc | grep -c STREAM) = 2; do sleep 0.05; done
                  echo "i am $(hostname), done"
                  exec sleep infinity
        """);
    Pod first = pods.awaitReady("n-0");
    Pod second = pods.awaitReady("n-1");
    Pods.until("all names resolve", () -> pods.kubectl("logs", "n-0").contains("i am n-0, done"));
    assertThat(pods.kubectl("logs", "n-0"))
        .contains(first.getStatus().getPodIP(), second.getStatus().getPodIP());
    assertThat(Files.readString(sandbox.hostsFile()))
        .contains(second.getStatus().getPodIP() + " n-1.names.default.svc.cluster.local");
  }

  @Test
  void a_claims_data_and_the_address_outlive_the_pod() throws Exception {
    pods.apply(
        """
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: keep}
        spec:
          serviceName: keep
          replicas: 1
          selector: {matchLabels: {app: keep}}
          template:
            metadata: {labels: {app: keep}}
            spec:
              terminationGracePeriodSeconds: 1
              containers:
              - name: c
                image: test/app:1
                command: [sh, -c, 'echo "run $(id -un)" >> /var/lib/data/runs; wc -l < /var/lib/data/runs; echo own > /etc/own; exec sleep infinity']
                volumeMounts: [{name: data, mountPath: /var/lib/data}]
          volumeClaimTemplates:
          - metadata: {name: data}
            spec: {accessModes: [ReadWriteOnce], storageClassName: whatever, resources: {requests: {storage: 1Gi}}}
        """);
    Pod before = pods.awaitReady("keep-0");
    pods.delete("keep-0");
    Pod after =
        pods.await(
            "keep-0",
            pod ->
                Pods.ready(pod)
                    && !pod.getMetadata().getUid().equals(before.getMetadata().getUid()));
    assertThat(after.getStatus().getPodIP()).isEqualTo(before.getStatus().getPodIP());
    Pods.until("the second run is logged", () -> pods.kubectl("logs", "keep-0").equals("2\n"));
    assertThat(Path.of("/etc/own")).as("what a pod writes stays its own").doesNotExist();
  }

  @Test
  void environment_and_volumes_come_from_configmaps_secrets_and_fields() throws Exception {
    pods.apply(
        """
        {apiVersion: v1, kind: ConfigMap, metadata: {name: conf}, data: {color: green, file.txt: "from file"}}
        ---
        {apiVersion: v1, kind: Secret, metadata: {name: sec}, stringData: {word: carabiner}}
        ---
        apiVersion: v1
        kind: Pod
        metadata: {name: env, labels: {tier: db}}
        spec:
          restartPolicy: Never
          containers:
          - name: c
            image: test/app:1
            workingDir: /usr
            env:
            - {name: COLOR, valueFrom: {configMapKeyRef: {name: conf, key: color}}}
            - {name: WORD, valueFrom: {secretKeyRef: {name: sec, key: word}}}
            - {name: MAYBE, valueFrom: {secretKeyRef: {name: absent, key: x, optional: true}}}
            - {name: ME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
            - {name: TIER, valueFrom: {fieldRef: {fieldPath: "metadata.labels['tier']"}}}
            - {name: BOTH, value: "$(COLOR)-$(WORD)-$(NOPE)"}
            envFrom: [{prefix: ALL_, configMapRef: {name: conf}}]
            command: [sh, -c, 'echo "$BOTH $ME $TIER ${MAYBE-unset} $ALL_color $1 $PWD"; cat /c/file.txt /s/word /var/run/secrets/kubernetes.io/serviceaccount/namespace; echo x > /c/file.txt']
            args: [zero, "arg-$(COLOR)"]
            volumeMounts: [{name: c, mountPath: /c, readOnly: true}, {name: s, mountPath: /s}]
          volumes:
          - {name: c, configMap: {name: conf}}
          - {name: s, secret: {secretName: sec, items: [{key: word, path: word}]}}
        """);
    Pod pod = pods.await("env", p -> p != null && "Failed".equals(p.getStatus().getPhase()));
    assertThat(pods.kubectl("logs", "env"))
        .contains("green-carabiner-$(NOPE) env db unset green arg-green /usr")
        .contains("from filecarabinerdefault")
        .contains("Read-only file system");
    assertThat(Pods.first(pod).getState().getTerminated().getReason()).isEqualTo("Error");
  }

  @Test
  void a_missing_reference_is_named_and_found_when_it_comes() {
    pods.apply(
        """
        {apiVersion: v1, kind: Pod, metadata: {name: lacks}, spec: {containers: [
          {name: c, image: "test/app:1", env: [{name: X, valueFrom: {configMapKeyRef: {name: late, key: k}}}]}]}}
        """);
    Pod pod = pods.await("lacks", p -> Pods.waiting(p, "CreateContainerConfigError"));
    assertThat(Pods.first(pod).getState().getWaiting().getMessage())
        .isEqualTo("configmap \"late\" not found");
    pods.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: late}, data: {k: v}}");
    pods.awaitReady("lacks");
  }

  @Test
  void an_image_that_is_not_there_is_an_image_that_cannot_be_pulled() throws Exception {
    pods.apply(
        """
        {apiVersion: v1, kind: Pod, metadata: {name: pulls}, spec: {containers: [
          {name: c, image: "test/later:2"}]}}
        """);
    pods.await("pulls", p -> Pods.waiting(p, "ErrImagePull"));
    Pod pod = pods.await("pulls", p -> Pods.waiting(p, "ImagePullBackOff"));
    assertThat(pod.getStatus().getPhase()).isEqualTo("Pending");
    assertThat(Pods.first(pod).getState().getWaiting().getMessage()).contains("test/later:2");
    Pods.image(images, "test/later/2");
    pods.awaitReady("pulls");
  }

  @Test
  void init_containers_run_one_after_the_other_before_the_rest() throws Exception {
    pods.apply(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: inits}
        spec:
          initContainers:
          - {name: one, image: "test/app:1", command: [sh, -c, "sleep 0.3; echo one >> /w/log"], volumeMounts: [{name: w, mountPath: /w}]}
          - {name: two, image: "test/app:1", command: [sh, -c, "echo two >> /w/log"], volumeMounts: [{name: w, mountPath: /w}]}
          containers:
          - {name: c, image: "test/app:1", command: [sh, -c, "cat /w/log; exec sleep infinity"], volumeMounts: [{name: w, mountPath: /w}]}
          volumes: [{name: w, emptyDir: {}}]
        """);
    Pod pod = pods.awaitReady("inits");
    assertThat(pod.getStatus().getInitContainerStatuses())
        .allSatisfy(
            init -> assertThat(init.getState().getTerminated().getReason()).isEqualTo("Completed"));
    Pods.until("log", () -> pods.kubectl("logs", "inits", "-c", "c").equals("one\ntwo\n"));
  }

  @Test
  void a_failed_init_container_fails_a_pod_that_never_restarts() {
    pods.apply(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: badinit}
        spec:
          restartPolicy: Never
          initContainers: [{name: one, image: "test/app:1", command: [sh, -c, "exit 4"]}]
          containers: [{name: c, image: "test/app:1"}]
        """);
    Pod pod = pods.await("badinit", p -> p != null && "Failed".equals(p.getStatus().getPhase()));
    assertThat(
            pod.getStatus()
                .getInitContainerStatuses()
                .getFirst()
                .getState()
                .getTerminated()
                .getExitCode())
        .isEqualTo(4);
    assertThat(Pods.first(pod).getState().getRunning()).isNull();
  }

  @Test
  void what_is_not_supported_is_refused_in_words() throws Exception {
    pods.apply(
        """
        {apiVersion: v1, kind: Pod, metadata: {name: refused}, spec: {
          containers: [{name: c, image: "test/app:1"}],
          volumes: [{name: h, hostPath: {path: /etc}}]}}
        """);
    Pod pod =
        pods.await("refused", p -> p != null && "Unsupported".equals(p.getStatus().getReason()));
    assertThat(pod.getStatus().getPhase()).isEqualTo("Pending");
    assertThat(pod.getStatus().getMessage()).contains("spec.volumes[h].hostPath");
    Pods.until(
        "the event is there",
        () ->
            pods.events("refused")
                .contains("Unsupported: the sandbox does not support spec.volumes[h].hostPath"));
    pods.delete("refused");
    pods.awaitGone("refused");
  }

  @Test
  void a_pod_speaks_to_the_api_server_with_its_own_account() throws Exception {
    pods.apply(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: whoami}
        spec:
          restartPolicy: Never
          containers: [{name: c, image: "test/app:1", command: ["%s", auth, whoami, -o, yaml]}]
        """
            .formatted(sandbox.kubectl()));
    pods.await("whoami", p -> p != null && "Succeeded".equals(p.getStatus().getPhase()));
    assertThat(pods.kubectl("logs", "whoami")).contains("system:serviceaccount:default:default");
  }

  @Test
  void logs_can_be_followed_cut_and_asked_of_the_previous_run() throws Exception {
    pods.apply(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: talks}
        spec:
          restartPolicy: OnFailure
          containers:
          - {name: a, image: "test/app:1", command: [sh, -c, 'i=0; while [ $i -lt 20 ]; do i=$((i+1)); echo line $i; sleep 0.02; done']}
          - {name: b, image: "test/app:1", command: [sh, -c, 'if [ -e /w/again ]; then echo second; else echo first; touch /w/again; exit 1; fi'], volumeMounts: [{name: w, mountPath: /w}]}
          volumes: [{name: w, emptyDir: {}}]
        """);
    pods.await(
        "talks",
        p ->
            p != null
                && !p.getStatus().getContainerStatuses().isEmpty()
                && (Pods.first(p).getState().getWaiting() == null));
    assertThat(pods.kubectl("logs", "talks", "-c", "a", "-f")).endsWith("line 19\nline 20\n");
    pods.await("talks", p -> p != null && "Succeeded".equals(p.getStatus().getPhase()));
    assertThat(pods.kubectl("logs", "talks", "-c", "a", "--tail=2"))
        .isEqualTo("line 19\nline 20\n");
    assertThat(pods.kubectl("logs", "talks", "-c", "b")).isEqualTo("second\n");
    assertThat(pods.kubectl("logs", "talks", "-c", "b", "--previous")).isEqualTo("first\n");
    assertThat(pods.kubectl("logs", "talks", "-c", "a", "--timestamps")).contains("keeps no times");
  }
}
