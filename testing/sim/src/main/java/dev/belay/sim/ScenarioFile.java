package dev.belay.sim;

import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.model.Workload.Order;
import dev.belay.core.model.Workload.Update;
import dev.belay.sim.world.PartSetup;
import dev.belay.sim.world.Setup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A scenario as text: a sentence about what it once found, the seed, what stands there, and one
 * line per fault. Files in testing/sim/scenarios run for ever.
 */
public final class ScenarioFile {

  /** Files that are older than the field. */
  private static final String HALF_AN_HOUR = "1800000";

  private ScenarioFile() {}

  public static String write(Scenario scenario, String about) {
    Setup s = scenario.setup();
    var lines = new ArrayList<String>();
    lines.add("# " + about);
    lines.add("seed " + scenario.seed());
    lines.add("policies " + s.policies());
    lines.add("trigger " + s.trigger());
    lines.add("on-failure " + s.upgrade().onFailure());
    lines.add("approval " + s.upgrade().approval());
    s.parts().forEach(p -> part(lines, p, p.name().equals(Setup.COMPONENT) ? "" : p.name() + "."));
    scenario.faults().forEach(f -> lines.add("fault " + f.line()));
    return String.join("\n", lines) + "\n";
  }

  /** The fields of the first component stand there bare, as in files older than the second. */
  private static void part(List<String> lines, PartSetup p, String prefix) {
    Spec.Rollout r = p.rollout();
    lines.add(prefix + "replicas " + p.replicas());
    lines.add(prefix + "first-ordinal " + p.firstOrdinal());
    lines.add(prefix + "order " + p.order());
    lines.add(prefix + "min-ready " + p.minReady().toMillis());
    lines.add(prefix + "update " + p.update());
    lines.add(prefix + "driver " + p.driver());
    lines.add(prefix + "soak " + r.soak().toMillis());
    lines.add(prefix + "ready-timeout " + r.readyTimeout().toMillis());
    lines.add(prefix + "progress-deadline " + r.progressDeadline().toMillis());
    lines.add(prefix + "max-unavailable " + r.maxUnavailable());
    lines.add(prefix + "tolerate-unhealthy " + r.tolerateUnhealthy());
    lines.add(prefix + "allow-downtime " + r.allowDowntime());
    lines.add(prefix + "actions " + p.actions());
    lines.add(prefix + "checks " + p.checks());
    lines.add(prefix + "kind " + p.kind().name());
  }

  public static Scenario read(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException(
          file
              + " cannot be read; choose a file of testing/sim/scenarios,"
              + " or write one with --save");
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
    List<PartSetup> parts =
        Stream.concat(
                Stream.of(Setup.COMPONENT),
                fields.keySet().stream()
                    .filter(f -> f.endsWith(".replicas"))
                    .map(f -> f.substring(0, f.indexOf('.'))))
            .map(name -> part(fields, name, file))
            .toList();
    return new Setup(
        Boolean.parseBoolean(field(fields, "policies", file)),
        Spec.Trigger.valueOf(field(fields, "trigger", file)),
        new Spec.Upgrade(
            Spec.OnFailure.valueOf(fields.getOrDefault("on-failure", "HOLD")),
            Spec.Approval.valueOf(fields.getOrDefault("approval", "NONE")),
            List.of()),
        parts);
  }

  private static PartSetup part(Map<String, String> fields, String name, Path file) {
    String prefix = name.equals(Setup.COMPONENT) ? "" : name + ".";
    int batch = Integer.parseInt(fields.getOrDefault(prefix + "max-unavailable", "1"));
    return new PartSetup(
        name,
        number(fields, prefix + "replicas", file),
        number(fields, prefix + "first-ordinal", file),
        Order.valueOf(field(fields, prefix + "order", file)),
        Duration.ofMillis(number(fields, prefix + "min-ready", file)),
        Update.valueOf(fields.getOrDefault(prefix + "update", "ROLLING_UPDATE")),
        field(fields, prefix + "driver", file),
        new Spec.Rollout(
            PartSetup.strategy(batch),
            Duration.ofMillis(number(fields, prefix + "soak", file)),
            Duration.ofMillis(number(fields, prefix + "ready-timeout", file)),
            Duration.ofMillis(
                Long.parseLong(fields.getOrDefault(prefix + "progress-deadline", HALF_AN_HOUR))),
            batch,
            number(fields, prefix + "tolerate-unhealthy", file),
            Boolean.parseBoolean(field(fields, prefix + "allow-downtime", file))),
        Boolean.parseBoolean(fields.getOrDefault(prefix + "actions", "false")),
        Boolean.parseBoolean(fields.getOrDefault(prefix + "checks", "false")),
        Workload.Kind.valueOf(fields.getOrDefault(prefix + "kind", "STATEFUL_SET")));
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
