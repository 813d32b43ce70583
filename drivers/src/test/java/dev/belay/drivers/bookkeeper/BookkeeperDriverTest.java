package dev.belay.drivers.bookkeeper;

import static dev.belay.drivers.contract.FakeMember.body;
import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver;
import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Health;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.contract.FakeMember;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What recorded bookies answered, and what the driver makes of it. */
class BookkeeperDriverTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private BookkeeperSpecimen system = new BookkeeperSpecimen();

  @AfterEach
  void stop() {
    system.close();
  }

  @ParameterizedTest
  @CsvSource({"4.17.3, bookie-0", "4.18.0, bookie-1"})
  void reads_both_releases(String version, String auditor) {
    system.close();
    system = new BookkeeperSpecimen(version);
    Topology t = look();
    assertThat(t.leader()).isEqualTo(Fact.known(Topology.Leader.NOBODY));
    assertThat(t.members())
        .allMatch(Member::healthy)
        .allMatch(m -> m.role() == Member.Role.PEER)
        .allMatch(m -> m.reading(Readings.MODE).is("writable"))
        .allMatch(m -> m.reading(Readings.UNDER_REPLICATED).is(""))
        .allMatch(m -> m.reading(Readings.AUTORECOVERY).is("on"))
        .allMatch(m -> m.reading(Readings.DELAY).is("0"))
        .allMatch(m -> m.reading(Readings.AUDITOR).is(auditor))
        .allMatch(m -> m.reading(Command.TERM).is("writable, autorecovery on, delay 0"));
    assertThat(t.groups())
        .containsExactly(
            new Group("writable bookies", List.of("bookie-0", "bookie-1", "bookie-2"), 2));
  }

  @Test
  void without_an_ensemble_size_nothing_is_known_and_the_field_is_named() {
    try (Driver driver = new BookkeeperDriver(DriverConfig.PLAIN)) {
      assertThat(driver.observe(system.seats(), PATIENCE))
          .isInstanceOfSatisfying(
              Fact.Unknown.class,
              no -> assertThat(no.why()).contains("driver.options.ensembleSize is not set"));
    }
  }

  @Test
  void not_found_with_the_right_sentence_is_good_and_with_any_other_is_not() {
    system
        .members()
        .forEach(m -> m.on(FakeBookie.LEDGERS, body(404, "No under replicated ledgers found")));
    assertThat(look().members().getFirst().reading(Readings.UNDER_REPLICATED))
        .isEqualTo(Fact.known(""));
    system
        .members()
        .forEach(m ->
            m.on(FakeBookie.LEDGERS, body(404, "Exception when get under replicated ledgers")));
    assertThat(look().members().getFirst().reading(Readings.UNDER_REPLICATED))
        .isInstanceOfSatisfying(
            Fact.Unknown.class, no -> assertThat(no.why()).contains("answers 404: Exception"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[ 2, 1 ] | 2, 1",
        "{ \"31\" : [ \"bookie-2\" ] } | 31",
        "[ \"x\" ] | ?",
        "\"no\" | ?"
      })
  void ledgers_that_lack_copies_are_listed(String said, String read) {
    system.members().forEach(m -> m.on(FakeBookie.LEDGERS, body(200, said)));
    Fact<String> ledgers = look().members().getFirst().reading(Readings.UNDER_REPLICATED);
    assertThat(ledgers.asOptional().orElse("?")).isEqualTo(read);
  }

  @Test
  void one_who_misses_a_ledger_is_believed() {
    member(2).on(FakeBookie.LEDGERS, body(200, "[ 4 ]"));
    assertThat(look().members().getFirst().reading(Readings.UNDER_REPLICATED))
        .isEqualTo(Fact.known("4"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"lostBookieRecoveryDelay value: many", "7", ""})
  void a_delay_in_other_words_is_unknown(String said) {
    system.members().forEach(m -> m.on(FakeBookie.DELAY, body(200, said)));
    assertThat(look().members().getFirst().reading(Readings.DELAY))
        .isInstanceOf(Fact.Unknown.class);
  }

  @Test
  void settings_that_change_while_they_are_read_are_unknown() {
    member(1).on(FakeBookie.DELAY, body(200, "lostBookieRecoveryDelay value: 600"));
    assertThat(look().members().getFirst().reading(Readings.DELAY))
        .isEqualTo(Fact.unknown("it changes while it is read"));
  }

  @Test
  void a_read_only_bookie_serves_and_counts_for_nobody_but_itself() {
    drained(2);
    Topology t = look();
    assertThat(t.members().getLast().health())
        .isEqualTo(Fact.known(new Health(true, "serves reads only")));
    assertThat(t.groups())
        .containsExactly(
            new Group("writable bookies", List.of("bookie-0", "bookie-1"), 2),
            new Group(
                "writable bookies and bookie-2", List.of("bookie-0", "bookie-1", "bookie-2"), 2));
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.17.3", "4.18.0"})
  void reads_a_drain_and_a_loss_as_both_releases_tell_them(String version) {
    system.close();
    system = new BookkeeperSpecimen(version);
    for (FakeMember bookie : system.members()) {
      bookie
          .on(FakeBookie.STATE, body(200, bookie.recorded("state-drained.json")))
          .on(FakeBookie.WRITABLE, body(200, bookie.recorded("rw-drained.json")))
          .on(FakeBookie.READ_ONLY, body(200, bookie.recorded("ro-drained.json")));
    }
    assertThat(look().members()).allMatch(Member::healthy);
    assertThat(look().members())
        .extracting(m -> m.reading(Readings.MODE).asOptional().orElseThrow())
        .containsExactly("writable", "writable", "read-only");

    for (String list : List.of("under_replicated-lost.json", "under_replicated-missing.json")) {
      member(0).on(FakeBookie.LEDGERS, body(200, member(0).recorded(list)));
      assertThat(look().members().getFirst().reading(Readings.UNDER_REPLICATED))
          .as(list)
          .isEqualTo(Fact.known("0, 1"));
    }
    member(0).on(FakeBookie.CLUSTER, body(200, member(0).recorded("cluster_info-off.json")));
    member(0).on(FakeBookie.DELAY, body(200, member(0).recorded("delay-600.txt")));
    List.of(1, 2).forEach(i -> member(i).close());
    assertThat(look().members().getFirst().reading(Command.TERM))
        .isEqualTo(Fact.known("writable, autorecovery off, delay 600"));
  }

  /** What a bookie says to a command is of no matter; that it takes it is. */
  @ParameterizedTest
  @ValueSource(strings = {"4.17.3", "4.18.0"})
  void commands_are_taken_in_the_words_of_both_releases(String version) {
    system.close();
    system = new BookkeeperSpecimen(version);
    member(2).on(FakeBookie.SET_READ_ONLY, body(200, member(2).recorded("put-readonly.txt")));
    member(0)
        .on(FakeBookie.SET_AUTORECOVERY, body(200, member(0).recorded("put-autorecovery-off.txt")));
    Member first = look().members().getFirst();
    Member last = look().members().getLast();
    assertThat(tell(Orders.drain(last, "bookie-2"))).isEqualTo(new Outcome.Accepted());
    assertThat(tell(Orders.stopRecovery(first, "bookie-2"))).isEqualTo(new Outcome.Accepted());
    // One path to ask and to tell.
    String told = member(0).recorded("put-delay.txt");
    String asked = member(0).recorded("delay.txt");
    member(0)
        .on(
            FakeBookie.DELAY,
            exchange ->
                body(200, exchange.getRequestMethod().equals("PUT") ? told : asked).to(exchange));
    assertThat(tell(Orders.delay(first, "bookie-2", 0, 600))).isEqualTo(new Outcome.Accepted());
  }

  @Test
  void writable_bookies_of_other_sets_count_when_ours_are_all_found() {
    String all = "{\"bookie-0\":null,\"bookie-1\":null,\"bookie-2\":null,\"rack2-0\":null}";
    system.members().forEach(m -> m.on(FakeBookie.WRITABLE, body(200, all)));
    assertThat(look().groups().getFirst().required()).isEqualTo(1);
    String renamed = all.replace("bookie-2", "10.0.0.7:3181");
    system.members().forEach(m -> m.on(FakeBookie.WRITABLE, body(200, renamed)));
    assertThat(look().groups().getFirst().required()).isEqualTo(2);
  }

  @Test
  void a_bookie_that_nobody_sees_registered_is_not_well() {
    String two = "{\"bookie-0\":null,\"bookie-1\":null}";
    system.members().forEach(m -> m.on(FakeBookie.WRITABLE, body(200, two)));
    assertThat(look().members().getLast().health())
        .isEqualTo(
            Fact.known(
                new Health(
                    false,
                    "none of the registered bookies (bookie-0, bookie-1) has its name or address")));
  }

  /** Its ledgers are on another port, and may be the last copies. */
  @Test
  void a_closed_admin_port_is_no_death_while_others_see_the_bookie_registered() {
    member(2).close();
    assertThat(look().members().getLast().health())
        .isEqualTo(
            Fact.unknown(
                "refuses connections on its admin port, yet is registered as bookie-2: repair the"
                    + " admin port, or stop the bookie"));
    drainedOnPaper(2);
    assertThat(look().members().getLast().health()).isInstanceOf(Fact.Unknown.class);
  }

  /** Ids that fit no pod say nothing of a pod that does not answer. */
  @Test
  void a_closed_admin_port_is_no_death_where_nobody_can_tell_who_is_registered() {
    member(2).close();
    String addresses = "{\"10.0.0.5:3181\":null,\"10.0.0.6:3181\":null,\"10.0.0.7:3181\":null}";
    system.members().forEach(m -> m.on(FakeBookie.WRITABLE, body(200, addresses)));
    assertThat(look().members().getLast().health())
        .isInstanceOfSatisfying(
            Fact.Unknown.class,
            no ->
                assertThat(no.why())
                    .contains("may be any of the registered bookies 10.0.0.5:3181")
                    .endsWith("correct driver.memberName or driver.address"));
  }

  @Test
  void a_bookie_whose_word_and_registration_differ_is_not_well() {
    member(2).edit(FakeBookie.STATE, "\"readOnly\" : false", "\"readOnly\" : true");
    assertThat(look().members().getLast().health())
        .isEqualTo(
            Fact.known(new Health(false, "says it is read-only, and is registered as writable")));
  }

  @ParameterizedTest
  @CsvSource({"running, does not run", "shuttingDown, is shutting down"})
  void a_bookie_says_itself_that_it_does_not_serve(String field, String reading) {
    boolean was = field.equals("running");
    member(2).edit(FakeBookie.STATE, "\"" + field + "\" : " + was, "\"" + field + "\" : " + !was);
    assertThat(look().members().getLast().health())
        .isEqualTo(Fact.known(new Health(false, reading)));
  }

  @Test
  void a_bookie_that_is_not_ready_says_so_with_an_error() {
    member(2).on(FakeBookie.READY, body(503, "Bookie is not fully started yet"));
    assertThat(look().members().getLast().health())
        .isEqualTo(
            Fact.known(
                new Health(false, "is not ready: answers 503: Bookie is not fully started yet")));
  }

  @Test
  void an_older_release_is_told_apart() {
    system.members().forEach(m -> m.on(FakeBookie.CLUSTER, body(404, "")));
    assertThat(look().members().getFirst().reading(Readings.AUTORECOVERY))
        .isInstanceOfSatisfying(
            Fact.Unknown.class, no -> assertThat(no.why()).contains("4.16 or a newer one"));
  }

  @Test
  void a_command_goes_to_its_bookie_once_and_accepted_is_not_done() {
    member(2).on(FakeBookie.SET_READ_ONLY, body(200, "{\"readOnly\" : true}"));
    Member last = look().members().getLast();
    assertThat(tell(Orders.drain(last, "bookie-2"))).isEqualTo(new Outcome.Accepted());
    assertThat(system.members())
        .extracting(m -> m.askedFor(FakeBookie.SET_READ_ONLY))
        .containsExactly(0L, 0L, 1L);
    assertThat(Readings.writable(look().members().getLast())).isTrue();
  }

  @Test
  void a_command_is_dropped_when_anything_it_could_depend_on_has_changed() {
    Member last = look().members().getLast();
    member(2).on(FakeBookie.DELAY, body(200, "lostBookieRecoveryDelay value: 600"));
    assertThat(tell(Orders.drain(last, "bookie-2")))
        .isEqualTo(
            new Outcome.Refused(
                "bookie-2 was seen writable, autorecovery on, delay 0; now it is writable,"
                    + " autorecovery on, delay 600"));
    drained(2);
    assertThat(tell(Orders.drain(last, "bookie-2"))).isInstanceOf(Outcome.Refused.class);
    assertThat(member(2).askedFor(FakeBookie.SET_READ_ONLY)).isZero();
  }

  @Test
  void a_command_that_is_not_answered_or_not_known_is_refused() {
    Member first = look().members().getFirst();
    assertThat(tell(Orders.stopRecovery(first, "bookie-1")))
        .isEqualTo(new Outcome.Refused("bookie-0 answers 404"));
    member(0).on(FakeBookie.SET_AUTORECOVERY, FakeMember.cut());
    assertThat(((Outcome.Refused) tell(Orders.stopRecovery(first, "bookie-1"))).why())
        .endsWith("whether it happened is seen at the next look");
    assertThat(tell(new Command("dance", "bookie-9", "bookie-9", "dance", "", Map.of())))
        .isEqualTo(new Outcome.Refused("there is no pod for bookie bookie-9"));
  }

  private Outcome tell(Command command) {
    return system.driver().tell(system.seats(), command, PATIENCE);
  }

  private void drained(int bookie) {
    member(bookie).edit(FakeBookie.STATE, "\"readOnly\" : false", "\"readOnly\" : true");
    drainedOnPaper(bookie);
  }

  /** Registered as read-only. */
  private void drainedOnPaper(int bookie) {
    String name = "\"bookie-" + bookie + "\" : null";
    system
        .members()
        .forEach(m -> {
          String rest =
              m.recorded("rw.json")
                  .replace(name, "")
                  .replaceAll(",\\s*,", ",")
                  .replaceAll(",\\s*}", "}");
          m.on(FakeBookie.WRITABLE, body(200, rest));
          m.on(FakeBookie.READ_ONLY, body(200, "{" + name + "}"));
        });
  }

  private FakeMember member(int index) {
    return system.members().get(index);
  }

  private Topology look() {
    Fact<Topology> seen = system.driver().observe(system.seats(), PATIENCE);
    assertThat(seen).isInstanceOf(Fact.Known.class);
    return seen.asOptional().orElseThrow();
  }
}
