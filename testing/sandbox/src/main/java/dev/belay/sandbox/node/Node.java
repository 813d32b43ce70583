package dev.belay.sandbox.node;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.NodeStatusBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A Node object and its signs of life. */
final class Node {
  private static final Logger LOG = LoggerFactory.getLogger(Node.class);
  private static final String LEASES = "kube-node-lease";
  private static final int LEASE_SECONDS = 16;

  private final KubernetesClient client;
  private final String name;
  private final String address;
  private final int kubeletPort;
  private volatile boolean running;

  Node(KubernetesClient client, String name, String address, int kubeletPort) {
    this.client = client;
    this.name = name;
    this.address = address;
    this.kubeletPort = kubeletPort;
  }

  String name() {
    return name;
  }

  String address() {
    return address;
  }

  boolean running() {
    return running;
  }

  /** Makes the node known, or known again, as ready. */
  void register() {
    var node =
        new NodeBuilder()
            .withNewMetadata()
            .withName(name)
            .addToLabels("kubernetes.io/hostname", name)
            .addToLabels("kubernetes.io/os", "linux")
            .addToLabels("kubernetes.io/arch", arch())
            .endMetadata()
            .withStatus(status())
            .build();
    try {
      client.nodes().resource(node).create();
    } catch (KubernetesClientException e) {
      if (e.getCode() != 409) {
        throw e;
      }
      postStatus();
    }
    running = true;
    renew();
  }

  private boolean isReady() {
    io.fabric8.kubernetes.api.model.Node node = client.nodes().withName(name).get();
    return node != null
        && node.getStatus().getConditions().stream()
            .anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals("True"));
  }

  private void postStatus() {
    client
        .nodes()
        .withName(name)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE),
            Serialization.asJson(Map.of("status", status())));
  }

  /** Falls silent; the control plane finds out by itself. */
  void stop() {
    running = false;
  }

  void renew() {
    if (!running) {
      return;
    }
    try {
      client
          .leases()
          .inNamespace(LEASES)
          .resource(
              new LeaseBuilder()
                  .withNewMetadata()
                  .withName(name)
                  .withNamespace(LEASES)
                  .endMetadata()
                  .withNewSpec()
                  .withHolderIdentity(name)
                  .withLeaseDurationSeconds(LEASE_SECONDS)
                  .withRenewTime(ZonedDateTime.now(ZoneOffset.UTC))
                  .endSpec()
                  .build())
          .createOr(existing -> existing.patch());
      // The control plane may have taken it for lost, after an API server that was away or slow.
      if (!isReady()) {
        postStatus();
      }
    } catch (KubernetesClientException e) {
      LOG.debug("lease of {} not renewed: {}", name, e.getMessage());
    }
  }

  private NodeStatus status() {
    // Nobody is held to these; they only let the scheduler place what charts usually ask for.
    Map<String, Quantity> capacity =
        Map.of(
            "cpu", new Quantity("64"),
            "memory", new Quantity("256Gi"),
            "ephemeral-storage", new Quantity("1Ti"),
            "pods", new Quantity("500"));
    return new NodeStatusBuilder()
        .withCapacity(capacity)
        .withAllocatable(capacity)
        .withConditions(conditions())
        .addNewAddress(address, "InternalIP")
        .addNewAddress(name, "Hostname")
        .withNewDaemonEndpoints()
        .withNewKubeletEndpoint(kubeletPort)
        .endDaemonEndpoints()
        .withNewNodeInfo()
        .withArchitecture(arch())
        .withBootID(name)
        .withContainerRuntimeVersion("sandbox://1")
        .withKernelVersion(System.getProperty("os.version"))
        .withKubeProxyVersion("")
        .withKubeletVersion("v1.36.3")
        .withMachineID(name)
        .withOperatingSystem("linux")
        .withOsImage("Belay sandbox")
        .withSystemUUID(name)
        .endNodeInfo()
        .build();
  }

  private static List<NodeCondition> conditions() {
    String now = StatusOf.time(Instant.now());
    return Stream.of(
            List.of("MemoryPressure", "False", "KubeletHasSufficientMemory"),
            List.of("DiskPressure", "False", "KubeletHasNoDiskPressure"),
            List.of("PIDPressure", "False", "KubeletHasSufficientPID"),
            List.of("Ready", "True", "KubeletReady"))
        .map(c ->
            new NodeConditionBuilder()
                .withType(c.get(0))
                .withStatus(c.get(1))
                .withReason(c.get(2))
                .withLastHeartbeatTime(now)
                .withLastTransitionTime(now)
                .build())
        .toList();
  }

  private static String arch() {
    return switch (System.getProperty("os.arch")) {
      case "aarch64" -> "arm64";
      default -> "amd64";
    };
  }
}
