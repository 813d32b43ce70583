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
        @Size(min = 1, max = 1)
        @JsonPropertyDescription("The parts of the system. For now there is exactly one.")
        List<Component> components,
    @JsonPropertyDescription("What a person asks Belay to do once. Fit to be kept in Git.")
        @Nullable Requests requests) {

  /** Who starts a roll-out. */
  public enum Trigger {
    @JsonProperty("Template")
    TEMPLATE,
    @JsonProperty("Version")
    VERSION
  }

  /** What a person asks for once. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Requests(
      @JsonPropertyDescription(
              "Agreement to what status.waitingFor names: it counts only if it equals that text,"
                  + " so that yesterday's approval lets nothing through today.")
          @Size(max = 253)
          @Nullable String approve) {}

  public StatefulClusterSpec {
    components = List.copyOf(components);
  }

  @ValidationRule(value = Grammar.VERSION_RULE, message = Grammar.VERSION_MESSAGE)
  @Override
  public @Nullable String version() {
    return version;
  }
}
