package dev.belay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/** One question of the user's, and what counts as a good answer. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value = "has(self.http) != has(self.tcp)",
    message =
        "a check asks by exactly one of http and tcp, such as {http: {port: 8080, path: /ready}}"
            + " or {tcp: {port: 5432}}")
public record CheckSpec(
    @JsonPropertyDescription("Ask by an HTTP GET. Redirects are not followed.") @Nullable Http http,
    @JsonPropertyDescription("Ask by opening a TCP connection: it passes if it is taken.")
        @Nullable Tcp tcp,
    @JsonPropertyDescription(
            "Who is asked. target: the member in question, the one that is about to move or has"
                + " moved; not for the moments around the whole upgrade. each: every member."
                + " service: workload.service, or else the governing service of the set, so"
                + " whichever member answers for it. Unless set: target around members, each around the whole upgrade.")
        @Nullable Ask ask,
    @Default("5s")
        @Size(max = 16)
        @JsonPropertyDescription(
            "How long one answer may take, from the name to the last byte. From 100ms to 1m.")
        @Nullable String timeout,
    @Default("5s")
        @Size(max = 16)
        @JsonPropertyDescription(
            "How long after an answer it is asked again. From 1s to 10m. An answer counts for"
                + " twice this time and the timeout.")
        @Nullable String interval,
    @Default("3")
        @Min(1)
        @Max(20)
        @JsonPropertyDescription(
            "How many bad answers in a row make the check fail; a good one starts the count anew.")
        @Nullable Integer tries) {

  /**
   * Who is asked. The field is not called "on", because YAML 1.1, which kubectl reads, takes that
   * word for the truth.
   */
  public enum Ask {
    @JsonProperty("target")
    TARGET,
    @JsonProperty("each")
    EACH,
    @JsonProperty("service")
    SERVICE
  }

  /** An HTTP GET. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Http(
      @Required
          @Size(min = 1, max = 1024)
          @Pattern(Grammar.HTTP_PATH)
          @JsonPropertyDescription(
              "The path, from its first slash, with the query if there is one, such as"
                  + " /v1/health/readiness.")
          String path,
      @Required @Min(1) @Max(65535) @JsonPropertyDescription("The port at which it is asked.")
          Integer port,
      @Default("{}") @JsonPropertyDescription("What a good answer looks like.")
          @Nullable Expect expect) {

    public Expect expectOrDefault() {
      return expect == null ? new Expect(null, null, null, null) : expect;
    }
  }

  /** What a good answer looks like; all of it must hold. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @ValidationRule(
      value = "has(self.pointer) == has(self.value)",
      message =
          "pointer and value go together: pointer says where in the JSON, value what must be"
              + " there, such as {pointer: /status, value: \"UP\"}")
  @ValidationRule(
      value = "!(has(self.body) && has(self.pointer))",
      reason = "FieldValueForbidden",
      message =
          "body compares the whole answer, pointer one place in it: keep one of the two and"
              + " remove the other")
  public record Expect(
      @Default("200") @Min(100) @Max(599) @JsonPropertyDescription("The status code.")
          @Nullable Integer status,
      @Size(max = 256)
          @JsonPropertyDescription(
              "The whole body, without white space around it; an answer of more than 64 KiB never"
                  + " passes.")
          @Nullable String body,
      @Size(min = 1, max = 256)
          @Pattern("^(/([^/~]|~[01])*)+$")
          @JsonPropertyDescription(
              "A JSON pointer (RFC 6901) into the body, such as /status or /members/0/role.")
          @Nullable String pointer,
      @Size(max = 256)
          @JsonPropertyDescription(
              "What is at the pointer, in quotes: a text as it is, a number or truth as JSON"
                  + " writes it, such as \"3\" or \"true\".")
          @Nullable String value) {

    public int statusOrDefault() {
      return status == null ? 200 : status;
    }
  }

  /** A TCP connection. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Tcp(
      @Required
          @Min(1)
          @Max(65535)
          @JsonPropertyDescription("The port that must take a connection.")
          Integer port) {}

  @ValidationRule(
      value =
          Grammar.DURATION_RULE
              + " && duration(self) >= duration('100ms') && duration(self) <= duration('1m')",
      message = "is not a time from 100ms to 1m: write it like 500ms, 5s or 1m")
  @Override
  public @Nullable String timeout() {
    return timeout;
  }

  @ValidationRule(
      value =
          Grammar.DURATION_RULE
              + " && duration(self) >= duration('1s') && duration(self) <= duration('10m')",
      message = "is not a time from 1s to 10m: write it like 1s, 30s or 10m")
  @Override
  public @Nullable String interval() {
    return interval;
  }

  /** The question in words, the same as long as the same is asked: it names the check. */
  public String what() {
    if (tcp != null) {
      return "TCP :" + tcp.port();
    }
    if (http == null) {
      throw new IllegalArgumentException("a check needs http or tcp");
    }
    Expect expect = http.expectOrDefault();
    String what = "GET :" + http.port() + http.path() + " = " + expect.statusOrDefault();
    if (expect.body() != null) {
      return what + " with body \"" + expect.body().strip() + "\"";
    }
    return expect.pointer() == null
        ? what
        : what + " with " + expect.pointer() + " = \"" + expect.value() + "\"";
  }
}
