package dev.belay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The user's own checks, by the moment at which their answers count. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Checks(
    @Size(max = 10)
        @JsonPropertyDescription(
            "Must pass before the first member of any component is touched, also in an upgrade that"
                + " does not touch this one. One that fails makes Belay wait; it goes on by itself.")
        @Nullable List<CheckSpec> beforeUpgrade,
    @Size(max = 10)
        @JsonPropertyDescription(
            "Must pass before the first member of this component is touched. One that fails makes"
                + " Belay wait; it goes on by itself.")
        @Nullable List<CheckSpec> beforeComponent,
    @Size(max = 10)
        @JsonPropertyDescription(
            "Must pass before each member is touched. One that fails makes Belay wait; it goes on"
                + " by itself. A member that does not serve anyway is repaired without.")
        @Nullable List<CheckSpec> beforeMember,
    @Size(max = 10)
        @JsonPropertyDescription(
            "Must pass on each updated member, once it serves, before the next one is touched. One"
                + " that fails fails the upgrade.")
        @Nullable List<CheckSpec> afterMember,
    @Size(max = 10)
        @JsonPropertyDescription(
            "Must pass when every member of this component is updated and serves, before the next"
                + " component moves. One that fails fails the upgrade.")
        @Nullable List<CheckSpec> afterComponent,
    @Size(max = 10)
        @JsonPropertyDescription(
            "Must pass when every member of every component is updated and serves, before the"
                + " upgrade counts as finished, also if this component did not move. One that fails"
                + " fails the upgrade.")
        @Nullable List<CheckSpec> afterUpgrade) {

  private static final String NO_TARGET = "self.all(c, !has(c.ask) || c.ask != 'target')";

  private static final String NO_TARGET_MESSAGE =
      "only around members there is a target: set ask to each or service";

  private static final String SAME =
      " && has(a.tcp) == has(b.tcp) && (!has(a.tcp) || a.tcp == b.tcp)"
          + " && has(a.http) == has(b.http) && (!has(a.http) || a.http == b.http)))";

  /**
   * A question that is put twice would have two timings and one answer. The reason is not
   * FieldValueDuplicate, with which the API server would leave the message out.
   */
  private static final String ONCE_BY_MEMBER =
      "self.all(a, self.exists_one(b, (has(a.ask) ? a.ask : 'target') == (has(b.ask) ? b.ask :"
          + " 'target')"
          + SAME;

  private static final String ONCE =
      "self.all(a, self.exists_one(b, (has(a.ask) ? a.ask : 'each') == (has(b.ask) ? b.ask : 'each')"
          + SAME;

  private static final String ONCE_MESSAGE = "the same check is there twice: remove one of them";

  @ValidationRule(value = NO_TARGET, reason = "FieldValueForbidden", message = NO_TARGET_MESSAGE)
  @ValidationRule(value = ONCE, message = ONCE_MESSAGE)
  @Override
  public @Nullable List<CheckSpec> beforeUpgrade() {
    return beforeUpgrade;
  }

  @ValidationRule(value = NO_TARGET, reason = "FieldValueForbidden", message = NO_TARGET_MESSAGE)
  @ValidationRule(value = ONCE, message = ONCE_MESSAGE)
  @Override
  public @Nullable List<CheckSpec> beforeComponent() {
    return beforeComponent;
  }

  @ValidationRule(value = ONCE_BY_MEMBER, message = ONCE_MESSAGE)
  @Override
  public @Nullable List<CheckSpec> beforeMember() {
    return beforeMember;
  }

  @ValidationRule(value = ONCE_BY_MEMBER, message = ONCE_MESSAGE)
  @Override
  public @Nullable List<CheckSpec> afterMember() {
    return afterMember;
  }

  @ValidationRule(value = NO_TARGET, reason = "FieldValueForbidden", message = NO_TARGET_MESSAGE)
  @ValidationRule(value = ONCE, message = ONCE_MESSAGE)
  @Override
  public @Nullable List<CheckSpec> afterComponent() {
    return afterComponent;
  }

  @ValidationRule(value = NO_TARGET, reason = "FieldValueForbidden", message = NO_TARGET_MESSAGE)
  @ValidationRule(value = ONCE, message = ONCE_MESSAGE)
  @Override
  public @Nullable List<CheckSpec> afterUpgrade() {
    return afterUpgrade;
  }
}
