package dev.belay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The user's own actions, by the moment at which they are sent, in the order of the lists. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Actions(
    @Size(max = 16)
        @JsonPropertyDescription("Done before the first member of any component is touched.")
        @Nullable List<ActionSpec> beforeUpgrade,
    @Size(max = 16)
        @JsonPropertyDescription("Done before the first member of this component is touched.")
        @Nullable List<ActionSpec> beforeComponent,
    @Size(max = 16)
        @JsonPropertyDescription(
            "Done before each member that serves is touched, such as draining it; taken back, if"
                + " there is an undo, when the member serves again.")
        @Nullable List<ActionSpec> beforeMember,
    @Size(max = 16)
        @JsonPropertyDescription(
            "Done for each updated member, once it serves, before the next one is touched.")
        @Nullable List<ActionSpec> afterMember,
    @Size(max = 16)
        @JsonPropertyDescription(
            "Done when every member of this component is updated and serves, before the next"
                + " component moves.")
        @Nullable List<ActionSpec> afterComponent,
    @Size(max = 16)
        @JsonPropertyDescription(
            "Done when every member of every component is updated and serves, before the upgrade"
                + " counts as finished.")
        @Nullable List<ActionSpec> afterUpgrade) {

  private static final String NO_TARGET = "self.all(a, !has(a.ask) || a.ask == 'service')";

  private static final String NO_TARGET_MESSAGE =
      "only around members there is a target: set ask to service, or leave it out";

  private static final String NO_UNDO = "self.all(a, !has(a.undo))";

  private static final String NO_UNDO_MESSAGE =
      "nothing comes after this that could take it back: remove undo, or move the action to"
          + " beforeUpgrade, beforeComponent or beforeMember";

  private static final String SAME =
      " && a.http.method == b.http.method && a.http.port == b.http.port"
          + " && a.http.path == b.http.path"
          + " && (has(a.http.body) ? a.http.body : '') == (has(b.http.body) ? b.http.body : '')))";

  /**
   * An action is known by its request, in the status too. The reason is not FieldValueDuplicate,
   * with which the API server would leave the message out.
   */
  private static final String ONCE_BY_MEMBER =
      "self.all(a, self.exists_one(b, (has(a.ask) ? a.ask : 'target') == (has(b.ask) ? b.ask :"
          + " 'target')"
          + SAME;

  private static final String ONCE =
      "self.all(a, self.exists_one(b, (has(a.ask) ? a.ask : 'service') == (has(b.ask) ? b.ask :"
          + " 'service')"
          + SAME;

  private static final String ONCE_MESSAGE =
      "the same request is there twice: remove one of them; if they are for different versions,"
          + " list these under versions of one";

  @ValidationRule(value = NO_TARGET, reason = "FieldValueForbidden", message = NO_TARGET_MESSAGE)
  @ValidationRule(value = ONCE, message = ONCE_MESSAGE)
  @Override
  public @Nullable List<ActionSpec> beforeUpgrade() {
    return beforeUpgrade;
  }

  @ValidationRule(value = NO_TARGET, reason = "FieldValueForbidden", message = NO_TARGET_MESSAGE)
  @ValidationRule(value = ONCE, message = ONCE_MESSAGE)
  @Override
  public @Nullable List<ActionSpec> beforeComponent() {
    return beforeComponent;
  }

  @ValidationRule(value = ONCE_BY_MEMBER, message = ONCE_MESSAGE)
  @Override
  public @Nullable List<ActionSpec> beforeMember() {
    return beforeMember;
  }

  @ValidationRule(value = NO_UNDO, reason = "FieldValueForbidden", message = NO_UNDO_MESSAGE)
  @ValidationRule(value = ONCE_BY_MEMBER, message = ONCE_MESSAGE)
  @Override
  public @Nullable List<ActionSpec> afterMember() {
    return afterMember;
  }

  @ValidationRule(value = NO_TARGET, reason = "FieldValueForbidden", message = NO_TARGET_MESSAGE)
  @ValidationRule(value = NO_UNDO, reason = "FieldValueForbidden", message = NO_UNDO_MESSAGE)
  @ValidationRule(value = ONCE, message = ONCE_MESSAGE)
  @Override
  public @Nullable List<ActionSpec> afterComponent() {
    return afterComponent;
  }

  @ValidationRule(value = NO_TARGET, reason = "FieldValueForbidden", message = NO_TARGET_MESSAGE)
  @ValidationRule(value = NO_UNDO, reason = "FieldValueForbidden", message = NO_UNDO_MESSAGE)
  @ValidationRule(value = ONCE, message = ONCE_MESSAGE)
  @Override
  public @Nullable List<ActionSpec> afterUpgrade() {
    return afterUpgrade;
  }
}
