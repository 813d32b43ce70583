package dev.belay.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the API server was asked, by its own account. */
record Audit(Path log) {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Somebody deleted a pod, or had it evicted. */
  record Deletion(Instant at, String pod, String user) {}

  /** Whose deletions are the last word on a pod that has ended. */
  private static final String NODES = "sandbox-nodes";

  /**
   * Deletions by whom it may concern: neither the node's last word, nor what the StatefulSet
   * controller repeats of a pod that is already going.
   */
  List<Deletion> podDeletions(String namespace) {
    var going = new HashSet<String>();
    var first = new ArrayList<Deletion>();
    for (Deletion deletion : all(namespace)) {
      if (deletion.user().equals(NODES)) {
        going.remove(deletion.pod());
      } else if (going.add(deletion.pod())) {
        first.add(deletion);
      }
    }
    return first;
  }

  /** A partition that an account wrote, and the workload. */
  record PartitionWrite(Instant at, String workload, String user) {}

  /** The writes that let members of StatefulSets be replaced, or hold them back. */
  List<PartitionWrite> partitionWrites(String namespace) {
    return inNamespace(namespace).stream()
        .filter(e -> resource(e).equals("statefulsets"))
        .filter(e -> e.path("verb").asText().equals("patch"))
        .filter(e -> e.path("requestObject").toString().contains("\"partition\""))
        .map(e -> new PartitionWrite(at(e), name(e), user(e)))
        .toList();
  }

  /**
   * How many pods were deleted and not yet ready again at the same time, of all that were deleted
   * on purpose. A pod that a node takes down by itself does not count.
   */
  int mostTakenDown(String namespace) {
    var going = new HashSet<String>();
    var gone = new HashSet<String>();
    int most = 0;
    for (JsonNode event : inNamespace(namespace)) {
      String pod = name(event);
      if (!resource(event).equals("pods")) {
        continue;
      }
      if (takesAway(event)) {
        boolean last = user(event).equals(NODES);
        if (last && going.remove(pod)) {
          gone.add(pod);
        } else if (!last && !gone.contains(pod)) {
          going.add(pod);
        }
      } else if (saysReady(event)) {
        gone.remove(pod);
      }
      most = Math.max(most, going.size() + gone.size());
    }
    return most;
  }

  private static boolean saysReady(JsonNode event) {
    return event
        .path("requestObject")
        .path("status")
        .path("conditions")
        .valueStream()
        .anyMatch(c ->
            c.path("type").asText().equals("Ready") && c.path("status").asText().equals("True"));
  }

  /** A right that an account used: the API group, the resource with its subresource, the verb. */
  record Use(String group, String resource, String verb) {}

  /** What the API server allowed or forbade an account. */
  Set<Use> uses(String account, boolean allowed) {
    try (Stream<String> lines = Files.lines(log)) {
      return lines
          .filter(line -> line.contains(account))
          .map(Audit::parse)
          .filter(e -> user(e).equals(account))
          .filter(e -> !resource(e).isEmpty())
          .filter(e -> isAllowed(e) == allowed)
          .map(e ->
              new Use(
                  e.path("objectRef").path("apiGroup").asText(),
                  resource(e) + subresource(e),
                  e.path("verb").asText()))
          .collect(Collectors.toCollection(LinkedHashSet::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A refusal by the guard has the code 403 as well, but the request was authorized. */
  private static boolean isAllowed(JsonNode event) {
    return event
        .path("annotations")
        .path("authorization.k8s.io/decision")
        .asText("allow")
        .equals("allow");
  }

  /** The requests that took effect, in their order. */
  private List<JsonNode> inNamespace(String namespace) {
    try (Stream<String> lines = Files.lines(log)) {
      return lines
          .filter(line -> line.contains(namespace))
          .map(Audit::parse)
          .filter(e -> e.path("objectRef").path("namespace").asText().equals(namespace))
          .filter(e -> e.path("responseStatus").path("code").asInt() < 300)
          .filter(e -> !e.path("requestURI").asText().contains("dryRun=All"))
          .sorted(Comparator.comparing(Audit::at))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Instant at(JsonNode event) {
    return Instant.parse(event.path("requestReceivedTimestamp").asText());
  }

  private static String user(JsonNode event) {
    return event.path("user").path("username").asText();
  }

  private static String resource(JsonNode event) {
    return event.path("objectRef").path("resource").asText();
  }

  private static String subresource(JsonNode event) {
    String subresource = event.path("objectRef").path("subresource").asText();
    return subresource.isEmpty() ? "" : "/" + subresource;
  }

  private static String name(JsonNode event) {
    return event.path("objectRef").path("name").asText();
  }

  private List<Deletion> all(String namespace) {
    return inNamespace(namespace).stream()
        .filter(e -> resource(e).equals("pods"))
        .filter(Audit::takesAway)
        .map(e -> new Deletion(at(e), name(e), user(e)))
        .toList();
  }

  private static boolean takesAway(JsonNode event) {
    String verb =
        event.path("verb").asText() + " " + event.path("objectRef").path("subresource").asText();
    return verb.equals("delete ") || verb.equals("create eviction");
  }

  private static JsonNode parse(String line) {
    try {
      return JSON.readTree(line);
    } catch (IOException halfWritten) {
      return JSON.createObjectNode();
    }
  }
}
