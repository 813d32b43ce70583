package dev.belay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A system that speaks HTTP, described by its user: where its members are asked, and for what. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HttpSpec(
    @Required
        @Size(max = 512)
        @JsonPropertyDescription(
            "Where every member is asked with GET, such as /status. What has no path of its own is"
                + " read from this answer.")
        String path,
    @Size(max = 8)
        @JsonPropertyDescription(
            "Headers of every request. {username} and {password} stand for what the Secret of auth"
                + " holds, such as {X-Vault-Token: \"{password}\"}. With auth and none of them in"
                + " any header, HTTP basic authentication is used.")
        @Nullable Map<String, @Size(max = 512) String> headers,
    @Required @JsonPropertyDescription("Whether a member serves.") Healthy healthy,
    @JsonPropertyDescription(
            "How the leader is known and moved. Absent: a system without leaders, in which any"
                + " member may be taken down when the others are well.")
        @Nullable Leader leader,
    @JsonPropertyDescription(
            "Whether a member votes. Absent: every member does, except those whose role is learner.")
        @Nullable Flag voter,
    @JsonPropertyDescription(
            "How far a member is behind. One that is too far behind is not healthy, and the one"
                + " that is least behind is preferred as the next leader. Not read from a leader.")
        @Nullable Lag lag,
    @JsonPropertyDescription(
            "The version a member runs. Absent: the tag of its image is taken for it.")
        @Nullable Text version,
    @JsonPropertyDescription(
            "Which cluster a member belongs to. Members of two clusters behind one workload are not"
                + " believed.")
        @Nullable Text clusterId,
    @JsonPropertyDescription(
            "The list of all members, where the system keeps one. Absent: the pods of the workload"
                + " are the members.")
        @Nullable Members members,
    @Min(0)
        @Max(1000)
        @JsonPropertyDescription(
            "How many voters must stay healthy while one restarts. Unless set: more than half of"
                + " them. 0: the system keeps no quorum.")
        @Nullable Integer minHealthy) {

  static final String PATH_RULE =
      "self.matches('^/([A-Za-z0-9/_.~!$&()*+,;=:@?-]|%[0-9A-Fa-f]{2})*$')";

  static final String PATH_MESSAGE =
      "is no path: begin with / and write anything but letters, digits and /_.~!$&()*+,;=:@?- as %"
          + " and two hexadecimal digits, such as /v1/health?verbose=1";

  static final String POINTER_RULE = "self.matches('^(/([^/~]|~[01])*)+$')";

  static final String POINTER_MESSAGE =
      "is no JSON pointer: write /role for {\"role\": …} and /raft/0/term for {\"raft\": [{\"term\":"
          + " …}]}; ~1 stands for / and ~0 for ~ in a name";

  private static final String PATH = "Where it is asked, if not at the path above.";

  private static final String POINTER =
      "The JSON pointer to the value, such as /raft/term. Absent: the whole body, as text.";

  /** A text, a number, true or false in the answer of a member. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Text(
      @Size(max = 512) @JsonPropertyDescription(PATH) @Nullable String path,
      @Size(max = 256) @JsonPropertyDescription(POINTER) @Nullable String pointer) {

    @ValidationRule(value = PATH_RULE, message = PATH_MESSAGE)
    @Override
    public @Nullable String path() {
      return path;
    }

    @ValidationRule(value = POINTER_RULE, message = POINTER_MESSAGE)
    @Override
    public @Nullable String pointer() {
      return pointer;
    }
  }

  /** A yes or a no in the answer of a member. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Flag(
      @Size(max = 512) @JsonPropertyDescription(PATH) @Nullable String path,
      @Size(max = 256) @JsonPropertyDescription(POINTER) @Nullable String pointer,
      @Size(min = 1, max = 8)
          @JsonPropertyDescription(
              "The values that mean yes; every other value means no. [\"true\"] unless set. Quote"
                  + " true, false and numbers.")
          @Nullable List<@Size(max = 128) String> is) {

    @ValidationRule(value = PATH_RULE, message = PATH_MESSAGE)
    @Override
    public @Nullable String path() {
      return path;
    }

    @ValidationRule(value = POINTER_RULE, message = POINTER_MESSAGE)
    @Override
    public @Nullable String pointer() {
      return pointer;
    }
  }

  /** Whether a member serves, by a value in its answer or by the status of the answer. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @ValidationRule(
      value = "has(self.pointer) || has(self.is) || has(self.status)",
      reason = "FieldValueRequired",
      message =
          "say what a healthy member answers: pointer and is for a value in JSON, is for a whole"
              + " body, or status: 200 where the body does not matter")
  @ValidationRule(
      value = "!has(self.status) || !(has(self.pointer) || has(self.is))",
      reason = "FieldValueForbidden",
      message = "status alone decides: remove status, or remove pointer and is")
  public record Healthy(
      @Size(max = 512) @JsonPropertyDescription(PATH) @Nullable String path,
      @Size(max = 256) @JsonPropertyDescription(POINTER) @Nullable String pointer,
      @Size(min = 1, max = 8)
          @JsonPropertyDescription(
              "The values that mean healthy; every other value means unhealthy. [\"true\"] unless"
                  + " set. Quote true, false and numbers.")
          @Nullable List<@Size(max = 128) String> is,
      @Min(200)
          @Max(299)
          @JsonPropertyDescription(
              "The HTTP status that means healthy, whatever the body says; every other one means"
                  + " unhealthy. Beware of systems that say \"false\" with status 200.")
          @Nullable Integer status) {

    @ValidationRule(value = PATH_RULE, message = PATH_MESSAGE)
    @Override
    public @Nullable String path() {
      return path;
    }

    @ValidationRule(value = POINTER_RULE, message = POINTER_MESSAGE)
    @Override
    public @Nullable String pointer() {
      return pointer;
    }
  }

  /** How far a member is behind. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Lag(
      @Size(max = 512) @JsonPropertyDescription(PATH) @Nullable String path,
      @Size(max = 256) @JsonPropertyDescription(POINTER) @Nullable String pointer,
      @Required
          @Min(0)
          @JsonPropertyDescription(
              "The most a member may be behind and still be healthy, in the system's own unit."
                  + " Members are read at slightly different moments, so leave some room.")
          Long max) {

    @ValidationRule(value = PATH_RULE, message = PATH_MESSAGE)
    @Override
    public @Nullable String path() {
      return path;
    }

    @ValidationRule(value = POINTER_RULE, message = POINTER_MESSAGE)
    @Override
    public @Nullable String pointer() {
      return pointer;
    }
  }

  /** The list of all members. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Members(
      @Size(max = 512) @JsonPropertyDescription(PATH) @Nullable String path,
      @Size(max = 256)
          @JsonPropertyDescription(
              "The JSON pointer to the list, such as /servers. Absent: the whole body is the list.")
          @Nullable String pointer,
      @Size(max = 256)
          @JsonPropertyDescription(
              "The JSON pointer to the name within an entry of the list, such as /name. Absent: the"
                  + " entries are the names. A name is what memberName says, or an address with the"
                  + " host of a pod.")
          @Nullable String name) {

    @ValidationRule(value = PATH_RULE, message = PATH_MESSAGE)
    @Override
    public @Nullable String path() {
      return path;
    }

    @ValidationRule(value = POINTER_RULE, message = POINTER_MESSAGE)
    @Override
    public @Nullable String pointer() {
      return pointer;
    }

    @ValidationRule(value = POINTER_RULE, message = POINTER_MESSAGE)
    @Override
    public @Nullable String name() {
      return name;
    }
  }

  /** How the leader is known and moved. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @ValidationRule(
      value = "has(self.role) != has(self.named)",
      message =
          "say how the leader is known, in one way: role where each member says what it is itself,"
              + " named where each member names the leader")
  @ValidationRule(
      value =
          "has(self.term) || !(self.transfer.path.contains('{term}') ||"
              + " (has(self.transfer.body) && self.transfer.body.contains('{term}')))",
      message = "{term} in transfer needs term: say where the term is read")
  public record Leader(
      @JsonPropertyDescription("Each member says what it is itself.") @Nullable Role role,
      @JsonPropertyDescription(
              "Each member names the leader: as memberName says, or by an address with the host of"
                  + " its pod. The leader is known when all that answer name the same one.")
          @Nullable Text named,
      @JsonPropertyDescription(
              "What changes with every election: term, epoch, timeline. Leadership is moved only"
                  + " while it is what was seen. Absent: only who leads is compared.")
          @Nullable Text term,
      @Required
          @JsonPropertyDescription("How leadership is moved: Belay never takes a leader down.")
          Transfer transfer) {}

  /** What a member says it is. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @ValidationRule(
      value =
          "!self.leader.exists(w, w in self.follower || (has(self.learner) && w in self.learner)) &&"
              + " !(has(self.learner) && self.learner.exists(w, w in self.follower))",
      message = "a value stands for one role: remove it from the other lists")
  public record Role(
      @Size(max = 512) @JsonPropertyDescription(PATH) @Nullable String path,
      @Size(max = 256) @JsonPropertyDescription(POINTER) @Nullable String pointer,
      @Required
          @Size(min = 1, max = 8)
          @JsonPropertyDescription(
              "The values that mean leader, such as [primary, master]. Quote true, false and"
                  + " numbers.")
          List<@Size(max = 128) String> leader,
      @Required
          @Size(min = 1, max = 8)
          @JsonPropertyDescription(
              "The values that mean follower: a member that votes and can take over. A value that is"
                  + " in no list, such as candidate, is an unknown role, and Belay waits.")
          List<@Size(max = 128) String> follower,
      @Size(min = 1, max = 8)
          @JsonPropertyDescription("The values that mean learner: a member that does not vote.")
          @Nullable List<@Size(max = 128) String> learner) {

    @ValidationRule(value = PATH_RULE, message = PATH_MESSAGE)
    @Override
    public @Nullable String path() {
      return path;
    }

    @ValidationRule(value = POINTER_RULE, message = POINTER_MESSAGE)
    @Override
    public @Nullable String pointer() {
      return pointer;
    }
  }

  /** The request that moves leadership. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Transfer(
      @Default("POST") @JsonPropertyDescription("The method of the request.")
          @Nullable Method method,
      @Required
          @Size(max = 512)
          @JsonPropertyDescription(
              "The path of the request, in which {leader} and {successor} stand for the names of the"
                  + " two members and {term} for the term, such as /stepdown?to={successor}.")
          String path,
      @Size(max = 2048)
          @JsonPropertyDescription(
              "The body of the request, with the same places, such as {\"leader\": \"{leader}\","
                  + " \"candidate\": \"{successor}\"}. Sent as application/json unless headers has"
                  + " a Content-Type.")
          @Nullable String body,
      @Default("Leader")
          @JsonPropertyDescription(
              "Who is sent the request: the Leader steps down, or the Successor takes over.")
          @Nullable SendTo sendTo) {

    @ValidationRule(
        value =
            "self.matches('^/([A-Za-z0-9/_.~!$&()*+,;=:@?-]|%[0-9A-Fa-f]{2}|[{](leader|successor|term)[}])*$')",
        message =
            "is no path: begin with /, use no other places than {leader}, {successor} and {term},"
                + " and write anything but letters, digits and /_.~!$&()*+,;=:@?- as % and two"
                + " hexadecimal digits")
    @Override
    public String path() {
      return path;
    }
  }

  /** The methods that change something. */
  public enum Method {
    @JsonProperty("POST")
    POST,
    @JsonProperty("PUT")
    PUT
  }

  /** The two members that a transfer is about. */
  public enum SendTo {
    @JsonProperty("Leader")
    LEADER,
    @JsonProperty("Successor")
    SUCCESSOR
  }

  @ValidationRule(value = PATH_RULE, message = PATH_MESSAGE)
  @Override
  public String path() {
    return path;
  }

  @ValidationRule(
      value =
          "self.all(name, size(name) <= 64 && name.matches('^[A-Za-z0-9-]+$') &&"
              + " !(name.lowerAscii() in ['connection', 'content-length', 'expect', 'host',"
              + " 'upgrade', 'transfer-encoding']))",
      message =
          "every key must be the name of a header that a client may set, such as X-Vault-Token;"
              + " Host, Connection, Content-Length, Transfer-Encoding, Expect and Upgrade are not")
  @ValidationRule(
      value = "self.all(name, self[name].matches('^[!-~]([ -~]*[!-~])?$'))",
      message = "every value must be printable ASCII without blanks around it")
  @Override
  public @Nullable Map<String, String> headers() {
    return headers;
  }
}
