package dev.belay.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Questions to pods, as anybody beside them may ask; whatever is no good answer is none. */
final class Web implements AutoCloseable {

  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();
  private final ObjectMapper json = new ObjectMapper();

  /**
   * @param host empty or null as long as the pod has no address
   */
  Optional<String> get(@Nullable String host, int port, String path, int seconds) {
    if (host == null || host.isEmpty()) {
      return Optional.empty();
    }
    return send(to(host, port, path).timeout(Duration.ofSeconds(seconds)));
  }

  /** Whether it was taken. */
  boolean put(String host, int port, String path, String body) {
    return send(to(host, port, path)
            .timeout(Duration.ofSeconds(5))
            .PUT(HttpRequest.BodyPublishers.ofString(body)))
        .isPresent();
  }

  private static HttpRequest.Builder to(String host, int port, String path) {
    return HttpRequest.newBuilder(URI.create("http://" + host + ":" + port + path));
  }

  private Optional<String> send(HttpRequest.Builder request) {
    try {
      HttpResponse<String> answer =
          http.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() == 200 ? Optional.of(answer.body()) : Optional.empty();
    } catch (IOException silent) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  Optional<JsonNode> json(@Nullable String host, int port, String path, int seconds) {
    return get(host, port, path, seconds).flatMap(this::tree);
  }

  private Optional<JsonNode> tree(String text) {
    try {
      return Optional.of(json.readTree(text));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** What a client that writes and reads back says of itself; empty as long as it says nothing. */
  JsonNode figures(Place place, String pod, String path) {
    String host =
        Optional.ofNullable(place.pods().get(pod)).map(p -> p.getStatus().getPodIP()).orElse("");
    return json(host, 8000, "/" + path, 60).orElse(json.createObjectNode());
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
