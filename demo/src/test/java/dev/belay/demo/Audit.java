package dev.belay.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** What the API server was asked, by its own account. */
record Audit(Path log) {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Somebody deleted a pod. */
  record Deletion(Instant at, String pod, String user) {}

  /** Deletions by whom it may concern: not the node's last word on a pod that has ended. */
  List<Deletion> podDeletions(String namespace) {
    try (Stream<String> lines = Files.lines(log)) {
      return lines
          .map(Audit::parse)
          .filter(e -> e.path("verb").asText().equals("delete"))
          .filter(e -> e.path("responseStatus").path("code").asInt() < 300)
          .filter(e -> e.path("objectRef").path("resource").asText().equals("pods"))
          .filter(e -> e.path("objectRef").path("subresource").asText().isEmpty())
          .filter(e -> e.path("objectRef").path("namespace").asText().equals(namespace))
          .map(e ->
              new Deletion(
                  Instant.parse(e.path("requestReceivedTimestamp").asText()),
                  e.path("objectRef").path("name").asText(),
                  e.path("user").path("username").asText()))
          .filter(d -> !d.user().equals("sandbox-nodes"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonNode parse(String line) {
    try {
      return JSON.readTree(line);
    } catch (IOException halfWritten) {
      return JSON.createObjectNode();
    }
  }
}
