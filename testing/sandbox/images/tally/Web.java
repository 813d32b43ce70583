import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** One question or answer over HTTP. */
final class Web {

  private final HttpClient http;
  private final Duration patience;

  Web(Duration patience) {
    this.patience = patience;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(patience.dividedBy(2))
            .build();
  }

  /** The words of the answer; none when there is none. */
  String[] ask(String host, String question, String body) {
    try {
      return http.send(
              HttpRequest.newBuilder(URI.create("http://" + host + question))
                  .timeout(patience)
                  .POST(HttpRequest.BodyPublishers.ofString(body))
                  .build(),
              BodyHandlers.ofString())
          .body()
          .split(" ");
    } catch (IOException e) {
      return new String[0];
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new String[0];
    }
  }

  static String body(HttpExchange exchange) throws IOException {
    return new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
  }

  static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try (exchange) {
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      if (bytes.length > 0) {
        exchange.getResponseBody().write(bytes);
      }
    }
  }

  static Map<String, String> query(URI uri) {
    Map<String, String> parts = new HashMap<>();
    if (uri.getQuery() != null) {
      for (String part : uri.getQuery().split("&")) {
        String[] pair = part.split("=", 2);
        parts.put(pair[0], pair.length > 1 ? pair[1] : "");
      }
    }
    return parts;
  }
}
