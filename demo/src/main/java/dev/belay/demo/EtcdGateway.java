package dev.belay.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;

/** Speaks with etcd members over their JSON gateway. */
public final class EtcdGateway implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Duration patience;
  private final HttpClient http;

  /**
   * @param patience how long one answer may take: a frozen process accepts connections and is
   *     silent
   */
  public EtcdGateway(Duration patience) {
    this.patience = patience;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(patience)
            .build();
  }

  public static ObjectNode object() {
    return JSON.createObjectNode();
  }

  static String encode(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  static String decode(String base64) {
    return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
  }

  /** What the member says of itself and of its leader. */
  public JsonNode status(URI member) throws IOException, InterruptedException {
    return post(member, "/v3/maintenance/status", object());
  }

  void put(URI member, String key, String value) throws IOException, InterruptedException {
    ObjectNode question = object().put("key", encode(key)).put("value", encode(value));
    JsonNode answer = post(member, "/v3/kv/put", question);
    if (answer.path("header").path("revision").asLong() <= 0) {
      throw new IOException(member + " answered a write without a revision: " + answer);
    }
  }

  /** A linearizable read; the keys from {@code first} to before {@code end}, so many at most. */
  JsonNode range(URI member, String first, String end, int limit)
      throws IOException, InterruptedException {
    return post(
        member,
        "/v3/kv/range",
        object().put("key", encode(first)).put("range_end", encode(end)).put("limit", limit));
  }

  /** A linearizable read of one key. */
  JsonNode get(URI member, String key) throws IOException, InterruptedException {
    return post(member, "/v3/kv/range", object().put("key", encode(key)));
  }

  public JsonNode post(URI member, String path, ObjectNode body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(member.resolve(path))
            .timeout(patience)
            .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
            .build();
    HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException(
          "%s%s answered %d: %s".formatted(member, path, answer.statusCode(), answer.body()));
    }
    return JSON.readTree(answer.body());
  }

  @Override
  public void close() {
    http.shutdownNow();
    http.close();
  }
}
