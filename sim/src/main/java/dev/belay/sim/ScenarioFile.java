package dev.belay.sim;

import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Workload.Order;
import dev.belay.sim.world.Setup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A scenario as text: a sentence about what it once found, the seed, what stands there, and one
 * line per fault. Files in sim/scenarios run for ever.
 */
public final class ScenarioFile {

  /** Files that are older than the field. */
  private static final String HALF_AN_HOUR = "1800000";

  private ScenarioFile() {}

  public static String write(Scenario scenario, String about) {
    Setup s = scenario.setup();
    Spec.Rollout r = s.rollout();
    var lines = new ArrayList<String>();
    lines.add("# " + about);
    lines.add("seed " + scenario.seed());
    lines.add("replicas " + s.replicas());
    lines.add("first-ordinal " + s.firstOrdinal());
    lines.add("order " + s.order());
    lines.add("min-ready " + s.minReady().toMillis());
    lines.add("policies " + s.policies());
    lines.add("trigger " + s.trigger());
    lines.add("driver " + s.driver());
    lines.add("soak " + r.soak().toMillis());
    lines.add("ready-timeout " + r.readyTimeout().toMillis());
    lines.add("tolerate-unhealthy " + r.tolerateUnhealthy());
    lines.add("allow-downtime " + r.allowDowntime());
    lines.add("progress-deadline " + r.progressDeadline().toMillis());
    lines.add("on-failure " + s.upgrade().onFailure());
    lines.add("approval " + s.upgrade().approval());
    scenario.faults().forEach(f -> lines.add("fault " + f.line()));
    return String.join("\n", lines) + "\n";
  }

  public static Scenario read(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException(
          file + " cannot be read; choose a file of sim/scenarios, or write one with --save");
    }
    Map<String, String> fields = new TreeMap<>();
    List<Injection> faults = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      String[] parts = line.trim().split(" +", 2);
      if (parts.length < 2) {
        throw new IllegalArgumentException(
            file + ": \"" + line + "\" has no value; write: name value");
      }
      if (parts[0].equals("fault")) {
        faults.add(Injection.parse(parts[1]));
      } else {
        fields.put(parts[0], parts[1]);
      }
    }
    return new Scenario(Long.parseLong(field(fields, "seed", file)), setup(fields, file), faults);
  }

  private static Setup setup(Map<String, String> fields, Path file) {
    return new Setup(
        number(fields, "replicas", file),
        number(fields, "first-ordinal", file),
        Order.valueOf(field(fields, "order", file)),
        Duration.ofMillis(number(fields, "min-ready", file)),
        Boolean.parseBoolean(field(fields, "policies", file)),
        Spec.Trigger.valueOf(field(fields, "trigger", file)),
        field(fields, "driver", file),
        new Spec.Rollout(
            Duration.ofMillis(number(fields, "soak", file)),
            Duration.ofMillis(number(fields, "ready-timeout", file)),
            Duration.ofMillis(
                Long.parseLong(fields.getOrDefault("progress-deadline", HALF_AN_HOUR))),
            number(fields, "tolerate-unhealthy", file),
            Boolean.parseBoolean(field(fields, "allow-downtime", file))),
        new Spec.Upgrade(
            Spec.OnFailure.valueOf(fields.getOrDefault("on-failure", "HOLD")),
            Spec.Approval.valueOf(fields.getOrDefault("approval", "NONE")),
            List.of()));
  }

  private static int number(Map<String, String> fields, String name, Path file) {
    return Integer.parseInt(field(fields, name, file));
  }

  private static String field(Map<String, String> fields, String name, Path file) {
    String value = fields.get(name);
    if (value == null) {
      throw new IllegalArgumentException(file + ": no line \"" + name + " …\"");
    }
    return value;
  }
}
