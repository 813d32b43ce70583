package dev.belay.demo;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.api.v1alpha1.StatefulClusterStatus;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What Belay says of one StatefulCluster: its status and its events. */
public record BelayView(KubernetesClient client, String namespace, String name) {

  /** The status; empty as long as the operator has written none. */
  public Optional<StatefulClusterStatus> status() {
    return Optional.ofNullable(
            client.resources(StatefulCluster.class).inNamespace(namespace).withName(name).get())
        .map(StatefulCluster::getStatus);
  }

  public String phase() {
    return status().map(s -> text(s.phase())).orElse("");
  }

  /** The rule that objects; empty when none does. */
  public String rule() {
    return status().map(StatefulClusterStatus::blockedBy).map(b -> text(b.rule())).orElse("");
  }

  /** Why it waits, as one sentence; empty when it does not. */
  public String sentence() {
    return status().map(StatefulClusterStatus::blockedBy).map(BelayView::sentence).orElse("");
  }

  private static String sentence(StatefulClusterStatus.Blocked blocked) {
    return "%s waits: %s, %s; cure: %s"
        .formatted(
            text(blocked.object()),
            text(blocked.rule()),
            text(blocked.reading()),
            text(blocked.cure()));
  }

  /** Whether a condition is True. */
  public boolean is(String condition) {
    return status().stream()
        .flatMap(s -> s.conditions().stream())
        .anyMatch(c -> c.getType().equals(condition) && c.getStatus().equals("True"));
  }

  /** Everything it announced, oldest first. */
  public List<Event> events() {
    return client.v1().events().inNamespace(namespace).list().getItems().stream()
        .filter(e -> "StatefulCluster".equals(e.getInvolvedObject().getKind()))
        .filter(e -> name.equals(e.getInvolvedObject().getName()))
        .sorted(Comparator.comparing(BelayView::time))
        .toList();
  }

  private static String time(Event event) {
    return event.getEventTime() != null
        ? text(event.getEventTime().getTime())
        : text(event.getLastTimestamp());
  }

  private static String text(@Nullable String value) {
    return Objects.requireNonNullElse(value, "");
  }
}
