package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.cli.Samples.Recorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is shown of each sample. Rewritten with -Dbelay.rewrite=true, and then read by eye. */
class ViewsTest {

  private static final Path GOLDEN = Path.of("src/test/resources/golden");

  static Stream<String> samples() {
    return Samples.names().stream();
  }

  @ParameterizedTest
  @MethodSource("samples")
  void shows_what_the_status_says(String sample) throws IOException {
    Cluster cluster = Samples.read(sample);
    Explanation explanation = Explanation.of(cluster, Samples.SIGHT);
    String text =
        "$ belay status "
            + cluster.name()
            + "\n"
            + plain(new TreeView(cluster, Samples.SIGHT).lines())
            + "\n$ belay explain "
            + cluster.name()
            + "\n"
            + plain(new ExplainView(explanation, cluster, Samples.SIGHT).lines())
            + "\n$ belay status "
            + cluster.name()
            + " -w | cat\n"
            + new ChangeView(false, Glyphs.UNICODE).line(cluster)
            + "\n"
            + history(cluster);
    assertGolden(sample, text);
  }

  @Test
  void lists_clusters_in_the_columns_of_kubectl() throws IOException {
    List<Cluster> all = Samples.names().stream().map(Samples::read).toList();
    assertGolden("list", plain(new ListView(true).lines(all, Samples.SIGHT)));
  }

  @Test
  void breaks_long_lines_at_spaces_on_a_narrow_terminal() throws IOException {
    Recorder screen = Recorder.screen(false, 50, 60);
    screen.terminal().print(new TreeView(Samples.read("waiting"), Samples.SIGHT).lines());
    assertGolden("waiting-in-60-columns", screen.out().toString());
    assertThat(screen.out().toString().lines()).allMatch(l -> l.length() <= 60);
  }

  @Test
  void colour_changes_no_word_and_no_column() {
    for (String sample : Samples.names()) {
      for (Line line : new TreeView(Samples.read(sample), Samples.SIGHT).lines()) {
        assertThat(line.painted().replaceAll("\u001b\\[[0-9]*m", "").stripTrailing())
            .isEqualTo(line.plain());
      }
    }
    assertThat(new TreeView(Samples.read("failed"), Samples.SIGHT).lines().getFirst().painted())
        .contains("\u001b[31mFailed\u001b[0m");
  }

  @Test
  void plain_signs_where_the_charset_has_no_others() {
    assertThat(Glyphs.in(java.nio.charset.StandardCharsets.US_ASCII)).isEqualTo(Glyphs.ASCII);
    assertThat(Glyphs.in(java.nio.charset.StandardCharsets.UTF_8)).isEqualTo(Glyphs.UNICODE);
    var sight = new Sight(Samples.NOW, Glyphs.ASCII, new Commands(List.of()));
    assertThat(plain(new TreeView(Samples.read("waiting"), sight).lines()))
        .matches("\\p{ASCII}*")
        .contains("3.5.35 -> 3.6.16");
  }

  @Test
  void explains_one_member_and_names_the_others_for_an_unknown_one() {
    Explanation all = Explanation.of(Samples.read("waiting"), Samples.SIGHT);
    assertThat(all.only("etcd-2").members()).extracting("pod").containsExactly("etcd-2");
    assertThatThrownBy(() -> all.only("etcd-9"))
        .isInstanceOfSatisfying(
            Trouble.class,
            t -> assertThat(t.text()).contains("etcd-9").contains("etcd-0, etcd-1, etcd-2"));
  }

  @Test
  void the_command_that_approves_finds_the_same_cluster_and_survives_the_shell() {
    var commands = new Commands(List.of("--kubeconfig=/tmp/my file", "--context=prod"));
    assertThat(commands.approve(Samples.read("held")))
        .isEqualTo(
            "belay approve my-etcd -n db --token etcd-b/etcd/adopt '--kubeconfig=/tmp/my file'"
                + " --context=prod");
  }

  @Test
  void an_approval_that_nothing_waits_for_is_said_to_be_one() {
    String stale = "spec:\n  requests: {approve: 3.5.35/etcd/leader}\n";
    Cluster cluster = Samples.parse(Samples.text("approval").replace("spec:\n", stale));
    assertThat(new Footer(cluster, Samples.SIGHT).asked())
        .containsExactly(
            "approve (3.5.35/etcd/leader), has no effect: nothing waits for it; to take it back,"
                + " remove spec.requests.approve");
  }

  @Test
  void what_is_asked_for_midway_is_shown_while_it_waits() {
    String waits = "3.7.3 waits until 3.6.16 is through: VersionGoesForward, no path";
    Cluster cluster =
        Samples.parse(
            Samples.text("approval")
                .replace("upgrade: {", "upgrade: {\"next\": \"" + waits + "\", "));
    assertThat(plain(new TreeView(cluster, Samples.SIGHT).lines())).contains("then: " + waits);
  }

  @Test
  void redraws_over_the_last_frame_and_counts_what_does_not_fit() {
    Recorder screen = Recorder.screen(false, 5, 80);
    var frame = new Frame(screen.terminal());
    frame.draw(List.of(Line.of("one"), Line.of("two")));
    frame.draw(List.of(Line.of("three")));
    assertThat(screen.out().toString())
        .isEqualTo("one\u001b[K\ntwo\u001b[K\n\u001b[J" + "\u001b[2Athree\u001b[K\n\u001b[J");
    screen.out().getBuffer().setLength(0);
    new Frame(screen.terminal())
        .draw(Stream.of("a", "b", "c", "d", "e", "f").map(Line::of).toList());
    assertThat(screen.out().toString()).contains("c").doesNotContain("d\u001b").contains("3 more");
  }

  private static String history(Cluster cluster) {
    String lines = plain(new HistoryView(cluster, Samples.NOW).lines());
    return lines.isEmpty() ? "" : "\n$ belay history " + cluster.name() + "\n" + lines;
  }

  static String plain(List<Line> lines) {
    return lines.stream().map(l -> l.plain() + "\n").collect(Collectors.joining());
  }

  private static void assertGolden(String name, String text) throws IOException {
    Path file = GOLDEN.resolve(name + ".txt");
    if (Boolean.getBoolean("belay.rewrite")) {
      Files.createDirectories(GOLDEN);
      Files.writeString(file, text);
    }
    assertThat(text)
        .as("%s; rewrite with -Dbelay.rewrite=true and read what changed", file)
        .isEqualTo(Files.exists(file) ? Files.readString(file) : "");
  }
}
