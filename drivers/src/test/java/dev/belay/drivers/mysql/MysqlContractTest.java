package dev.belay.drivers.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Health;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.DriverConfig.Auth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The contract that every driver keeps, for the one that speaks SQL: through the real JDBC driver,
 * with servers that misbehave on the wire.
 */
class MysqlContractTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Short, for what never answers. */
  private static final Duration BRIEF = Duration.ofMillis(1500);

  private static final List<String> QUESTIONS =
      List.of("0-version", "1-read-only", "2-settings", "3-origin", "4-replication", "5-confirms");

  private final List<FakeMysql> servers =
      Stream.of("mysql-0", "mysql-1", "mysql-2")
          .map(n -> new FakeMysql("mariadb-10.11", n))
          .toList();
  private final FakeMysql third = servers.getLast();
  private final List<Seat> seats = servers.stream().map(FakeMysql::seat).toList();
  private final MysqlDriver driver = new MysqlDriver(DriverConfig.PLAIN);

  @AfterEach
  void stop() {
    driver.close();
    servers.forEach(FakeMysql::close);
  }

  @Test
  void sees_members_who_leads_and_how_many_are_needed() {
    Topology t = look();
    assertThat(t.members()).hasSize(3).allMatch(Member::healthy);
    assertThat(t.members())
        .extracting(Member::role)
        .containsExactly(Role.LEADER, Role.FOLLOWER, Role.FOLLOWER);
    assertThat(t.groups().getFirst().required()).isEqualTo(2);
  }

  @Test
  void a_late_answer_is_unknown_and_the_look_ends_without_it() {
    eachAtOnce(
        QUESTIONS,
        question -> {
          try (var late = new FakeMysql("mariadb-10.11", "mysql-2")) {
            late.on(question, FakeMysql.never());
            assertThat(why(with(late), BRIEF)).as(question).endsWith("no answer in 1500 ms");
          }
        });
  }

  /** Side by side, since each waits for the whole of its patience. */
  private static void eachAtOnce(List<String> all, Consumer<String> tried) {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<CompletableFuture<Void>> ends =
          all.stream()
              .map(one -> CompletableFuture.runAsync(() -> tried.accept(one), threads))
              .toList();
      ends.forEach(CompletableFuture::join);
    }
  }

  @Test
  void half_an_answer_is_unknown() {
    third.on("2-settings", FakeMysql.half());
    assertThat(why(seats, BRIEF)).endsWith("no answer in 1500 ms");
    third.on("2-settings", FakeMysql.cut());
    assertThat(why()).contains("the conversation broke off: ");
  }

  @Test
  void a_huge_answer_is_not_swallowed() {
    third.says(
        "2-settings",
        List.of(Map.of("variable_name", "server_id", "value", "x".repeat(1024 * 1024 + 1))));
    assertThat(why()).endsWith("answers with more than 1024 KiB");
  }

  @Test
  void what_is_not_of_the_protocol_is_unknown() {
    eachAtOnce(
        List.of("hello", "{}", "\u0003", "\u0001\u0002\u0003\u0004", "HTTP/1.1 400 Bad"),
        text -> garbled(QUESTIONS.getFirst(), text));
  }

  @Test
  void whatever_is_asked_what_is_not_of_the_protocol_is_unknown() {
    eachAtOnce(QUESTIONS, question -> garbled(question, "hello"));
  }

  private void garbled(String question, String text) {
    try (var odd = new FakeMysql("mariadb-10.11", "mysql-2")) {
      odd.on(question, FakeMysql.garbage(text));
      Fact<Topology> seen = driver.observe(with(odd), BRIEF);
      assertThat(seen.asOptional().orElseThrow().members().getLast().health())
          .as(question + " answered by " + text)
          .isInstanceOf(Fact.Unknown.class);
    }
  }

  @Test
  void answers_without_rows_or_of_the_wrong_type_are_unknown() {
    third.says("1-read-only", List.of());
    assertThat(why()).contains("malformed answer: read-only has 0 rows");
    third.says("1-read-only", List.of(Map.of("read_only", "perhaps")));
    assertThat(why()).contains("malformed answer: read_only is ");
    third.says("1-read-only", List.of(Map.of("other", "1")));
    assertThat(why()).contains("malformed answer: read_only is missing");
  }

  @Test
  void an_error_is_never_good() {
    for (String question : QUESTIONS) {
      try (var failing = new FakeMysql("mariadb-10.11", "mysql-2")) {
        failing.on(question, FakeMysql.error(1146, "Table does not exist"));
        assertThat(why(with(failing), PATIENCE)).as(question).contains("answers error 1146");
        failing.on(question, FakeMysql.error(1227, "you need SLAVE MONITOR"));
        assertThat(why(with(failing), PATIENCE)).as(question).contains("lacks a right", "SLAVE");
      }
    }
  }

  @Test
  void health_that_flaps_is_followed_look_by_look() {
    for (int i = 0; i < 3; i++) {
      third.says("1-read-only", List.of(Map.of("read_only", "0")));
      assertThat(why()).contains("takes writes of its own");
      third.says("1-read-only", List.of(Map.of("read_only", "1")));
      assertThat(why()).isEqualTo("it is well");
    }
  }

  @Test
  void a_closed_port_is_a_known_death_of_one_and_the_end_of_the_picture_for_all() {
    third.close();
    assertThat(look().members().getLast().health())
        .isEqualTo(Fact.known(Health.down("refuses connections")));
    servers.forEach(FakeMysql::close);
    assertThat(driver.observe(seats, PATIENCE)).isInstanceOf(Fact.Unknown.class);
    assertThat(driver.observe(List.of(), PATIENCE)).isInstanceOf(Fact.Unknown.class);
  }

  @Test
  void a_rotated_password_is_told_and_the_new_one_is_let_in() {
    try (var before = new MysqlDriver(password("first-secret"));
        var after = new MysqlDriver(password("second-secret"))) {
      servers.forEach(s -> s.demand("first-secret"));
      assertThat(before.observe(seats, PATIENCE)).isInstanceOf(Fact.Known.class);
      servers.forEach(s -> s.demand("second-secret"));
      assertThat(before.observe(seats, PATIENCE))
          .isInstanceOfSatisfying(
              Fact.Unknown.class,
              no ->
                  assertThat(no.why())
                      .contains("check user and password")
                      .doesNotContain("secret"));
      assertThat(after.observe(seats, PATIENCE)).isInstanceOf(Fact.Known.class);
    }
  }

  @Test
  void a_command_that_is_acknowledged_and_not_done_is_seen_as_not_done() {
    Topology before = look();
    assertThat(driver.tell(seats, close(before), PATIENCE)).isEqualTo(new Outcome.Accepted());
    assertThat(servers.getFirst().told).containsExactly("SET GLOBAL read_only = 1");
    assertThat(third.told).isEmpty();
    assertThat(look()).isEqualTo(before);
  }

  /** The server's own time-out is eight hours, for which a lock would stay. */
  @Test
  void a_server_ends_a_session_soon_after_its_operator_fell_silent() {
    driver.tell(seats, close(look()), Duration.ofSeconds(5));
    assertThat(third.settings)
        .hasSizeGreaterThan(1)
        .filteredOn(s -> s.contains("wait_timeout="))
        .last()
        .asString()
        .containsPattern("\\bwait_timeout=\\d\\b");
  }

  @Test
  void a_command_is_not_sent_when_somebody_is_silent_or_holds_the_lock() {
    Command close = close(look());
    third.says("lock", List.of(Map.of("got", "0")));
    assertThat(((Outcome.Refused) driver.tell(seats, close, PATIENCE)).why())
        .contains("mysql-2: another session holds Belay's lock");
    third.on("lock", FakeMysql.never());
    assertThat(((Outcome.Refused) driver.tell(seats, close, BRIEF)).why()).contains("mysql-2=?");
    third.on("lock", FakeMysql.garbage("hello"));
    assertThat(driver.tell(seats, close, BRIEF)).isInstanceOf(Outcome.Refused.class);
    assertThat(servers).allMatch(s -> s.told.isEmpty());
  }

  private static Command close(Topology t) {
    return new Command(
        Switchover.CLOSE,
        "1",
        "mysql-0",
        "make mysql-0 read-only so that mysql-1 can take over",
        t.leader().asOptional().orElseThrow().term(),
        Map.of());
  }

  private static DriverConfig password(String password) {
    return new DriverConfig(Optional.empty(), Optional.of(new Auth("root", password)));
  }

  private List<Seat> with(FakeMysql other) {
    var all = new ArrayList<>(seats.subList(0, 2));
    all.add(other.seat());
    return all;
  }

  private Topology look() {
    return driver.observe(seats, PATIENCE).asOptional().orElseThrow();
  }

  private String why() {
    return why(seats, PATIENCE);
  }

  /** Why the last member is not known to be well. */
  private String why(List<Seat> asked, Duration deadline) {
    Fact<Topology> seen = driver.observe(asked, deadline);
    return switch (seen.flatMap(t -> t.members().getLast().health())) {
      case Fact.Unknown<Health>(String why) -> why;
      case Fact.Known<Health>(Health h) -> h.good() ? "it is well" : h.reading();
    };
  }
}
