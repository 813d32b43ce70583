package dev.belay.drivers.etcd;

import static dev.belay.drivers.contract.FakeMember.body;
import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Health;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Topology;
import dev.belay.drivers.contract.FakeMember;
import dev.belay.drivers.wire.Wire;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Recorded answers of real clusters, replayed well and badly: what a look makes of them. */
class EtcdDriverTest {

  private final Trio etcd = new Trio();

  @AfterEach
  void stop() {
    etcd.close();
  }

  @ParameterizedTest
  @CsvSource({
    "3.5.35, 3.5.0, etcd-3, etcd 3.5.35 reports no storage version",
    "3.6.16, 3.6.0, etcd-2, 3.6.0",
    "3.7.3, 3.7.0, etcd-2, 3.7.0"
  })
  void sees_a_healthy_cluster_of_every_release(
      String version, String cluster, String leader, String storage) {
    etcd.replay(version);
    Topology t = etcd.known(Trio.PATIENCE);
    assertThat(t.clusterId()).isEqualTo(Trio.CLUSTER);
    assertThat(t.members()).extracting(Member::name).containsExactly("etcd-1", "etcd-2", "etcd-3");
    assertThat(t.members()).extracting(Member::id).containsExactly(Trio.ID_1, Trio.ID_2, Trio.ID_3);
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
    etcd.two.edit(FakeEtcd.STATUS, Trio.CLUSTER, "42");
    assertThat(etcd.unknown(Trio.PATIENCE))
        .isEqualTo("etcd-1 is of cluster " + Trio.CLUSTER + ", etcd-2 is of cluster 42");
  }

  @Test
  void refuses_two_seats_that_answer_as_one_member() {
    etcd.two.edit(FakeEtcd.STATUS, "\"member_id\":\"" + Trio.ID_2, "\"member_id\":\"" + Trio.ID_1);
    assertThat(etcd.unknown(Trio.PATIENCE))
        .isEqualTo("etcd-1 and etcd-2 both answer as member " + Trio.ID_1);
  }

  @Test
  void two_leaders_are_no_leader() {
    etcd.one.edit(FakeEtcd.STATUS, "\"leader\":\"" + Trio.ID_2, "\"leader\":\"" + Trio.ID_3);
    Topology t = etcd.known(Trio.PATIENCE);
    assertThat(t.leader())
        .isEqualTo(Fact.unknown("etcd-1 says etcd-3 in term 2, etcd-2 says etcd-2 in term 2"));
    assertThat(t.members()).allMatch(m -> m.role() == Role.UNKNOWN);
  }

  @Test
  void a_leader_in_two_terms_is_no_leader() {
    etcd.three.edit(FakeEtcd.STATUS, "\"raftTerm\":\"2\"", "\"raftTerm\":\"3\"");
    assertThat(etcd.known(Trio.PATIENCE).leader())
        .isEqualTo(Fact.unknown("etcd-1 says etcd-2 in term 2, etcd-3 says etcd-2 in term 3"));
  }

  @Test
  void a_voter_that_sees_no_leader_is_believed() {
    etcd.three.edit(FakeEtcd.STATUS, "\"leader\":\"" + Trio.ID_2 + "\",", "");
    assertThat(etcd.known(Trio.PATIENCE).leader())
        .isEqualTo(Fact.unknown("etcd-3 sees no leader in term 2"));
  }

  @Test
  void a_leader_that_is_no_member_is_no_leader() {
    etcd.all()
        .forEach(e -> e.edit(FakeEtcd.STATUS, "\"leader\":\"" + Trio.ID_2, "\"leader\":\"99"));
    assertThat(etcd.known(Trio.PATIENCE).leader())
        .isEqualTo(Fact.unknown("the leader 99 is not among the voters"));
  }

  @Test
  void a_flapping_leader_is_followed_look_by_look() {
    assertThat(etcd.known(Trio.PATIENCE).leader())
        .isEqualTo(Fact.known(new Topology.Leader(Trio.ID_2, "2")));
    etcd.all()
        .forEach(e ->
            e.edit(
                FakeEtcd.STATUS,
                "\"leader\":\"" + Trio.ID_2 + "\"",
                "\"leader\":\"" + Trio.ID_1 + "\""));
    assertThat(etcd.known(Trio.PATIENCE).leader())
        .isEqualTo(Fact.known(new Topology.Leader(Trio.ID_1, "2")));
  }

  @Test
  void a_learner_has_no_vote() {
    etcd.all()
        .forEach(e ->
            e.edit(
                FakeEtcd.MEMBERS,
                "\"clientURLs\":[\"http://127.0.5.3:2379\"]",
                "\"clientURLs\":[\"http://127.0.5.3:2379\"],\"isLearner\":true"));
    Topology t = etcd.known(Trio.PATIENCE);
    assertThat(t.member(Trio.ID_3).orElseThrow().role()).isEqualTo(Role.LEARNER);
    assertThat(t.groups())
        .isEqualTo(List.of(new Group("voters", List.of(Trio.ID_2, Trio.ID_1), 2)));
  }

  /** Three pods, five voters: with a majority of the pods, two members would count as a quorum. */
  @Test
  void a_quorum_is_a_majority_of_the_voters_when_there_are_fewer_pods() {
    etcd.all()
        .forEach(e ->
            e.edit(
                FakeEtcd.MEMBERS,
                "\"members\":[",
                "\"members\":[{\"ID\":\"4\",\"name\":\"etcd-4\"},{\"ID\":\"5\",\"name\":\"etcd-5\"},"));
    Group voters = etcd.known(Trio.PATIENCE).groups().getFirst();
    assertThat(voters.memberIds())
        .containsExactlyInAnyOrder(Trio.ID_1, Trio.ID_2, Trio.ID_3, "4", "5");
    assertThat(voters.required()).isEqualTo(3);
  }

  /** Three pods, one voter: with a majority of the pods, no quorum could ever be reached. */
  @Test
  void a_quorum_is_a_majority_of_the_voters_when_there_are_more_pods() {
    etcd.all().forEach(e -> e.edit(FakeEtcd.MEMBERS, ",{\"ID\"", ",{\"isLearner\":true,\"ID\""));
    Topology t = etcd.known(Trio.PATIENCE);
    assertThat(t.members()).filteredOn(m -> m.role() == Role.LEARNER).hasSize(2);
    assertThat(t.groups()).isEqualTo(List.of(new Group("voters", List.of(Trio.ID_2), 1)));
  }

  @Test
  void a_member_outside_the_workload_counts_but_is_not_known_to_be_well() {
    Topology t =
        etcd.known(etcd.driver.observe(List.of(etcd.one.seat(), etcd.two.seat()), Trio.PATIENCE));
    assertThat(t.groups().getFirst().memberIds()).hasSize(3);
    assertThat(t.member(Trio.ID_3).orElseThrow().health())
        .isEqualTo(Fact.unknown("it lives in no pod of this component, so nobody asked it"));
  }

  @Test
  void a_closed_port_is_a_known_death() {
    etcd.three.close();
    assertThat(etcd.health(3, Trio.PATIENCE))
        .isEqualTo(Fact.known(Health.down("refuses connections")));
  }

  @Test
  void a_late_member_is_unknown_and_the_deadline_holds() {
    etcd.three.on(FakeEtcd.STATUS, exchange -> etcd.waitForTheEnd());
    etcd.three.on(FakeEtcd.METRICS, exchange -> etcd.waitForTheEnd());
    long before = System.nanoTime();
    assertThat(etcd.health(3, Trio.BRIEF)).isEqualTo(Fact.unknown("no answer in 1500 ms"));
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Trio.BRIEF.multipliedBy(3));
  }

  @Test
  void a_body_that_never_ends_misses_the_deadline_too() {
    etcd.three.on(
        FakeEtcd.STATUS,
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write('{');
          exchange.getResponseBody().flush();
          etcd.waitForTheEnd();
        });
    assertThat(etcd.health(3, Trio.BRIEF)).isEqualTo(Fact.unknown("no answer in 1500 ms"));
  }

  @Test
  void a_huge_answer_is_not_swallowed() {
    etcd.three.on(FakeEtcd.STATUS, body(200, "{\"a\":\"" + "x".repeat(Wire.JSON_LIMIT) + "\"}"));
    assertThat(etcd.health(3, Trio.PATIENCE))
        .isEqualTo(Fact.unknown("answers with more than 1024 KiB"));
  }

  @Test
  void a_huge_metrics_page_is_not_swallowed() {
    etcd.three.on(
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
    Member member = etcd.member(3, Trio.PATIENCE);
    assertThat(member.healthy()).isTrue();
    assertThat(member.reading(Readings.SNAPSHOTS_SAVED))
        .isEqualTo(Fact.unknown("/metrics answers with more than 8192 KiB of metrics"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"header\":", "[]", "null", "hello", "", "{} {}"})
  void malformed_answers_are_unknown(String text) {
    etcd.three.on(FakeEtcd.STATUS, body(200, text));
    assertThat(Trio.why(etcd.health(3, Trio.PATIENCE))).startsWith("malformed answer: ");
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
    etcd.three.edit(FakeEtcd.STATUS, from, to == null ? "" : to);
    assertThat(Trio.why(etcd.health(3, Trio.PATIENCE)))
        .startsWith("malformed answer: ")
        .contains(expected);
  }

  @Test
  void a_redirect_is_not_followed() {
    etcd.three.on(
        FakeEtcd.STATUS,
        exchange -> {
          exchange
              .getResponseHeaders()
              .add("Location", etcd.one.seat().address() + FakeEtcd.STATUS);
          exchange.sendResponseHeaders(307, -1);
        });
    assertThat(etcd.health(3, Trio.PATIENCE))
        .isEqualTo(Fact.unknown("redirects elsewhere (307), which is not followed"));
  }

  @Test
  void a_cut_connection_is_unknown_after_a_second_try() {
    var tries = new AtomicInteger();
    etcd.three.on(
        FakeEtcd.STATUS,
        exchange -> {
          tries.incrementAndGet();
          exchange.sendResponseHeaders(200, 1000);
          exchange.getResponseBody().write('{');
          exchange.close();
        });
    assertThat(Trio.why(etcd.health(3, Trio.PATIENCE))).startsWith("the connection broke off: ");
    assertThat(tries).hasValue(2);
  }

  @Test
  void one_cut_connection_is_forgiven() {
    var tries = new AtomicInteger();
    String status = etcd.three.recorded("status.json");
    etcd.three.on(
        FakeEtcd.STATUS,
        exchange -> {
          if (tries.incrementAndGet() == 1) {
            exchange.sendResponseHeaders(200, 1000);
            exchange.close();
          } else {
            body(200, status).to(exchange);
          }
        });
    assertThat(etcd.health(3, Trio.PATIENCE)).isEqualTo(Fact.known(new Health(true, "serves")));
  }

  @Test
  void an_unresolvable_name_is_unknown() {
    var seat = new Seat("etcd-3", "etcd-3", java.net.URI.create("http://etcd-3.invalid:2379"));
    Topology t =
        etcd.known(
            etcd.driver.observe(List.of(etcd.one.seat(), etcd.two.seat(), seat), Trio.PATIENCE));
    assertThat(Trio.why(t.member(Trio.ID_3).orElseThrow().health())).contains("does not resolve");
  }

  @Test
  void the_health_endpoint_has_the_last_word() {
    etcd.three.on(
        FakeEtcd.HEALTH, body(503, "{\"health\":\"false\",\"reason\":\"RAFT NO LEADER\"}"));
    assertThat(etcd.health(3, Trio.PATIENCE))
        .isEqualTo(Fact.known(new Health(false, "says it is not healthy: RAFT NO LEADER")));
    etcd.three.on(FakeEtcd.HEALTH, body(200, "{\"health\":\"maybe\"}"));
    assertThat(Trio.why(etcd.health(3, Trio.PATIENCE))).contains("health is \"maybe\"");
    etcd.three.on(FakeEtcd.HEALTH, body(404, ""));
    assertThat(etcd.health(3, Trio.PATIENCE)).isEqualTo(Fact.unknown("answers 404"));
  }

  @Test
  void an_alarm_counts_against_the_member_it_names() {
    etcd.one.on(
        FakeEtcd.ALARMS,
        body(200, "{\"alarms\":[{\"memberID\":\"" + Trio.ID_3 + "\",\"alarm\":\"NOSPACE\"}]}"));
    Topology t = etcd.known(Trio.PATIENCE);
    assertThat(t.member(Trio.ID_3).orElseThrow().health())
        .isEqualTo(Fact.known(new Health(false, "alarm NOSPACE")));
    assertThat(t.member(Trio.ID_1).orElseThrow().healthy()).isTrue();
  }

  @Test
  void alarms_that_nobody_lists_are_no_all_clear() {
    etcd.all().forEach(e -> e.on(FakeEtcd.ALARMS, body(500, "")));
    assertThat(etcd.health(1, Trio.PATIENCE)).isEqualTo(Fact.unknown("nobody lists the alarms"));
  }

  @Test
  void a_member_far_behind_is_not_caught_up() {
    etcd.two.edit(FakeEtcd.STATUS, "\"raftIndex\":\"", "\"raftIndex\":\"200");
    Topology t = etcd.known(Trio.PATIENCE);
    assertThat(Trio.why(t.member(Trio.ID_3).orElseThrow().health())).contains("log entries behind");
    etcd.two.edit(FakeEtcd.STATUS, "\"raftIndex\":\"", "\"raftIndex\":\"9");
    assertThat(etcd.known(Trio.PATIENCE).members()).allMatch(Member::healthy);
  }

  @Test
  void without_quorum_nobody_can_say_who_belongs() {
    etcd.all()
        .forEach(e ->
            e.on(
                FakeEtcd.MEMBERS,
                body(503, "{\"code\":14,\"message\":\"etcdserver: request timed out\"}")));
    assertThat(etcd.unknown(Trio.PATIENCE))
        .startsWith(
            "no quorum confirms the member list: etcd-1 answers 503: etcdserver: request timed out");
  }

  @Test
  void one_linearizable_list_is_enough() {
    etcd.one.on(FakeEtcd.MEMBERS, body(503, ""));
    etcd.two.on(FakeEtcd.MEMBERS, body(503, ""));
    assertThat(etcd.known(Trio.PATIENCE).members()).hasSize(3);
  }

  @Test
  void a_list_that_changes_while_it_is_read_is_no_list() {
    etcd.one.edit(FakeEtcd.MEMBERS, Trio.ID_3, "99");
    assertThat(etcd.unknown(Trio.PATIENCE)).isEqualTo("the member list changes while it is read");
  }

  @Test
  void a_dead_cluster_is_told_seat_by_seat() {
    etcd.all().forEach(FakeMember::close);
    assertThat(etcd.unknown(Trio.PATIENCE))
        .isEqualTo(
            "no member answers: etcd-1 refuses connections; etcd-2 refuses connections; etcd-3"
                + " refuses connections");
    assertThat(etcd.driver.observe(List.of(), Trio.PATIENCE))
        .isEqualTo(Fact.unknown("no member answers: there is no pod to ask"));
  }

  @Test
  void an_undecided_cluster_version_is_unknown() {
    etcd.three.edit(
        FakeEtcd.VERSION, "\"etcdcluster\":\"3.6.0\"", "\"etcdcluster\":\"not_decided\"");
    assertThat(etcd.member(3, Trio.PATIENCE).reading(Readings.CLUSTER_VERSION))
        .isEqualTo(Fact.unknown("etcd has not decided it yet"));
  }

  @Test
  void messages_of_others_are_short_and_printable() {
    etcd.three.on(FakeEtcd.STATUS, body(500, "{\"message\":\"a\\nb" + "x".repeat(5000) + "\"}"));
    assertThat(Trio.why(etcd.health(3, Trio.PATIENCE)))
        .startsWith("answers 500: a b")
        .hasSizeLessThan(250);
  }
}
