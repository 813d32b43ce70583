package dev.belay.drivers.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.DriverConfig.Tls;
import dev.belay.drivers.contract.Certificates;
import dev.belay.drivers.wire.Deadline;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Three real servers with semi-synchronous replication, and the driver with few rights. */
class MysqlDriverIT {

  static final Duration PATIENCE = Duration.ofSeconds(10);
  static final String OLD = "10.11";
  private static final String NEW = "11.4";
  static final String MYSQL = "9.7";

  @TempDir Path dir;

  private final World world = new World();

  @Test
  void sees_who_is_what_and_whose_confirmation_a_commit_waits_for() {
    try (var servers = RealMariaDb.start(dir, OLD, 3);
        var driver = new MysqlDriver(RealMariaDb.CONFIG)) {
      Topology t = await(servers, driver, MysqlDriverIT::allWell);
      assertThat(t.members())
          .extracting(Member::role)
          .containsExactly(Role.LEADER, Role.FOLLOWER, Role.FOLLOWER);
      assertThat(t.members()).extracting(Member::id).containsExactly("1", "2", "3");
      assertThat(t.members()).allMatch(m -> m.version().toString().contains("10.11."));
      assertThat(t.groups()).singleElement().extracting(Group::required).isEqualTo(2);
      assertThat(t.clusterId()).isEqualTo("0-1");
      assertThat(t.members().get(2).reading(Readings.STARTS)).isEqualTo(Fact.known("read-only"));
      assertThat(t.members().get(0).reading(Readings.STARTS)).isInstanceOf(Fact.Unknown.class);

      servers.admin(2, "SET GLOBAL read_only = 0");
      servers.app(2, "INSERT INTO t VALUES (7)");
      servers.admin(2, "SET GLOBAL read_only = 1");
      assertThat(look(servers, driver).members().get(2).health().toString())
          .contains("has transactions that the primary lacks: 0-3-");
      servers.admin(1, "STOP SLAVE");
      assertThat(look(servers, driver).members().get(1).health().toString())
          .contains("does not receive from ");
      servers.processes.kill(0);
      assertThat(look(servers, driver).leader()).isInstanceOf(Fact.Unknown.class);
      assertThat(look(servers, driver).members().get(0).knownDown()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {OLD, MYSQL})
  void hands_over_command_by_command_and_nothing_is_lost(String version) {
    RealMariaDb.assumeThere(version);
    try (var servers = RealMariaDb.start(dir, version, 3);
        var driver = new MysqlDriver(RealMariaDb.CONFIG)) {
      world.see(await(servers, driver, MysqlDriverIT::allWell));
      servers.app(0, "INSERT INTO t VALUES (1)");
      world.see(look(servers, driver));
      List<String> told = new ArrayList<>();
      turn(world, servers, driver, world.handOver("mysql-0", "mysql-1"), told);
      assertThat(servers.takes(0, 2)).as("the closed primary").isFalse();
      rest(world, servers, driver, told);

      assertThat(told)
          .containsExactly(
              "make mysql-0 read-only so that mysql-1 can take over",
              "point mysql-2 at mysql-1",
              "make mysql-1 the writable primary in place of mysql-0",
              "point mysql-0 at mysql-1");
      Topology t = await(servers, driver, MysqlDriverIT::allWell);
      assertThat(t.members().get(1).role()).isEqualTo(Role.LEADER);
      assertThat(t.groups().getFirst().required()).isEqualTo(2);
      assertThat(servers.takes(1, 3)).isTrue();
      assertThat(List.of(servers.takes(0, 4), servers.takes(2, 5))).containsOnly(false);
      eventually(() -> servers.count(0) == 2 && servers.count(2) == 2);
      assertThat(world.owes()).isEmpty();

      // Back again: the former primary has a source by now, and keeps the user it was given.
      turn(world, servers, driver, world.see(t).handOver("mysql-1", "mysql-0"), told);
      rest(world, servers, driver, told);
      assertThat(await(servers, driver, MysqlDriverIT::allWell).members().get(0).role())
          .isEqualTo(Role.LEADER);
      assertThat(servers.takes(0, 6)).isTrue();
      eventually(() -> servers.count(1) == 3 && servers.count(2) == 3);
    }
  }

  @Test
  void a_command_is_dropped_when_the_roles_changed_or_somebody_else_acts() throws Exception {
    try (var servers = RealMariaDb.start(dir, OLD, 3);
        var driver = new MysqlDriver(RealMariaDb.CONFIG)) {
      world.see(await(servers, driver, MysqlDriverIT::allWell));
      Command close = world.handOver("mysql-0", "mysql-1").orElseThrow();
      try (var other = new JdbcDoor(RealMariaDb.CONFIG);
          Session session = other.open(servers.seats().get(2), Deadline.in(PATIENCE))) {
        assertThat(session.ask(Conference.LOCK)).hasSize(1);
        assertThat(((Outcome.Refused) driver.tell(servers.seats(), close, PATIENCE)).why())
            .contains("mysql-2: another session holds Belay's lock");
      }
      servers.admin(2, "SET GLOBAL read_only = 0");
      assertThat(((Outcome.Refused) driver.tell(servers.seats(), close, PATIENCE)).why())
          .contains("the roles were", "mysql-2=3:w<mysql-0");
      assertThat(servers.takes(0, 1)).isTrue();
    }
  }

  @Test
  void cut_short_anywhere_it_is_brought_to_its_end() {
    try (var servers = RealMariaDb.start(dir, OLD, 3);
        var driver = new MysqlDriver(RealMariaDb.CONFIG)) {
      int leader = 0;
      long row = 10;
      for (int cut = 1; cut <= 4; cut++) {
        Topology t = await(servers, driver, MysqlDriverIT::allWell);
        int next = leader == 0 ? 1 : 0;
        // Every command is on record before it is carried out, and this one never is.
        world.see(t);
        List<String> told = new ArrayList<>();
        Optional<Command> command = world.handOver("mysql-" + leader, "mysql-" + next);
        for (int i = 1; i < cut; i++) {
          turn(world, servers, driver, command, told);
          command = world.see(look(servers, driver)).tend();
        }
        world.record(command);
        rest(world, servers, driver, told);
        boolean moved = cut > 1;
        leader = moved ? next : leader;
        assertThat(await(servers, driver, MysqlDriverIT::allWell).members().get(leader).role())
            .as("cut short before command %d", cut)
            .isEqualTo(Role.LEADER);
        assertThat(servers.takes(leader, row++)).isTrue();
      }
    }
  }

  @Test
  void an_upgrade_from_one_series_to_the_next() {
    try (var servers = RealMariaDb.start(dir, OLD, 3);
        var driver = new MysqlDriver(RealMariaDb.CONFIG)) {
      await(servers, driver, MysqlDriverIT::allWell);
      for (int replica : new int[] {2, 1}) {
        servers.restart(replica, NEW);
        world.updated(replica).see(await(servers, driver, MysqlDriverIT::allWell));
        servers.app(0, "INSERT INTO t VALUES (" + replica + ")");
      }
      List<String> told = new ArrayList<>();
      world.see(look(servers, driver));
      turn(world, servers, driver, world.handOver("mysql-0", "mysql-1"), told);
      rest(world, servers, driver, told);
      assertThat(told)
          .as("the old primary must not follow a newer one")
          .doesNotContain("point mysql-0 at mysql-1");
      assertThat(servers.takes(1, 5)).isTrue();
      assertThat(world.owes()).hasSize(1);
      assertThat(world.toRelease(0)).isEmpty();

      servers.restart(0, NEW);
      rest(world, servers, driver, told);
      assertThat(told.getLast()).isEqualTo("point mysql-0 at mysql-1");
      await(servers, driver, MysqlDriverIT::allWell);
      eventually(() -> servers.count(0) == 3);
      assertThat(world.owes()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {OLD, NEW})
  void speaks_tls_compares_the_name_and_hands_over(String version) {
    var ours = new Certificates(dir, "ours");
    var theirs = new Certificates(dir, "theirs").sign("server", "dns:mysql.example");
    try (var servers =
            RealMariaDb.start(
                dir,
                version,
                2,
                network -> {
                  ours.sign(
                      "server", "ip:%s1,ip:%s2,dns:mysql.example".formatted(network, network));
                  return List.of(
                      "--ssl",
                      "--ssl-ca=" + ours.file("ca.crt", ours.certificate("ca")),
                      "--ssl-cert=" + ours.file("tls.crt", ours.certificate("server")),
                      "--ssl-key=" + ours.file("tls.key", ours.key("server")));
                });
        var driver = new MysqlDriver(tls(ours.certificate("ca"), Optional.empty()))) {
      servers.admin(0, "ALTER USER belay@'%' REQUIRE SSL");
      world.size(2).see(await(servers, driver, MysqlDriverIT::allWell));
      assertThat(seen(servers, tls(theirs.certificate("ca"), Optional.empty()))).contains("TLS: ");
      assertThat(seen(servers, tls(ours.certificate("ca"), Optional.of("other.example"))))
          .contains("TLS: ");
      assertThat(seen(servers, tls(ours.certificate("ca"), Optional.of("mysql.example"))))
          .contains("Known");
      assertThat(seen(servers, RealMariaDb.CONFIG)).contains("check user and password");

      // Belay's user is let in by TLS only, and the former primary follows as that user.
      List<String> told = new ArrayList<>();
      turn(world, servers, driver, world.handOver("mysql-0", "mysql-1"), told);
      rest(world, servers, driver, told);
      assertThat(told).last().isEqualTo("point mysql-0 at mysql-1");
      await(servers, driver, MysqlDriverIT::allWell);
      assertThat(servers.takes(1, 1)).isTrue();
      eventually(() -> servers.count(0) == 1);
    }
  }

  private static DriverConfig tls(byte[] authority, Optional<String> name) {
    return new DriverConfig(
        Optional.of(new Tls(Optional.of(authority), Optional.empty(), Optional.empty(), name)),
        RealMariaDb.CONFIG.auth());
  }

  private static String seen(RealMariaDb servers, DriverConfig config) {
    try (var driver = new MysqlDriver(config)) {
      return driver.observe(servers.seats(), PATIENCE).toString();
    }
  }

  /** One turn of the loop: the decision is recorded, then carried out. */
  static void turn(
      World world,
      RealMariaDb servers,
      MysqlDriver driver,
      Optional<Command> command,
      List<String> told) {
    assertThat(command).isPresent();
    world.record(command);
    told.add(command.get().what());
    assertThat(driver.tell(servers.seats(), command.get(), PATIENCE))
        .as(command.get().what())
        .isEqualTo(new Outcome.Accepted());
  }

  /** Turns until there is nothing left to do. */
  static void rest(World world, RealMariaDb servers, MysqlDriver driver, List<String> told) {
    for (int i = 0; i < 10; i++) {
      Optional<Command> next = world.see(look(servers, driver)).tend();
      if (next.isEmpty()) {
        world.record(next);
        return;
      }
      turn(world, servers, driver, next, told);
    }
    throw new AssertionError("it never ends: " + told);
  }

  static Topology look(RealMariaDb servers, MysqlDriver driver) {
    Fact<Topology> seen = driver.observe(servers.seats(), PATIENCE);
    assertThat(seen).isInstanceOf(Fact.Known.class);
    return seen.asOptional().orElseThrow();
  }

  static boolean allWell(Topology t) {
    return t.leader() instanceof Fact.Known && t.members().stream().allMatch(Member::healthy);
  }

  static Topology await(RealMariaDb servers, MysqlDriver driver, Predicate<Topology> wanted) {
    long end = System.nanoTime() + 60_000_000_000L;
    Topology t = look(servers, driver);
    while (!wanted.test(t)) {
      assertThat(System.nanoTime()).as(t.toString()).isLessThan(end);
      RealMariaDb.pause();
      t = look(servers, driver);
    }
    return t;
  }

  static void eventually(java.util.function.BooleanSupplier wanted) {
    long end = System.nanoTime() + 30_000_000_000L;
    while (!wanted.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      RealMariaDb.pause();
    }
  }
}
