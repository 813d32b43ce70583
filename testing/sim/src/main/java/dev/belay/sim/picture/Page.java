package dev.belay.sim.picture;

import dev.belay.core.model.Workload.Order;
import dev.belay.sim.Outcome;
import dev.belay.sim.Scenario;
import dev.belay.sim.Simulation;
import dev.belay.sim.world.PartSetup;
import dev.belay.sim.world.Setup;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** One run as one file of HTML: nothing is loaded from anywhere, no script runs. */
public final class Page {

  private Page() {}

  /**
   * Runs the scenario once more, with somebody who looks on.
   *
   * @param replay the command that runs it again
   */
  public static String of(Scenario scenario, String replay) {
    var film = new Film();
    Outcome outcome = Simulation.run(scenario, film.seams());
    film.ends(outcome.millis());
    List<Said> story = Said.of(outcome.trace());
    List<String> versions = versions(film, scenario.setup().parts());
    var drawing = new Drawing(film, story, versions, outcome.millis());
    String title = "Belay, simulated: seed " + scenario.seed();
    return """
    <!DOCTYPE html>
    <html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width"/><title>%s</title><style>
    %s</style></head><body>
    <h1>%s</h1>
    %s%s%s
    <h2>The story</h2>
    <p class="dim">Belay’s decisions with their reasons, faults, people, and what the cluster did. A reason that stays the same is told once.</p>
    %s</body></html>
    """
        .formatted(
            title,
            style(),
            title,
            about(outcome, replay),
            legend(versions, scenario.setup().parts().stream().anyMatch(PartSetup::hasMembers)),
            drawing.draw(scenario.faults(), scenario.setup().parts()),
            table(story));
  }

  private static List<String> versions(Film film, List<PartSetup> parts) {
    var all = new ArrayList<Film.Span>();
    for (PartSetup part : parts) {
      film.ordinals(part.name()).forEach(o -> all.addAll(film.member(part.name(), o)));
    }
    return all.stream()
        .sorted(Comparator.comparingLong(Film.Span::from))
        .map(s -> s.state().split(" ", 2)[0])
        .distinct()
        .toList();
  }

  private static String about(Outcome outcome, String replay) {
    Setup s = outcome.scenario().setup();
    String end =
        outcome
            .violation()
            .map(v -> "<strong class=\"broken\">breaks " + escape(v.words()) + "</strong>")
            .orElse("<strong class=\"good\">no promise broken</strong>");
    return """
    <p>%s · %s, %s, trigger %s, onFailure %s · %d roll-outs, %d faults, %s s<br/><span class="dim">replay: <code>%s</code> · trace %016x</span></p>
    """
        .formatted(
            end,
            s.parts().stream().map(Page::part).collect(Collectors.joining(" and ")),
            s.policies() ? "guarded by policies" : "parked",
            s.trigger(),
            s.upgrade().onFailure(),
            outcome.rollouts(),
            outcome.scenario().faults().size(),
            Said.seconds(outcome.millis()),
            escape(replay),
            outcome.hash());
  }

  private static String part(PartSetup part) {
    return "%d members, %s"
        .formatted(part.replicas(), part.order() == Order.PARALLEL ? "Parallel" : "OrderedReady");
  }

  private static String legend(List<String> versions, boolean leaders) {
    var text = new StringBuilder("<p class=\"legend\">");
    for (int i = 0; i < versions.size(); i++) {
      text.append(key("v" + i % Drawing.COLOURS + " ready", escape(versions.get(i))));
    }
    text.append(key("unready", "not ready"));
    text.append(key("leaving", "being deleted"));
    text.append(key("trouble", "in trouble"));
    if (leaders) {
      text.append(key("crown", "leads"));
    }
    text.append(key("dot deed", "Belay acts"));
    text.append(key("dot refused", "refused or conflict"));
    return text.append(
            "<span class=\"dim\">Rest the pointer on anything for its reason; a dot leads to its row below.</span></p>\n")
        .toString();
  }

  private static String key(String kind, String words) {
    return "<span><i class=\"" + kind + "\"></i>" + words + "</span> ";
  }

  static String table(List<Said> story) {
    var rows = new StringBuilder("<table>\n");
    for (int i = 0; i < story.size(); i++) {
      Said said = story.get(i);
      String again =
          said.times() == 1
              ? ""
              : " <span class=\"dim\">(%d times, until %s)</span>"
                  .formatted(said.times(), Said.seconds(said.until()));
      rows.append(
          "<tr id=\"s%d\" class=\"%s\"><td>%s</td><td>%s</td><td>%s%s</td></tr>%n"
              .formatted(
                  i, kind(said), said.seconds(), escape(said.who()), escape(said.what()), again));
    }
    return rows.append("</table>\n").toString();
  }

  private static String kind(Said said) {
    if (said.deed()) {
      return "deed";
    }
    return switch (said.who()) {
      case "fault", "user", "VIOLATION" -> said.who().toLowerCase(java.util.Locale.ROOT);
      default -> said.byBelay() ? "decision" : "world";
    };
  }

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }

  private static String style() {
    try (InputStream in = Objects.requireNonNull(Page.class.getResourceAsStream("page.css"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
