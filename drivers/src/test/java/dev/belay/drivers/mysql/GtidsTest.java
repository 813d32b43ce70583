package dev.belay.drivers.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.drivers.wire.Malformed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GtidsTest {

  private static final String A = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
  private static final String B = "4e11fa47-71ca-11e1-9e33-c80aa9429562";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'0-1-10;;0-1-10'              | '0-1-10;;0-1-10'               | true",
        "'0-1-10;;0-1-10'              | '0-1-11;;0-1-11'               | false",
        "'0-2-11;0-1-10;0-1-10,0-2-11' | '0-1-10;;0-1-10'               | true",
        "'0-1-10;;0-1-10'              | ';;'                           | true",
        "';;'                          | '0-1-1;;0-1-1'                 | false",
        "';0-1-10;'                    | '0-1-10;;0-1-10'               | true",
        "';0-1-10,1-1-3;'              | '0-1-9,1-1-3;;0-1-9,1-1-3'     | true",
        "';0-1-10;'                    | '1-1-1;;1-1-1'                 | false",
        "'0-1-10;0-1-12;0-1-12'        | '0-1-12;;0-1-12'               | true",
        "'0-2-11;0-1-10;0-1-10,0-2-11' | '0-1-11;;0-1-11'               | false",
        "'0-1-11;;0-1-11'              | '0-2-11;0-1-10;0-1-10,0-2-11'  | false"
      })
  void mariadb_has_all_up_to_a_number_of_each_writer(String mine, String theirs, boolean all) {
    assertThat(maria(mine).reaches(maria(theirs))).isEqualTo(all);
  }

  @Test
  void what_the_primary_wrote_a_moment_ago_is_nothing_it_lacks() {
    Gtids primary = maria("0-1-10;;0-1-10");
    assertThat(maria("0-1-12;0-1-12;0-1-12").beyond(primary, "1")).isEmpty();
  }

  @Test
  void what_a_replica_wrote_itself_is_what_the_primary_lacks() {
    Gtids primary = maria("0-1-10;;0-1-10");
    assertThat(maria("0-3-11;0-1-10;0-1-10,0-3-11").beyond(primary, "1")).containsExactly("0-3-11");
    Gtids knows = maria("0-1-10;;0-1-10,0-3-4");
    assertThat(maria("0-1-10;0-1-10;0-1-10,0-3-4").beyond(knows, "1")).isEmpty();
    assertThat(maria("0-1-10;0-1-10;0-1-10,0-3-5").beyond(knows, "1")).containsExactly("0-3-5");
  }

  /** Without gtid_strict_mode the primary gives the same number to another transaction. */
  @Test
  void what_a_replica_wrote_is_not_hidden_by_what_the_primary_writes_next() {
    Gtids replica = maria("0-1-900;0-1-900;0-1-900,0-3-11");
    assertThat(replica.beyond(maria("0-1-900;;0-1-900"), "1")).containsExactly("0-3-11");
    Gtids oncePointed = maria("0-1-900;0-2-10;0-1-900,0-2-10");
    assertThat(replica.beyond(oncePointed, "1")).containsExactly("0-3-11");
    Gtids onceFollowed = maria("0-1-900;0-2-800;0-1-900,0-2-800,0-3-10");
    assertThat(replica.beyond(onceFollowed, "1")).containsExactly("0-3-11");
  }

  @Test
  void a_primary_made_from_a_backup_does_not_tell_who_wrote_before() {
    Gtids primary = maria("0-2-101;0-7-100;0-2-101");
    assertThat(maria("0-2-101;0-2-101;0-2-101,0-7-90").beyond(primary, "2")).isEmpty();
    assertThat(maria("0-2-101;0-2-101;0-2-101,0-7-90").doubtful(primary, "2"))
        .containsExactly("0-7-90");
    assertThat(maria("0-2-101;0-2-101;0-2-101").doubtful(primary, "2")).isEmpty();
    Gtids fromTheBeginning = maria("0-2-101;0-7-100;0-2-101,0-7-100");
    assertThat(maria("0-2-101;0-2-101;0-2-101,0-7-90").doubtful(fromTheBeginning, "2")).isEmpty();
  }

  @Test
  void what_is_kept_of_it_can_be_read_again() {
    Gtids state = maria("0-1-900;0-2-800;0-1-900,0-2-800");
    assertThat(Gtids.of(Flavor.MARIADB, state.whole())).isEqualTo(state);
    assertThat(state.text()).isEqualTo("0-1-900");
    Gtids set = mysql(A + ":1-5,\n" + B + ":1-3");
    assertThat(Gtids.of(Flavor.MYSQL, set.whole())).isEqualTo(set);
  }

  @Test
  void mysql_has_intervals_by_server() {
    assertThat(mysql(A + ":1-10").reaches(mysql(A + ":1-10"))).isTrue();
    assertThat(mysql(A + ":1-10").reaches(mysql(A + ":3"))).isTrue();
    assertThat(mysql(A + ":1-5:7-10").reaches(mysql(A + ":5-7"))).isFalse();
    assertThat(mysql(A + ":1-10").reaches(mysql(B + ":1"))).isFalse();
    assertThat(mysql(A + ":1-5,\n" + B + ":1-3").reaches(mysql(B + ":1-3"))).isTrue();
    assertThat(mysql(A + ":1-5:tag:1-2").reaches(mysql(A + ":tag:2"))).isTrue();
    assertThat(mysql(A + ":1-5").reaches(mysql(A + ":tag:2"))).isFalse();
    assertThat(mysql(A + ":1-6," + B + ":1").beyond(mysql(A + ":1-5"), A)).containsExactly(B);
  }

  @Test
  void nonsense_is_malformed() {
    assertThatThrownBy(() -> maria("0-1;;")).isInstanceOf(Malformed.class);
    assertThatThrownBy(() -> maria("0-1-1")).isInstanceOf(Malformed.class);
    assertThatThrownBy(() -> mysql(A)).isInstanceOf(Malformed.class);
    assertThatThrownBy(() -> mysql(A + ":x-y")).isInstanceOf(Malformed.class);
  }

  private static Gtids maria(String whole) {
    return Gtids.of(Flavor.MARIADB, whole);
  }

  private static Gtids mysql(String executed) {
    return Gtids.of(Flavor.MYSQL, executed);
  }
}
