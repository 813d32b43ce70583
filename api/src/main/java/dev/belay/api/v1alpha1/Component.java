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
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One part of the system: a workload, how its members are asked, how they are rolled. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value = Grammar.STRATEGY_RULE,
    fieldPath = ".rollout.strategy",
    reason = "FieldValueInvalid",
    message =
        "needs a StatefulSet, and workload.kind is Deployment, which only its own controller can"
            + " roll: leave strategy out, or set it to Native")
@ValidationRule(
    value = Grammar.NATIVE_RULE,
    fieldPath = ".driver.type",
    reason = "FieldValueInvalid",
    message =
        "is for members that matter one by one, and with strategy Native (the one of every"
            + " Deployment) the workload's own controller replaces them without a look at quorum or"
            + " leader: use driver none, or http with minHealthy 0 and no leader; or a StatefulSet"
            + " with strategy Partition or OnDelete")
@ValidationRule(
    value = Grammar.NATIVE_ACTION_RULE,
    fieldPath = ".actions",
    reason = "FieldValueForbidden",
    message =
        "has beforeMember or afterMember, and with strategy Native (the one of every Deployment)"
            + " the workload's own controller replaces members without asking: use beforeComponent"
            + " and afterComponent")
@ValidationRule(
    value = Grammar.SERVICE_RULE,
    fieldPath = ".checks",
    reason = "FieldValueInvalid",
    message =
        "a check has ask: service, and a Deployment has no governing service, so that nobody would"
            + " ever answer: set workload.service, or set ask to each or target")
@ValidationRule(
    value = Grammar.ACTION_RULE,
    fieldPath = ".actions",
    reason = "FieldValueInvalid",
    message =
        "an action goes to the service, and a Deployment has no governing service, so that nobody"
            + " would ever answer: set workload.service to the Service in front of it")
public record Component(
    @Required
        @Size(min = 1, max = 63)
        @Pattern(Grammar.LABEL)
        @JsonPropertyDescription("What this part is called in the status; any name will do.")
        String name,
    @Required
        @JsonPropertyDescription(
            "The workload whose pods are the members. It is adopted as it is: no restart, no"
                + " change of its chart or pipeline. Belay marks its metadata, not its pods.")
        Workload workload,
    @Size(max = 128)
        @JsonPropertyDescription(
            "The version of this component, where it differs from spec.version. Only with trigger"
                + " Version.")
        @Nullable String version,
    @Size(min = 1, max = 16)
        @JsonPropertyDescription(
            "The images Belay writes with trigger Version: the key is the name of a container or"
                + " init container, the value an image in which {version} stands for the version,"
                + " such as {etcd: \"example/etcd:{version}\"}.")
        @Nullable Map<String, @Size(max = 512) String> images,
    @Required @JsonPropertyDescription("How the members are asked and told.") DriverSpec driver,
    @Default("{}") @JsonPropertyDescription("How the members are let through.")
        @Nullable Rollout rollout,
    @JsonPropertyDescription(
            "Questions of your own that must be answered well before and after members move. They"
                + " are asked only while a roll-out is under way.")
        @Nullable Checks checks,
    @JsonPropertyDescription(
            "Requests of your own that are sent before and after members move, and taken back: to"
                + " drain a member, to switch a repair off. Sent only while a roll-out is under"
                + " way, at least once each.")
        @Nullable Actions actions) {

  /** The workload of a component. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Workload(
      @Default("StatefulSet")
          @JsonPropertyDescription(
              "The kind of the workload. StatefulSet (the default): its members are let through"
                  + " one by one. Deployment: its own controller rolls it, when its turn has come.")
          @Nullable Kind kind,
      @Required
          @Size(min = 1, max = 253)
          @Pattern(Grammar.NAME)
          @JsonPropertyDescription(
              "The name of the workload, in the StatefulCluster's own namespace.")
          String name,
      @Size(min = 1, max = 63)
          @Pattern(Grammar.LABEL)
          @JsonPropertyDescription(
              "The Service that checks and actions with ask: service go to, in the same namespace."
                  + " Unless set: the governing service of a StatefulSet; a Deployment has none.")
          @Nullable String service) {

    /** The default of the schema where the API server has not filled it in. */
    public Kind kindOrDefault() {
      return kind == null ? Kind.STATEFUL_SET : kind;
    }
  }

  /** The kinds of workload that can be rolled. */
  public enum Kind {
    @JsonProperty("StatefulSet")
    STATEFUL_SET,
    @JsonProperty("Deployment")
    DEPLOYMENT;

    /** As Kubernetes spells it. */
    public String word() {
      return switch (this) {
        case STATEFUL_SET -> "StatefulSet";
        case DEPLOYMENT -> "Deployment";
      };
    }
  }

  /** Who takes members down, and in which order. */
  public enum Strategy {
    @JsonProperty("Partition")
    PARTITION,
    @JsonProperty("OnDelete")
    ON_DELETE,
    @JsonProperty("Native")
    NATIVE
  }

  /** How members are let through. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @ValidationRule(
      value = Grammar.DEADLINE_RULE,
      fieldPath = ".progressDeadline",
      reason = "FieldValueInvalid",
      message =
          "is shorter than soak plus readyTimeout, so that a member that takes its time would be"
              + " called failed: raise progressDeadline (30m unless set), or lower the other two")
  @ValidationRule(
      value = Grammar.BATCH_RULE,
      fieldPath = ".maxUnavailable",
      reason = "FieldValueInvalid",
      message =
          "is above 1, and only with strategy OnDelete can several members go at a time: set"
              + " strategy to OnDelete, or leave maxUnavailable out")
  public record Rollout(
      @JsonPropertyDescription(
              "Who takes members down, and in which order. Absent: the one that the workload's own"
                  + " update strategy stands for. Partition: the StatefulSet's controller, one"
                  + " ordinal at a time from the top, as far as Belay lets it. OnDelete: Belay"
                  + " evicts the pods of a StatefulSet whose updateStrategy is OnDelete, whoever"
                  + " matters least first and leaders last. Native: the workload's controller rolls"
                  + " it in its own way, and Belay only gates its start and its end; the only one"
                  + " for a Deployment.")
          @Nullable Strategy strategy,
      @Default("0s")
          @Size(max = 16)
          @JsonPropertyDescription(
              "How long each updated member must have been ready and healthy before the next one"
                  + " is touched, and the last before the roll-out counts as finished. From 0s to"
                  + " 24h, such as 500ms, 30s, 10m, 1h30m.")
          @Nullable String soak,
      @Default("10m")
          @Size(max = 16)
          @JsonPropertyDescription(
              "How long an updated member may take to become ready and healthy before the line"
                  + " stops for a person. Above 0s, up to 24h.")
          @Nullable String readyTimeout,
      @Default("30m")
          @Size(max = 16)
          @JsonPropertyDescription(
              "How long a roll-out may stand still before it is called failed instead of waited"
                  + " for. Time in which a person is waited for does not count. At least soak plus"
                  + " readyTimeout; above 0s, up to 24h.")
          @Nullable String progressDeadline,
      @Default("1")
          @Min(1)
          @Max(100)
          @JsonPropertyDescription(
              "How many members may be down at a time. More than 1 only with strategy OnDelete, and"
                  + " then as many of them as every group survives.")
          @Nullable Integer maxUnavailable,
      @Default("0")
          @Min(0)
          @Max(100)
          @JsonPropertyDescription(
              "How many other voters may be unhealthy when a member is touched. The quorum is kept"
                  + " whatever this says.")
          @Nullable Integer tolerateUnhealthy,
      @Default("false")
          @JsonPropertyDescription(
              "Whether a group that cannot spare a member (one or two of them) may go down while"
                  + " that member restarts.")
          @Nullable Boolean allowDowntime) {

    @ValidationRule(value = Grammar.DURATION_RULE, message = Grammar.DURATION_MESSAGE)
    @Override
    public @Nullable String soak() {
      return soak;
    }

    @ValidationRule(value = Grammar.PATIENCE_RULE, message = Grammar.PATIENCE_MESSAGE)
    @Override
    public @Nullable String readyTimeout() {
      return readyTimeout;
    }

    @ValidationRule(value = Grammar.PATIENCE_RULE, message = Grammar.PATIENCE_MESSAGE)
    @Override
    public @Nullable String progressDeadline() {
      return progressDeadline;
    }
  }

  @ValidationRule(value = Grammar.VERSION_RULE, message = Grammar.VERSION_MESSAGE)
  @Override
  public @Nullable String version() {
    return version;
  }

  @ValidationRule(
      value = "self.all(container, self[container].contains('{version}'))",
      message =
          "every image needs {version}, which is where the version goes, such as"
              + " example/etcd:{version}")
  @ValidationRule(value = Grammar.IMAGE_RULE, message = Grammar.IMAGE_MESSAGE)
  @ValidationRule(
      value =
          "self.all(container, size(container) <= 63 && container.matches('"
              + Grammar.LABEL
              + "'))",
      message = "every key must be the name of a container or init container of the workload")
  @Override
  public @Nullable Map<String, String> images() {
    return images;
  }
}
