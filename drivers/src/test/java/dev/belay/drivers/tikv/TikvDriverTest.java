package dev.belay.drivers.tikv;

import static dev.belay.drivers.contract.FakeMember.body;
import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.DriverConfig.PlacementDriver;
import dev.belay.drivers.contract.FakeMember;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What real PD of two builds answered, replayed. */
class TikvDriverTest {

  private static final String OLD = "2023.2.3";
  private static final String NEW = "2024.4.7";
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Short, for what never answers. */
  private static final Duration BRIEF = Duration.ofMillis(1500);

  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {OLD, NEW})
  void sees_stores_leaders_and_how_many_are_needed(String version) {
    Topology t = look(driver(pd(version)));
    assertThat(t.members()).hasSize(3).allMatch(Member::healthy);
    assertThat(t.members()).extracting(Member::name).containsExactly("tikv-0", "tikv-1", "tikv-2");
    assertThat(t.members()).allMatch(m -> m.version().is("7.5.0"));
    assertThat(t.members()).allMatch(m -> m.reading(Readings.LEADERS).is("4"));
    assertThat(t.members()).allMatch(m -> m.reading(Readings.EVICTION).is(Readings.OFF));
    assertThat(t.members()).allMatch(m -> m.reading(Readings.GAPS).is(""));
    assertThat(t.groups()).singleElement().matches(g -> g.required() == 2);
    assertThat(t.leader()).isEqualTo(Fact.known(Topology.Leader.NOBODY));
  }

  @ParameterizedTest
  @ValueSource(strings = {OLD, NEW})
  void sees_an_eviction_and_that_nothing_is_led_any_more(String version) {
    FakeMember pd = opened(FakePd.evicting(version));
    Member emptied = last(look(driver(pd)));
    assertThat(emptied.reading(Readings.EVICTION)).isEqualTo(Fact.known(Readings.ON));
    assertThat(emptied.reading(Readings.LEADERS)).isEqualTo(Fact.known("0"));
    pd.on(FakePd.REGIONS, body(200, "{\"count\":12,\"store_leader_count\":{\"1\":7}}"));
    assertThat(last(look(driver(pd))).reading(Readings.LEADERS))
        .isEqualTo(Fact.unknown("PD has not heard yet who leads 5 of 12 regions"));
  }

  @ParameterizedTest
  @ValueSource(strings = {OLD, NEW})
  void sees_a_silent_store_and_the_peers_it_leaves_missing(String version) {
    FakeMember pd = pd(version);
    pd.on(FakePd.STORES, body(200, pd.recorded("stores-disconnected.json")))
        .on(FakePd.DOWN, body(200, pd.recorded("down-peer-tikv-2.json")));
    Topology t = look(driver(pd));
    assertThat(last(t).health().toString()).contains("is Disconnected");
    assertThat(last(t).reading(Readings.GAPS)).isEqualTo(Fact.known(""));
    assertThat(t.members().getFirst().reading(Readings.GAPS).toString())
        .contains("12 regions with a peer that is down");
    pd.on(FakePd.STORES, body(200, pd.recorded("stores-back.json")));
    assertThat(last(look(driver(pd))).version()).isEqualTo(Fact.known("8.1.0"));
  }

  /** Its schedulers begin only when it has heard of most regions; until then the list is empty. */
  @Test
  void a_pd_that_keeps_an_eviction_and_does_not_run_it_yet_is_unknown() {
    FakeMember pd = opened(FakePd.evicting(OLD)).on(FakePd.SCHEDULERS, body(200, "[]"));
    assertThat(last(look(driver(pd))).reading(Readings.EVICTION).toString())
        .contains("PD has not started its schedulers yet");
  }

  @Test
  void older_releases_name_one_scheduler_for_each_store() {
    FakeMember pd = pd(OLD);
    String id = last(look(driver(pd))).id();
    pd.on(FakePd.SCHEDULERS, body(200, "[\"evict-leader-scheduler-" + id + "\"]"));
    assertThat(Readings.evicting(last(look(driver(pd))))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {FakePd.SCHEDULERS, FakePd.SCHEDULE, FakePd.EVICTIONS})
  void without_one_of_three_answers_an_eviction_is_unknown(String question) {
    for (FakeMember.Answer bad :
        List.of(body(200, "\"no\""), body(200, "7"), body(500, "no leader"), FakeMember.cut())) {
      FakeMember pd = opened(FakePd.evicting(NEW)).on(question, bad);
      assertThat(last(look(driver(pd))).reading(Readings.EVICTION))
          .isInstanceOf(Fact.Unknown.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {FakePd.DOWN, FakePd.MISSING})
  void what_regions_lack_is_unknown_where_it_is_not_told(String question) {
    for (String text : List.of("{}", "{\"count\":3,\"regions\":[]}", "[]", "{\"count\":\"0\"}")) {
      FakeMember pd = pd(NEW).on(question, body(200, text));
      assertThat(last(look(driver(pd))).reading(Readings.GAPS))
          .as(text)
          .isInstanceOf(Fact.Unknown.class);
    }
  }

  @Test
  void an_answer_of_the_wrong_type_is_unknown() {
    FakeMember pd = pd(NEW).edit(FakePd.STORES, "\"leader_count\": 4", "\"leader_count\": \"4\"");
    assertThat(why(driver(pd), PATIENCE)).contains("malformed answer: leader_count is ");
    pd.edit(FakePd.STORES, "\"id\": 1,", "\"id\": 1.5,");
    assertThat(why(driver(pd), PATIENCE)).contains("malformed answer: id is 1.5");
  }

  @Test
  void ids_beyond_2_to_the_53_are_kept_digit_by_digit() {
    FakeMember pd = pd(NEW);
    pd.edit(FakePd.STORES, "\"id\": 2,", "\"id\": 18446744073709551615,");
    assertThat(look(driver(pd)).members()).extracting(Member::id).contains("18446744073709551615");
  }

  @Test
  void any_member_of_pd_that_answers_speaks_for_all() {
    FakeMember dead = pd(NEW);
    dead.close();
    FakeMember silent = pd(NEW);
    silent.on(FakePd.MEMBERS, silent.never());
    assertThat(driver(dead, silent, pd(NEW)).observe(seats(), BRIEF))
        .isInstanceOf(Fact.Known.class);
    assertThat(why(driver(dead), PATIENCE)).contains("refuses connections");
    assertThat(driver(pd(NEW)).observe(List.of(), PATIENCE)).isInstanceOf(Fact.Unknown.class);
  }

  @Test
  void a_command_is_sent_once_and_only_if_the_eviction_is_as_it_was() {
    FakeMember pd = pd(NEW);
    Member store = last(look(driver(pd)));
    Command evict = Orders.evict(store, "tikv-2");
    String ends = FakePd.SCHEDULERS + "/evict-leader-scheduler-" + store.id();
    assertThat(tell(driver(pd), Orders.end(store.id(), "tikv-2")).toString())
        .contains("is on was seen; now eviction of store " + store.id() + " is off");
    assertThat(pd.askedFor(ends)).isZero();

    long asked = pd.askedFor(FakePd.SCHEDULERS);
    assertThat(tell(driver(pd), evict)).isEqualTo(new Outcome.Accepted());
    assertThat(pd.askedFor(FakePd.SCHEDULERS)).as("looked, and told").isEqualTo(asked + 2);

    FakeMember evicting = opened(FakePd.evicting(NEW));
    assertThat(tell(driver(evicting), evict)).isInstanceOf(Outcome.Refused.class);
    assertThat(evicting.askedFor(FakePd.SCHEDULERS)).as("looked only").isEqualTo(1);
    evicting.on(ends, body(404, "null"));
    assertThat(tell(driver(evicting), Orders.end(store.id(), "tikv-2")))
        .as("nothing there is what was wanted")
        .isEqualTo(new Outcome.Accepted());
    evicting.on(ends, FakeMember.cut());
    assertThat(tell(driver(evicting), Orders.end(store.id(), "tikv-2")).toString())
        .contains("whether it happened is seen at the next look");
    assertThat(evicting.askedFor(ends)).isEqualTo(2);
  }

  @Test
  void a_refused_eviction_is_told_and_one_that_exists_is_none() {
    FakeMember pd = pd(NEW);
    Command evict = Orders.evict(last(look(driver(pd))), "tikv-2");
    String list = pd.recorded("schedulers.json");
    answersPost(pd, list, body(500, "\"[PD:core:ErrStoreNotFound]store 2 not found\""));
    assertThat(tell(driver(pd), evict).toString()).contains("store 2 not found");
    answersPost(pd, list, body(500, "\"scheduler existed\""));
    assertThat(tell(driver(pd), evict)).isEqualTo(new Outcome.Accepted());
  }

  private static void answersPost(FakeMember pd, String list, FakeMember.Answer answer) {
    pd.on(
        FakePd.SCHEDULERS,
        exchange ->
            (exchange.getRequestMethod().equals("POST") ? answer : body(200, list)).to(exchange));
  }

  private FakeMember pd(String version) {
    return opened(FakePd.of(version));
  }

  private FakeMember opened(FakeMember pd) {
    open.add(pd);
    return pd;
  }

  private TikvDriver driver(FakeMember... pd) {
    var driver =
        new TikvDriver(
            DriverConfig.PLAIN.withPlacementDriver(
                new PlacementDriver(
                    Stream.of(pd).map(p -> p.seat().address()).toList(), Optional.empty())));
    open.add(driver);
    return driver;
  }

  private static List<Seat> seats() {
    return TikvSpecimen.STORES;
  }

  private static Outcome tell(TikvDriver driver, Command command) {
    return driver.tell(seats(), command, PATIENCE);
  }

  private static Topology look(TikvDriver driver) {
    Fact<Topology> seen = driver.observe(seats(), PATIENCE);
    assertThat(seen).isInstanceOf(Fact.Known.class);
    return seen.asOptional().orElseThrow();
  }

  private static String why(TikvDriver driver, Duration deadline) {
    return driver.observe(seats(), deadline) instanceof Fact.Unknown<Topology>(String why)
        ? why
        : "all is known";
  }

  private static Member last(Topology t) {
    return t.members().getLast();
  }
}
