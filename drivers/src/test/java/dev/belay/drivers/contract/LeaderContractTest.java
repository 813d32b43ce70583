package dev.belay.drivers.contract;

import static dev.belay.drivers.contract.FakeMember.body;
import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Topology.Leader;
import dev.belay.drivers.etcd.EtcdSpecimen;
import dev.belay.drivers.http.HttpSpecimen;
import dev.belay.drivers.pd.PdSpecimen;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What every driver of a system with a leader makes of leadership. */
@ParameterizedClass(name = "{0}")
@MethodSource("drivers")
class LeaderContractTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Short, for what never answers. */
  private static final Duration BRIEF = Duration.ofMillis(1500);

  private final LedSpecimen system;
  private final FakeMember second;
  private final FakeMember third;

  /** A new driver of such a system adds its line here. */
  static Stream<Named<Supplier<LedSpecimen>>> drivers() {
    return Stream.of(
        Named.of("etcd", EtcdSpecimen::new),
        Named.of("pd", PdSpecimen::new),
        Named.of("http", HttpSpecimen::new));
  }

  LeaderContractTest(Supplier<LedSpecimen> driver) {
    system = driver.get();
    second = system.members().get(1);
    third = system.members().get(2);
  }

  @AfterEach
  void stop() {
    system.close();
  }

  @Test
  void sees_who_leads_and_every_version() {
    Topology t = look();
    assertThat(t.members()).allMatch(m -> m.version() instanceof Fact.Known<String>);
    assertThat(t.members())
        .extracting(Member::role)
        .containsExactly(Role.FOLLOWER, Role.LEADER, Role.FOLLOWER);
  }

  @Test
  void without_a_leader_nobody_is_known_to_lead() {
    system.members().forEach(system::loseLeader);
    assertThat(look().leader()).isInstanceOf(Fact.Unknown.class);
    assertThat(look().members()).allMatch(m -> m.role() == Role.UNKNOWN);
  }

  @Test
  void one_member_that_sees_no_leader_is_believed() {
    system.loseLeader(third);
    assertThat(((Fact.Unknown<Leader>) look().leader()).why()).contains(third.seat().pod());
  }

  @Test
  void two_leaders_are_no_leader() {
    system.seeThirdLead(third);
    Fact<Leader> leader = look().leader();
    assertThat(((Fact.Unknown<Leader>) leader).why())
        .contains(second.seat().pod(), third.seat().pod());
  }

  @Test
  void a_flapping_leader_is_followed_look_by_look() {
    Leader before = leader();
    system.members().forEach(system::seeThirdLead);
    assertThat(leader().memberId()).isNotEqualTo(before.memberId());
    assertThat(look().members().getLast().role()).isEqualTo(Role.LEADER);
  }

  @Test
  void a_transfer_goes_to_the_leader_once_and_acknowledged_is_not_done() {
    system.members().forEach(m -> m.on(system.command(), system.acknowledgement()));
    Leader before = leader();
    assertThat(transfer(before)).isEqualTo(new Outcome.Accepted());
    assertThat(system.members())
        .extracting(m -> m.askedFor(system.command()))
        .containsExactly(0L, 1L, 0L);
    assertThat(leader()).isEqualTo(before);
  }

  @Test
  void a_transfer_is_not_sent_when_the_term_or_the_lead_has_changed() {
    system.members().forEach(m -> m.on(system.command(), system.acknowledgement()));
    Leader seen = leader();
    assertThat(transfer(new Leader(seen.memberId(), "1")))
        .isInstanceOfSatisfying(
            Outcome.Refused.class, no -> assertThat(no.why()).contains("in term 1; now"));
    system.members().forEach(system::seeThirdLead);
    assertThat(transfer(seen)).isInstanceOf(Outcome.Refused.class);
    assertThat(system.members()).allMatch(m -> m.askedFor(system.command()) == 0);
  }

  @Test
  void a_transfer_without_an_answer_is_in_doubt_and_not_repeated() {
    Leader seen = leader();
    second.on(system.command(), second.never());
    assertThat(transfer(seen, BRIEF)).isEqualTo(inDoubt("no answer in 1500 ms"));
    second.on(system.command(), FakeMember.cut());
    assertThat(((Outcome.Refused) transfer(seen, PATIENCE)).why())
        .endsWith("whether it happened is seen at the next look");
    assertThat(second.askedFor(system.command())).isEqualTo(2);
  }

  @Test
  void a_transfer_that_is_not_found_is_refused() {
    second.on(system.command(), body(404, "404 page not found"));
    assertThat(transfer(leader()))
        .isInstanceOfSatisfying(
            Outcome.Refused.class, no -> assertThat(no.why()).contains("answers 404"));
  }

  private Outcome inDoubt(String why) {
    return new Outcome.Refused(
        second.seat().pod() + ": " + why + "; whether it happened is seen at the next look");
  }

  private Outcome transfer(Leader from) {
    return transfer(from, PATIENCE);
  }

  private Outcome transfer(Leader from, Duration deadline) {
    String to = look().members().getLast().id();
    return system.driver().transferLeader(system.seats(), from, to, deadline);
  }

  private Leader leader() {
    return look().leader().asOptional().orElseThrow();
  }

  private Topology look() {
    Fact<Topology> seen = system.driver().observe(system.seats(), PATIENCE);
    assertThat(seen).isInstanceOf(Fact.Known.class);
    return seen.asOptional().orElseThrow();
  }
}
