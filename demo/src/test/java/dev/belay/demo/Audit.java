package dev.belay.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
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

  private List<Deletion> all(String namespace) {
    try (Stream<String> lines = Files.lines(log)) {
      return lines
          .filter(line -> line.contains(namespace))
          .map(Audit::parse)
          .filter(Audit::takesAway)
          .filter(e -> e.path("responseStatus").path("code").asInt() < 300)
          .filter(e -> e.path("objectRef").path("resource").asText().equals("pods"))
          .filter(e -> e.path("objectRef").path("namespace").asText().equals(namespace))
          .map(e ->
              new Deletion(
                  Instant.parse(e.path("requestReceivedTimestamp").asText()),
                  e.path("objectRef").path("name").asText(),
                  e.path("user").path("username").asText()))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean takesAway(JsonNode event) {
    String verb =
        event.path("verb").asText() + " " + event.path("objectRef").path("subresource").asText();
    return (verb.equals("delete ") || verb.equals("create eviction"))
        && !event.path("requestURI").asText().contains("dryRun=All");
  }

  private static JsonNode parse(String line) {
    try {
      return JSON.readTree(line);
    } catch (IOException halfWritten) {
      return JSON.createObjectNode();
    }
  }
}
