package dev.belay.operator.wire;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.belay.api.v1alpha1.ActionSpec;
import dev.belay.api.v1alpha1.CheckSpec;
import dev.belay.api.v1alpha1.Request;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Judges an HTTP answer by what the user expects.
 *
 * @param statuses the codes that are good; empty: any 2xx
 * @param value what is at the pointer
 */
public record Expectation(
    List<Integer> statuses,
    @Nullable String body,
    @Nullable String pointer,
    @Nullable String value) {

  /** Far above any health page, far below what could hurt the operator. */
  public static final int LIMIT = 64 * 1024;

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  public Expectation {
    statuses = List.copyOf(statuses);
  }

  public static Expectation of(CheckSpec.Expect expect) {
    return new Expectation(
        List.of(expect.statusOrDefault()), expect.body(), expect.pointer(), expect.value());
  }

  /** The request says which statuses are good, the rest is about the body. */
  public static Expectation of(Request request, ActionSpec.Expect expect) {
    return new Expectation(request.statuses(), expect.body(), expect.pointer(), expect.value());
  }

  /** Whether the body is looked at; if not, it need not even be read. */
  boolean readsBody() {
    return body != null || pointer != null;
  }

  boolean fits(int status) {
    return statuses.isEmpty() ? status / 100 == 2 : statuses.contains(status);
  }

  Answer unfit(int status) {
    boolean redirect = status >= 300 && status < 400;
    return Answer.bad("answered " + status + (redirect ? ", which is not followed" : ""));
  }

  /** The status fits: what about the body, of which at most one byte beyond the limit was read. */
  Answer judge(byte[] answer) {
    if (answer.length > LIMIT) {
      return Answer.bad("answered with more than " + LIMIT / 1024 + " KiB");
    }
    if (body != null) {
      String text = new String(answer, StandardCharsets.UTF_8).strip();
      String reading = "answered \"" + Answer.clip(text) + "\"";
      return new Answer(text.equals(body.strip()), reading);
    }
    return pointer == null ? Answer.good("answered") : pointed(answer, pointer);
  }

  private Answer pointed(byte[] answer, String at) {
    try {
      JsonNode document = JSON.readTree(answer);
      JsonNode found = document.at(JsonPointer.compile(at));
      if (found.isMissingNode()) {
        return Answer.bad(
            document.isMissingNode()
                ? "answered nothing, not JSON"
                : "answered JSON without " + at);
      }
      if (found.isContainerNode()) {
        String kind = found.isArray() ? "a list" : "an object";
        return Answer.bad(at + " is " + kind + ", not a value");
      }
      String reading = at + " is \"" + Answer.clip(found.asText()) + "\"";
      return new Answer(found.asText().equals(Objects.requireNonNull(value)), reading);
    } catch (JsonProcessingException e) {
      return Answer.bad("answered what is not JSON: " + Answer.clip(e.getOriginalMessage()));
    } catch (java.io.IOException e) {
      throw new IllegalStateException("bytes in memory cannot fail to be read", e);
    }
  }
}
