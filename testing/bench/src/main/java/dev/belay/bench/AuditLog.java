package dev.belay.bench;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The times that an API server took for its requests, in its own words. The times of the client
 * would contain the client's own work, which hides a part of each ratio.
 */
record AuditLog(Path file) {

  private static final Set<String> WRITES = Set.of("patch", "update");

  @JsonIgnoreProperties(ignoreUnknown = true)
  record Event(
      String verb,
      String requestURI,
      @Nullable Target objectRef,
      String requestReceivedTimestamp,
      String stageTimestamp) {

    boolean writesSet() {
      return WRITES.contains(verb)
          && objectRef != null
          && "statefulsets".equals(objectRef.resource())
          && !requestURI.contains("dryRun=");
    }

    Duration time() {
      return Duration.between(
          Instant.parse(requestReceivedTimestamp), Instant.parse(stageTimestamp));
    }
  }

  @JsonIgnoreProperties(ignoreUnknown = true)
  record Target(@Nullable String resource, @Nullable String namespace, @Nullable String name) {}

  /** The patches and updates of StatefulSets, by "NAMESPACE/NAME", in their order. */
  Map<String, List<Duration>> setWrites() throws IOException {
    var serialization = new KubernetesSerialization();
    Map<String, List<Duration>> times = new HashMap<>();
    try (Stream<String> lines = Files.lines(file)) {
      lines
          .map(line -> serialization.unmarshal(line, Event.class))
          .filter(Event::writesSet)
          .forEach(e -> times.computeIfAbsent(key(e), _ -> new ArrayList<>()).add(e.time()));
    }
    return times;
  }

  private static String key(Event event) {
    Target target = event.objectRef();
    return target == null ? "" : target.namespace() + "/" + target.name();
  }
}
