package dev.belay.drivers.http;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.model.Fact;
import dev.belay.drivers.http.Declaration.Place;
import dev.belay.drivers.wire.Reply;
import dev.belay.drivers.wire.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** What one path of one member answered; every reason names the path, and the pointer into it. */
record Page(String path, Reply<String> reply) {

  /** No role, version or id is longer; a body that is means that the path is wrong. */
  private static final int VALUE_LIMIT = 256;

  /** Reads the body of a good answer. */
  static Reply<String> body(InputStream in) throws IOException {
    byte[] bytes = in.readNBytes(Wire.JSON_LIMIT + 1);
    return bytes.length > Wire.JSON_LIMIT
        ? new Reply.Failed<>("answers with more than " + Wire.JSON_LIMIT / 1024 + " KiB")
        : new Reply.Ok<>(new String(bytes, StandardCharsets.UTF_8));
  }

  /** Whether there is a good answer, readable or not. */
  boolean answered() {
    return reply instanceof Reply.Ok<String>;
  }

  /** A text, a number, true or false; numbers as they are written, whatever their size. */
  Fact<String> value(Place place) {
    if (place.pointer().isEmpty()) {
      return text().flatMap(text -> bounded("the body", unquoted(text.strip())));
    }
    return node(place).flatMap(node -> scalar(place.name(), node));
  }

  /** What the pointer leads to, or the whole document. */
  Fact<JsonNode> node(Place place) {
    return json()
        .flatMap(root -> {
          JsonNode node = place.pointer().map(root::at).orElse(root);
          return node.isMissingNode()
              ? Fact.unknown(malformed("there is nothing at " + place.name()))
              : Fact.known(node);
        });
  }

  /** The name of one entry of a list. */
  Fact<String> entry(JsonNode entry, String list, Optional<JsonPointer> name) {
    JsonNode node = name.map(entry::at).orElse(entry);
    String where = "an entry of " + list + name.map(p -> " at " + p).orElse("");
    return node.isMissingNode()
        ? Fact.unknown(malformed("there is nothing in " + where))
        : scalar(where, node);
  }

  /** Why there is no good answer. */
  String trouble() {
    boolean locked =
        reply instanceof Reply.Rejected<String>(int status, String _)
            && (status == 401 || status == 403);
    return path + ": " + reply.why() + (locked ? ", check user and password" : "");
  }

  String malformed(String how) {
    return path + ": malformed answer: " + how;
  }

  private Fact<String> scalar(String where, JsonNode node) {
    return node.isTextual() || node.isBoolean()
        ? bounded(where, node.asText())
        : Fact.unknown(
            malformed(where + " is " + kind(node) + ", not a text, a number, true or false"));
  }

  private Fact<String> bounded(String where, String value) {
    if (value.length() > VALUE_LIMIT) {
      return Fact.unknown(malformed(where + " has more than " + VALUE_LIMIT + " characters"));
    }
    if (value.chars().anyMatch(Character::isISOControl)) {
      return Fact.unknown(malformed(where + " has line breaks or other control characters"));
    }
    return value.isBlank() ? Fact.unknown(malformed(where + " is empty")) : Fact.known(value);
  }

  private static String kind(JsonNode node) {
    return node.isNull() ? "null" : node.isArray() ? "a list" : "an object";
  }

  private Fact<String> text() {
    return reply instanceof Reply.Ok<String>(String text)
        ? Fact.known(text)
        : Fact.unknown(trouble());
  }

  private Fact<JsonNode> json() {
    return text()
        .flatMap(text -> {
          try {
            JsonNode root = Literal.read(text);
            return root.isMissingNode() ? Fact.unknown(malformed("it is empty")) : Fact.known(root);
          } catch (JsonProcessingException e) {
            return Fact.unknown(malformed(Wire.clip(e.getOriginalMessage())));
          }
        });
  }

  /** A body that is one JSON text, as Consul's /v1/status/leader. */
  private static String unquoted(String body) {
    if (!body.startsWith("\"")) {
      return body;
    }
    try {
      JsonNode node = Wire.JSON.readTree(body);
      return node.isTextual() ? node.textValue() : body;
    } catch (JsonProcessingException e) {
      return body;
    }
  }
}
