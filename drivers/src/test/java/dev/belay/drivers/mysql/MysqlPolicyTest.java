package dev.belay.drivers.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import dev.belay.core.state.Note;
import dev.belay.core.state.Objection;
import dev.belay.drivers.contract.Scene;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is decided on recorded answers that were changed to what each moment looks like. */
class MysqlPolicyTest {

  private final Recorded servers = Recorded.of("mariadb-10.11", 3);
  private final World world = new World();

  @Test
  void who_is_updated_last_leads_as_long_as_somebody_is_old() {
    world.see(servers.look());
    assertThat(world.successors()).containsExactly("mysql-1", "mysql-2", "mysql-0");
    assertThat(world.updated(2).successors()).containsExactly("mysql-1", "mysql-0", "mysql-2");
    world.see(
        servers.free(2).readOnly(2, false).readOnly(0, true).follows(0, 2).follows(1, 2).look());
    assertThat(world.successors()).containsExactly("mysql-0", "mysql-1", "mysql-2");
  }

  @Test
  void a_switchover_goes_on_from_wherever_it_is_seen() {
    begin();
    assertThat(next(servers.readOnly(0, true))).isEqualTo("point mysql-2 at mysql-1");
    assertThat(next(servers.follows(2, 1)))
        .isEqualTo("make mysql-1 the writable primary in place of mysql-0");
    assertThat(next(servers.stopped(1)))
        .isEqualTo("make mysql-1 the writable primary in place of mysql-0");
    assertThat(next(servers.readOnly(1, false)))
        .as("opened, but it still knows its source")
        .isEqualTo("make mysql-1 the writable primary in place of mysql-0");
    assertThat(next(servers.free(1))).isEqualTo("point mysql-0 at mysql-1");
    assertThat(world.owes()).hasSize(1);
    assertThat(next(servers.follows(0, 1))).isEqualTo("nothing");
    assertThat(world.owes()).isEmpty();
  }

  @Test
  void one_whose_pod_is_just_being_made_anew_is_still_to_follow() {
    begin();
    next(servers.readOnly(0, true).follows(2, 1));
    next(servers.free(1).readOnly(1, false));
    Topology all = servers.look();
    List<Member> there = all.members().stream().filter(m -> !m.name().equals("mysql-0")).toList();
    world.see(new Topology(all.clusterId(), there, all.leader(), all.groups()));
    world.record(world.tend());
    assertThat(world.owes()).hasSize(1);
    assertThat(next(servers)).isEqualTo("point mysql-0 at mysql-1");
  }

  @Test
  void replicas_are_pointed_by_the_kind_of_name_they_use() {
    begin();
    world.see(servers.readOnly(0, true).look());
    Command follow = world.tend().orElseThrow();
    assertThat(follow.arguments().get(Switchover.ADDRESS)).isEqualTo("mysql-1.mysql:3306");
    assertThat(follow.term()).contains("mysql-0=1:r", "mysql-2=3:r<mysql-0");
  }

  @Test
  void it_goes_on_after_another_step_took_the_place_of_the_recorded_one() {
    begin();
    assertThat(next(servers.readOnly(0, true))).isEqualTo("point mysql-2 at mysql-1");
    world.otherStep();
    assertThat(next(servers)).isEqualTo("point mysql-2 at mysql-1");
  }

  @Test
  void what_nobody_of_belay_closed_is_not_opened() {
    assertThat(next(servers.readOnly(0, true))).isEqualTo("nothing");
    assertThat(world.owes()).isEmpty();
  }

  @Test
  void a_close_that_was_never_carried_out_is_forgotten() {
    begin();
    assertThat(next(servers)).isEqualTo("nothing");
    assertThat(world.owes()).isEmpty();
    assertThat(world.handOver("mysql-0", "mysql-1")).isPresent();
  }

  @Test
  void two_writable_servers_are_left_to_a_person() {
    begin();
    next(servers.readOnly(0, true));
    assertThat(next(servers.readOnly(0, false).free(1).readOnly(1, false))).isEqualTo("nothing");
    assertThat(world.owes()).hasSize(1);
  }

  @Test
  void without_the_old_primary_nobody_knows_what_it_had() {
    begin();
    next(servers.readOnly(0, true).follows(2, 1));
    assertThat(next(servers.silent(0))).isEqualTo("nothing");
    assertThat(world.owes()).hasSize(1);
    assertThat(next(servers.back(0)))
        .isEqualTo("make mysql-1 the writable primary in place of mysql-0");
  }

  @Test
  void a_successor_that_may_have_taken_writes_is_waited_for() {
    begin();
    next(servers.readOnly(0, true).follows(2, 1));
    next(servers);
    world.later(HandOver.PATIENCE.plusSeconds(1));
    assertThat(next(servers.dead(1))).isEqualTo("nothing");
    assertThat(next(servers.back(1))).isEqualTo("make mysql-0 writable again");
  }

  @Test
  void a_switchover_goes_on_in_whatever_words_its_commands_were_recorded() {
    world.see(servers.look());
    Command close = Scene.reworded(world.handOver("mysql-0", "mysql-1").orElseThrow());
    world.record(Optional.of(close));
    world.see(servers.readOnly(0, true).follows(2, 1).observe());
    Command lead = Scene.reworded(world.tend().orElseThrow());
    world.record(Optional.of(lead));
    assertThat(world.owes()).hasSize(1);
    world.later(HandOver.PATIENCE.plusSeconds(1));
    assertThat(next(servers.dead(1))).as("it may have taken writes").isEqualTo("nothing");
  }

  @Test
  void a_switchover_whose_time_cannot_be_read_has_expired() {
    begin();
    next(servers.readOnly(0, true).follows(2, 1));
    world.otherStep().notes =
        List.of(
            new Note("handOver", "", Map.of("from", "mysql-0", "to", "mysql-1", "since", "soon")));
    assertThat(next(servers)).isEqualTo("make mysql-0 writable again");
  }

  @Test
  void who_has_more_takes_over_however_late() {
    begin();
    next(servers.readOnly(0, true).follows(2, 1));
    next(servers);
    world.later(HandOver.PATIENCE.plusSeconds(1));
    servers
        .setting(1, "gtid_binlog_pos", "0-2-999")
        .setting(1, "gtid_binlog_state", "0-1-1,0-2-999");
    assertThat(next(servers)).isEqualTo("make mysql-1 the writable primary in place of mysql-0");
  }

  @Test
  void given_up_it_does_not_begin_again_until_somebody_asks() {
    begin();
    next(servers.readOnly(0, true));
    world.later(HandOver.PATIENCE.plusSeconds(1));
    assertThat(next(servers)).isEqualTo("make mysql-0 writable again");
    assertThat(next(servers.readOnly(0, false))).isEqualTo("nothing");
    assertThat(world.handOver("mysql-0", "mysql-1")).isEmpty();
    assertThat(world.retry().handOver("mysql-0", "mysql-1")).isPresent();
  }

  @Test
  void an_older_server_never_follows_a_newer_one() {
    servers.set(1, "0-version", "version", "11.4.5-MariaDB-log");
    world.see(servers.look());
    assertThat(world.handOver("mysql-0", "mysql-1")).as("mysql-2 would have to").isEmpty();
    servers.set(2, "0-version", "version", "11.4.5-MariaDB-log");
    begin();
    next(servers.readOnly(0, true).follows(2, 1));
    assertThat(next(servers.free(1).readOnly(1, false))).isEqualTo("nothing");
    assertThat(world.owes()).hasSize(1);
    assertThat(next(servers.set(0, "0-version", "version", "11.4.5-MariaDB-log")))
        .isEqualTo("point mysql-0 at mysql-1");
  }

  @Test
  void one_without_a_full_binary_log_does_not_lead() {
    world.see(servers.setting(1, "log_slave_updates", "OFF").look());
    assertThat(world.handOver("mysql-0", "mysql-1")).isEmpty();
    assertThat(world.successors().getFirst()).isEqualTo("mysql-2");
  }

  @Test
  void a_new_revision_that_starts_writable_holds_the_next_member() {
    world.updated(2).see(servers.look());
    assertThat(world.toRelease(1)).isEmpty();
    servers.set(2, "3-origin", "origin", "COMPILE-TIME").readOnly(2, false);
    world.see(servers.look());
    assertThat(world.toRelease(1))
        .singleElement()
        .satisfies(o -> {
          assertThat(o.reason()).isEqualTo(MysqlRules.MEMBER_STARTS_WRITABLE);
          assertThat(o.weight()).isEqualTo(Objection.Weight.HUMAN);
          assertThat(o.reading()).contains("mysql-2 started writable");
        });
    assertThat(world.toRelease(2)).as("the one that is to be repaired").isEmpty();
  }

  @Test
  void an_older_series_does_not_start_on_what_a_newer_one_has_run_on() {
    servers.set(1, "0-version", "version", "11.8.2-MariaDB-log");
    world.see(servers.look());
    assertThat(world.toRelease(2)).as("up from 10.11").isEmpty();
    assertThat(world.toRelease(1))
        .singleElement()
        .satisfies(o -> {
          assertThat(o.reason()).isEqualTo(MysqlRules.SERIES_GOES_FORWARD);
          assertThat(o.weight()).isEqualTo(Objection.Weight.HUMAN);
          assertThat(o.reading()).isEqualTo("it has run 11.8 on its data, and 11.4 is older");
        });
  }

  @Test
  void an_image_that_tells_no_version_may_be_an_older_series() {
    world.image("mariadb@sha256:0123").see(servers.look());
    assertThat(world.toRelease(2))
        .singleElement()
        .satisfies(o -> {
          assertThat(o.reason()).isEqualTo(MysqlRules.SERIES_GOES_FORWARD);
          assertThat(o.weight()).isEqualTo(Objection.Weight.HUMAN);
          assertThat(o.reading()).startsWith("the image mariadb@sha256:0123 has no version");
          assertThat(o.cure()).contains("mariadb:11.4.5");
        });
  }

  @Test
  void what_a_dead_server_has_run_is_not_forgotten() {
    servers.set(1, "0-version", "version", "11.8.2-MariaDB-log");
    next(servers);
    next(servers.dead(1));
    assertThat(world.toRelease(1))
        .singleElement()
        .satisfies(o ->
            assertThat(o.reading()).isEqualTo("it has run 11.8 on its data, and 11.4 is older"));
    assertThat(world.wayBack().floor()).isEqualTo(Fact.known(Optional.of("11.8.0")));
    // Another volume, another story: what answers counts.
    next(servers.back(1).set(1, "0-version", "version", "10.11.19-MariaDB-log"));
    assertThat(world.toRelease(1)).isEmpty();
    assertThat(world.wayBack().floor()).isEqualTo(Fact.known(Optional.of("10.11.0")));
  }

  @Test
  void a_former_primary_goes_down_only_when_the_new_revision_is_known_to_start_read_only() {
    servers.readOnly(0, true).free(1).readOnly(1, false).follows(2, 1);
    servers.set(1, "3-origin", "origin", "SQL");
    world.updated(1, 2).see(servers.look());
    assertThat(world.toRelease(0)).isEmpty();
    servers.set(2, "3-origin", "origin", "SQL");
    world.see(servers.look());
    assertThat(world.toRelease(0))
        .singleElement()
        .satisfies(o -> assertThat(o.reading()).contains("mysql-0 was a primary"));
  }

  @Test
  void the_first_server_of_a_newer_series_closes_the_way_back() {
    world.see(servers.look());
    Component old = world.component();
    assertThat(MysqlPolicy.INSTANCE.wayBack(old).floor())
        .isEqualTo(Fact.known(Optional.of("10.11.0")));
    assertThat(MysqlPolicy.INSTANCE.closes(old, world.podOf(2)).orElseThrow())
        .contains("mysql-2 is the first to run 11.4");
    servers.set(2, "0-version", "version", "11.4.5-MariaDB-log");
    world.updated(2).see(servers.look());
    assertThat(MysqlPolicy.INSTANCE.wayBack(world.component()).floor())
        .isEqualTo(Fact.known(Optional.of("11.4.0")));
    assertThat(MysqlPolicy.INSTANCE.closes(world.component(), world.podOf(1))).isEmpty();
  }

  @Test
  void the_forecast_sees_the_successor_lead() {
    world.see(servers.look());
    Command close = Scene.reworded(world.handOver("mysql-0", "mysql-1").orElseThrow());
    Component after = MysqlPolicy.INSTANCE.after(world.component(), close);
    world.see(after.topology());
    assertThat(world.member("mysql-1").role()).isEqualTo(Member.Role.LEADER);
    assertThat(world.topology().members()).allMatch(Member::healthy);
    assertThat(world.tend()).isEmpty();
  }

  private void begin() {
    world.see(servers.look());
    Optional<Command> close = world.handOver("mysql-0", "mysql-1");
    assertThat(close.orElseThrow().what())
        .isEqualTo("make mysql-0 read-only so that mysql-1 can take over");
    world.record(close);
  }

  /** The next look: what is decided on it is recorded. */
  private String next(Recorded seen) {
    Optional<Command> command = world.see(seen.observe()).tend();
    world.record(command);
    return command.map(Command::what).orElse("nothing");
  }
}
