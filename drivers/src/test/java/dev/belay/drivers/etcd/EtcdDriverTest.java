package dev.belay.drivers.etcd;

import static dev.belay.drivers.contract.FakeMember.body;
import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Group;
import dev.belay.core.snapshot.Member;
import dev.belay.core.snapshot.Member.Health;
import dev.belay.core.snapshot.Member.Role;
import dev.belay.core.snapshot.Topology;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.contract.FakeMember;
import dev.belay.drivers.wire.Wire;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Recorded answers of real clusters, replayed well and badly. */
class EtcdDriverTest {

  private static final String ID_1 = "11759525908296983115";
  private static final String ID_2 = "3256694602668281802";
  private static final String ID_3 = "16047066878455438489";
  private static final String CLUSTER = "16572348699001324854";
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Short, for what never answers. */
  private static final Duration BRIEF = Duration.ofMillis(1500);

  private FakeMember one = FakeEtcd.replaying("3.6.16", "etcd-1");
  private FakeMember two = FakeEtcd.replaying("3.6.16", "etcd-2");
  private FakeMember three = FakeEtcd.replaying("3.6.16", "etcd-3");
  private EtcdDriver driver = new EtcdDriver(DriverConfig.PLAIN);
  private final CountDownLatch over = new CountDownLatch(1);

  @AfterEach
  void stop() {
    over.countDown();
    driver.close();
    Stream.of(one, two, three).forEach(FakeMember::close);
  }

  @ParameterizedTest
  @CsvSource({
    "3.5.35, 3.5.0, etcd-3, etcd 3.5.35 reports no storage version",
    "3.6.16, 3.6.0, etcd-2, 3.6.0",
    "3.7.3, 3.7.0, etcd-2, 3.7.0"
  })
  void sees_a_healthy_cluster_of_every_release(
      String version, String cluster, String leader, String storage) {
    replay(version);
    Topology t = known(PATIENCE);
    assertThat(t.clusterId()).isEqualTo(CLUSTER);
    assertThat(t.members()).extracting(Member::name).containsExactly("etcd-1", "etcd-2", "etcd-3");
    assertThat(t.members()).extracting(Member::id).containsExactly(ID_1, ID_2, ID_3);
    assertThat(t.members()).allMatch(Member::healthy).allMatch(m -> m.version().is(version));
    assertThat(t.members())
        .filteredOn(m -> m.role() == Role.LEADER)
        .extracting(Member::name)
        .containsExactly(leader);
    assertThat(t.groups()).singleElement().extracting(Group::required).isEqualTo(2);
    Member first = t.members().getFirst();
    assertThat(first.hosts()).containsExactly("127.0.5.1");
    assertThat(first.reading(Readings.CLUSTER_VERSION)).isEqualTo(Fact.known(cluster));
    assertThat(first.reading(Readings.SNAPSHOTS_SAVED)).isEqualTo(Fact.known("0"));
    assertThat(first.reading(Readings.PROCESS_START).asOptional())
        .get()
        .asString()
        .startsWith("1.79479");
    assertThat(String.valueOf(first.reading(Readings.STORAGE_VERSION))).contains(storage);
  }

  @Test
  void refuses_a_seat_of_another_cluster_and_names_both() {
    two.edit(FakeEtcd.STATUS, CLUSTER, "42");
    assertThat(unknown(PATIENCE))
        .isEqualTo("etcd-1 is of cluster " + CLUSTER + ", etcd-2 is of cluster 42");
  }

  @Test
  void refuses_two_seats_that_answer_as_one_member() {
    two.edit(FakeEtcd.STATUS, "\"member_id\":\"" + ID_2, "\"member_id\":\"" + ID_1);
    assertThat(unknown(PATIENCE)).isEqualTo("etcd-1 and etcd-2 both answer as member " + ID_1);
  }

  @Test
  void two_leaders_are_no_leader() {
    one.edit(FakeEtcd.STATUS, "\"leader\":\"" + ID_2, "\"leader\":\"" + ID_3);
    Topology t = known(PATIENCE);
    assertThat(t.leader())
        .isEqualTo(Fact.unknown("etcd-1 says etcd-3 in term 2, etcd-2 says etcd-2 in term 2"));
    assertThat(t.members()).allMatch(m -> m.role() == Role.UNKNOWN);
  }

  @Test
  void a_leader_in_two_terms_is_no_leader() {
    three.edit(FakeEtcd.STATUS, "\"raftTerm\":\"2\"", "\"raftTerm\":\"3\"");
    assertThat(known(PATIENCE).leader())
        .isEqualTo(Fact.unknown("etcd-1 says etcd-2 in term 2, etcd-3 says etcd-2 in term 3"));
  }

  @Test
  void a_voter_that_sees_no_leader_is_believed() {
    three.edit(FakeEtcd.STATUS, "\"leader\":\"" + ID_2 + "\",", "");
    assertThat(known(PATIENCE).leader()).isEqualTo(Fact.unknown("etcd-3 sees no leader in term 2"));
  }

  @Test
  void a_leader_that_is_no_member_is_no_leader() {
    Stream.of(one, two, three)
        .forEach(e -> e.edit(FakeEtcd.STATUS, "\"leader\":\"" + ID_2, "\"leader\":\"99"));
    assertThat(known(PATIENCE).leader())
        .isEqualTo(Fact.unknown("the leader 99 is not among the voters"));
  }

  @Test
  void a_flapping_leader_is_followed_look_by_look() {
    assertThat(known(PATIENCE).leader()).isEqualTo(Fact.known(new Topology.Leader(ID_2, "2")));
    Stream.of(one, two, three)
        .forEach(e ->
            e.edit(FakeEtcd.STATUS, "\"leader\":\"" + ID_2 + "\"", "\"leader\":\"" + ID_1 + "\""));
    assertThat(known(PATIENCE).leader()).isEqualTo(Fact.known(new Topology.Leader(ID_1, "2")));
  }

  @Test
  void a_learner_has_no_vote() {
    Stream.of(one, two, three)
        .forEach(e ->
            e.edit(
                FakeEtcd.MEMBERS,
                "\"clientURLs\":[\"http://127.0.5.3:2379\"]",
                "\"clientURLs\":[\"http://127.0.5.3:2379\"],\"isLearner\":true"));
    Topology t = known(PATIENCE);
    assertThat(t.member(ID_3).orElseThrow().role()).isEqualTo(Role.LEARNER);
    assertThat(t.groups()).isEqualTo(List.of(new Group("voters", List.of(ID_2, ID_1), 2)));
  }

  @Test
  void a_member_outside_the_workload_counts_but_is_not_known_to_be_well() {
    Topology t = known(driver.observe(List.of(one.seat(), two.seat()), PATIENCE));
    assertThat(t.groups().getFirst().memberIds()).hasSize(3);
    assertThat(t.member(ID_3).orElseThrow().health())
        .isEqualTo(Fact.unknown("it lives in no pod of this component, so nobody asked it"));
  }

  @Test
  void a_closed_port_is_a_known_death() {
    three.close();
    assertThat(health(3, PATIENCE)).isEqualTo(Fact.known(Health.down("refuses connections")));
  }

  @Test
  void a_late_member_is_unknown_and_the_deadline_holds() {
    three.on(FakeEtcd.STATUS, exchange -> waitForTheEnd());
    three.on(FakeEtcd.METRICS, exchange -> waitForTheEnd());
    long before = System.nanoTime();
    assertThat(health(3, BRIEF)).isEqualTo(Fact.unknown("no answer in 1500 ms"));
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(BRIEF.multipliedBy(3));
  }

  @Test
  void a_body_that_never_ends_misses_the_deadline_too() {
    three.on(
        FakeEtcd.STATUS,
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write('{');
          exchange.getResponseBody().flush();
          waitForTheEnd();
        });
    assertThat(health(3, BRIEF)).isEqualTo(Fact.unknown("no answer in 1500 ms"));
  }

  @Test
  void a_huge_answer_is_not_swallowed() {
    three.on(FakeEtcd.STATUS, body(200, "{\"a\":\"" + "x".repeat(Wire.JSON_LIMIT) + "\"}"));
    assertThat(health(3, PATIENCE)).isEqualTo(Fact.unknown("answers with more than 1024 KiB"));
  }

  @Test
  void a_huge_metrics_page_is_not_swallowed() {
    three.on(
        FakeEtcd.METRICS,
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          byte[] line =
              "some_metric{a=\"b\"} 1\n"
                  .repeat(50_000)
                  .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
          for (int i = 0; i < 12; i++) {
            exchange.getResponseBody().write(line);
          }
        });
    Member member = member(3, PATIENCE);
    assertThat(member.healthy()).isTrue();
    assertThat(member.reading(Readings.SNAPSHOTS_SAVED))
        .isEqualTo(Fact.unknown("/metrics answers with more than 8192 KiB of metrics"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"header\":", "[]", "null", "hello", "", "{} {}"})
  void malformed_answers_are_unknown(String text) {
    three.on(FakeEtcd.STATUS, body(200, text));
    assertThat(why(health(3, PATIENCE))).startsWith("malformed answer: ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"raftTerm\":\"2\"|\"raftTerm\":2|raftTerm is 2, not text",
        "\"raftIndex\":\"|\"raftIndex\":\"x|raftIndex is \"x",
        "\"raftAppliedIndex\":\"|\"raftAppliedIndex\":\"999999999999999999|is beyond any log",
        "\"leader\":\"3256694602668281802\"|\"leader\":{}|leader is {}, not text",
        "\"member_id\":\"16047066878455438489\",||no member_id",
      })
  void answers_of_the_wrong_type_are_unknown(String from, String to, String expected) {
    three.edit(FakeEtcd.STATUS, from, to == null ? "" : to);
    assertThat(why(health(3, PATIENCE))).startsWith("malformed answer: ").contains(expected);
  }

  @Test
  void a_redirect_is_not_followed() {
    three.on(
        FakeEtcd.STATUS,
        exchange -> {
          exchange.getResponseHeaders().add("Location", one.seat().address() + FakeEtcd.STATUS);
          exchange.sendResponseHeaders(307, -1);
        });
    assertThat(health(3, PATIENCE))
        .isEqualTo(Fact.unknown("redirects elsewhere (307), which is not followed"));
  }

  @Test
  void a_cut_connection_is_unknown_after_a_second_try() {
    var tries = new AtomicInteger();
    three.on(
        FakeEtcd.STATUS,
        exchange -> {
          tries.incrementAndGet();
          exchange.sendResponseHeaders(200, 1000);
          exchange.getResponseBody().write('{');
          exchange.close();
        });
    assertThat(why(health(3, PATIENCE))).startsWith("the connection broke off: ");
    assertThat(tries).hasValue(2);
  }

  @Test
  void one_cut_connection_is_forgiven() {
    var tries = new AtomicInteger();
    String status = three.recorded("status.json");
    three.on(
        FakeEtcd.STATUS,
        exchange -> {
          if (tries.incrementAndGet() == 1) {
            exchange.sendResponseHeaders(200, 1000);
            exchange.close();
          } else {
            body(200, status).to(exchange);
          }
        });
    assertThat(health(3, PATIENCE)).isEqualTo(Fact.known(new Health(true, "serves")));
  }

  @Test
  void an_unresolvable_name_is_unknown() {
    var seat = new Seat("etcd-3", "etcd-3", java.net.URI.create("http://etcd-3.invalid:2379"));
    Topology t = known(driver.observe(List.of(one.seat(), two.seat(), seat), PATIENCE));
    assertThat(why(t.member(ID_3).orElseThrow().health())).contains("does not resolve");
  }

  @Test
  void the_health_endpoint_has_the_last_word() {
    three.on(FakeEtcd.HEALTH, body(503, "{\"health\":\"false\",\"reason\":\"RAFT NO LEADER\"}"));
    assertThat(health(3, PATIENCE))
        .isEqualTo(Fact.known(new Health(false, "says it is not healthy: RAFT NO LEADER")));
    three.on(FakeEtcd.HEALTH, body(200, "{\"health\":\"maybe\"}"));
    assertThat(why(health(3, PATIENCE))).contains("health is \"maybe\"");
    three.on(FakeEtcd.HEALTH, body(404, ""));
    assertThat(health(3, PATIENCE)).isEqualTo(Fact.unknown("answers 404"));
  }

  @Test
  void an_alarm_counts_against_the_member_it_names() {
    one.on(
        FakeEtcd.ALARMS,
        body(200, "{\"alarms\":[{\"memberID\":\"" + ID_3 + "\",\"alarm\":\"NOSPACE\"}]}"));
    Topology t = known(PATIENCE);
    assertThat(t.member(ID_3).orElseThrow().health())
        .isEqualTo(Fact.known(new Health(false, "alarm NOSPACE")));
    assertThat(t.member(ID_1).orElseThrow().healthy()).isTrue();
  }

  @Test
  void alarms_that_nobody_lists_are_no_all_clear() {
    Stream.of(one, two, three).forEach(e -> e.on(FakeEtcd.ALARMS, body(500, "")));
    assertThat(health(1, PATIENCE)).isEqualTo(Fact.unknown("nobody lists the alarms"));
  }

  @Test
  void a_member_far_behind_is_not_caught_up() {
    two.edit(FakeEtcd.STATUS, "\"raftIndex\":\"", "\"raftIndex\":\"200");
    Topology t = known(PATIENCE);
    assertThat(why(t.member(ID_3).orElseThrow().health())).contains("log entries behind");
    two.edit(FakeEtcd.STATUS, "\"raftIndex\":\"", "\"raftIndex\":\"9");
    assertThat(known(PATIENCE).members()).allMatch(Member::healthy);
  }

  @Test
  void without_quorum_nobody_can_say_who_belongs() {
    Stream.of(one, two, three)
        .forEach(e ->
            e.on(
                FakeEtcd.MEMBERS,
                body(503, "{\"code\":14,\"message\":\"etcdserver: request timed out\"}")));
    assertThat(unknown(PATIENCE))
        .startsWith(
            "no quorum confirms the member list: etcd-1 answers 503: etcdserver: request timed out");
  }

  @Test
  void one_linearizable_list_is_enough() {
    one.on(FakeEtcd.MEMBERS, body(503, ""));
    two.on(FakeEtcd.MEMBERS, body(503, ""));
    assertThat(known(PATIENCE).members()).hasSize(3);
  }

  @Test
  void a_list_that_changes_while_it_is_read_is_no_list() {
    one.edit(FakeEtcd.MEMBERS, ID_3, "99");
    assertThat(unknown(PATIENCE)).isEqualTo("the member list changes while it is read");
  }

  @Test
  void a_dead_cluster_is_told_seat_by_seat() {
    Stream.of(one, two, three).forEach(FakeMember::close);
    assertThat(unknown(PATIENCE))
        .isEqualTo(
            "no member answers: etcd-1 refuses connections; etcd-2 refuses connections; etcd-3"
                + " refuses connections");
    assertThat(driver.observe(List.of(), PATIENCE))
        .isEqualTo(Fact.unknown("no member answers: there is no pod to ask"));
  }

  @Test
  void an_undecided_cluster_version_is_unknown() {
    three.edit(FakeEtcd.VERSION, "\"etcdcluster\":\"3.6.0\"", "\"etcdcluster\":\"not_decided\"");
    assertThat(member(3, PATIENCE).reading(Readings.CLUSTER_VERSION))
        .isEqualTo(Fact.unknown("etcd has not decided it yet"));
  }

  @Test
  void hands_over_through_the_leader_and_nobody_else() {
    Stream.of(one, two, three).forEach(e -> e.on(FakeEtcd.TRANSFER, body(200, "{}")));
    assertThat(transfer("2", PATIENCE)).isEqualTo(new Outcome.Accepted());
    assertThat(two.asked).contains(FakeEtcd.TRANSFER);
    assertThat(one.asked).doesNotContain(FakeEtcd.TRANSFER);
    assertThat(three.asked).doesNotContain(FakeEtcd.TRANSFER);
    // Acknowledged is not done: the next look says who leads.
    assertThat(known(PATIENCE).leader()).isEqualTo(Fact.known(new Topology.Leader(ID_2, "2")));
  }

  @Test
  void sends_nothing_when_the_term_has_changed() {
    assertThat(((Outcome.Refused) transfer("1", PATIENCE)).why())
        .contains("etcd-2 was seen leading in term 1")
        .contains(ID_2 + " leads in term 2");
    assertThat(two.asked).doesNotContain(FakeEtcd.TRANSFER);
  }

  @Test
  void sends_nothing_when_the_lead_was_lost() {
    two.edit(FakeEtcd.STATUS, "\"leader\":\"" + ID_2, "\"leader\":\"" + ID_1);
    assertThat(transfer("2", PATIENCE)).isInstanceOf(Outcome.Refused.class);
    assertThat(two.asked).doesNotContain(FakeEtcd.TRANSFER);
  }

  @Test
  void passes_on_why_etcd_would_not_hand_over() {
    two.on(
        FakeEtcd.TRANSFER,
        body(400, "{\"code\":9,\"message\":\"etcdserver: bad leader transferee\"}"));
    assertThat(transfer("2", PATIENCE))
        .isEqualTo(new Outcome.Refused("etcd-2 answers 400: etcdserver: bad leader transferee"));
  }

  @Test
  void a_command_without_an_answer_is_neither_done_nor_undone() {
    two.on(FakeEtcd.TRANSFER, exchange -> waitForTheEnd());
    assertThat(transfer("2", BRIEF))
        .isEqualTo(
            new Outcome.Refused(
                "etcd-2: no answer in 1500 ms; whether it happened is seen at the next look"));
    assertThat(two.asked).filteredOn(FakeEtcd.TRANSFER::equals).hasSize(1);
  }

  @Test
  void a_command_whose_connection_is_cut_is_not_sent_again() {
    two.on(FakeEtcd.TRANSFER, exchange -> exchange.close());
    assertThat(((Outcome.Refused) transfer("2", PATIENCE)).why())
        .contains("whether it happened is seen at the next look");
    assertThat(two.asked).filteredOn(FakeEtcd.TRANSFER::equals).hasSize(1);
  }

  @Test
  void a_token_that_has_expired_is_renewed_once() {
    var valid = new AtomicInteger(1);
    Stream.of(one, two, three).forEach(e -> requireToken(e, valid));
    login("hunter2");
    assertThat(known(PATIENCE).members()).allMatch(Member::healthy);
    valid.incrementAndGet();
    assertThat(known(PATIENCE).members()).allMatch(Member::healthy);
    assertThat(one.asked).filteredOn(FakeEtcd.LOGIN::equals).hasSize(2);
  }

  @Test
  void a_wrong_password_is_unknown_and_never_shown() {
    Stream.of(one, two, three)
        .forEach(e ->
            e.on(
                FakeEtcd.LOGIN,
                body(
                    400,
                    "{\"code\":3,\"message\":\"etcdserver: authentication failed, invalid user ID or password\"}")));
    login("hunter2");
    assertThat(unknown(PATIENCE))
        .contains("etcd-1 refuses user root (etcdserver: authentication failed")
        .contains("check user and password")
        .doesNotContain("hunter2");
  }

  @Test
  void a_password_where_none_is_asked_does_no_harm() {
    Stream.of(one, two, three)
        .forEach(e ->
            e.on(
                FakeEtcd.LOGIN,
                body(
                    400,
                    "{\"code\":9,\"message\":\"etcdserver: authentication is not enabled\"}")));
    login("hunter2");
    assertThat(known(PATIENCE).members()).allMatch(Member::healthy);
  }

  @Test
  void an_etcd_that_asks_for_a_password_says_so() {
    Stream.of(one, two, three)
        .forEach(e ->
            e.on(
                FakeEtcd.STATUS,
                body(400, "{\"code\":3,\"message\":\"etcdserver: user name is empty\"}")));
    assertThat(unknown(PATIENCE))
        .contains("etcd-1 asks for a user and password")
        .contains("configure auth");
  }

  @Test
  void messages_of_others_are_short_and_printable() {
    three.on(FakeEtcd.STATUS, body(500, "{\"message\":\"a\\nb" + "x".repeat(5000) + "\"}"));
    assertThat(why(health(3, PATIENCE))).startsWith("answers 500: a b").hasSizeLessThan(250);
  }

  private void replay(String version) {
    Stream.of(one, two, three).forEach(FakeMember::close);
    one = FakeEtcd.replaying(version, "etcd-1");
    two = FakeEtcd.replaying(version, "etcd-2");
    three = FakeEtcd.replaying(version, "etcd-3");
  }

  private void login(String password) {
    driver.close();
    driver =
        new EtcdDriver(
            new DriverConfig(
                Optional.empty(), Optional.of(new DriverConfig.Auth("root", password))));
  }

  private static void requireToken(FakeMember etcd, AtomicInteger valid) {
    etcd.on(FakeEtcd.LOGIN, exchange -> body(200, "{\"token\":\"t." + valid + "\"}").to(exchange));
    for (String path : List.of(FakeEtcd.STATUS, FakeEtcd.MEMBERS, FakeEtcd.ALARMS)) {
      String file =
          path.equals(FakeEtcd.STATUS)
              ? "status.json"
              : path.equals(FakeEtcd.MEMBERS) ? "members.json" : "alarms.json";
      etcd.on(
          path,
          exchange -> {
            String token = exchange.getRequestHeaders().getFirst("Authorization");
            boolean good = ("t." + valid).equals(token);
            String refusal = "{\"code\":16,\"message\":\"etcdserver: invalid auth token\"}";
            body(good ? 200 : 401, good ? etcd.recorded(file) : refusal).to(exchange);
          });
    }
  }

  private void waitForTheEnd() {
    try {
      over.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private List<Seat> seats() {
    return List.of(one.seat(), two.seat(), three.seat());
  }

  private Outcome transfer(String term, Duration deadline) {
    return driver.transferLeader(seats(), new Topology.Leader(ID_2, term), ID_1, deadline);
  }

  private Topology known(Duration deadline) {
    return known(driver.observe(seats(), deadline));
  }

  private static Topology known(Fact<Topology> fact) {
    assertThat(fact).isInstanceOf(Fact.Known.class);
    return fact.asOptional().orElseThrow();
  }

  private String unknown(Duration deadline) {
    return ((Fact.Unknown<Topology>) driver.observe(seats(), deadline)).why();
  }

  private Member member(int n, Duration deadline) {
    return known(deadline).members().get(n - 1);
  }

  private Fact<Health> health(int n, Duration deadline) {
    return member(n, deadline).health();
  }

  private static String why(Fact<Health> health) {
    return switch (health) {
      case Fact.Unknown<Health>(String why) -> why;
      case Fact.Known<Health>(Health h) -> h.reading();
    };
  }
}
