package dev.belay.sim.picture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.sim.Injection;
import dev.belay.sim.Main;
import dev.belay.sim.Outcome;
import dev.belay.sim.Scenario;
import dev.belay.sim.Simulation;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;
import picocli.CommandLine;

class PageTest {

  private static final Scenario SCENARIO = Scenario.of(25);

  private static Document parsed(String page) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(page.replace("<!DOCTYPE html>", ""))));
  }

  @Test
  void a_run_is_written_as_one_file_that_needs_no_other(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("run.html");

    int code =
        new CommandLine(new Main()).execute("run", "--seed", "25", "--html", file.toString());

    String page = Files.readString(file);
    assertThat(code).isZero();
    assertThat(parsed(page).getDocumentElement().getTagName()).isEqualTo("html");
    assertThat(page).doesNotContain("http:", "https:", "src=", "<script", "@import", "url(");
  }

  @Test
  void what_happened_is_on_the_page() {
    String page = Page.of(SCENARIO, SCENARIO.replay());
    Outcome outcome = Simulation.run(SCENARIO);

    for (Injection fault : SCENARIO.faults()) {
      assertThat(page)
          .contains(fault.fault().name().toLowerCase(Locale.ROOT).replace('_', ' '))
          .contains(Page.escape(fault.fault().words()));
    }
    List<Said> deeds = Said.of(outcome.trace()).stream().filter(Said::deed).toList();
    assertThat(deeds).isNotEmpty();
    deeds.forEach(d -> assertThat(page).contains(Page.escape(d.what())));
    assertThat(page)
        .contains("UpdatedMembersServe: is not ready", "db-0", "m0 leads", "ImagePullBackOff")
        .contains("%016x".formatted(outcome.hash()));
  }

  @Test
  void text_is_escaped() throws Exception {
    var nasty = new Said(1, 1, "user", "sets <b>\"x\" & 'y'</b>", 1);

    String table = Page.table(List.of(nasty));

    assertThat(parsed(table).getElementsByTagName("b").getLength()).isZero();
    assertThat(parsed(table).getDocumentElement().getTextContent()).contains(nasty.what());
  }

  @Test
  void a_reason_that_stays_the_same_is_told_once() {
    List<Said> story =
        Said.of(
            List.of(
                "   31.000  belay-1     records Waiting, step 1-1 release db-2, OneAtATime: db-1",
                "   31.500  kubelet     db-1 is not ready",
                "   32.000  belay-1     records Waiting, step 1-1 release db-2, OneAtATime: db-0",
                "   33.000  belay-1     release db-2 → OK",
                "   34.000  belay-1     release db-2 → OK",
                "   35.000  belay-1     records Waiting, step 1-1 release db-2, Soaks: 3 s"));

    assertThat(story).extracting(Said::times).containsExactly(2, 1, 1, 1, 1);
    assertThat(story.getFirst().until()).isEqualTo(32_000);
  }

  @Test
  void quiet_times_are_folded() {
    var ruler = new Ruler(0, 1_000_000, List.of(0L, 1000L, 500_000L));

    assertThat(ruler.folds()).hasSize(2);
    assertThat(ruler.width()).isLessThan(500);
    assertThat(ruler.x(500_000)).isGreaterThan(ruler.x(1000)).isLessThan(ruler.x(1_000_000));
  }
}
