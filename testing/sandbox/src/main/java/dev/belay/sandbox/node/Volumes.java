package dev.belay.sandbox.node;

import dev.belay.sandbox.SandboxException;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.DownwardAPIVolumeFile;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ServiceAccountTokenProjection;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes the volumes of one pod, as folders that are bind-mounted into its containers. */
record Volumes(Environment.Setting setting, References references, Path folder, Path claims) {

  /** One bind mount. */
  record Mount(Path source, String target, boolean readOnly) {}

  /** The folder behind every volume of the pod. */
  Map<String, Path> prepare() throws MissingReference, IOException {
    Map<String, Path> sources = new HashMap<>();
    for (Volume volume : pod().getSpec().getVolumes()) {
      sources.put(volume.getName(), source(volume));
    }
    return sources;
  }

  static List<Mount> mounts(Container container, Map<String, Path> sources) throws IOException {
    List<Mount> mounts = new ArrayList<>();
    for (VolumeMount mount : container.getVolumeMounts()) {
      Path volume = sources.get(mount.getName());
      if (volume == null) {
        throw new IOException("no volume named " + mount.getName());
      }
      Path source = volume;
      if (mount.getSubPath() != null && !mount.getSubPath().isEmpty()) {
        source = volume.resolve(mount.getSubPath()).normalize();
        if (!source.startsWith(volume)) {
          throw new IOException("subPath %s leads out of its volume".formatted(mount.getSubPath()));
        }
        if (!Files.exists(source)) {
          openFolder(source);
        }
      }
      mounts.add(new Mount(source, mount.getMountPath(), Boolean.TRUE.equals(mount.getReadOnly())));
    }
    // An outer mount must not hide an inner one.
    mounts.sort(Comparator.comparing(Mount::target));
    return mounts;
  }

  private Pod pod() {
    return setting.pod();
  }

  private Path source(Volume volume) throws MissingReference, IOException {
    if (volume.getPersistentVolumeClaim() != null) {
      return claim(volume.getPersistentVolumeClaim().getClaimName());
    }
    Path own = folder.resolve(volume.getName());
    openFolder(own);
    if (volume.getConfigMap() != null) {
      var map = volume.getConfigMap();
      write(
          own,
          pick(
              references.configMap(map.getName(), map.getOptional()),
              map.getItems(),
              map.getOptional()),
          map.getDefaultMode());
    } else if (volume.getSecret() != null) {
      var secret = volume.getSecret();
      write(
          own,
          pick(
              references.secret(secret.getSecretName(), secret.getOptional()),
              secret.getItems(),
              secret.getOptional()),
          secret.getDefaultMode());
    } else if (volume.getDownwardAPI() != null) {
      var downward = volume.getDownwardAPI();
      write(own, downward(downward.getItems()), downward.getDefaultMode());
    } else if (volume.getProjected() != null) {
      for (VolumeProjection source : volume.getProjected().getSources()) {
        write(own, projected(source), volume.getProjected().getDefaultMode());
      }
    }
    return own;
  }

  private Map<String, byte[]> projected(VolumeProjection source) throws MissingReference {
    if (source.getConfigMap() != null) {
      var map = source.getConfigMap();
      return pick(
          references.configMap(map.getName(), map.getOptional()),
          map.getItems(),
          map.getOptional());
    }
    if (source.getSecret() != null) {
      var secret = source.getSecret();
      return pick(
          references.secret(secret.getName(), secret.getOptional()),
          secret.getItems(),
          secret.getOptional());
    }
    if (source.getDownwardAPI() != null) {
      return downward(source.getDownwardAPI().getItems());
    }
    ServiceAccountTokenProjection token = source.getServiceAccountToken();
    return Map.of(token.getPath(), token(token).getBytes(StandardCharsets.UTF_8));
  }

  /** A token bound to the pod. The usual hour and 7 seconds is prolonged by the API server. */
  private String token(ServiceAccountTokenProjection token) {
    TokenRequestBuilder request =
        new TokenRequestBuilder()
            .withNewSpec()
            .withExpirationSeconds(Optional.ofNullable(token.getExpirationSeconds()).orElse(3607L))
            .withNewBoundObjectRef(
                "v1", "Pod", pod().getMetadata().getName(), pod().getMetadata().getUid())
            .endSpec();
    if (token.getAudience() != null && !token.getAudience().isEmpty()) {
      request.editSpec().withAudiences(token.getAudience()).endSpec();
    }
    return references
        .client()
        .serviceAccounts()
        .inNamespace(references.namespace())
        .withName(Optional.ofNullable(pod().getSpec().getServiceAccountName()).orElse("default"))
        .tokenRequest(request.build())
        .getStatus()
        .getToken();
  }

  private Map<String, byte[]> downward(List<DownwardAPIVolumeFile> items) throws MissingReference {
    Map<String, byte[]> files = new HashMap<>();
    for (DownwardAPIVolumeFile item : items) {
      if (item.getFieldRef() == null) {
        throw new MissingReference("resourceFieldRef of " + item.getPath() + " is not supported");
      }
      String value =
          References.field(
              pod(), item.getFieldRef().getFieldPath(), setting.podIp(), setting.hostIp());
      files.put(item.getPath(), value.getBytes(StandardCharsets.UTF_8));
    }
    return files;
  }

  private Path claim(String name) throws MissingReference {
    PersistentVolumeClaim claim =
        references
            .client()
            .persistentVolumeClaims()
            .inNamespace(references.namespace())
            .withName(name)
            .get();
    if (claim == null) {
      throw new MissingReference("persistentvolumeclaim \"%s\" not found".formatted(name));
    }
    String volumeName = claim.getSpec().getVolumeName();
    PersistentVolume volume =
        volumeName == null
            ? null
            : references.client().persistentVolumes().withName(volumeName).get();
    if (volume == null) {
      throw new MissingReference("persistentvolumeclaim \"%s\" is not bound".formatted(name));
    }
    Path path =
        volume.getSpec().getHostPath() == null
            ? folder.getRoot()
            : Path.of(volume.getSpec().getHostPath().getPath()).normalize();
    if (!path.startsWith(claims)) {
      throw new SandboxException(
          "persistentvolume %s is not one of the sandbox's; only folders under %s are mounted"
              .formatted(volumeName, claims));
    }
    return path;
  }

  private static Map<String, byte[]> pick(
      Map<String, byte[]> data, @Nullable List<KeyToPath> items, @Nullable Boolean optional)
      throws MissingReference {
    if (items == null || items.isEmpty()) {
      return data;
    }
    Map<String, byte[]> picked = new HashMap<>();
    for (KeyToPath item : items) {
      byte[] value = data.get(item.getKey());
      if (value != null) {
        picked.put(item.getPath(), value);
      } else if (!Boolean.TRUE.equals(optional)) {
        throw new MissingReference("references non-existent config key: " + item.getKey());
      }
    }
    return picked;
  }

  private static void write(Path folder, Map<String, byte[]> files, @Nullable Integer mode)
      throws IOException {
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Path target = folder.resolve(file.getKey()).normalize();
      if (!target.startsWith(folder)) {
        throw new IOException("path %s leads out of its volume".formatted(file.getKey()));
      }
      Files.createDirectories(target.getParent());
      Files.write(target, file.getValue());
      Files.setPosixFilePermissions(
          target, PosixFilePermissions.fromString(rights(mode == null ? 0644 : mode)));
    }
  }

  static String rights(int mode) {
    StringBuilder out = new StringBuilder();
    for (int bit = 8; bit >= 0; bit--) {
      out.append((mode >> bit & 1) == 1 ? "xwr".charAt(bit % 3) : '-');
    }
    return out.toString();
  }

  /** A folder that any user of a pod may write to, as a kubelet makes them. */
  static void openFolder(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
  }
}
