package dev.belay.cli;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a view needs besides the cluster: the time, the signs, how to write a command. */
record Sight(Instant now, Glyphs glyphs, Commands commands) {

  /** Ready to be put behind a sentence; empty when the time is unknown. */
  String since(@Nullable String time) {
    return Ages.since(time, now).map(age -> " (since " + Ages.words(age) + ")").orElse("");
  }
}
