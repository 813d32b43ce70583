package dev.belay.api.v1alpha1;

import static dev.belay.api.v1alpha1.Mapping.time;
import static dev.belay.api.v1alpha1.Mapping.word;
import static dev.belay.api.v1alpha1.StatusMapping.text;

import dev.belay.core.state.Memory;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What is remembered of requests, refusals and upgrades, both ways. */
final class Chronicles {

  static StatefulClusterStatus.Refused refused(String component, Memory.Refused refused) {
    return new StatefulClusterStatus.Refused(
        component,
        text(refused.revision()),
        text(refused.version()),
        spell(refused.cause()),
        text(refused.object()),
        text(refused.reason()),
        refused.since().toString(),
        refused.withdrawing());
  }

  static Memory.Refused refused(StatefulClusterStatus.Refused refused) {
    String field = "refused[" + refused.component() + "]";
    return new Memory.Refused(
        word(refused.revision()),
        word(refused.version()),
        read(field + ".cause", refused.cause(), Memory.Cause.values()),
        word(refused.object()),
        word(refused.reason()),
        time(field + ".since", refused.since()),
        Optional.ofNullable(refused.withdrawing()).orElse(false));
  }

  static StatefulClusterStatus.@Nullable Requests handled(Memory.Handled handled) {
    return handled.equals(Memory.Handled.NONE)
        ? null
        : new StatefulClusterStatus.Requests(
            text(handled.approve()),
            text(handled.retry()),
            text(handled.rollback()),
            text(handled.abort()),
            text(handled.migration()),
            handled.asked().map(Chronicles::consent).orElse(null),
            handled.agreed().stream().map(Chronicles::consent).toList());
  }

  static Memory.Handled handled(StatefulClusterStatus.Requests handled) {
    return new Memory.Handled(
        word(handled.approve()),
        word(handled.retry()),
        word(handled.rollback()),
        word(handled.abort()),
        word(handled.migration()),
        Optional.ofNullable(handled.asked()).map(Chronicles::consent),
        handled.agreed().stream().map(Chronicles::consent).toList());
  }

  private static StatefulClusterStatus.Consent consent(Memory.Consent consent) {
    return new StatefulClusterStatus.Consent(text(consent.token()), text(consent.revision()));
  }

  private static Memory.Consent consent(StatefulClusterStatus.Consent consent) {
    return new Memory.Consent(word(consent.token()), word(consent.revision()));
  }

  static StatefulClusterStatus.Forced forced(Memory.Forced forced) {
    return new StatefulClusterStatus.Forced(
        text(forced.by()), forced.since().toString(), spell(forced.state()));
  }

  static Memory.Forced forced(StatefulClusterStatus.Forced forced) {
    return new Memory.Forced(
        word(forced.by()),
        time("forced.since", forced.since()),
        read("forced.state", forced.state(), Memory.Forced.State.values()));
  }

  static StatefulClusterStatus.Upgrade run(Memory.Run run) {
    return new StatefulClusterStatus.Upgrade(
        text(run.from()),
        text(run.to()),
        run.since().toString(),
        Durations.text(run.waited()),
        run.waitingSince().map(Instant::toString).orElse(null),
        text(run.approvedBy()),
        text(run.forcedBy()),
        run.begun() ? true : null,
        run.outcome() == Memory.Outcome.COMPLETED ? null : spell(run.outcome()),
        text(run.next()),
        run.left());
  }

  static Memory.Run run(StatefulClusterStatus.Upgrade run) {
    return new Memory.Run(
        word(run.from()),
        word(run.to()),
        time("upgrade.since", run.since()),
        duration("upgrade.waited", run.waited()),
        Optional.ofNullable(run.waitingSince()).map(s -> time("upgrade.waitingSince", s)),
        word(run.approvedBy()),
        word(run.forcedBy()),
        Boolean.TRUE.equals(run.begun()),
        run.outcome() == null
            ? Memory.Outcome.COMPLETED
            : read("upgrade.outcome", run.outcome(), Memory.Outcome.values()),
        word(run.next()),
        run.left());
  }

  static StatefulClusterStatus.Past past(Memory.Past past) {
    return new StatefulClusterStatus.Past(
        text(past.from()),
        text(past.to()),
        past.since().toString(),
        past.until().toString(),
        Durations.text(past.waited()),
        spell(past.outcome()),
        text(past.approvedBy()),
        text(past.forcedBy()),
        past.left());
  }

  static Memory.Past past(StatefulClusterStatus.Past past) {
    return new Memory.Past(
        word(past.from()),
        word(past.to()),
        time("history.since", past.since()),
        time("history.until", past.until()),
        duration("history.waited", past.waited()),
        read("history.outcome", past.outcome(), Memory.Outcome.values()),
        word(past.approvedBy()),
        word(past.forcedBy()),
        past.left());
  }

  private static Duration duration(String field, @Nullable String text) {
    try {
      return text == null ? Duration.ZERO : Durations.read(text);
    } catch (DateTimeParseException _) {
      throw UnreadableStatus.edited(field, text, "is not a time");
    }
  }

  /** ROLLED_BACK is RolledBack there. */
  static String spell(Enum<?> value) {
    return Arrays.stream(value.name().split("_", -1))
        .map(w -> w.substring(0, 1) + w.substring(1).toLowerCase(Locale.ROOT))
        .collect(Collectors.joining());
  }

  static <E extends Enum<E>> E read(String field, @Nullable String text, E[] values) {
    return Arrays.stream(values)
        .filter(v -> spell(v).equals(word(text)))
        .findFirst()
        .orElseThrow(() ->
            UnreadableStatus.edited(
                field,
                word(text),
                "is none of " + Arrays.stream(values).map(Chronicles::spell).toList()));
  }

  private Chronicles() {}
}
