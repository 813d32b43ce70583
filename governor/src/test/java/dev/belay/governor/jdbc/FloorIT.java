package dev.belay.governor.jdbc;

import static dev.belay.governor.jdbc.EveryDatabase.work;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the way back ends. */
@ParameterizedClass
@ValueSource(strings = {"H2", "PostgreSQL"})
class FloorIT {

  @Parameter String database;

  private Target home;

  @BeforeEach
  void an_empty_queue() throws SQLException {
    home =
        database.equals("H2")
            ? new Target(
                "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "", Optional.empty())
            : Postgres.shared().database();
    work(home);
  }

  @Test
  void there_is_none_while_nothing_irreversible_was_begun() throws SQLException {
    queue("'1', 'done', true, CURRENT_TIMESTAMP");
    queue("'2', 'pending', false, NULL");
    assertThat(floor()).isEmpty();
  }

  @Test
  void is_the_highest_as_a_number_whatever_the_order_in_the_queue() throws SQLException {
    queue("'1.10', 'done', false, CURRENT_TIMESTAMP");
    queue("'1.9', 'done', false, CURRENT_TIMESTAMP");
    queue("'1.11', 'done', true, CURRENT_TIMESTAMP");
    assertThat(floor().flatMap(Row::batch)).contains("1.10");
  }

  @Test
  void counts_what_was_begun_and_is_not_over() throws SQLException {
    queue("'1', 'done', false, CURRENT_TIMESTAMP");
    queue("'2', 'pending', false, CURRENT_TIMESTAMP");
    assertThat(floor().flatMap(Row::batch)).contains("2");
  }

  @Test
  void a_failed_one_stays_the_floor_when_it_is_skipped() throws SQLException {
    queue("'3', 'failed', false, CURRENT_TIMESTAMP");
    assertThat(floor().flatMap(Row::batch)).contains("3");
    try (Desk desk = Desk.open(List.of(home), "eve")) {
      desk.skip(1, "done by hand in part");
    }
    assertThat(floor().flatMap(Row::batch)).contains("3");
  }

  @Test
  void one_without_a_version_ends_every_way_back() throws SQLException {
    queue("NULL, 'done', false, CURRENT_TIMESTAMP");
    queue("'9', 'done', false, CURRENT_TIMESTAMP");
    assertThat(floor().map(Row::id)).contains(1L);
    assertThat(floor().flatMap(Row::batch)).isEmpty();
  }

  @Test
  void custom_operations_are_no_versions() throws SQLException {
    run(
        "INSERT INTO belay_governor_queue (op, status, started_at)"
            + " VALUES ('SELECT 1', 'done', CURRENT_TIMESTAMP)");
    assertThat(floor()).isEmpty();
  }

  private void queue(String values) throws SQLException {
    run(
        "INSERT INTO belay_governor_queue (op, kind, batch_id, status, reversible, started_at)"
            + " VALUES ('SELECT 1', 'upgrade', "
            + values
            + ")");
  }

  private void run(String sql) throws SQLException {
    try (Connection c = DriverManager.getConnection(home.url(), home.user(), "")) {
      Sql.run(c, sql);
    }
  }

  private Optional<Row> floor() throws SQLException {
    try (Desk desk = Desk.open(List.of(home), "eve")) {
      return desk.floor();
    }
  }
}
