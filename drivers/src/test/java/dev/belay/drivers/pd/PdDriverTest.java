package dev.belay.drivers.pd;

import static dev.belay.drivers.contract.FakeMember.body;
import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Health;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Topology.Leader;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.contract.FakeMember;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is PD's own in recorded answers of real clusters; the rest is in the contract. */
class PdDriverTest {

  private static final String ID_1 = "11428683733576560569";
  private static final String ID_2 = "605955677181484900";
  private static final String ID_3 = "8153151487107119784";
  private static final Leader LEADER = new Leader(ID_2, "2");
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final FakeMember.Answer SUBMITTED =
      body(200, "\"The transfer command is submitted.\"\n");

  private FakeMember one = FakePd.replaying("2024.4.7", "pd-1");
  private FakeMember two = FakePd.replaying("2024.4.7", "pd-2");
  private FakeMember three = FakePd.replaying("2024.4.7", "pd-3");
  private final PdDriver driver = new PdDriver(DriverConfig.PLAIN);

  @AfterEach
  void stop() {
    driver.close();
    all().forEach(FakeMember::close);
  }

  private Stream<FakeMember> all() {
    return Stream.of(one, two, three);
  }

  @ParameterizedTest
  @CsvSource({
    "2023.2.3, 7708626752639005588, 17170006900486679547, 3929074906400931901, 14603034526243502253",
    "2024.4.7, 7708627043157041649, 11428683733576560569, 605955677181484900, 8153151487107119784"
  })
  void keeps_every_digit_of_ids_that_a_double_would_round(
      String version, String cluster, String id1, String id2, String id3) {
    all().forEach(FakeMember::close);
    one = FakePd.replaying(version, "pd-1");
    two = FakePd.replaying(version, "pd-2");
    three = FakePd.replaying(version, "pd-3");
    Topology t = look();
    assertThat(t.clusterId()).isEqualTo(cluster);
    assertThat(t.members()).extracting(Member::id).containsExactly(id1, id2, id3);
    assertThat(t.members()).extracting(Member::name).containsExactly("pd-1", "pd-2", "pd-3");
    assertThat(t.members()).allMatch(Member::healthy).allMatch(m -> m.version().is("v" + version));
    assertThat(t.members()).allMatch(m -> m.reading(Readings.LEADER_PRIORITY).is("0"));
    assertThat(t.leader()).isEqualTo(Fact.known(new Leader(id2, "2")));
    assertThat(t.groups()).singleElement().extracting(Group::required).isEqualTo(2);
    assertThat(t.members().getFirst().hosts()).containsExactly("127.0.6.1");
  }

  @Test
  void the_leaders_of_pd_and_of_its_etcd_must_be_one() {
    all().forEach(m -> m.edit(FakePd.RAFT, "\"leader\":\"" + ID_2, "\"leader\":\"" + ID_3));
    assertThat(look().leader())
        .isEqualTo(Fact.unknown("PD is led by pd-2, its etcd by pd-3: leadership is on its way"));
  }

  @Test
  void members_that_name_different_leaders_of_pd_name_none() {
    leads(one, ID_3);
    assertThat(look().leader())
        .isEqualTo(
            Fact.unknown("pd-1 says that PD is led by pd-3, pd-2 says that PD is led by pd-2"));
  }

  @Test
  void a_member_that_sees_no_leader_of_pd_is_believed() {
    String list = three.recorded("members.json");
    int leaders = list.indexOf(",\n  \"leader\":");
    three.on(FakePd.MEMBERS, body(200, list.substring(0, leaders) + "}"));
    assertThat(look().leader()).isEqualTo(Fact.unknown("pd-3 sees no leader of PD"));
    three.on(FakePd.MEMBERS, body(200, list.substring(0, leaders) + ",\"leader\":null}"));
    assertThat(look().leader()).isEqualTo(Fact.unknown("pd-3 sees no leader of PD"));
  }

  @Test
  void a_leader_of_pd_that_is_no_member_is_no_leader() {
    all().forEach(m -> leads(m, "99"));
    assertThat(look().leader()).isEqualTo(Fact.unknown("the leader of PD, 99, is no member"));
  }

  @Test
  void another_etcd_behind_the_same_names_is_another_cluster() {
    three.edit(FakePd.RAFT, "3934495431979652576", "42");
    assertThat(unknown())
        .isEqualTo("pd-1 is of etcd cluster 3934495431979652576, pd-3 is of etcd cluster 42");
  }

  @Test
  void two_seats_that_answer_as_one_member_spoil_the_picture() {
    three.edit(FakePd.RAFT, "\"member_id\":\"" + ID_3, "\"member_id\":\"" + ID_1);
    assertThat(unknown()).isEqualTo("pd-1 and pd-3 both answer as member " + ID_1);
  }

  @Test
  void a_list_that_changes_while_it_is_read_is_no_list() {
    one.edit(FakePd.MEMBERS, ID_3, "99");
    assertThat(unknown()).isEqualTo("the member list changes while it is read");
  }

  @Test
  void without_quorum_nobody_can_say_who_belongs() {
    all().forEach(m -> m.on(FakePd.MEMBERS, body(500, "\"etcdserver: request timed out\"")));
    assertThat(unknown())
        .startsWith(
            "no quorum confirms the member list: pd-1 answers 500: etcdserver: request timed out;");
  }

  @Test
  void a_member_that_others_do_not_reach_is_not_well() {
    two.edit(
        FakePd.HEALTH,
        "\"http://127.0.6.3:2379\"\n    ],\n    \"health\": true",
        "\"http://127.0.6.3:2379\"\n    ],\n    \"health\": false");
    Topology t = look();
    assertThat(t.members().getLast().health())
        .isEqualTo(Fact.known(new Health(false, "fails PD's health check on pd-2")));
    assertThat(t.members().getFirst().healthy()).isTrue();
  }

  @Test
  void a_member_that_is_cut_off_does_not_speak_for_the_others() {
    two.edit(FakePd.HEALTH, "\"health\": true", "\"health\": false");
    two.edit(FakePd.RAFT, "\"leader\":\"" + ID_2 + "\",", "");
    Topology t = look();
    assertThat(t.members().getFirst().healthy()).isTrue();
    assertThat(t.members().get(1).health())
        .isEqualTo(Fact.known(new Health(false, "its etcd sees no leader")));
  }

  @Test
  void pds_own_health_check_may_be_too_slow() {
    all().forEach(m -> m.on(FakePd.HEALTH, m.never()));
    Fact<Topology> seen = driver.observe(seats(), Duration.ofMillis(1500));
    assertThat(seen.asOptional().orElseThrow().members()).allMatch(Member::healthy);
  }

  @Test
  void a_member_whose_pd_has_not_started_says_so_and_is_not_down() {
    three.on(FakePd.PING, body(500, "[PD:server:ErrServerNotStarted]server not started\n"));
    assertThat(look().members().getLast().health())
        .isEqualTo(
            Fact.known(
                new Health(
                    false,
                    "its PD answers 500: [PD:server:ErrServerNotStarted]server not started")));
  }

  @Test
  void a_member_that_cannot_read_who_belongs_says_so_and_is_not_well() {
    three.on(FakePd.MEMBERS, body(500, "\"etcdserver: request timed out\""));
    assertThat(look().members().getLast().health())
        .isEqualTo(
            Fact.known(new Health(false, "its PD answers 500: etcdserver: request timed out")));
  }

  @Test
  void a_page_for_people_is_no_reason() {
    three.on(FakePd.PING, body(502, "<html><body>Bad Gateway</body></html>"));
    assertThat(look().members().getLast().health())
        .isEqualTo(Fact.known(new Health(false, "its PD answers 502")));
  }

  @Test
  void a_gateway_that_is_switched_off_is_named_with_the_cure() {
    three.on(FakePd.RAFT, body(404, "404 page not found\n"));
    assertThat(look().members().getLast().health())
        .isEqualTo(
            Fact.unknown(
                "the gateway of its etcd answers 404: start PD with enable-grpc-gateway = true"));
  }

  @Test
  void a_member_far_behind_is_not_caught_up() {
    two.edit(FakePd.RAFT, "\"raftIndex\":\"", "\"raftIndex\":\"200");
    assertThat(((Fact.Known<Health>) look().members().getLast().health()).value().reading())
        .endsWith("log entries behind");
  }

  @Test
  void a_learner_has_no_vote() {
    three.edit(FakePd.RAFT, "\"raftTerm\"", "\"isLearner\":true,\"raftTerm\"");
    Topology t = look();
    assertThat(t.members().getLast().role()).isEqualTo(Role.LEARNER);
    assertThat(t.groups()).isEqualTo(List.of(new Group("voters", List.of(ID_2, ID_1), 2)));
  }

  @Test
  void a_member_outside_the_workload_counts_but_is_not_known_to_be_well() {
    Topology t =
        driver.observe(List.of(one.seat(), two.seat()), PATIENCE).asOptional().orElseThrow();
    assertThat(t.groups().getFirst().memberIds()).hasSize(3);
    assertThat(t.member(ID_3).orElseThrow().health())
        .isEqualTo(Fact.unknown("it lives in no pod of this component, so nobody asked it"));
  }

  @Test
  void a_member_that_was_added_and_never_started_is_down() {
    all().forEach(m -> m.edit(FakePd.MEMBERS, "\"name\": \"pd-3\"", "\"name\": \"\""));
    Topology t =
        driver.observe(List.of(one.seat(), two.seat()), PATIENCE).asOptional().orElseThrow();
    assertThat(t.member(ID_3).orElseThrow().health())
        .isEqualTo(Fact.known(Health.down("was added but has never started")));
  }

  @Test
  void a_build_without_a_version_has_none() {
    three.edit(FakePd.VERSION, "v2024.4.7", "None");
    assertThat(look().members().getLast().version())
        .isEqualTo(Fact.unknown("this build of PD carries no version"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"member_id\": 8153151487107119784|\"member_id\": \"8153151487107119784\"|not an id",
        "\"member_id\": 8153151487107119784|\"member_id\": 8.153e18|not an id",
        "\"member_id\": 8153151487107119784|\"member_id\": -1|not an id",
        "\"cluster_id\": 7708627043157041649|\"cluster_id\": 0|no cluster_id",
        "\"git_hash\"|\"leader_priority\": \"high\", \"git_hash\"|leader_priority is \"high\"",
        "\"members\"|\"others\"|the member list is empty",
      })
  void a_list_of_the_wrong_type_is_unknown(String from, String to, String expected) {
    three.edit(FakePd.MEMBERS, from, to);
    assertThat(((Fact.Unknown<Health>) look().members().getLast().health()).why())
        .startsWith("malformed answer: ")
        .contains(expected);
  }

  @Test
  void priorities_are_unknown_while_members_disagree_or_nobody_has_a_leader() {
    all().forEach(m -> prioritise(m, 7));
    assertThat(priority()).isEqualTo(Fact.known("7"));
    prioritise(one, -3);
    assertThat(priority()).isEqualTo(Fact.unknown("the leader priority changes while it is read"));
    all().forEach(m -> m.edit(FakePd.MEMBERS, "\"etcd_leader\"", "\"somebody\""));
    assertThat(priority()).isEqualTo(Fact.unknown("no member with a leader tells the priorities"));
  }

  @Test
  void the_command_is_marked_so_that_a_member_that_lost_the_lead_refuses_it() {
    var marked = new AtomicReference<String>();
    two.on(
        FakePd.TRANSFER + "pd-1",
        exchange -> {
          marked.set(exchange.getRequestHeaders().getFirst("PD-Redirector"));
          body(500, "[PD:apiutil:ErrRedirectToNotLeader]redirect to not leader\n").to(exchange);
        });
    assertThat(transfer())
        .isEqualTo(
            new Outcome.Refused(
                "pd-2 answers 500: [PD:apiutil:ErrRedirectToNotLeader]redirect to not leader"));
    assertThat(marked).hasValue("belay");
    assertThat(two.askedFor(FakePd.RESIGN)).isZero();
  }

  @Test
  void nothing_is_sent_to_a_leader_of_etcd_that_does_not_lead_pd() {
    leads(two, ID_1);
    assertThat(transfer())
        .isEqualTo(
            new Outcome.Refused("pd-2 leads its etcd, but not PD: leadership is on its way"));
    assertThat(two.asked).noneMatch(path -> path.startsWith(FakePd.TRANSFER));
  }

  @Test
  void a_200_that_is_not_pds_is_no_acknowledgement() {
    two.on(FakePd.TRANSFER + "pd-1", body(200, "{}"));
    assertThat(transfer()).isEqualTo(new Outcome.Refused("pd-2 answers, but not as PD does"));
  }

  @ParameterizedTest
  @CsvSource({"500, \"no valid pd to transfer etcd leader\"", "404, 404 page not found"})
  void where_pd_takes_no_name_it_resigns(int status, String words) {
    two.on(FakePd.TRANSFER + "pd-1", body(status, words));
    two.on(FakePd.RESIGN, SUBMITTED);
    assertThat(transfer()).isEqualTo(new Outcome.Accepted());
    assertThat(two.askedFor(FakePd.RESIGN)).isEqualTo(1);
  }

  @Test
  void pd_is_not_asked_to_resign_when_it_might_hand_over_to_the_dead() {
    two.on(FakePd.TRANSFER + "pd-1", body(404, "404 page not found"));
    two.on(FakePd.RESIGN, SUBMITTED);
    three.close();
    assertThat(transfer())
        .isEqualTo(
            new Outcome.Refused(
                "pd-2 answers 404: 404 page not found; it is not asked to resign, for only 2 of 3"
                    + " members answer"));
    assertThat(two.askedFor(FakePd.RESIGN)).isZero();
  }

  @Test
  void a_successor_that_left_is_refused() {
    assertThat(driver.transferLeader(seats(), LEADER, "99", PATIENCE))
        .isEqualTo(new Outcome.Refused("no member has the id 99"));
  }

  @Test
  void a_name_with_odd_characters_reaches_pd_whole() {
    all().forEach(m -> m.edit(FakePd.MEMBERS, "\"name\": \"pd-1\"", "\"name\": \"pd 1/a\""));
    two.on(FakePd.TRANSFER + "pd 1/a", SUBMITTED);
    assertThat(transfer()).isEqualTo(new Outcome.Accepted());
  }

  private Outcome transfer() {
    return driver.transferLeader(seats(), LEADER, ID_1, PATIENCE);
  }

  /** The member says that another one leads PD. */
  private static void leads(FakeMember member, String id) {
    String list = member.recorded("members.json");
    int leader = list.indexOf("\"leader\":");
    int etcd = list.indexOf("\"etcd_leader\":");
    member.on(
        FakePd.MEMBERS,
        body(
            200,
            list.substring(0, leader)
                + list.substring(leader, etcd).replace(ID_2, id)
                + list.substring(etcd)));
  }

  private static void prioritise(FakeMember member, int priority) {
    member.edit(
        FakePd.MEMBERS,
        "\"binary_version\": \"v2024.4.7\"",
        "\"binary_version\": \"v2024.4.7\", \"leader_priority\": " + priority);
  }

  private Fact<String> priority() {
    return look().members().getFirst().reading(Readings.LEADER_PRIORITY);
  }

  private List<Seat> seats() {
    return all().map(FakeMember::seat).toList();
  }

  private Topology look() {
    Fact<Topology> seen = driver.observe(seats(), PATIENCE);
    assertThat(seen).isInstanceOf(Fact.Known.class);
    return seen.asOptional().orElseThrow();
  }

  private String unknown() {
    return ((Fact.Unknown<Topology>) driver.observe(seats(), PATIENCE)).why();
  }
}
