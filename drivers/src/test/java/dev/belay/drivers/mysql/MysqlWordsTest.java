package dev.belay.drivers.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** MySQL, where it speaks otherwise than MariaDB. */
@ParameterizedClass(name = "{0}")
@MethodSource("servers")
class MysqlWordsTest {

  private final Recorded servers;

  static Stream<Named<Supplier<Recorded>>> servers() {
    return Stream.of("mysql-9.7").map(folder -> Named.of(folder, () -> Recorded.of(folder, 3)));
  }

  MysqlWordsTest(Supplier<Recorded> servers) {
    this.servers = servers.get();
  }

  @Test
  void sees_members_leader_versions_and_whose_confirmation_is_waited_for() {
    Topology t = servers.look();
    assertThat(t.members()).hasSize(3).allMatch(Member::healthy);
    assertThat(t.members())
        .extracting(Member::role)
        .containsExactly(Role.LEADER, Role.FOLLOWER, Role.FOLLOWER);
    assertThat(t.members()).allMatch(m -> m.version().is("9.7.4"));
    assertThat(t.groups()).singleElement().extracting(Group::required).isEqualTo(2);
    assertThat(t.members().getLast().reading(Readings.STARTS)).isEqualTo(Fact.known("read-only"));
    servers.setting(0, "rpl_semi_sync_source_wait_for_replica_count", "2");
    assertThat(servers.look().groups().getFirst().required()).isEqualTo(3);
  }

  @Test
  void without_gtids_nobody_can_tell_who_has_what() {
    servers.setting(2, "gtid_mode", "OFF");
    assertThat(servers.look().members().getLast().health().toString())
        .contains("set gtid_mode = ON");
    servers.setting(2, "gtid_mode", "ON").set(2, "4-replication", "auto_position", "0");
    assertThat(servers.look().members().getLast().health().toString())
        .contains("SOURCE_AUTO_POSITION = 1");
  }

  @Test
  void hands_over_in_its_own_words() {
    String primary = servers.look().leader().asOptional().orElseThrow().memberId();
    servers.readOnly(0, true).setting(0, "gtid_executed", primary + ":1-2");
    Topology t = servers.look();
    Command lead =
        new Command(
            Switchover.LEAD,
            t.members().get(1).id(),
            "mysql-1",
            "lead",
            t.leader().asOptional().orElseThrow().term(),
            Map.of(Switchover.FROM, "mysql-0"));
    assertThat(servers.driver.tell(servers.seats(), lead, Duration.ofSeconds(10)))
        .isEqualTo(new Outcome.Accepted());
    assertThat(servers.told.getFirst())
        .startsWith("mysql-1: SELECT WAIT_FOR_EXECUTED_GTID_SET('" + primary);
    assertThat(servers.told.subList(1, servers.told.size()))
        .containsExactly(
            "mysql-1: STOP REPLICA",
            "mysql-1: SET GLOBAL rpl_semi_sync_source_timeout = 10000",
            "mysql-1: SET GLOBAL rpl_semi_sync_source_enabled = 1",
            "mysql-1: SET GLOBAL super_read_only = 0",
            "mysql-1: SET GLOBAL read_only = 0",
            "mysql-1: RESET REPLICA ALL");
  }
}
