package dev.belay.core.forecast;

import java.util.List;
import java.util.Optional;

/**
 * What lies ahead, in words.
 *
 * @param plan what will be done for what is asked now
 * @param whatIf what would be done for a version somebody is curious about
 */
public record Outlook(List<String> plan, Optional<WhatIf> whatIf) {

  public static final Outlook NONE = new Outlook(List.of(), Optional.empty());

  /** An upgrade that nobody asked for yet. */
  public record WhatIf(String to, List<String> steps) {

    public WhatIf {
      steps = List.copyOf(steps);
    }
  }

  public Outlook {
    plan = List.copyOf(plan);
  }
}
