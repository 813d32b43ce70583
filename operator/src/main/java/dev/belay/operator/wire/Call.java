package dev.belay.operator.wire;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/**
 * One HTTP request to one host, and what a good answer is.
 *
 * @param body empty when nothing is sent along
 */
public record Call(String method, int port, String path, String body, Expectation expectation) {

  public static Call get(int port, String path, Expectation expectation) {
    return new Call("GET", port, path, "", expectation);
  }

  /** The answer within the timeout, whatever the other side does. */
  public Answer to(String host, Duration timeout) throws InterruptedException {
    return Wire.within(
        timeout, host, _ -> send(URI.create("http://" + host + ":" + port + path), timeout));
  }

  /**
   * A client for each answer: a connection that was kept would go on to ask a member that the name
   * no longer means. A proxy of the machine's own knows no pods.
   */
  private Answer send(URI uri, Duration timeout) throws IOException, InterruptedException {
    HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .build();
    try {
      var response = client.send(request(uri, timeout), BodyHandlers.ofInputStream());
      try (InputStream answer = response.body()) {
        if (!expectation.fits(response.statusCode())) {
          return expectation.unfit(response.statusCode());
        }
        return expectation.readsBody()
            ? expectation.judge(answer.readNBytes(Expectation.LIMIT + 1))
            : Answer.good("answered " + response.statusCode());
      }
    } finally {
      client.shutdownNow();
    }
  }

  private HttpRequest request(URI uri, Duration timeout) {
    var request = HttpRequest.newBuilder(uri).timeout(timeout).header("User-Agent", "belay");
    if (body.isEmpty()) {
      return request.method(method, BodyPublishers.noBody()).build();
    }
    boolean json = body.startsWith("{") || body.startsWith("[");
    return request
        .header("Content-Type", json ? "application/json" : "text/plain; charset=utf-8")
        .method(method, BodyPublishers.ofString(body))
        .build();
  }
}
