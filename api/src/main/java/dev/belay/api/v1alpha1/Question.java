package dev.belay.api.v1alpha1;

import dev.belay.core.model.Check;
import dev.belay.core.model.Check.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A check as core judges it, with all that is needed to ask it. */
public record Question(
    Check check, CheckSpec spec, Duration timeout, Duration interval, int tries) {

  /** The defaults of the schema, for objects that the API server has not defaulted. */
  private static final String TIME = "5s";

  private static final int TRIES = 3;

  /**
   * The questions of a component, in the order of their moments.
   *
   * @throws IllegalArgumentException naming the field, the value and the cure
   */
  public static List<Question> of(String field, @Nullable Checks checks) {
    var questions = new ArrayList<Question>();
    if (checks != null) {
      add(questions, field + ".beforeUpgrade", Moment.BEFORE_UPGRADE, checks.beforeUpgrade());
      add(questions, field + ".beforeComponent", Moment.BEFORE_COMPONENT, checks.beforeComponent());
      add(questions, field + ".beforeMember", Moment.BEFORE_MEMBER, checks.beforeMember());
      add(questions, field + ".afterMember", Moment.AFTER_MEMBER, checks.afterMember());
      add(questions, field + ".afterComponent", Moment.AFTER_COMPONENT, checks.afterComponent());
      add(questions, field + ".afterUpgrade", Moment.AFTER_UPGRADE, checks.afterUpgrade());
    }
    return List.copyOf(questions);
  }

  private static void add(
      List<Question> to, String field, Moment moment, @Nullable List<CheckSpec> specs) {
    List<CheckSpec> all = Lists.orEmpty(specs);
    for (int i = 0; i < all.size(); i++) {
      to.add(question(field + "[" + i + "]", moment, all.get(i)));
    }
  }

  private static Question question(String field, Moment moment, CheckSpec spec) {
    return new Question(
        new Check(moment, on(moment, spec.ask()), spec.what()),
        spec,
        Durations.parse(field + ".timeout", Optional.ofNullable(spec.timeout()).orElse(TIME)),
        Durations.parse(field + ".interval", Optional.ofNullable(spec.interval()).orElse(TIME)),
        Optional.ofNullable(spec.tries()).orElse(TRIES));
  }

  private static Check.On on(Moment moment, CheckSpec.@Nullable Ask ask) {
    if (ask == null) {
      return switch (moment) {
        case BEFORE_MEMBER, AFTER_MEMBER -> Check.On.TARGET;
        case BEFORE_UPGRADE, BEFORE_COMPONENT, AFTER_COMPONENT, AFTER_UPGRADE -> Check.On.EACH;
      };
    }
    return switch (ask) {
      case TARGET -> Check.On.TARGET;
      case EACH -> Check.On.EACH;
      case SERVICE -> Check.On.SERVICE;
    };
  }
}
