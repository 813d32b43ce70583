package dev.belay.sandbox.node;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Lifecycle;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds what a pod asks for and a sandbox cannot give; silence would be worse than a refusal. */
final class Unsupported {
  private final List<String> fields = new ArrayList<>();

  private Unsupported() {}

  /** The fields that stand in the way, as paths; none when the pod can run. */
  static List<String> in(PodSpec spec) {
    Unsupported found = new Unsupported();
    found.pod(spec);
    spec.getVolumes().forEach(found::volume);
    for (int i = 0; i < spec.getInitContainers().size(); i++) {
      Container init = spec.getInitContainers().get(i);
      found.add(
          "spec.initContainers[%s].restartPolicy".formatted(init.getName()),
          init.getRestartPolicy());
      found.container("spec.initContainers[%s]".formatted(init.getName()), init);
    }
    for (Container container : spec.getContainers()) {
      found.container("spec.containers[%s]".formatted(container.getName()), container);
    }
    return List.copyOf(found.fields);
  }

  private void pod(PodSpec spec) {
    add("spec.hostNetwork", yes(spec.getHostNetwork()));
    add("spec.hostPID", yes(spec.getHostPID()));
    add("spec.hostIPC", yes(spec.getHostIPC()));
    add("spec.shareProcessNamespace", yes(spec.getShareProcessNamespace()));
    add("spec.readinessGates", spec.getReadinessGates());
    add("spec.ephemeralContainers", spec.getEphemeralContainers());
    add("spec.resourceClaims", spec.getResourceClaims());
    add("spec.hostAliases", spec.getHostAliases());
    add("spec.runtimeClassName", spec.getRuntimeClassName());
    add("spec.activeDeadlineSeconds", spec.getActiveDeadlineSeconds());
    add("spec.setHostnameAsFQDN", yes(spec.getSetHostnameAsFQDN()));
    if (spec.getOs() != null && !"linux".equals(spec.getOs().getName())) {
      fields.add("spec.os.name");
    }
  }

  private void volume(Volume volume) {
    boolean known =
        volume.getEmptyDir() != null
            || volume.getConfigMap() != null
            || volume.getSecret() != null
            || volume.getDownwardAPI() != null
            || volume.getProjected() != null
            || volume.getPersistentVolumeClaim() != null;
    String path = "spec.volumes[%s]".formatted(volume.getName());
    if (!known) {
      fields.add(path + kind(volume));
    }
    if (volume.getProjected() != null) {
      volume
          .getProjected()
          .getSources()
          .forEach(source -> {
            add(path + ".projected.clusterTrustBundle", source.getClusterTrustBundle());
            add(path + ".projected.podCertificate", source.getPodCertificate());
          });
    }
  }

  private static String kind(Volume volume) {
    return Stream.of(
            volume.getHostPath() != null ? ".hostPath" : "",
            volume.getNfs() != null ? ".nfs" : "",
            volume.getCsi() != null ? ".csi" : "",
            volume.getEphemeral() != null ? ".ephemeral" : "",
            volume.getImage() != null ? ".image" : "")
        .filter(kind -> !kind.isEmpty())
        .findFirst()
        .orElse(" (unknown kind)");
  }

  private void container(String path, Container container) {
    container.getPorts().forEach(port -> add(path + ".ports[].hostPort", port.getHostPort()));
    add(path + ".volumeDevices", container.getVolumeDevices());
    add(path + ".tty", yes(container.getTty()));
    container
        .getVolumeMounts()
        .forEach(mount ->
            add(
                path + ".volumeMounts[%s].subPathExpr".formatted(mount.getName()),
                mount.getSubPathExpr()));
    if (container.getSecurityContext() != null) {
      add(
          path + ".securityContext.privileged",
          yes(container.getSecurityContext().getPrivileged()));
    }
    if (container.getResources() != null) {
      add(path + ".resources.claims", container.getResources().getClaims());
    }
    container.getEnv().forEach(env -> environment(path, env));
    probe(path + ".livenessProbe", container.getLivenessProbe());
    probe(path + ".readinessProbe", container.getReadinessProbe());
    probe(path + ".startupProbe", container.getStartupProbe());
    Lifecycle lifecycle = container.getLifecycle();
    if (lifecycle != null) {
      add(path + ".lifecycle.postStart", lifecycle.getPostStart());
      add(path + ".lifecycle.stopSignal", lifecycle.getStopSignal());
    }
  }

  private void environment(String path, EnvVar env) {
    if (env.getValueFrom() != null) {
      String field = path + ".env[%s].valueFrom.".formatted(env.getName());
      add(field + "resourceFieldRef", env.getValueFrom().getResourceFieldRef());
      add(field + "fileKeyRef", env.getValueFrom().getFileKeyRef());
    }
  }

  private void probe(String path, @Nullable Probe probe) {
    if (probe != null) {
      add(path + ".grpc", probe.getGrpc());
    }
  }

  private void add(String field, @Nullable Object value) {
    boolean empty = value == null || (value instanceof List<?> list && list.isEmpty());
    if (!empty) {
      fields.add(field);
    }
  }

  private static @Nullable Boolean yes(@Nullable Boolean value) {
    return Boolean.TRUE.equals(value) ? value : null;
  }
}
