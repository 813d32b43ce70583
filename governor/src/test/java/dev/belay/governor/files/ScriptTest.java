package dev.belay.governor.files;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.governor.files.Script.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScriptTest {

  static Stream<Arguments> splits() {
    return Stream.of(
        Arguments.of("a;b;", Syntax.POSTGRES, List.of("a", "b")),
        Arguments.of(" ;; ", Syntax.POSTGRES, List.of()),
        Arguments.of("SELECT ';' ; b", Syntax.POSTGRES, List.of("SELECT ';'", "b")),
        Arguments.of("SELECT 'it''s;'; b", Syntax.POSTGRES, List.of("SELECT 'it''s;'", "b")),
        Arguments.of("SELECT E'\\';' ; b", Syntax.POSTGRES, List.of("SELECT E'\\';'", "b")),
        Arguments.of("SELECT '\\' ; b", Syntax.POSTGRES, List.of("SELECT '\\'", "b")),
        Arguments.of("SELECT '\\';' ; b", Syntax.MARIADB, List.of("SELECT '\\';'", "b")),
        Arguments.of("SELECT \";\" ; b", Syntax.POSTGRES, List.of("SELECT \";\"", "b")),
        Arguments.of("SELECT `;` ; b", Syntax.MARIADB, List.of("SELECT `;`", "b")),
        Arguments.of("a -- ;\n; b", Syntax.POSTGRES, List.of("a -- ;", "b")),
        Arguments.of("SELECT 5--1;b", Syntax.MARIADB, List.of("SELECT 5--1", "b")),
        Arguments.of("# ;\na", Syntax.MARIADB, List.of("a")),
        Arguments.of(
            "a /* ; /* ; */ ; */ c; b", Syntax.POSTGRES, List.of("a /* ; /* ; */ ; */ c", "b")),
        Arguments.of("DO $$ x; $$; b", Syntax.POSTGRES, List.of("DO $$ x; $$", "b")),
        Arguments.of("DO $t$ $$; $t$; b", Syntax.POSTGRES, List.of("DO $t$ $$; $t$", "b")),
        Arguments.of(
            "CREATE FUNCTION f() BEGIN ATOMIC SELECT CASE WHEN a THEN 1 END; SELECT 2; END; b",
            Syntax.POSTGRES,
            List.of(
                "CREATE FUNCTION f() BEGIN ATOMIC SELECT CASE WHEN a THEN 1 END; SELECT 2; END",
                "b")),
        Arguments.of(
            "DELIMITER //\na; b //\nDELIMITER ;\nc;", Syntax.MARIADB, List.of("a; b", "c")),
        Arguments.of("/*!40101 SET x */; b", Syntax.MARIADB, List.of("/*!40101 SET x */", "b")));
  }

  @ParameterizedTest
  @MethodSource("splits")
  void finds_the_statements(String text, Syntax syntax, List<String> expected) {
    Script script = Script.parse(text, syntax);
    assertThat(script.statements()).extracting(Statement::sql).isEqualTo(expected);
    assertThat(script.problems()).isEmpty();
  }

  static Stream<Arguments> problems() {
    return Stream.of(
        Arguments.of("a;\nCOMMIT;", "line 2: COMMIT would end"),
        Arguments.of("begin;", "line 1: BEGIN would end"),
        Arguments.of("PREPARE TRANSACTION 'x'", "line 1: PREPARE would end"),
        Arguments.of("SET autocommit = 0", "line 1: SET would end"),
        Arguments.of("a;\n\\i other.sql", "line 2: a psql command"),
        Arguments.of("a;\nSELECT 'x", "line 2: a ' that is never closed"),
        Arguments.of("\n/* x", "line 2: a comment that is never closed"),
        Arguments.of("DO $$ x", "line 1: a $$ that is never closed"),
        Arguments.of("a\0b", "line 1: a NUL character"),
        Arguments.of("a\n-- belay:verify SELECT 1\n;", "line 2: belay:verify inside a statement"),
        Arguments.of(
            "a;\n-- belay:phase expand\nb", "line 2: belay:phase after the first statement"));
  }

  @ParameterizedTest
  @MethodSource("problems")
  void says_what_is_wrong_and_where(String text, String expected) {
    assertThat(Script.parse(text, Syntax.POSTGRES).problems().getFirst().toString())
        .startsWith(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "LOAD DATA LOCAL INFILE 'x' INTO TABLE t",
        "load data local infile 'x' into table t",
        "LOAD XML LOCAL INFILE 'x' INTO TABLE t",
        "LOAD DATA LOW_PRIORITY LOCAL INFILE 'x' INTO TABLE t",
        "LOAD DATA CONCURRENT LOCAL INFILE 'x' INTO TABLE t",
        "LOAD/**/DATA/* */LOCAL INFILE 'x' INTO TABLE t",
        "LOAD -- x\nDATA # x\nLOCAL INFILE 'x' INTO TABLE t",
        "LOAD DATA /*! LOCAL */ INFILE 'x' INTO TABLE t",
        "LOAD DATA /*!50000LOCAL*/ INFILE 'x' INTO TABLE t",
        "LOAD DATA /*M!100100 LOCAL */ INFILE 'x' INTO TABLE t",
        "/*! LOAD DATA */ /*M!LOCAL INFILE */ 'x' INTO TABLE t",
        "SET STATEMENT max_statement_time = 1 FOR LOAD DATA LOCAL INFILE 'x' INTO TABLE t"
      })
  void a_file_of_the_client_is_not_loaded(String text) {
    assertThat(Script.parse("a;\n" + text, Syntax.MARIADB).problems())
        .singleElement()
        .asString()
        .startsWith("line 2: LOAD")
        .contains("LOCAL", "fix: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "LOAD DATA INFILE 'x' INTO TABLE t",
        "LOAD DATA INFILE 'LOAD DATA LOCAL' INTO TABLE t",
        "LOAD DATA /* LOCAL */ INFILE 'x' INTO TABLE t",
        "INSERT INTO t (`load`, `data`, `local`) VALUES (1, 2, 3)",
        "CREATE TABLE t (local int)"
      })
  void a_file_of_the_server_is_its_own_affair(String text) {
    assertThat(Script.parse(text, Syntax.MARIADB).problems()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE FORCE VIEW v AS SELECT 1",
        "create or replace force -- x\n view v AS SELECT 1",
        "CREATE FORCE/**/MATERIALIZED VIEW v AS SELECT 1",
        "EXECUTE IMMEDIATE 'SELECT 1'"
      })
  void h2_gets_no_forced_view(String text) {
    assertThat(Script.parse("a;\n" + text, Syntax.H2).problems())
        .singleElement()
        .asString()
        .startsWith("line 2: ")
        .contains("fix: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE t FORCE ROW LEVEL SECURITY",
        "CREATE VIEW force AS SELECT 1",
        "SELECT 'FORCE VIEW', \"FORCE\" view FROM t",
        "SELECT force, view FROM t",
        "DO $$ BEGIN EXECUTE 'x'; END $$"
      })
  void ordinary_words_are_no_forced_view(String text) {
    assertThat(Script.parse(text, Syntax.POSTGRES).problems()).isEmpty();
  }

  @Test
  void a_comment_that_is_executed_hides_no_commit() {
    assertThat(Script.parse("/*!40101 COMMIT */", Syntax.MARIADB).problems())
        .singleElement()
        .asString()
        .startsWith("line 1: COMMIT would end");
    assertThat(Script.parse("/*M! COMMIT */", Syntax.MARIADB).problems()).hasSize(1);
  }

  @Test
  void each_statement_has_its_line_and_its_own_verify() {
    Script s = Script.parse("\n-- belay:verify SELECT 1\na;\n\nb;", Syntax.POSTGRES);
    assertThat(s.statements().get(0).verify()).contains("SELECT 1");
    assertThat(s.statements().get(0).line()).isEqualTo(3);
    assertThat(s.statements().get(1).verify()).isEmpty();
    assertThat(s.statements().get(1).line()).isEqualTo(5);
  }

  @Test
  void byte_order_mark_and_line_ends_do_not_change_a_checksum() {
    assertThat(Checksum.of("\uFEFFa;\r\nb;\r\n")).isEqualTo(Checksum.of("a;\nb;\n"));
    assertThat(Checksum.of("a;\nb;\n")).isNotEqualTo(Checksum.of("a;\nB;\n"));
  }
}
