package dev.belay.drivers.http;

import static dev.belay.drivers.contract.FakeMember.body;
import static dev.belay.drivers.http.Declared.changed;
import static dev.belay.drivers.http.Declared.named;
import static dev.belay.drivers.http.Declared.peers;
import static dev.belay.drivers.http.Declared.with;
import static dev.belay.drivers.http.HttpSpecimen.STATUS;
import static dev.belay.drivers.http.HttpSpecimen.STEPDOWN;
import static dev.belay.drivers.http.HttpSpecimen.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonPointer;
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
import dev.belay.drivers.DriverConfig.Auth;
import dev.belay.drivers.contract.FakeMember;
import dev.belay.drivers.http.Declaration.Flag;
import dev.belay.drivers.http.Declaration.MemberList;
import dev.belay.drivers.http.Declaration.Place;
import dev.belay.drivers.http.Declaration.SendTo;
import dev.belay.drivers.http.Declaration.Serving;
import dev.belay.drivers.http.Declaration.Transfer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the contract does not ask: each field of a declaration, and what it makes of an answer. */
class HttpDriverTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private List<FakeMember> members = HttpSpecimen.recorded("1.0");

  @AfterEach
  void stop() {
    members.forEach(FakeMember::close);
  }

  @Test
  void reads_a_recorded_system_as_declared() {
    Topology t = known(HttpSpecimen.TALLY);
    assertThat(t.clusterId()).isEqualTo("tally-example");
    assertThat(t.leader()).isEqualTo(Fact.known(new Leader("tally-1", "12")));
    assertThat(t.groups())
        .containsExactly(new Group("voters", List.of("tally-0", "tally-1", "tally-2"), 2));
    assertThat(t.members()).allMatch(m -> m.version().is("1.0"));
    assertThat(t.members().getFirst().reading(HttpPolicy.LAG)).isEqualTo(Fact.known("0"));
  }

  @Test
  void reads_the_next_version_of_it_too() {
    stop();
    members = HttpSpecimen.recorded("1.1");
    Topology t = known(HttpSpecimen.TALLY);
    assertThat(t.members()).allMatch(m -> m.version().is("1.1") && m.healthy());
  }

  /** Its segment stores and controllers say both with status 200. */
  @ParameterizedTest
  @ValueSource(strings = {"0.11.0", "0.12.0"})
  void the_readiness_of_pravega_is_a_word_in_a_body(String version) {
    stop();
    String path = "/v1/health/readiness";
    members =
        Stream.of("segmentstore", "controller")
            .map(m ->
                FakeMember.replaying("/http/pravega-" + version, m, Map.of(path, "readiness.json")))
            .toList();
    var serving = new Serving.ByValue(new Flag(Place.body(path), List.of("true")));
    assertThat(known(Declared.peers(serving, 1)).members()).allMatch(Member::healthy);
    FakeMember controller = members.getLast();
    controller.on(path, body(200, controller.recorded("starting.json")));
    assertThat(known(Declared.peers(serving, 1)).member("controller").orElseThrow().health())
        .isEqualTo(
            Fact.known(new Health(false, path + ": the body is \"false\", healthy is true")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"role\": \"follower\" | \"role\": \"starting\" | /raft/role is \"starting\", which is in no list",
        "\"role\": \"follower\" | \"role\": \"\"         | /raft/role is empty",
        "\"role\": \"follower\" | \"role\": \"a\\nb\"     | /raft/role has line breaks",
        "\"role\": \"follower\" | \"role\": null         | /raft/role is null, not a text",
        "\"role\": \"follower\" | \"role\": {\"a\": 1}   | /raft/role is an object, not a text",
        "\"role\": \"follower\" | \"rule\": \"follower\" | there is nothing at /raft/role",
        "\"term\": 12           | \"tern\": 12           | there is nothing at /raft/term",
        "\"term\": 12           | \"term\": [12]         | /raft/term is a list, not a text",
        "\"lag\": 0             | \"leg\": 0             | there is nothing at /raft/lag",
        "\"lag\": 0             | \"lag\": -1            | /raft/lag is \"-1\", not a number from 0",
        "\"lag\": 0             | \"lag\": \"unknown\"   | /raft/lag is \"unknown\", not a number",
        "\"cluster\":           | \"clusters\":          | there is nothing at /cluster",
        "\"serves\":            | \"servers\":           | there is nothing at /serves",
        "\"serves\": true       | \"serves\": {}         | /serves is an object, not a text",
      })
  void what_cannot_be_read_is_unknown_and_names_path_and_pointer(
      String from, String to, String why) {
    members.getLast().edit(STATUS, from, to);
    assertThat(why(known(HttpSpecimen.TALLY))).startsWith("/status: ").contains(why);
  }

  @Test
  void a_member_that_cannot_be_read_may_know_another_leader() {
    members.getLast().edit(STATUS, "\"role\": \"follower\"", "\"role\": \"candidate\"");
    assertThat(whyNobodyLeads(known(HttpSpecimen.TALLY)))
        .isEqualTo(
            "tally-2 /status: /raft/role is \"candidate\", which is in no list of"
                + " driver.http.leader.role");
  }

  @Test
  void a_silent_member_leaves_the_leader_known() {
    members.getLast().close();
    Topology t = known(HttpSpecimen.TALLY);
    assertThat(t.leader()).isEqualTo(Fact.known(new Leader("tally-1", "12")));
    assertThat(t.members().getLast().healthy()).isFalse();
    assertThat(t.members().getLast().knownDown()).as("another port may serve").isFalse();
    assertThat(t.members().getLast().role()).isEqualTo(Role.UNKNOWN);
    assertThat(t.groups().getFirst().memberIds()).contains("tally-2");
  }

  @Test
  void two_terms_are_no_leader() {
    members.getLast().edit(STATUS, "\"term\": 12", "\"term\": 13");
    assertThat(whyNobodyLeads(known(HttpSpecimen.TALLY)))
        .isEqualTo("tally-0 is in term 12, tally-2 is in term 13");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.10", "1.0", "2e3", "-0.0", "0.10000000000000000000000001"})
  void a_version_that_is_a_number_is_read_as_it_is_written(String version) {
    members.forEach(m -> m.edit(STATUS, "\"version\": \"1.0\"", "\"version\": " + version));
    assertThat(known(HttpSpecimen.TALLY).members()).allMatch(m -> m.version().is(version));
  }

  @Test
  void terms_beyond_all_numbers_are_kept_exactly() {
    members.forEach(m -> m.edit(STATUS, "\"term\": 12", "\"term\": 18446744073709551615"));
    assertThat(known(HttpSpecimen.TALLY).leader())
        .isEqualTo(Fact.known(new Leader("tally-1", "18446744073709551615")));
  }

  @Test
  void a_member_that_says_no_or_is_behind_is_unhealthy_and_not_down() {
    members.getFirst().edit(STATUS, "\"serves\": true", "\"serves\": false");
    members.getLast().edit(STATUS, "\"lag\": 0", "\"lag\": 101");
    Topology t = known(HttpSpecimen.TALLY);
    assertThat(t.members().getFirst().health())
        .isEqualTo(Fact.known(new Health(false, "/status: /serves is \"false\", healthy is true")));
    assertThat(t.members().getLast().health())
        .isEqualTo(Fact.known(new Health(false, "is 101 behind, at most 100 is allowed")));
  }

  @Test
  void service_unavailable_is_a_no() {
    members.getLast().on(STATUS, body(503, "{\"message\": \"sealed\"}"));
    assertThat(known(HttpSpecimen.TALLY).members().getLast().health())
        .isEqualTo(Fact.known(new Health(false, "/status answers 503: sealed")));
  }

  /** Pravega's segment store: readiness is a body, and "false" comes with 200. */
  @Test
  void a_readiness_that_is_a_body_needs_no_leader() {
    var config = peers(new Serving.ByValue(new Flag(Place.body("/ready"), List.of("true"))), 1);
    members.getFirst().on("/ready", body(200, "true\n"));
    members.get(1).on("/ready", body(200, "false"));
    members.getLast().on("/ready", body(200, ""));
    Topology t = known(config);
    assertThat(t.leader()).isEqualTo(Fact.known(Leader.NOBODY));
    assertThat(t.members()).allMatch(m -> m.role() == Role.PEER);
    assertThat(t.members()).extracting(Member::healthy).containsExactly(true, false, false);
    assertThat(why(t)).isEqualTo("/ready: malformed answer: the body is empty");
    assertThat(t.groups().getFirst().name()).isEqualTo("members");
    assertThat(t.groups().getFirst().required()).isEqualTo(1);
    try (var driver = new HttpDriver(config)) {
      assertThat(driver.transferLeader(seats(), new Leader("tally-0", ""), "tally-1", PATIENCE))
          .isEqualTo(new Outcome.Refused("driver.http declares no leader"));
    }
  }

  @Test
  void a_status_decides_alone_when_it_is_asked_to() {
    var config = peers(new Serving.ByStatus("/healthz", 200), 2);
    members.getFirst().on("/healthz", body(200, "false"));
    members.get(1).on("/healthz", body(500, ""));
    members.getLast().on("/healthz", body(204, ""));
    assertThat(known(config).members())
        .extracting(m -> m.health().map(Health::reading).asOptional().orElse(""))
        .containsExactly(
            "serves",
            "/healthz answers 500, healthy is 200",
            "/healthz answers 204, healthy is 200");
    assertThat(known(peers(new Serving.ByStatus("/healthz", 204), 2)).members().getLast().healthy())
        .isTrue();
  }

  /** Consul: every server names the leader, in a body that is one JSON text. */
  @Test
  void a_leader_that_every_member_names() {
    var config = named();
    members.forEach(m -> m.on("/v1/status/leader", body(200, "\"tally-1\"\n")));
    Topology t = known(config);
    assertThat(t.leader()).isEqualTo(Fact.known(new Leader("tally-1", "")));
    assertThat(t.members())
        .extracting(Member::role)
        .containsExactly(Role.FOLLOWER, Role.LEADER, Role.FOLLOWER);
    members.getLast().on("/v1/status/leader", body(200, "\"tally-2\""));
    assertThat(whyNobodyLeads(known(config)))
        .isEqualTo("tally-0 says tally-1, tally-2 says tally-2");
    members.getLast().on("/v1/status/leader", body(200, "\"\""));
    assertThat(whyNobodyLeads(known(config)))
        .isEqualTo("tally-2 /v1/status/leader: malformed answer: the body is empty");
    members.forEach(m -> m.on("/v1/status/leader", body(200, "10.1.2.3:8300")));
    assertThat(whyNobodyLeads(known(config)))
        .isEqualTo("the leader 10.1.2.3:8300 is no pod of this component");
  }

  @Test
  void who_does_not_vote_is_a_learner_and_in_no_group() {
    var flag = new Flag(at("/voter"), List.of("true"));
    var config = changed(Optional.of(flag), Optional.empty());
    members.forEach(m -> m.edit(STATUS, "\"serves\"", "\"voter\": true, \"serves\""));
    members.getLast().edit(STATUS, "\"serves\"", "\"voter\": false, \"serves\"");
    Topology t = known(config);
    assertThat(t.members().getLast().role()).isEqualTo(Role.LEARNER);
    assertThat(t.groups().getFirst().memberIds()).containsExactly("tally-0", "tally-1");
    members.getLast().edit(STATUS, "\"serves\"", "\"vote\": false, \"serves\"");
    t = known(config);
    assertThat(t.groups().getFirst().memberIds()).contains("tally-2");
    assertThat(why(t)).contains("there is nothing at /voter");
  }

  @Test
  void the_systems_own_list_says_who_is_a_member() {
    var list = new MemberList(Place.of("/members", "/servers"), name("/name"));
    var config = changed(Optional.empty(), Optional.of(list));
    members.forEach(m -> m.on("/members", body(200, servers("tally-0", "tally-1", "tally-9"))));
    Topology t = known(config);
    assertThat(t.members())
        .extracting(Member::name)
        .containsExactly("tally-0", "tally-1", "tally-9");
    assertThat(t.members().getLast().health()).isEqualTo(Fact.unknown(MemberHealth.NOT_ASKED));
    members.getLast().on("/members", body(200, servers("tally-0", "tally-1")));
    assertThat(unknown(config))
        .isEqualTo("tally-0 lists tally-0, tally-1, tally-9; tally-2 lists tally-0, tally-1");
    members.forEach(m -> m.on("/members", body(200, "{\"servers\": [{\"id\": 1}]}")));
    assertThat(unknown(config))
        .startsWith(
            "nobody lists the members: tally-0 /members: malformed answer: there is nothing in an entry of /servers at /name");
    members.forEach(m -> m.on("/members", body(200, "{\"servers\": []}")));
    assertThat(unknown(config)).contains("/servers is empty");
  }

  @Test
  void pods_that_are_called_the_same_are_no_members() {
    try (var driver = new HttpDriver(HttpSpecimen.TALLY)) {
      var twins = seats().stream().map(s -> new Seat(s.pod(), "db", s.address())).toList();
      assertThat(driver.observe(twins, PATIENCE))
          .isEqualTo(Fact.unknown("driver.memberName calls two pods db; let it contain {pod}"));
    }
  }

  @Test
  void a_transfer_fills_the_places_and_may_go_to_the_successor() {
    var transfer =
        new Transfer(
            "PUT",
            "/promote/{successor}?term={term}",
            "{\"from\": \"{leader}\", \"to\": \"{successor}\"}",
            SendTo.SUCCESSOR);
    var heard = new CopyOnWriteArrayList<String>();
    members.forEach(m ->
        m.on(
            "/promote/tally-2",
            exchange -> {
              heard.add(
                  "%s %s %s %s"
                      .formatted(
                          exchange.getRequestMethod(),
                          exchange.getRequestURI(),
                          exchange.getRequestHeaders().getFirst("Content-Type"),
                          new String(
                              exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
              body(202, "").to(exchange);
            }));
    try (var driver = new HttpDriver(changed(transfer))) {
      assertThat(driver.transferLeader(seats(), new Leader("tally-1", "12"), "tally-2", PATIENCE))
          .isEqualTo(new Outcome.Accepted());
    }
    assertThat(heard)
        .containsExactly(
            "PUT /promote/tally-2?term=12 application/json {\"from\": \"tally-1\", \"to\":"
                + " \"tally-2\"}");
    assertThat(members.getLast().askedFor("/promote/tally-2")).isEqualTo(1);
  }

  @Test
  void a_transfer_is_not_sent_to_a_successor_that_fell_ill() {
    members.getLast().edit(STATUS, "\"serves\": true", "\"serves\": false");
    try (var driver = new HttpDriver(HttpSpecimen.TALLY)) {
      assertThat(driver.transferLeader(seats(), new Leader("tally-1", "12"), "tally-2", PATIENCE))
          .isEqualTo(new Outcome.Refused("tally-2 is no healthy follower any more"));
      assertThat(driver.transferLeader(seats(), new Leader("tally-1", "12"), "tally-7", PATIENCE))
          .isEqualTo(new Outcome.Refused("there is no pod for member tally-7"));
    }
    assertThat(members).allMatch(m -> m.askedFor(STEPDOWN) == 0);
  }

  @Test
  void a_password_goes_where_it_is_wanted_and_a_wrong_one_is_told() {
    Auth auth = new Auth("root", "s3cret");
    members.forEach(m -> m.on(STATUS, guarded("Authorization", "Basic cm9vdDpzM2NyZXQ=")));
    assertThat(known(with(auth, Map.of())).members()).hasSize(3);
    members.forEach(m -> m.on(STATUS, guarded("X-Token", "s3cret")));
    assertThat(known(with(auth, Map.of("X-Token", "{password}"))).members()).hasSize(3);
    assertThat(unknown(with(auth, Map.of())))
        .contains("tally-0 /status: answers 401, check user and password");
  }

  @Test
  void credentials_that_no_header_can_carry_are_refused_with_the_cure() {
    assertThatThrownBy(() ->
            new HttpDriver(with(new Auth("root", "s3cret\n"), Map.of("X-Token", "{password}"))))
        .hasMessageContaining("a newline at its end; write the Secret without it")
        .hasMessageNotContaining("s3cret");
    assertThatThrownBy(() ->
            new HttpDriver(
                new DriverConfig(
                    Optional.empty(),
                    Optional.empty(),
                    with(new Auth("u", "p"), Map.of("X-Token", "{password}")).http())))
        .hasMessageContaining("there is no driver.auth; name the Secret");
  }

  @Test
  void a_path_that_is_none_is_refused() {
    for (String path : List.of("status", "/a b", "http://elsewhere/")) {
      assertThatThrownBy(() -> new HttpDriver(peers(new Serving.ByStatus(path, 200), 1)))
          .hasMessageContaining("\"" + path + "\" is no path; begin with /");
    }
  }

  private FakeMember.Answer guarded(String header, String wanted) {
    return exchange -> {
      boolean open = wanted.equals(exchange.getRequestHeaders().getFirst(header));
      body(open ? 200 : 401, open ? members.getFirst().recorded("status.json") : "").to(exchange);
    };
  }

  private static Optional<JsonPointer> name(String pointer) {
    return Optional.of(JsonPointer.compile(pointer));
  }

  private static String servers(String... names) {
    return "{\"servers\": ["
        + String.join(", ", List.of(names).stream().map(n -> "{\"name\": \"" + n + "\"}").toList())
        + "]}";
  }

  private List<Seat> seats() {
    return members.stream().map(FakeMember::seat).toList();
  }

  private Fact<Topology> look(DriverConfig config) {
    try (var driver = new HttpDriver(config)) {
      return driver.observe(seats(), PATIENCE);
    }
  }

  private Topology known(DriverConfig config) {
    Fact<Topology> seen = look(config);
    assertThat(seen).isInstanceOf(Fact.Known.class);
    return seen.asOptional().orElseThrow();
  }

  private String unknown(DriverConfig config) {
    return ((Fact.Unknown<Topology>) look(config)).why();
  }

  private static String whyNobodyLeads(Topology t) {
    return ((Fact.Unknown<Leader>) t.leader()).why();
  }

  /** Why the last member's health is unknown. */
  private static String why(Topology t) {
    return ((Fact.Unknown<Health>) t.members().getLast().health()).why();
  }
}
