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
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Something a user wants done around an upgrade, and what takes it back. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ActionSpec(
    @Required
        @JsonPropertyDescription(
            "The HTTP request. It is sent at least once and, where its answer was lost, again:"
                + " twice must have the effect of once. Redirects are not followed.")
        Http http,
    @JsonPropertyDescription(
            "The request that takes it back. It is written down before the action is sent, and is"
                + " sent when the upgrade, component or member is through, and on every other way"
                + " out: failure, abort, pause, deletion. Only for what is done before something.")
        @Nullable Undo undo,
    @JsonPropertyDescription(
            "Who is asked. target: the member in question. service: workload.service, or else the"
                + " governing service of the set, so whichever member answers for it. Unless set: target around members,"
                + " service around the component and the whole upgrade, which have no target.")
        @Nullable Ask ask,
    @Default("5s")
        @Size(max = 16)
        @JsonPropertyDescription(
            "How long one answer may take, from the name to the last byte. From 100ms to 10s: a"
                + " request that was given up may still take effect for so long.")
        @Nullable String timeout,
    @Default("1s")
        @Size(max = 16)
        @JsonPropertyDescription("How long after a bad answer it is sent again. From 100ms to 1m.")
        @Nullable String interval,
    @Default("3")
        @Min(1)
        @Max(10)
        @JsonPropertyDescription(
            "How often it is sent before it counts as failed. The first good answer ends it.")
        @Nullable Integer tries,
    @Size(min = 1, max = 8)
        @JsonPropertyDescription(
            "Only for upgrades to these versions, such as 0.13.2, or 0.13.x for all that begin with"
                + " 0.13. Unless set: for all.")
        @Nullable List<@Size(min = 1, max = 64) String> versions) {

  /** Who is asked; not called "on" for the same reason as {@link CheckSpec.Ask}. */
  public enum Ask {
    @JsonProperty("target")
    TARGET,
    @JsonProperty("service")
    SERVICE
  }

  /** What the request does, as HTTP calls it. */
  public enum Method {
    GET,
    POST,
    PUT,
    PATCH,
    DELETE
  }

  /** The request that does it. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Http(
      @Required @JsonPropertyDescription("The method: GET, POST, PUT, PATCH or DELETE.")
          Method method,
      @Required
          @Size(min = 1, max = 1024)
          @Pattern(Grammar.HTTP_PATH)
          @JsonPropertyDescription(
              "The path, from its first slash, with the query if there is one, such as /drain.")
          String path,
      @Required @Min(1) @Max(65535) @JsonPropertyDescription("The port to which it is sent.")
          Integer port,
      @Size(max = 4096)
          @JsonPropertyDescription(
              "What is sent along: as application/json if it begins with { or [, else as"
                  + " text/plain.")
          @Nullable String body,
      @Default("{}") @JsonPropertyDescription("What a good answer looks like.")
          @Nullable Expect expect) {

    Expect expectOrDefault() {
      return expect == null ? new Expect(null, null, null, null) : expect;
    }

    Request request(boolean service) {
      return new Request(
          method,
          service,
          port,
          path,
          Optional.ofNullable(body).orElse(""),
          Lists.orEmpty(expectOrDefault().statuses()));
    }
  }

  /** The request that takes it back: short, because all of it is kept in the status. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Undo(
      @Required @JsonPropertyDescription("The method: GET, POST, PUT, PATCH or DELETE.")
          Method method,
      @Required
          @Size(min = 1, max = 1024)
          @Pattern(Grammar.HTTP_PATH)
          @JsonPropertyDescription(
              "The path, from its first slash, with the query if there is one, such as /undrain.")
          String path,
      @Min(1)
          @Max(65535)
          @JsonPropertyDescription("The port to which it is sent. Unless set: that of the action.")
          @Nullable Integer port,
      @Size(max = 1024)
          @JsonPropertyDescription(
              "What is sent along: as application/json if it begins with { or [, else as"
                  + " text/plain.")
          @Nullable String body,
      @JsonPropertyDescription("What a good answer looks like. Unless set: any 2xx.")
          @Nullable Undone expect) {

    Request request(Http of, boolean service) {
      return new Request(
          method,
          service,
          port == null ? of.port() : port,
          path,
          Optional.ofNullable(body).orElse(""),
          expect == null ? List.of() : Lists.orEmpty(expect.statuses()));
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
      @Size(min = 1, max = 8)
          @JsonPropertyDescription(
              "The status codes that are good. Unless set: any 2xx. Name what a second sending is"
                  + " answered with too, such as [200, 404] for a DELETE.")
          @Nullable List<@Min(100) @Max(599) Integer> statuses,
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
          @Nullable String value) {}

  /** What a good answer to an undo looks like. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Undone(
      @Size(min = 1, max = 8)
          @JsonPropertyDescription(
              "The status codes that are good. Unless set: any 2xx. Name what is answered when"
                  + " there is nothing to take back any more too, such as [200, 404].")
          @Nullable List<@Min(100) @Max(599) Integer> statuses) {}

  @ValidationRule(
      value =
          Grammar.DURATION_RULE
              + " && duration(self) >= duration('100ms') && duration(self) <= duration('10s')",
      message = "is not a time from 100ms to 10s: write it like 500ms, 5s or 10s")
  @Override
  public @Nullable String timeout() {
    return timeout;
  }

  @ValidationRule(
      value =
          Grammar.DURATION_RULE
              + " && duration(self) >= duration('100ms') && duration(self) <= duration('1m')",
      message = "is not a time from 100ms to 1m: write it like 500ms, 5s or 1m")
  @Override
  public @Nullable String interval() {
    return interval;
  }

  @ValidationRule(
      value = "self.all(v, v.matches('" + Grammar.PATH + "'))",
      message = "has one that " + Grammar.PATH_MESSAGE)
  @Override
  public @Nullable List<String> versions() {
    return versions;
  }
}
