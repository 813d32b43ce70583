package dev.belay.api.v1alpha1;

import dev.belay.api.v1alpha1.ActionSpec.Expect;
import dev.belay.core.model.Action;
import dev.belay.core.model.Action.Moment;
import dev.belay.core.model.Check;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An action as core decides on it, with all that is needed to send it. */
public record Errand(Action action, Request request, Expect expect, Pace pace) {

  /** How long an answer may take, and how often and after which time it is sent again. */
  public record Pace(Duration timeout, Duration interval, int tries) {

    /** That of the schema, for what the spec does not name any more. */
    public static final Pace DEFAULT = new Pace(Duration.ofSeconds(5), Duration.ofSeconds(1), 3);
  }

  /**
   * The errands of a component, in the order of their moments.
   *
   * @throws IllegalArgumentException naming the field, the value and the cure
   */
  public static List<Errand> of(String field, @Nullable Actions actions) {
    var errands = new ArrayList<Errand>();
    if (actions != null) {
      add(errands, field + ".beforeUpgrade", Moment.BEFORE_UPGRADE, actions.beforeUpgrade());
      add(errands, field + ".beforeComponent", Moment.BEFORE_COMPONENT, actions.beforeComponent());
      add(errands, field + ".beforeMember", Moment.BEFORE_MEMBER, actions.beforeMember());
      add(errands, field + ".afterMember", Moment.AFTER_MEMBER, actions.afterMember());
      add(errands, field + ".afterComponent", Moment.AFTER_COMPONENT, actions.afterComponent());
      add(errands, field + ".afterUpgrade", Moment.AFTER_UPGRADE, actions.afterUpgrade());
    }
    return List.copyOf(errands);
  }

  private static void add(
      List<Errand> to, String field, Moment moment, @Nullable List<ActionSpec> specs) {
    List<ActionSpec> all = Lists.orEmpty(specs);
    for (int i = 0; i < all.size(); i++) {
      to.add(errand(field + "[" + i + "]", moment, all.get(i)));
    }
  }

  private static Errand errand(String field, Moment moment, ActionSpec spec) {
    Check.On on = on(moment, spec.ask());
    boolean service = on == Check.On.SERVICE;
    Request request = spec.http().request(service);
    String undo =
        Optional.ofNullable(spec.undo())
            .map(u -> u.request(spec.http(), service).words())
            .orElse("");
    return new Errand(
        new Action(moment, on, request.brief(), undo, Lists.orEmpty(spec.versions())),
        request,
        spec.http().expectOrDefault(),
        pace(field, spec));
  }

  private static Pace pace(String field, ActionSpec spec) {
    return new Pace(
        Optional.ofNullable(spec.timeout())
            .map(t -> Durations.parse(field + ".timeout", t))
            .orElse(Pace.DEFAULT.timeout()),
        Optional.ofNullable(spec.interval())
            .map(t -> Durations.parse(field + ".interval", t))
            .orElse(Pace.DEFAULT.interval()),
        Optional.ofNullable(spec.tries()).orElse(Pace.DEFAULT.tries()));
  }

  private static Check.On on(Moment moment, ActionSpec.@Nullable Ask ask) {
    return switch (moment) {
      case BEFORE_MEMBER, AFTER_MEMBER ->
          ask == ActionSpec.Ask.SERVICE ? Check.On.SERVICE : Check.On.TARGET;
      case BEFORE_UPGRADE, BEFORE_COMPONENT, AFTER_COMPONENT, AFTER_UPGRADE -> Check.On.SERVICE;
    };
  }
}
