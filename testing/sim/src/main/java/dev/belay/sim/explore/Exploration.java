package dev.belay.sim.explore;

import dev.belay.sim.check.Violation;
import java.util.List;
import java.util.Optional;

/**
 * What was found in one small world.
 *
 * @param worlds in how many Belay decided, with every edge out of them judged
 * @param frontier how many more were found and not looked at, for want of budget
 * @param whole whether every world that can be reached was looked at
 * @param path how the broken promise comes about, in words
 */
public record Exploration(
    Terrain terrain,
    int worlds,
    int frontier,
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
                .formatted(
                    terrain,
                    worlds,
                    whole ? "" : " (and %d at the budget's edge)".formatted(frontier),
                    calmEdges,
                    components));
    violation.ifPresent(v -> {
      text.append("breaks ").append(v.words()).append('\n');
      path.forEach(line -> text.append("  ").append(line).append('\n'));
    });
    return text.toString();
  }
}
