package dev.belay.sandbox.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

class UnsupportedTest {
  @Test
  void names_every_field_it_cannot_honour() {
    Pod pod =
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: p}
            spec:
              hostNetwork: true
              readinessGates: [{conditionType: x}]
              initContainers: [{name: side, image: i, restartPolicy: Always}]
              containers:
              - name: c
                image: i
                ports: [{containerPort: 80, hostPort: 80}]
                livenessProbe: {grpc: {port: 1}}
                lifecycle: {postStart: {exec: {command: [x]}}}
                securityContext: {privileged: true}
                env: [{name: E, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]
              volumes:
              - {name: h, hostPath: {path: /}}
              - {name: n, nfs: {server: s, path: /}}
            """,
            Pod.class);
    assertThat(Unsupported.in(pod.getSpec()))
        .containsExactlyInAnyOrder(
            "spec.hostNetwork",
            "spec.readinessGates",
            "spec.initContainers[side].restartPolicy",
            "spec.containers[c].ports[].hostPort",
            "spec.containers[c].livenessProbe.grpc",
            "spec.containers[c].lifecycle.postStart",
            "spec.containers[c].securityContext.privileged",
            "spec.containers[c].env[E].valueFrom.resourceFieldRef",
            "spec.volumes[h].hostPath",
            "spec.volumes[n].nfs");
  }

  @Test
  void takes_what_charts_usually_carry() {
    Pod pod =
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: p}
            spec:
              securityContext: {fsGroup: 1001, runAsUser: 1001, seccompProfile: {type: RuntimeDefault}}
              affinity: {podAntiAffinity: {}}
              tolerations: [{operator: Exists}]
              topologySpreadConstraints: []
              imagePullSecrets: [{name: x}]
              priorityClassName: high
              hostNetwork: false
              containers:
              - name: c
                image: i
                imagePullPolicy: Always
                ports: [{name: client, containerPort: 2379}]
                resources: {requests: {cpu: 100m}, limits: {memory: 1Gi}}
                securityContext: {runAsNonRoot: true, allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
            """,
            Pod.class);
    assertThat(Unsupported.in(pod.getSpec())).isEmpty();
  }
}
