package dev.belay.governor.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.governor.Refusal;
import dev.belay.governor.files.Migration.Phase;
import dev.belay.governor.files.Upgrade.Known;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MigrationFolderTest {

  @TempDir Path folder;

  private void file(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  private List<Migration> read() {
    return MigrationFolder.read(folder, Syntax.POSTGRES);
  }

  private void refused(String... parts) {
    assertThatThrownBy(this::read).isInstanceOf(Refusal.class).message().contains(parts);
  }

  @Test
  void reads_versions_as_numbers_and_the_header() throws IOException {
    file("V25.10__later.sql", "SELECT 1;");
    file(
        "V25.9__first_one.sql",
        """
        -- belay:phase contract
        -- belay:reversible yes
        -- belay:undo DROP INDEX i
        -- belay:no-transaction
        -- belay:verify SELECT true
        CREATE INDEX CONCURRENTLY i ON t (a);
        """);
    file("README.md", "not a migration");
    List<Migration> all = read();
    assertThat(all).extracting(m -> m.version().toString()).containsExactly("25.9", "25.10");
    Migration m = all.getFirst();
    assertThat(m.description()).isEqualTo("first one");
    assertThat(m.phase()).isEqualTo(Phase.CONTRACT);
    assertThat(m.reversible()).isTrue();
    assertThat(m.transactional()).isFalse();
    assertThat(m.undo()).contains("DROP INDEX i");
    assertThat(m.verify()).contains("SELECT true");
    assertThat(all.getLast().reversible()).as("nobody said so").isFalse();
  }

  @Test
  void refuses_what_it_does_not_know_with_file_and_line() throws IOException {
    file(
        "V1__a.sql",
        "-- belay:phase later\n-- belay:colour blue\n-- belay:reversible maybe\nSELECT 1;");
    refused(
        "V1__a.sql:1: belay:phase \"later\"; write expand",
        "V1__a.sql:2: belay:colour is not known",
        "V1__a.sql:3: belay:reversible \"maybe\"");
  }

  @Test
  void refuses_repeatable_undo_and_misnamed_files() throws IOException {
    file("R__views.sql", "SELECT 1;");
    file("U1__a.sql", "SELECT 1;");
    file("V1.x__a.sql", "SELECT 1;");
    file("notes.sql", "SELECT 1;");
    refused(
        "R__views.sql: repeatable migrations are not run",
        "U1__a.sql: undo files",
        "V1.x__a.sql: the name must be",
        "notes.sql: the name must be");
  }

  @Test
  void refuses_empty_duplicate_gap_and_not_utf8() throws IOException {
    file("V1__empty.sql", "-- only a comment\n");
    file("V1.0__same.sql", "SELECT 1;");
    file("V3__gap.sql", "SELECT 1;");
    Files.write(folder.resolve("V4__latin.sql"), new byte[] {'a', '\n', (byte) 0xe4, ';'});
    refused(
        "V1__empty.sql:1: no statement",
        "is also that of",
        "nothing stands between V1 and V3",
        "V4__latin.sql:2: not UTF-8");
  }

  @Test
  void time_stamps_need_not_follow_each_other() throws IOException {
    file("V20260101120000__a.sql", "SELECT 1;");
    file("V20260301120000__b.sql", "SELECT 1;");
    assertThat(read()).hasSize(2);
  }

  @Test
  void refuses_a_link_that_leads_out_of_the_folder(@TempDir Path elsewhere) throws IOException {
    Path secret = Files.writeString(elsewhere.resolve("x.sql"), "SELECT 1;");
    Files.createSymbolicLink(folder.resolve("V1__a.sql"), secret);
    refused("V1__a.sql: it leads out of the folder");
  }

  @Test
  void the_queue_gets_each_missing_version_once_and_only_up_to_the_target() throws IOException {
    file("V1__a.sql", "SELECT 1;");
    file("V2__b.sql", "SELECT 2;");
    file("V3__c.sql", "SELECT 3;");
    List<Migration> all = read();
    assertThat(Upgrade.missing(all, List.of(), Version.parse("2"))).hasSize(2);
    assertThat(Upgrade.missing(all, known(all.subList(0, 2)), Optional.empty()))
        .containsExactly(all.get(2));
    assertThat(Upgrade.missing(all, known(all), Optional.empty())).isEmpty();
    assertThatThrownBy(() -> Upgrade.missing(all, List.of(), Version.parse("9")))
        .hasMessageContaining("version 9 has no file; the highest is 3");
  }

  @Test
  void refuses_changed_removed_and_late_files() throws IOException {
    file("V1__a.sql", "SELECT 1;");
    file("V2__b.sql", "SELECT 2;");
    file("V3__c.sql", "SELECT 3;");
    List<Known> known = known(read());
    file("V1__a.sql", "SELECT 11;");
    Files.delete(folder.resolve("V3__c.sql"));
    List<Known> withoutTwo = List.of(known.get(0), known.get(2));
    assertThatThrownBy(() -> Upgrade.missing(read(), withoutTwo, Optional.empty()))
        .isInstanceOf(Refusal.class)
        .message()
        .contains(
            "V1__a.sql:1: changed after it was queued as operation 1 (done)",
            "V2__b.sql: version 2 comes after 3 was queued",
            "V3 was queued as operation 3 and has no file");
  }

  private static List<Known> known(List<Migration> migrations) {
    List<Known> out = new ArrayList<>();
    for (Migration m : migrations) {
      out.add(new Known(out.size() + 1, m.version(), m.checksum(), "done"));
    }
    return out;
  }

  @Test
  void a_name_that_leads_elsewhere_is_refused() {
    for (String name : List.of("V1__../x.sql", "../V1__x.sql", "V1__a\\b.sql", "V1__\u0007.sql")) {
      assertThatThrownBy(() -> MigrationFolder.of(Map.of(name, "SELECT 1"), Syntax.POSTGRES))
          .as(name)
          .isInstanceOf(Refusal.class)
          .hasMessageContaining("the name must be V<version>__<text>.sql");
    }
  }
}
