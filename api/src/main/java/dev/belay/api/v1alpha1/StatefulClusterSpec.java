package dev.belay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a user asks for. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value = "self.trigger != 'Version' || has(self.version)",
    fieldPath = ".version",
    reason = "FieldValueRequired",
    message =
        "trigger Version needs a version: set spec.version to what the components shall run, or"
            + " use trigger Template")
@ValidationRule(
    value = "self.trigger != 'Template' || !has(self.version)",
    fieldPath = ".version",
    reason = "FieldValueForbidden",
    message =
        "with trigger Template whoever changes the template starts the roll-out: remove"
            + " spec.version, or set spec.trigger to Version")
@ValidationRule(
    value = "self.trigger != 'Template' || self.components.all(c, !has(c.version))",
    fieldPath = ".components",
    reason = "FieldValueForbidden",
    message =
        "with trigger Template whoever changes the template starts the roll-out: remove the"
            + " component's version, or set spec.trigger to Version")
@ValidationRule(
    value = "self.trigger != 'Template' || self.components.all(c, !has(c.images))",
    fieldPath = ".components",
    reason = "FieldValueForbidden",
    message =
        "with trigger Template Belay writes no images: remove the component's images, or set"
            + " spec.trigger to Version")
@ValidationRule(
    value = "self.trigger != 'Version' || self.components.all(c, has(c.images))",
    fieldPath = ".components",
    reason = "FieldValueRequired",
    message =
        "with trigger Version Belay writes the images: give the component images, such as {etcd:"
            + " \"example/etcd:{version}\"} (the key is a container's name)")
@ValidationRule(
    value = Grammar.ONE_EACH_RULE,
    fieldPath = ".components",
    reason = "FieldValueInvalid",
    message =
        "two components name the same workload: remove one of them, or correct its workload.name or"
            + " workload.kind")
@ValidationRule(
    value = Grammar.MIGRATED_RULE,
    fieldPath = ".migrations.component",
    reason = "FieldValueInvalid",
    message =
        "names no component: set it to the name of one in spec.components, or leave it out for the"
            + " first")
public record StatefulClusterSpec(
    @Default("Template")
        @JsonPropertyDescription(
            "Who starts a roll-out. Template (the default): whoever changes the pod template of"
                + " the workload (helm, Git, kubectl, another operator). Version: a change of"
                + " spec.version, after which Belay writes the images itself; for templates that"
                + " nobody else writes.")
        @Nullable Trigger trigger,
    @JsonPropertyDescription(
            "The version that all components shall run: numbers with dots, an optional v in front"
                + " and any suffix, such as 3.6.1 or v3.6.1-debian-12-r3. Required with trigger"
                + " Version, refused with Template. Changing it is an upgrade.")
        @Size(max = 128)
        @Nullable String version,
    @Required
        @Size(min = 1, max = 16)
        @JsonPropertyDescription(
            "The parts of the system, each with its own name and workload. They are upgraded in"
                + " this order: one begins when the one before is wholly at its target.")
        List<Component> components,
    @Default("{}") @JsonPropertyDescription("What holds for the upgrade as a whole.")
        @Nullable Upgrade upgrade,
    @Default("false")
        @JsonPropertyDescription(
            "While it is true no member is touched and no template written; a release that has not"
                + " struck is taken back. What runs keeps running.")
        @Nullable Boolean paused,
    @JsonPropertyDescription("What a person asks Belay to do once. Fit to be kept in Git.")
        @Nullable Requests requests,
    @JsonPropertyDescription(
            "The migrations of a database that belong to the upgrade. They are carried out by"
                + " phases: expand before the first member, finalize when every member runs the"
                + " new version, contract after that and after soak.")
        @Nullable MigrationsSpec migrations) {

  /** Who starts a roll-out. */
  public enum Trigger {
    @JsonProperty("Template")
    TEMPLATE,
    @JsonProperty("Version")
    VERSION
  }

  /** What holds for the upgrade as a whole. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Upgrade(
      @Default("Hold")
          @JsonPropertyDescription(
              "What follows a failure. Hold (the default): everything stays as it is and a person"
                  + " decides. Rollback: the updated members go back one by one, where"
                  + " status.wayBack is open; the template is not written.")
          @Nullable OnFailure onFailure,
      @Default("None")
          @JsonPropertyDescription(
              "Before what a person is asked. None (the default): nothing. BeforeComponent:"
                  + " before the first member of each component. BeforeLeader: before leadership"
                  + " moves off the member whose turn it is. BeforeIrreversible: before the step"
                  + " after which there is no way back.")
          @Nullable Approval approval,
      @Size(max = 64)
          @JsonPropertyDescription(
              "The ways from one version to another that are allowed. Absent or empty: any forward"
                  + " version.")
          @Nullable List<Path> paths) {}

  /** What follows a failure. */
  public enum OnFailure {
    @JsonProperty("Hold")
    HOLD,
    @JsonProperty("Rollback")
    ROLLBACK
  }

  /** Before what a person is asked. */
  public enum Approval {
    @JsonProperty("None")
    NONE,
    @JsonProperty("BeforeComponent")
    BEFORE_COMPONENT,
    @JsonProperty("BeforeLeader")
    BEFORE_LEADER,
    @JsonProperty("BeforeIrreversible")
    BEFORE_IRREVERSIBLE
  }

  /** A way from one version to another. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Path(
      @Required
          @Size(min = 1, max = 64)
          @JsonPropertyDescription("Where it starts: 0.12.3, or 0.12.x for all of 0.12.")
          String from,
      @Required
          @Size(min = 1, max = 64)
          @JsonPropertyDescription("Where it leads: 0.13.0, or 0.13.x for all of 0.13.")
          String to,
      @Default("false")
          @JsonPropertyDescription(
              "Whether there is no way back once a member has run the new version.")
          @Nullable Boolean irreversible) {

    @ValidationRule(value = Grammar.PATH_RULE, message = Grammar.PATH_MESSAGE)
    @Override
    public String from() {
      return from;
    }

    @ValidationRule(value = Grammar.PATH_RULE, message = Grammar.PATH_MESSAGE)
    @Override
    public String to() {
      return to;
    }
  }

  /** What a person asks for once; a token that was handled asks for nothing. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Requests(
      @JsonPropertyDescription(
              "Agreement to what status.waitingFor names: it counts only if it equals that text"
                  + " and is written after it was asked for, and for that roll-out only, so that"
                  + " yesterday's approval lets nothing through today.")
          @Size(max = 253)
          @Nullable String approve,
      @JsonPropertyDescription(
              "Try a refused revision again. Any text that differs from status.requests.retry, such"
                  + " as a date; belay retry writes one.")
          @Size(max = 253)
          @Nullable String retry,
      @JsonPropertyDescription(
              "Take the updated members back to the last good revision, one by one, where"
                  + " status.wayBack is open. Any text that differs from status.requests.rollback.")
          @Size(max = 253)
          @Nullable String rollback,
      @JsonPropertyDescription(
              "Stop the roll-out where it stands: frozen, no member is touched until retry,"
                  + " rollback or another template. Any text that differs from"
                  + " status.requests.abort.")
          @Size(max = 253)
          @Nullable String abort,
      @JsonPropertyDescription(
              "What shall become of a migration that failed. It counts once, until its token is in"
                  + " status.requests.migration.")
          MigrationsSpec.@Nullable Request migration) {
    @ValidationRule(value = Grammar.TOKEN_RULE, message = Grammar.TOKEN_MESSAGE)
    @Override
    public @Nullable String approve() {
      return approve;
    }

    @ValidationRule(value = Grammar.TOKEN_RULE, message = Grammar.TOKEN_MESSAGE)
    @Override
    public @Nullable String retry() {
      return retry;
    }

    @ValidationRule(value = Grammar.TOKEN_RULE, message = Grammar.TOKEN_MESSAGE)
    @Override
    public @Nullable String rollback() {
      return rollback;
    }

    @ValidationRule(value = Grammar.TOKEN_RULE, message = Grammar.TOKEN_MESSAGE)
    @Override
    public @Nullable String abort() {
      return abort;
    }
  }

  public StatefulClusterSpec {
    components = List.copyOf(components);
  }

  @ValidationRule(value = Grammar.VERSION_RULE, message = Grammar.VERSION_MESSAGE)
  @Override
  public @Nullable String version() {
    return version;
  }
}
