package dev.belay.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.WayBack;
import dev.belay.core.forecast.Forecast;
import dev.belay.core.loop.Loop;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Transcripts: each file in scenarios/ is a story of commands and, behind arrows, what Belay
 * decided and why. Regenerate with -Dbelay.rewrite=true, then read the difference.
 */
class ScenariosTest {

  private static final Path SCENARIOS = Path.of("src/test/resources/scenarios");
  private static final Path STEPS = Path.of("src/test/resources/steps.txt");

  @TestFactory
  Stream<DynamicTest> every_scenario_goes_as_written() throws IOException {
    List<Path> files;
    try (var list = Files.list(SCENARIOS)) {
      files = list.filter(f -> f.toString().endsWith(".txt")).sorted().toList();
    }
    assertThat(files).isNotEmpty();
    return files.stream()
        .map(f -> DynamicTest.dynamicTest(f.getFileName().toString(), () -> check(f)));
  }

  /** Whatever the words: -Dbelay.rewrite=true writes the recorded steps anew. */
  @Test
  void every_scenario_takes_the_recorded_steps() throws IOException {
    var all = new StringBuilder();
    try (var list = Files.list(SCENARIOS)) {
      for (Path file : list.filter(f -> f.toString().endsWith(".txt")).sorted().toList()) {
        all.append("== ").append(file.getFileName()).append('\n');
        play(Files.readString(file), (number, turn) -> all.append(steps(number, turn)));
      }
    }
    if (Boolean.getBoolean("belay.rewrite")) {
      Files.writeString(STEPS, all);
    }
    assertThat(all.toString()).isEqualTo(Files.readString(STEPS));
  }

  private static String steps(int number, Loop.Turn turn) {
    return turn.decision() instanceof Decision.Perform(Step step)
        ? number + " " + StepLine.of(step) + (turn.acted().accepted() ? " ok" : " refused") + "\n"
        : "";
  }

  private static void check(Path file) throws IOException {
    String written = Files.readString(file);
    String played = play(written, (_, _) -> {});
    if (Boolean.getBoolean("belay.rewrite")) {
      Files.writeString(file, played);
    }
    assertThat(played).isEqualTo(Files.readString(file));
  }

  private static String play(String text, BiConsumer<Integer, Loop.Turn> turned) {
    var out = new StringBuilder();
    int number = 0;
    ScriptedWorld world = new ScriptedWorld();
    ScriptedWorld part = world;
    ScriptedWorld removed = world;
    for (String line : text.lines().toList()) {
      if (line.startsWith("  -> ")) {
        continue;
      }
      out.append(line).append('\n');
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      String[] words = line.strip().split("\\s+");
      if (words[0].equals("settled")) {
        world =
            ScriptedWorld.settled(
                Integer.parseInt(words[1]), words.length > 2 ? Integer.parseInt(words[2]) : 0);
        part = world;
      } else if (words[0].equals("component")) {
        part = world.and(words[1], Integer.parseInt(words[2]));
      } else if (words[0].equals("in")) {
        part = part(world, words[1]);
      } else if (words[0].equals("removed")) {
        removed = part(world, words[1]);
        world.more.remove(removed);
      } else if (words[0].equals("named-again")) {
        world.more.add(removed);
      } else if (words[0].equals("turn")) {
        int count = words.length > 1 ? Integer.parseInt(words[1]) : 1;
        for (int i = 0; i < count; i++) {
          Loop.Turn turn = world.turn();
          turned.accept(++number, turn);
          out.append("  -> ").append(words(turn)).append('\n');
        }
      } else if (words[0].equals("status")) {
        Loop.Turn turn = world.turn();
        turned.accept(++number, turn);
        StatusPage.lines(turn.report()).forEach(l -> out.append("  -> ").append(l).append('\n'));
      } else if (words[0].equals("plan")) {
        ScriptedPolicy policy = world.policy;
        new Forecast(new Planner(_ -> policy))
            .of(world.snapshot())
            .forEach(l -> out.append("  -> ").append(l).append('\n'));
      } else if (!world.queue.command(words, world.now)) {
        Commands.obey(Commands.ofCluster(words[0]) ? world : part, words);
      }
    }
    return out.toString();
  }

  private static ScriptedWorld part(ScriptedWorld world, String name) {
    return Stream.concat(Stream.of(world), world.more.stream())
        .filter(w -> w.component.equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static String words(Loop.Turn turn) {
    var report = turn.report();
    String progress =
        " [%s, updated %d/%d, ready %d/%d]"
            .formatted(
                report.phase(),
                report.updated(),
                report.replicas(),
                report.ready(),
                report.replicas());
    return switch (turn.decision()) {
          case Decision.Perform(Step step) -> step.what();
          case Decision.Wait wait -> "wait: " + objections(wait);
          case Decision.Hold hold ->
              "hold: "
                  + objections(hold)
                  + (hold.waitingFor().isEmpty() ? "" : "; approve " + hold.waitingFor());
          case Decision.Done _ -> "done";
        }
        + progress
        + closed(report.wayBack());
  }

  /** Said only where a migration closes the way. */
  private static String closed(WayBack back) {
    return back.reason().contains("migration ")
        ? " no way back below "
            + back.floor().asOptional().flatMap(f -> f).orElse("?")
            + ": "
            + back.reason()
        : "";
  }

  private static String objections(Decision decision) {
    Objection first = decision.objections().getFirst();
    String others =
        String.join(
            ", ", decision.objections().stream().skip(1).map(o -> o.reason().name()).toList());
    return first.object()
        + ": "
        + first.sentence()
        + (others.isEmpty() ? "" : " (also " + others + ")");
  }
}
