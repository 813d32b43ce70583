package dev.belay.drivers.wire;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.model.Fact;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The fields of a JSON answer by their types. What is absent is empty, as systems leave out what is
 * zero; what has another type is malformed, never converted.
 */
public final class Fields {

  private static final Pattern NUMBER = Pattern.compile("\\d{1,20}");

  private Fields() {}

  /** The answer as a type: unknown when there is none, or when it is malformed. */
  public static <T> Fact<T> read(Reply<JsonNode> reply, Function<JsonNode, T> parse) {
    if (!(reply instanceof Reply.Ok<JsonNode>(JsonNode node))) {
      return Fact.unknown(reply.why());
    }
    try {
      return Fact.known(parse.apply(node));
    } catch (Malformed e) {
      return Fact.unknown("malformed answer: " + Wire.clip(String.valueOf(e.getMessage())));
    }
  }

  public static String text(JsonNode node, String field) {
    JsonNode value = node.path(field);
    if (value.isMissingNode()) {
      return "";
    }
    if (!value.isTextual()) {
      throw new Malformed(field + " is " + value + ", not text");
    }
    return value.textValue();
  }

  public static boolean flag(JsonNode node, String field) {
    JsonNode value = node.path(field);
    if (!value.isMissingNode() && !value.isBoolean()) {
      throw new Malformed(field + " is " + value + ", not true or false");
    }
    return value.asBoolean(false);
  }

  /** The elements of a list, none when it is absent. */
  public static JsonNode list(JsonNode node, String field) {
    JsonNode value = node.path(field);
    if (!value.isMissingNode() && !value.isArray()) {
      throw new Malformed(field + " is no list");
    }
    return value;
  }

  /** An unsigned 64-bit number that JSON carries as text, as gRPC gateways do; absent is 0. */
  public static String number(JsonNode node, String field) {
    String text = text(node, field);
    if (text.isEmpty()) {
      return "0";
    }
    if (!NUMBER.matcher(text).matches()) {
      throw new Malformed(field + " is \"" + text + "\", not a number");
    }
    return text;
  }

  /** Such a number, which must be there. */
  public static String id(JsonNode node, String field) {
    return present(field, number(node, field));
  }

  /** Such a number, small enough to count with. */
  public static long index(JsonNode node, String field) {
    try {
      return Long.parseLong(number(node, field));
    } catch (NumberFormatException e) {
      throw new Malformed(field + " is beyond any log");
    }
  }

  /**
   * An unsigned 64-bit id that JSON carries as a number: kept digit by digit, because a double
   * would round it beyond 2^53.
   */
  public static String bareId(JsonNode node, String field) {
    JsonNode value = node.path(field);
    if (value.isMissingNode()) {
      throw new Malformed("no " + field);
    }
    if (!value.isIntegralNumber() || value.bigIntegerValue().signum() < 0) {
      throw new Malformed(field + " is " + value + ", not an id");
    }
    return present(field, value.bigIntegerValue().toString());
  }

  private static String present(String field, String id) {
    if (id.equals("0")) {
      throw new Malformed("no " + field);
    }
    return id;
  }
}
