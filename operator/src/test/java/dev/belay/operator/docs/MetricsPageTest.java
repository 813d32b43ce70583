package dev.belay.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.operator.metrics.Family;
import dev.belay.operator.metrics.Metrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The table of docs/metrics.md and deploy/prometheus-rules.yaml follow the metrics themselves. */
class MetricsPageTest {

  private static final Path PAGE = Path.of("../docs/metrics.md");
  private static final Path RULES = Path.of("../deploy/prometheus-rules.yaml");
  private static final String BEGIN = "<!-- generated from the code: begin -->\n";
  private static final String END = "<!-- generated from the code: end -->";

  private static final Pattern SERIES = Pattern.compile("\\b(belay_\\w+)(?:\\{([^}]*)})?");
  private static final Pattern LABEL = Pattern.compile("(\\w+)\\s*(?:=~|!~|!=|=)");

  /** Prometheus adds it to every series of an install. */
  private static final String OF_THE_TARGET = "job";

  @Test
  void the_page_says_what_the_code_says() throws IOException {
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    int end = page.indexOf(END);
    assertThat(end).as("the markers of the table in " + PAGE).isGreaterThanOrEqualTo(begin);
    if (Boolean.getBoolean("belay.rewrite")) {
      page = page.substring(0, begin) + table() + page.substring(end);
      Files.writeString(PAGE, page);
      end = page.indexOf(END);
    }
    assertThat(page.substring(begin, end))
        .as(
            "regenerate with: build/mvn -pl operator -am test -Dtest=MetricsPageTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -DargLine=-Dbelay.rewrite=true")
        .isEqualTo(table());
  }

  /** From what is really served, not from the list it is made of. */
  private static String table() {
    var out = new StringBuilder("| Metric | Type | Labels | Meaning |\n|---|---|---|---|\n");
    List<String> lines = new Metrics(Clock.systemUTC()).text().lines().toList();
    for (int i = 0; i < lines.size(); i += 2) {
      String[] help = lines.get(i).split(" ", 4);
      String[] type = lines.get(i + 1).split(" ", 4);
      out.append(
          "| `%s` | %s | %s | %s |\n"
              .formatted(
                  help[2],
                  type[3],
                  family(help[2]).labels().stream()
                      .map(l -> "`" + l + "`")
                      .collect(Collectors.joining(", ")),
                  help[3]));
    }
    return out.toString();
  }

  private static Family family(String name) {
    return Arrays.stream(Family.values())
        .filter(f -> f.text().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("there is no metric " + name));
  }

  @Test
  void the_alerts_use_metrics_and_labels_that_exist() throws IOException {
    List<MatchResult> used =
        SERIES
            .matcher(
                Files.readAllLines(RULES).stream()
                    .filter(l -> !l.strip().startsWith("#"))
                    .collect(Collectors.joining("\n")))
            .results()
            .toList();
    assertThat(used).isNotEmpty();
    for (MatchResult series : used) {
      Family family = family(series.group(1));
      if (series.group(2) != null) {
        assertThat(LABEL.matcher(series.group(2)).results().map(m -> m.group(1)))
            .as("labels of " + series.group())
            .isNotEmpty()
            .allMatch(label -> label.equals(OF_THE_TARGET) || family.labels().contains(label));
      }
    }
  }
}
