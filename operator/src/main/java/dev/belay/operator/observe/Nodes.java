package dev.belay.operator.observe;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import java.util.Optional;

/** Tells whether the members on a node are about to leave it. */
final class Nodes {

  private Nodes() {}

  /** Why the node is going away, or empty. */
  static Optional<String> leaving(Node node) {
    String name = node.getMetadata().getName();
    if (node.getMetadata().getDeletionTimestamp() != null) {
      return Optional.of("node " + name + " is being deleted");
    }
    if (Boolean.TRUE.equals(node.getSpec().getUnschedulable())) {
      return Optional.of("node " + name + " is cordoned");
    }
    boolean ready =
        node.getStatus().getConditions().stream()
            .filter(c -> "Ready".equals(c.getType()))
            .map(NodeCondition::getStatus)
            .anyMatch("True"::equals);
    return ready ? Optional.empty() : Optional.of("node " + name + " is not ready");
  }
}
