package dev.belay.drivers.http;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.drivers.DriverConfig.Auth;
import dev.belay.drivers.http.Declaration.Transfer;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** The requests a declaration asks for, with the credentials where it wants them. */
final class Requests {

  private static final String USERNAME = "{username}";
  private static final String PASSWORD = "{password}";

  private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  Requests(Declaration declaration, Optional<Auth> auth) {
    boolean placed =
        declaration.headers().values().stream()
            .anyMatch(v -> v.contains(USERNAME) || v.contains(PASSWORD));
    if (placed && auth.isEmpty()) {
      throw new IllegalArgumentException(
          "driver.http.headers wants {username} or {password}, but there is no driver.auth; name the"
              + " Secret that holds them in driver.auth, or write the header out");
    }
    headers.put("Accept", "application/json, text/plain;q=0.9, */*;q=0.8");
    headers.putAll(declaration.headers(auth.map(Requests::credentials).orElse(Map.of())));
    if (auth.isPresent() && !placed) {
      headers.put("Authorization", basic(auth.get()));
    }
  }

  private static Map<String, String> credentials(Auth auth) {
    return Map.of(
        USERNAME, printable("username", auth.username()),
        PASSWORD, printable("password", auth.password()));
  }

  /** A newline at the end of a Secret's value is the commonest of mistakes. */
  private static String printable(String what, String value) {
    if (!value.chars().allMatch(c -> c >= ' ' && c <= '~')) {
      throw new IllegalArgumentException(
          "driver.auth: the "
              + what
              + " has a character that no header can carry, often a newline at its end; write the"
              + " Secret without it");
    }
    return value;
  }

  private static String basic(Auth auth) {
    String pair = auth.username() + ":" + auth.password();
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
  }

  HttpRequest.Builder get(Seat seat, String path) {
    return to(seat, path, headers).GET();
  }

  /** The names of the two members and the term in their places. */
  HttpRequest.Builder transfer(Seat seat, Transfer transfer, Map<String, String> places) {
    String path = filled(transfer.path(), places, Requests::inPath);
    String body = filled(transfer.body(), places, Requests::inJson);
    var all = new LinkedHashMap<>(headers);
    if (body.isEmpty()) {
      return to(seat, path, all).method(transfer.method(), HttpRequest.BodyPublishers.noBody());
    }
    if (!headers.containsKey("Content-Type")) {
      all.put("Content-Type", "application/json");
    }
    return to(seat, path, all).method(transfer.method(), HttpRequest.BodyPublishers.ofString(body));
  }

  /** Put together as text: resolved, a path that begins with // would be another host. */
  private static HttpRequest.Builder to(Seat seat, String path, Map<String, String> headers) {
    var request = HttpRequest.newBuilder(URI.create(seat.address() + path));
    headers.forEach(request::setHeader);
    return request;
  }

  private static String filled(
      String text, Map<String, String> places, UnaryOperator<String> written) {
    String filled = text;
    for (var place : places.entrySet()) {
      filled = filled.replace(place.getKey(), written.apply(place.getValue()));
    }
    return filled;
  }

  private static String inPath(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static String inJson(String value) {
    return new String(JsonStringEncoder.getInstance().quoteAsString(value));
  }
}
