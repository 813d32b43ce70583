package dev.belay.drivers.http;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.belay.drivers.wire.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * JSON whose numbers stay the text they were written as: Jackson's own trees make 1.1 of the
 * version 1.10.
 */
final class Literal {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private Literal() {}

  /** The document, in which numbers are texts; missing when there is none. */
  static JsonNode read(String text) throws JsonProcessingException {
    try (JsonParser parser = Wire.JSON.createParser(text)) {
      if (parser.nextToken() == null) {
        return MissingNode.getInstance();
      }
      JsonNode root = value(parser);
      if (parser.nextToken() != null) {
        throw new JsonParseException(parser, "there is more after the end of the document");
      }
      return root;
    } catch (JsonProcessingException malformed) {
      throw malformed;
    } catch (IOException impossible) {
      throw new UncheckedIOException("a text cannot fail to be read", impossible);
    }
  }

  private static JsonNode value(JsonParser parser) throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT -> {
        var object = NODES.objectNode();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
          String name = parser.currentName();
          parser.nextToken();
          object.set(name, value(parser));
        }
        yield object;
      }
      case START_ARRAY -> {
        var array = NODES.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          array.add(value(parser));
        }
        yield array;
      }
      case VALUE_TRUE, VALUE_FALSE -> NODES.booleanNode(parser.getBooleanValue());
      case VALUE_NULL -> NODES.nullNode();
      default -> NODES.textNode(parser.getText());
    };
  }
}
