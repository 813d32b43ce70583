package dev.belay.core.rollout;

import dev.belay.core.rules.Aim;
import dev.belay.core.rules.Course;
import dev.belay.core.rules.Reasons;
import dev.belay.core.rules.UpgradeRules;
import dev.belay.core.state.Memory.Target;
import java.util.Locale;
import java.util.Optional;

/** A version that is asked for midway and waits until the one under way is through. */
public record Awaited(Rollout rollout) {

  public Optional<String> words() {
    Course course = rollout.course();
    boolean rolls = course.known() && !course.outdated().isEmpty() && course.refused().isEmpty();
    return Aim.of(rollout.snapshot(), rollout.component())
        .filter(aim -> rolls && aim.differsFrom(rollout.workload()))
        .flatMap(this::words);
  }

  private Optional<String> words(Aim aim) {
    String first = rollout.memory().target().map(Target::version).orElse("");
    return rollout.setTemplate(aim).objections().stream()
        .filter(o -> !o.is(UpgradeRules.NOT_PAUSED))
        .filter(o -> !o.is(Reasons.TEMPLATE_OWNED_ELSEWHERE))
        .findFirst()
        .map(o ->
            String.format(
                Locale.ROOT,
                "%s waits until %s is through: %s, %s",
                aim.version(),
                first,
                o.reason().name(),
                o.reading()));
  }
}
