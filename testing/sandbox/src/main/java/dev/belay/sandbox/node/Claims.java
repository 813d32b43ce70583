package dev.belay.sandbox.node;

import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives every claim, of whatever storage class, a folder that outlives the pod. */
final class Claims implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Claims.class);
  private static final String STORAGE_CLASS = "sandbox";
  private static final String MARK = "belay.dev/sandbox-volume";

  private final KubernetesClient client;
  private final Path folder;
  private final List<SharedIndexInformer<?>> informers;

  private Claims(KubernetesClient client, Path folder) {
    this.client = client;
    this.folder = folder;
    this.informers =
        List.of(
            client.persistentVolumeClaims().inAnyNamespace().inform(onEach(this::provide)),
            client.persistentVolumes().withLabel(MARK).inform(onEach(this::release)));
  }

  static Claims start(KubernetesClient client, Path folder) {
    client
        .storage()
        .v1()
        .storageClasses()
        .resource(
            new StorageClassBuilder()
                .withNewMetadata()
                .withName(STORAGE_CLASS)
                .addToAnnotations("storageclass.kubernetes.io/is-default-class", "true")
                .endMetadata()
                .withProvisioner("belay.dev/sandbox")
                .withReclaimPolicy("Delete")
                .withVolumeBindingMode("Immediate")
                .build())
        .createOr(existing -> existing.update());
    return new Claims(client, folder);
  }

  private void provide(PersistentVolumeClaim claim) {
    boolean bound =
        claim.getSpec().getVolumeName() != null && !claim.getSpec().getVolumeName().isEmpty();
    boolean leaving = claim.getMetadata().getDeletionTimestamp() != null;
    if (bound || leaving || "Block".equals(claim.getSpec().getVolumeMode())) {
      return;
    }
    String uid = claim.getMetadata().getUid();
    Path own =
        folder
            .resolve(claim.getMetadata().getNamespace())
            .resolve(claim.getMetadata().getName() + "-" + uid);
    try {
      Volumes.openFolder(own);
      client.persistentVolumes().resource(volume(claim, own)).create();
    } catch (IOException | KubernetesClientException e) {
      boolean there = e instanceof KubernetesClientException k && k.getCode() == 409;
      if (!there) {
        LOG.warn("no volume for claim {}: {}", claim.getMetadata().getName(), e.getMessage());
      }
    }
  }

  private static PersistentVolume volume(PersistentVolumeClaim claim, Path own) {
    return new PersistentVolumeBuilder()
        .withNewMetadata()
        .withName("sandbox-" + claim.getMetadata().getUid())
        .addToLabels(MARK, "true")
        .endMetadata()
        .withNewSpec()
        .withAccessModes(claim.getSpec().getAccessModes())
        .withCapacity(Map.copyOf(claim.getSpec().getResources().getRequests()))
        .withStorageClassName(claim.getSpec().getStorageClassName())
        // The controller's own deleter refuses host paths outside /tmp: we delete ourselves.
        .withPersistentVolumeReclaimPolicy("Retain")
        .withNewHostPath()
        .withPath(own.toString())
        .endHostPath()
        .withClaimRef(
            new ObjectReferenceBuilder()
                .withApiVersion("v1")
                .withKind("PersistentVolumeClaim")
                .withNamespace(claim.getMetadata().getNamespace())
                .withName(claim.getMetadata().getName())
                .withUid(claim.getMetadata().getUid())
                .build())
        .endSpec()
        .build();
  }

  private void release(PersistentVolume volume) {
    if (volume.getStatus() == null || !"Released".equals(volume.getStatus().getPhase())) {
      return;
    }
    Path own = Path.of(volume.getSpec().getHostPath().getPath()).normalize();
    try {
      client.persistentVolumes().resource(volume).delete();
      if (own.startsWith(folder)) {
        Trees.delete(own);
      }
    } catch (IOException | KubernetesClientException e) {
      LOG.warn("volume {} not deleted: {}", volume.getMetadata().getName(), e.getMessage());
    }
  }

  private interface Look<T> {
    void at(T object);
  }

  private static <T> ResourceEventHandler<T> onEach(Look<T> look) {
    return new ResourceEventHandler<>() {
      @Override
      public void onAdd(T object) {
        look.at(object);
      }

      @Override
      public void onUpdate(T before, T object) {
        look.at(object);
      }

      @Override
      public void onDelete(T object, boolean unknown) {}
    };
  }

  @Override
  public void close() {
    informers.forEach(SharedIndexInformer::stop);
  }
}
