package dev.belay.drivers.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/**
 * Sends one request to one member and turns whatever happens into a {@link Reply}: the only place
 * where the I/O exceptions of HTTP exist.
 */
public final class Wire {

  public static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  /** Far above any status or member list, far below what could hurt the operator. */
  public static final int JSON_LIMIT = 1 << 20;

  private static final int MESSAGE_LIMIT = 200;

  private final HttpClient http;

  public Wire(HttpClient http) {
    this.http = http;
  }

  /** How the body of a good answer is read. */
  @FunctionalInterface
  public interface Body<T> {
    Reply<T> read(InputStream in) throws IOException;
  }

  /** How often a request may reach the member. */
  public enum Times {
    /** A pooled connection may have died with the member's last process: a read tries once more. */
    AGAIN_IF_CUT,
    ONCE
  }

  public <T> Reply<T> send(
      HttpRequest.Builder request, Times times, Deadline deadline, Body<T> body) {
    // A process that was stopped since it decided may have been replaced by one that believes that
    // this will never be sent.
    if (deadline.over()) {
      return new Reply.Unsent<>();
    }
    HttpRequest built = request.timeout(deadline.left()).build();
    try {
      HttpResponse<InputStream> response =
          http.send(built, HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream in = response.body()) {
        return answer(response.statusCode(), in, body);
      }
    } catch (HttpTimeoutException e) {
      return new Reply.Failed<>(deadline.missed());
    } catch (ConnectException e) {
      return notConnected(built.uri(), e, deadline);
    } catch (SSLException e) {
      return new Reply.Failed<>("TLS fails: " + clip(String.valueOf(e.getMessage())));
    } catch (IOException e) {
      return times == Times.AGAIN_IF_CUT
          ? send(request, Times.ONCE, deadline, body)
          : new Reply.Failed<>("the connection broke off: " + clip(String.valueOf(e.getMessage())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Reply.Failed<>(deadline.missed());
    }
  }

  private static <T> Reply<T> answer(int status, InputStream in, Body<T> body) throws IOException {
    if (status == 200) {
      return body.read(in);
    }
    if (status >= 300 && status < 400) {
      return new Reply.Failed<>("redirects elsewhere (" + status + "), which is not followed");
    }
    return new Reply.Rejected<>(status, errorText(in));
  }

  /** A JSON object; anything else is malformed. */
  public static Reply<JsonNode> json(InputStream in) throws IOException {
    Reply<JsonNode> value = anyJson(in);
    return value instanceof Reply.Ok<JsonNode>(JsonNode node) && !(node instanceof ObjectNode)
        ? new Reply.Failed<>("malformed answer: not a JSON object")
        : value;
  }

  /** Any JSON value; nothing at all is malformed. */
  public static Reply<JsonNode> anyJson(InputStream in) throws IOException {
    byte[] bytes = in.readNBytes(JSON_LIMIT + 1);
    if (bytes.length > JSON_LIMIT) {
      return new Reply.Failed<>("answers with more than " + JSON_LIMIT / 1024 + " KiB");
    }
    try {
      JsonNode node = JSON.readTree(bytes);
      return node == null || node.isMissingNode()
          ? new Reply.Failed<>("malformed answer: not JSON")
          : new Reply.Ok<>(node);
    } catch (JsonProcessingException e) {
      return new Reply.Failed<>("malformed answer: " + clip(e.getOriginalMessage()));
    }
  }

  /** What went wrong in the system's own words, as far as they are words; or nothing. */
  private static String errorText(InputStream in) throws IOException {
    String text = new String(in.readNBytes(JSON_LIMIT), StandardCharsets.UTF_8);
    try {
      JsonNode node = JSON.readTree(text);
      return node.isTextual()
          ? clip(node.textValue())
          : Stream.of("message", "error", "reason")
              .map(key -> node.path(key).asText(""))
              .filter(said -> !said.isBlank())
              .findFirst()
              .map(Wire::clip)
              .orElse("");
    } catch (JsonProcessingException plain) {
      return text.stripLeading().startsWith("<") ? "" : clip(text);
    }
  }

  /**
   * The JDK's client tells a refused connection from an unreachable one by no sign that can be
   * relied on; a bare connect does.
   */
  private static <T> Reply<T> notConnected(URI uri, ConnectException e, Deadline deadline) {
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (t instanceof UnresolvedAddressException) {
        return new Reply.Failed<>("the name " + uri.getHost() + " does not resolve");
      }
    }
    try (var socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(uri.getHost(), uri.getPort()), (int) deadline.left().toMillis());
      return new Reply.Failed<>("refused a connection, then took one: it is just starting");
    } catch (ConnectException refused) {
      return String.valueOf(refused.getMessage()).contains("refused")
          ? new Reply.Refused<>()
          : new Reply.Failed<>("cannot be reached: " + clip(String.valueOf(refused.getMessage())));
    } catch (IOException other) {
      return new Reply.Failed<>("cannot be reached: " + clip(String.valueOf(other.getMessage())));
    }
  }

  /** What others wrote ends up in a status: printable and short. */
  public static String clip(String text) {
    String printable = text.replaceAll("\\p{Cntrl}+", " ").strip();
    return printable.length() > MESSAGE_LIMIT
        ? printable.substring(0, MESSAGE_LIMIT) + "…"
        : printable;
  }
}
