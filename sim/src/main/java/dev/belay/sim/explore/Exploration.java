package dev.belay.sim.explore;

import dev.belay.sim.check.Violation;
import java.util.List;
import java.util.Optional;

/**
 * What was found in one small world.
 *
 * @param whole whether every world that can be reached was looked at
 * @param path how the broken promise comes about, in words
 */
public record Exploration(
    Terrain terrain,
    int worlds,
    int calmEdges,
    int components,
    boolean whole,
    Optional<Violation> violation,
    List<String> path) {

  public Exploration {
    path = List.copyOf(path);
  }

  public boolean good() {
    return violation.isEmpty();
  }

  /** What a person needs to see. */
  public String story() {
    var text =
        new StringBuilder(
            "%-58s %8d worlds%s, %d calm edges, %d components%n"
                .formatted(terrain, worlds, whole ? "" : " (budget)", calmEdges, components));
    violation.ifPresent(v -> {
      text.append("breaks ").append(v.words()).append('\n');
      path.forEach(line -> text.append("  ").append(line).append('\n'));
    });
    return text.toString();
  }
}
