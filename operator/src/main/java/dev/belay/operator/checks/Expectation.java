package dev.belay.operator.checks;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.belay.api.v1alpha1.CheckSpec.Expect;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Judges an HTTP answer by what the user expects. */
record Expectation(Expect expect) {

  /** Far above any health page, far below what could hurt the operator. */
  static final int LIMIT = 64 * 1024;

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  /** Whether the body is looked at; if not, it need not even be read. */
  boolean readsBody() {
    return expect.body() != null || expect.pointer() != null;
  }

  boolean fits(int status) {
    return status == expect.statusOrDefault();
  }

  Answer unfit(int status) {
    boolean redirect = status >= 300 && status < 400;
    return Answer.bad("answered " + status + (redirect ? ", which is not followed" : ""));
  }

  /** The status fits: what about the body, of which at most one byte beyond the limit was read. */
  Answer judge(byte[] body) {
    if (body.length > LIMIT) {
      return Answer.bad("answered with more than " + LIMIT / 1024 + " KiB");
    }
    if (expect.body() != null) {
      String text = new String(body, StandardCharsets.UTF_8).strip();
      String reading = "answered \"" + Answer.clip(text) + "\"";
      return new Answer(text.equals(expect.body().strip()), reading);
    }
    return expect.pointer() == null ? Answer.good("answered") : pointed(body, expect.pointer());
  }

  private Answer pointed(byte[] body, String pointer) {
    try {
      JsonNode document = JSON.readTree(body);
      JsonNode found = document.at(JsonPointer.compile(pointer));
      if (found.isMissingNode()) {
        return Answer.bad(
            document.isMissingNode()
                ? "answered nothing, not JSON"
                : "answered JSON without " + pointer);
      }
      if (found.isContainerNode()) {
        String kind = found.isArray() ? "a list" : "an object";
        return Answer.bad(pointer + " is " + kind + ", not a value");
      }
      String reading = pointer + " is \"" + Answer.clip(found.asText()) + "\"";
      return new Answer(found.asText().equals(Objects.requireNonNull(expect.value())), reading);
    } catch (JsonProcessingException e) {
      return Answer.bad("answered what is not JSON: " + Answer.clip(e.getOriginalMessage()));
    } catch (java.io.IOException e) {
      throw new IllegalStateException("bytes in memory cannot fail to be read", e);
    }
  }
}
