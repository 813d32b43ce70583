package dev.belay.drivers.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Health;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Topology.Leader;
import dev.belay.core.state.Command;
import java.net.ConnectException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What the driver makes of recorded answers, whole and damaged. */
@ParameterizedClass(name = "{0}")
@MethodSource("servers")
class MysqlDriverTest {

  private final Recorded servers;

  static Stream<Named<Supplier<Recorded>>> servers() {
    return Stream.of("mariadb-10.11", "mariadb-11.4")
        .map(folder -> Named.of(folder, () -> Recorded.of(folder, 3)));
  }

  MysqlDriverTest(Supplier<Recorded> servers) {
    this.servers = servers.get();
  }

  @Test
  void sees_members_leader_versions_and_whose_confirmation_is_waited_for() {
    Topology t = servers.look();
    assertThat(t.members()).hasSize(3).allMatch(Member::healthy);
    assertThat(t.members()).allMatch(m -> m.version() instanceof Fact.Known<String>);
    assertThat(t.members())
        .extracting(Member::role)
        .containsExactly(Role.LEADER, Role.FOLLOWER, Role.FOLLOWER);
    assertThat(t.groups()).singleElement().extracting(Group::required).isEqualTo(2);
    assertThat(leader(t)).isEqualTo("mysql-0");
  }

  @Test
  void without_semi_sync_the_primary_alone_is_required() {
    servers.setting(0, "rpl_semi_sync_master_enabled", "OFF");
    assertThat(servers.look().groups().getFirst().required()).isEqualTo(1);
  }

  @Test
  void a_late_answer_is_unknown_and_a_closed_port_is_a_known_death() {
    assertThat(why(servers.silent(2).look())).isEqualTo("no answer in 10 s");
    Topology t = servers.back(2).dead(2).look();
    assertThat(t.members().getLast().health())
        .isEqualTo(Fact.known(Health.down("refuses connections")));
    assertThat(leader(t)).isEqualTo("mysql-0");
    assertThat(t.groups().getFirst().memberIds()).hasSize(3);
    servers.dead(0).dead(1);
    assertThat(servers.observe()).isInstanceOf(Fact.Unknown.class);
  }

  @Test
  void who_cannot_be_reached_is_not_known_to_be_down() {
    servers.broken(2, new SQLException("no", "08000", new ConnectException("No route to host")));
    assertThat(why(servers.look())).isEqualTo("cannot be reached: No route to host");
    assertThat(servers.look().members().getLast().knownDown()).isFalse();
  }

  @Test
  void who_confirms_no_commit_does_not_count_for_one() {
    assertThat(inSync()).containsExactly("1", "2", "3");
    servers.confirms(2, false);
    assertThat(inSync()).containsExactly("1", "2");
    assertThat(servers.look().members().getLast().health().toString())
        .contains("confirms no commit; stop and start its replication once");
    servers.setting(2, "rpl_semi_sync_slave_enabled", "OFF");
    assertThat(servers.look().members().getLast().health().toString())
        .contains("confirms no commit; switch rpl_semi_sync_slave_enabled on");
    servers.stopped(2);
    assertThat(inSync()).as("it may confirm when it runs").containsExactly("1", "2", "3");
    servers.follows(2, 0).setting(0, "rpl_semi_sync_master_enabled", "OFF");
    assertThat(inSync()).as("nobody is waited for").containsExactly("1", "2", "3");
    assertThat(why(servers.look())).isEqualTo("it is well");
  }

  private List<String> inSync() {
    return servers.look().groups().getFirst().memberIds();
  }

  @Test
  void a_replica_that_its_source_does_not_let_in_says_so_with_the_cure() {
    servers.set(2, "4-replication", "slave_io_running", "Connecting");
    servers.set(2, "4-replication", "master_user", "belay");
    servers.set(2, "4-replication", "last_io_errno", "1045");
    servers.set(2, "4-replication", "last_io_error", "x".repeat(170) + " Access denied");
    assertThat(why(servers.look()))
        .contains("it is not let in there as belay (error 1045)", "MASTER_PASSWORD");
  }

  @Test
  void a_silent_primary_leaves_nobody_known_to_lead() {
    assertThat(servers.silent(0).look().leader()).isInstanceOf(Fact.Unknown.class);
    assertThat(servers.look().members()).allMatch(m -> m.role() == Role.UNKNOWN);
  }

  @Test
  void a_rotated_password_is_told() {
    servers.broken(2, new SQLException("Access denied for user 'belay'", "28000", 1045));
    assertThat(why(servers.look())).contains("check user and password");
  }

  @Test
  void malformed_answers_are_unknown() {
    servers.set(2, "1-read-only", "read_only", "perhaps");
    assertThat(why(servers.look())).contains("malformed answer: read_only is \"perhaps\"");
    servers.readOnly(2, true).setting(2, "gtid_binlog_pos", "hello");
    assertThat(why(servers.look())).contains("malformed answer: \"hello\" is no GTID");
    servers.setting(2, "gtid_binlog_pos", "").rows(2, "0-version", List.of());
    assertThat(why(servers.look())).contains("malformed answer: version has 0 rows");
    servers.rows(2, "0-version", List.of(Map.of("version", "PostgreSQL")));
    assertThat(why(servers.look())).contains("malformed answer: ");
  }

  @Test
  void another_clusters_answer_spoils_the_picture_and_both_are_named() {
    servers.setting(2, "gtid_binlog_state", "0-77-5");
    assertThat(servers.observe())
        .isInstanceOfSatisfying(
            Fact.Unknown.class,
            no -> assertThat(no.why()).contains("mysql-0 is of ", "mysql-2 is of "));
  }

  @Test
  void two_servers_with_one_id_are_no_cluster() {
    servers.setting(2, "server_id", "2");
    assertThat(servers.observe().toString())
        .contains("mysql-1 and mysql-2 both answer as server 2");
  }

  @Test
  void two_writable_primaries_are_no_leader() {
    Topology t = servers.free(2).readOnly(2, false).look();
    assertThat(t.leader().toString()).contains("mysql-0", "mysql-2", "take writes");
  }

  @Test
  void a_primary_that_is_read_only_leads_and_is_unwell() {
    Topology t = servers.readOnly(0, true).look();
    assertThat(leader(t)).isEqualTo("mysql-0");
    assertThat(t.members().getFirst().health().toString()).contains("is read-only");
  }

  @Test
  void several_sources_and_half_a_configuration_are_not_guessed_at() {
    Map<String, String> row = servers.rows(2, "4-replication").getFirst();
    servers.rows(2, "4-replication", List.of(row, row));
    assertThat(servers.look().leader().toString()).contains("mysql-2 replicates from 2 sources");
    assertThat(why(servers.look())).contains("replicates from 2 sources");
    servers.rows(2, "4-replication", List.of(row)).set(2, "4-replication", "master_host", "");
    servers.set(2, "4-replication", "master_server_id", "0");
    assertThat(servers.look().leader().toString()).contains("but not from where");
    servers.set(2, "4-replication", "master_host", "db.example.com");
    assertThat(servers.look().leader().toString())
        .contains("db.example.com:3306, which is no pod of this component");
  }

  @Test
  void a_replica_is_unwell_for_a_reason_that_is_told() {
    servers.set(2, "4-replication", "seconds_behind_master", "6");
    assertThat(why(servers.look())).isEqualTo("6 s behind");
    servers.without(2, "4-replication", "seconds_behind_master");
    assertThat(why(servers.look())).isEqualTo("how far it is behind cannot be told");
    servers.follows(2, 0).set(2, "4-replication", "using_gtid", "No");
    assertThat(why(servers.look())).contains("replicates without GTIDs");
    servers.follows(2, 0).set(2, "4-replication", "slave_sql_running", "No");
    servers.set(2, "4-replication", "last_sql_error", "Duplicate entry '1'");
    assertThat(why(servers.look()))
        .isEqualTo("does not apply what it receives: Duplicate entry '1'");
    servers.follows(2, 0).readOnly(2, false);
    assertThat(why(servers.look())).contains("takes writes of its own");
    servers.readOnly(2, true).free(2);
    assertThat(why(servers.look())).isEqualTo("replicates from nobody");
  }

  @Test
  void a_chain_ends_at_its_primary() {
    assertThat(leader(servers.follows(2, 1).look())).isEqualTo("mysql-0");
    assertThat(servers.follows(1, 2).look().leader()).isInstanceOf(Fact.Unknown.class);
  }

  @Test
  void a_closed_primary_that_left_the_lead_to_another_follows() {
    Topology t = servers.readOnly(0, true).free(1).readOnly(1, false).follows(2, 1).look();
    assertThat(leader(t)).isEqualTo("mysql-1");
    assertThat(t.members().getFirst().role()).isEqualTo(Role.FOLLOWER);
    assertThat(t.members().getFirst().health().toString()).contains("replicates from nobody");
  }

  @Test
  void leadership_is_not_transferred_in_one() {
    Leader leader = servers.look().leader().asOptional().orElseThrow();
    assertThat(servers.driver.transferLeader(servers.seats(), leader, "2", Duration.ofSeconds(1)))
        .isInstanceOf(Outcome.Refused.class);
    assertThat(servers.told).isEmpty();
  }

  @Test
  void nothing_is_told_when_the_roles_are_others_than_seen() {
    String roles = servers.look().leader().asOptional().orElseThrow().term();
    servers.readOnly(0, true);
    Outcome outcome = tell(new Command(Switchover.CLOSE, "1", "mysql-0", "close", roles, Map.of()));
    assertThat(((Outcome.Refused) outcome).why()).contains("mysql-0=1:w", "mysql-0=1:r");
    assertThat(servers.told).isEmpty();
  }

  @Test
  void a_new_primary_takes_writes_before_it_forgets_its_source() {
    servers.readOnly(0, true).setting(1, "gtid_binlog_pos", "").setting(1, "gtid_slave_pos", "");
    servers.setting(1, "gtid_binlog_state", "");
    String roles = servers.look().leader().asOptional().orElseThrow().term();
    assertThat(
            tell(
                new Command(
                    Switchover.LEAD,
                    "2",
                    "mysql-1",
                    "lead",
                    roles,
                    Map.of(Switchover.FROM, "mysql-0"))))
        .isEqualTo(new Outcome.Accepted());
    assertThat(servers.told.getFirst()).startsWith("mysql-1: SELECT MASTER_GTID_WAIT('0-1-");
    assertThat(servers.told.subList(1, servers.told.size()))
        .containsExactly(
            "mysql-1: STOP SLAVE",
            "mysql-1: SET GLOBAL rpl_semi_sync_master_timeout = 10000",
            "mysql-1: SET GLOBAL rpl_semi_sync_master_enabled = 1",
            "mysql-1: SET GLOBAL read_only = 0",
            "mysql-1: RESET SLAVE ALL");
  }

  private Outcome tell(Command command) {
    return servers.driver.tell(servers.seats(), command, Duration.ofSeconds(10));
  }

  private static String leader(Topology t) {
    return t.leader()
        .asOptional()
        .flatMap(l -> t.member(l.memberId()))
        .map(Member::name)
        .orElse("nobody: " + t.leader());
  }

  /** Why the last member is not known to be well. */
  private static String why(Topology t) {
    return switch (t.members().getLast().health()) {
      case Fact.Unknown<Health>(String why) -> why;
      case Fact.Known<Health>(Health h) -> h.good() ? "it is well" : h.reading();
    };
  }
}
