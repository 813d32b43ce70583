package dev.belay.drivers.mysql;

import static dev.belay.drivers.mysql.MysqlDriverIT.MYSQL;
import static dev.belay.drivers.mysql.MysqlDriverIT.OLD;
import static dev.belay.drivers.mysql.MysqlDriverIT.PATIENCE;
import static dev.belay.drivers.mysql.MysqlDriverIT.await;
import static dev.belay.drivers.mysql.MysqlDriverIT.eventually;
import static dev.belay.drivers.mysql.MysqlDriverIT.look;
import static dev.belay.drivers.mysql.MysqlDriverIT.rest;
import static dev.belay.drivers.mysql.MysqlDriverIT.turn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.wire.Deadline;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real servers whose operator, replicas or passwords are not what they should be. */
class MysqlTroubleIT {

  @TempDir Path dir;

  private final World world = new World();

  @ParameterizedTest
  @ValueSource(strings = {OLD, MYSQL})
  void the_lock_of_an_operator_that_vanished_is_free_soon(String version) throws Exception {
    RealMariaDb.assumeThere(version);
    try (var servers = RealMariaDb.start(dir, version, 2);
        var driver = new MysqlDriver(RealMariaDb.CONFIG);
        var gone = new JdbcDoor(RealMariaDb.CONFIG)) {
      world.size(2).see(await(servers, driver, MysqlDriverIT::allWell));
      Command close = world.handOver("mysql-0", "mysql-1").orElseThrow();
      // Its connection stays, and nothing comes over it any more: a node without power.
      Session session = gone.open(servers.seats().get(1), Deadline.in(Duration.ofSeconds(2)));
      assertThat(session.ask(Conference.LOCK).getFirst()).containsEntry("got", "1");
      assertThat(((Outcome.Refused) driver.tell(servers.seats(), close, PATIENCE)).why())
          .contains("mysql-1: another session holds Belay's lock");
      eventually(() -> driver.tell(servers.seats(), close, PATIENCE) instanceof Outcome.Accepted);
    }
  }

  /** Without gtid_strict_mode, MariaDB's default, both servers give the same number. */
  @Test
  void what_a_replica_wrote_itself_is_seen_whatever_the_primary_writes_next() {
    try (var servers = RealMariaDb.start(dir, OLD, 3, "--gtid-strict-mode=0");
        var driver = new MysqlDriver(RealMariaDb.CONFIG)) {
      world.see(await(servers, driver, MysqlDriverIT::allWell));
      servers.admin(2, "SET GLOBAL read_only = 0");
      servers.app(2, "INSERT INTO t VALUES (1000)");
      servers.admin(2, "SET GLOBAL read_only = 1");
      for (int row = 1; row <= 20; row++) {
        servers.app(0, "INSERT INTO t VALUES (" + row + ")");
        assertThat(look(servers, driver).members().get(2).health().toString())
            .contains("has transactions that the primary lacks: 0-3-");
      }
      eventually(() -> servers.count(2) == 21 && servers.count(1) == 20);

      List<String> told = new ArrayList<>();
      turn(
          world,
          servers,
          driver,
          world.see(look(servers, driver)).handOver("mysql-0", "mysql-1"),
          told);
      rest(world, servers, driver, told);
      for (int row = 21; row <= 30; row++) {
        servers.app(1, "INSERT INTO t VALUES (" + row + ")");
        assertThat(look(servers, driver).members().get(2).health().toString())
            .contains("whether the primary has 0-3-");
      }
      eventually(() -> servers.count(2) == 31 && servers.count(0) == 30);
      assertThat(look(servers, driver).members().get(0).healthy()).isTrue();

      // The cure, had their data been the same.
      List.of("STOP SLAVE", "RESET MASTER", "START SLAVE").forEach(s -> servers.admin(2, s));
      servers.app(1, "INSERT INTO t VALUES (31)");
      await(servers, driver, MysqlDriverIT::allWell);
    }
  }

  @Test
  void who_confirms_no_commit_does_not_count_for_one() {
    try (var servers = RealMariaDb.start(dir, OLD, 3);
        var driver = new MysqlDriver(RealMariaDb.CONFIG)) {
      Topology t = await(servers, driver, MysqlDriverIT::allWell);
      assertThat(t.groups().getFirst().memberIds()).containsExactly("1", "2", "3");
      servers.admin(2, "SET GLOBAL rpl_semi_sync_slave_enabled = 0");
      List.of("STOP SLAVE", "START SLAVE").forEach(s -> servers.admin(2, s));
      t = await(servers, driver, MysqlDriverIT::allWell);
      assertThat(t.groups().getFirst().memberIds()).containsExactly("1", "2");
      servers.admin(2, "SET GLOBAL rpl_semi_sync_slave_enabled = 1");
      t = await(servers, driver, MysqlDriverIT::allWell);
      assertThat(t.groups().getFirst().memberIds())
          .as("switched on while replication ran")
          .containsExactly("1", "2");
      List.of("STOP SLAVE", "START SLAVE").forEach(s -> servers.admin(2, s));
      t = await(servers, driver, MysqlDriverIT::allWell);
      assertThat(t.groups().getFirst().memberIds()).containsExactly("1", "2", "3");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {OLD, MYSQL})
  void a_former_primary_gets_the_new_password_with_its_next_source(String version) {
    RealMariaDb.assumeThere(version);
    var rotated =
        new DriverConfig(Optional.empty(), Optional.of(new DriverConfig.Auth("belay", "another")));
    List<String> told = new ArrayList<>();
    try (var servers = RealMariaDb.start(dir, version, 3);
        var before = new MysqlDriver(RealMariaDb.CONFIG);
        var driver = new MysqlDriver(rotated)) {
      world.see(await(servers, before, MysqlDriverIT::allWell));
      turn(world, servers, before, world.handOver("mysql-0", "mysql-1"), told);
      rest(world, servers, before, told);
      await(servers, before, MysqlDriverIT::allWell);
      servers.admin(1, "ALTER USER belay@'%' IDENTIFIED BY 'another'");
      await(servers, driver, MysqlDriverIT::allWell);
      servers.restart(0, version);
      Topology t =
          await(servers, driver, s -> s.members().getFirst().toString().contains("error 1045"));
      assertThat(t.members().getFirst().health().toString())
          .contains("it is not let in there as belay", "_PASSWORD = the password that holds now");

      turn(world, servers, driver, world.see(t).handOver("mysql-1", "mysql-2"), told);
      rest(world, servers, driver, told);
      assertThat(told).contains("point mysql-0 at mysql-2");
      await(servers, driver, MysqlDriverIT::allWell);
    }
  }

  @Test
  void a_successor_that_dies_on_the_way_gives_the_lead_back() {
    try (var servers = RealMariaDb.start(dir, OLD, 3);
        var driver = new MysqlDriver(RealMariaDb.CONFIG)) {
      world.see(await(servers, driver, MysqlDriverIT::allWell));
      List<String> told = new ArrayList<>();
      turn(world, servers, driver, world.handOver("mysql-0", "mysql-1"), told);
      turn(world, servers, driver, world.see(look(servers, driver)).tend(), told);
      servers.processes.kill(1);

      world.see(look(servers, driver));
      assertThat(world.tend()).as("while there is hope").isEmpty();
      world.record(Optional.empty()).later(HandOver.PATIENCE.plusSeconds(1));
      turn(world, servers, driver, world.see(look(servers, driver)).tend(), told);
      assertThat(told.getLast()).isEqualTo("make mysql-0 writable again");
      assertThat(servers.takes(0, 1)).isTrue();
      turn(world, servers, driver, world.see(look(servers, driver)).tend(), told);
      assertThat(told.getLast()).isEqualTo("point mysql-2 at mysql-0");
      servers.run(1, OLD);
      rest(world, servers, driver, told);
      await(servers, driver, MysqlDriverIT::allWell);
      assertThat(world.see(look(servers, driver)).handOver("mysql-0", "mysql-1")).isEmpty();
      assertThat(world.retry().handOver("mysql-0", "mysql-1")).isPresent();
    }
  }

  @Test
  void more_than_anybody_should_say_is_not_swallowed() throws Exception {
    try (var servers = RealMariaDb.start(dir, OLD, 1);
        var door = new JdbcDoor(RealMariaDb.CONFIG);
        Session session = door.open(servers.seats().getFirst(), Deadline.in(PATIENCE))) {
      assertThat(session.ask("SELECT REPEAT('x', 1024 * 1024) AS much")).hasSize(1);
      assertThatThrownBy(() -> session.ask("SELECT REPEAT('x', 1024 * 1024 + 1) AS much"))
          .hasMessageContaining("answers with more than 1024 KiB");
      assertThat(session.ask("SELECT ID FROM information_schema.COLLATIONS"))
          .hasSize(JdbcDoor.ROWS);
    }
  }
}
