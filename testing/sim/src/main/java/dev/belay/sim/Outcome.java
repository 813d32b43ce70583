package dev.belay.sim;

import dev.belay.sim.check.Violation;
import dev.belay.sim.world.Fault;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How a run ended. */
public record Outcome(
    Scenario scenario,
    Optional<Violation> violation,
    long hash,
    long events,
    long millis,
    int rollouts,
    List<String> trace,
    List<StepLine> steps,
    Map<Fault, Map<String, Integer>> counts) {

  public boolean good() {
    return violation.isEmpty();
  }

  /** Of a run that is all its seed says. */
  public String story() {
    return story(scenario.replay());
  }

  /**
   * What a person needs to see: what broke, the last events, and the command that replays it.
   *
   * @param replay empty where there is none: what was run stands nowhere yet
   */
  public String story(String replay) {
    var text = new StringBuilder();
    violation.ifPresent(v -> {
      text.append("seed ").append(scenario.seed()).append(" breaks ").append(v.words());
      text.append("\nafter ").append(events).append(" events, ").append(millis / 1000.0);
      text.append(" s; the last ones:\n");
      trace
          .subList(Math.max(0, trace.size() - 40), trace.size())
          .forEach(line -> text.append("  ").append(line).append('\n'));
      text.append(replay.isEmpty() ? "" : "replay: " + replay + "\n");
    });
    return text.toString();
  }
}
