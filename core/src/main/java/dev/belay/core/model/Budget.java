package dev.belay.core.model;

import java.util.List;

/** A PodDisruptionBudget that covers pods of the component. */
public record Budget(String name, int disruptionsAllowed, List<String> pods) {

  public Budget {
    pods = List.copyOf(pods);
  }
}
