package dev.belay.drivers.pd;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Health;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Topology.Leader;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.DriverConfig.Tls;
import dev.belay.drivers.contract.Certificates;
import dev.belay.drivers.wire.Calls;
import dev.belay.drivers.wire.Deadline;
import dev.belay.drivers.wire.Reply;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The driver on real PD clusters of the two builds there are. */
class PdDriverIT {

  private static final String OLD = "2023.2.3";
  private static final String NEW = "2024.4.7";
  private static final Duration LOOK = Duration.ofSeconds(5);

  @TempDir Path dir;

  @ParameterizedTest
  @ValueSource(strings = {OLD, NEW})
  void sees_moves_freezes_deaths_and_a_lost_quorum(String version) {
    try (var pd = RealPd.start(dir, version, 3);
        var driver = new PdDriver(DriverConfig.PLAIN)) {
      Topology born = until(driver, pd, PdDriverIT::wellAndLed);
      assertThat(born.members()).extracting(Member::name).containsExactly("pd-0", "pd-1", "pd-2");
      assertThat(born.members()).allMatch(m -> m.version().is("v" + version));
      Leader first = leader(born);
      Member next = follower(born);

      assertThat(
              driver.transferLeader(pd.seats(), new Leader(first.memberId(), "0"), next.id(), LOOK))
          .isInstanceOf(Outcome.Refused.class);
      assertThat(driver.transferLeader(pd.seats(), first, next.id(), LOOK))
          .isEqualTo(new Outcome.Accepted());
      Topology moved = until(driver, pd, PdDriverIT::wellAndLed);
      assertThat(leader(moved).memberId()).isEqualTo(next.id());
      assertThat(driver.transferLeader(pd.seats(), first, next.id(), LOOK).toString())
          .contains(next.id() + " leads");
      refusesWhereItDoesNotLead(pd, moved);

      int victim = index(moved, Role.FOLLOWER);
      pd.processes.signal(victim, "STOP");
      Topology frozen = known(driver.observe(pd.seats(), Duration.ofSeconds(2)));
      assertThat(frozen.members().get(victim).health()).isEqualTo(Fact.unknown("no answer in 2 s"));
      assertThat(frozen.members()).filteredOn(Member::healthy).hasSize(2);
      assertThat(frozen.leader()).isEqualTo(moved.leader());
      pd.processes.signal(victim, "CONT");
      until(driver, pd, PdDriverIT::wellAndLed);

      pd.processes.kill(victim);
      Topology two = known(driver.observe(pd.seats(), LOOK));
      assertThat(two.members().get(victim).health())
          .isEqualTo(Fact.known(Health.down("refuses connections")));
      pd.processes.kill(index(moved, Role.LEADER));
      assertThat(driver.observe(pd.seats(), Duration.ofSeconds(2)).toString())
          .contains("no quorum confirms the member list");
      pd.run(victim, version);
      until(driver, pd, t -> t.leader() instanceof Fact.Known);
    }
  }

  /** PD's own fence: marked as passed on, a command ends at whoever does not lead. */
  private static void refusesWhereItDoesNotLead(RealPd pd, Topology t) {
    try (var calls = new Calls(DriverConfig.PLAIN)) {
      Seat seat = pd.seats().get(index(t, Role.FOLLOWER));
      Reply<JsonNode> reply =
          new PdClient(calls.wire(), seat.address())
              .transferLeader(seat.memberName(), Deadline.in(LOOK));
      assertThat(reply)
          .isInstanceOfSatisfying(
              Reply.Rejected.class,
              no -> assertThat(no.message()).contains("redirect to not leader"));
    }
  }

  /** A PD that has no such route answers so: the leader is asked through one that does. */
  @Test
  void resigns_where_no_successor_can_be_named() throws Exception {
    try (var pd = RealPd.start(dir, NEW, 3);
        var driver = new PdDriver(DriverConfig.PLAIN)) {
      Topology born = until(driver, pd, PdDriverIT::wellAndLed);
      int leads = index(born, Role.LEADER);
      try (var routeless =
          Between.refusing("/pd/api/v1/leader/transfer/", pd.seats().get(leads).address())) {
        var seats = new ArrayList<>(pd.seats());
        Seat before = seats.get(leads);
        seats.set(leads, new Seat(before.pod(), before.memberName(), routeless.address()));
        assertThat(driver.transferLeader(seats, leader(born), follower(born).id(), LOOK))
            .isEqualTo(new Outcome.Accepted());
        assertThat(routeless.refused()).isEqualTo(1);
      }
      until(
          driver, pd, t -> wellAndLed(t) && !leader(t).memberId().equals(leader(born).memberId()));
    }
  }

  @Test
  void leadership_that_priority_pulls_back_is_noticed_and_told() {
    // A minute unless set. The newer build resigns when it was elected too often in five minutes.
    Path settings = RealPd.settings(dir, "LeaderPriorityCheckInterval = \"3s\"\n");
    try (var pd = RealPd.start(dir, OLD, 3, "--config=" + settings);
        var driver = new PdDriver(DriverConfig.PLAIN)) {
      until(driver, pd, PdDriverIT::wellAndLed);
      pd.post(0, "/pd/api/v1/members/name/pd-1", "{\"leader-priority\": 100}");
      Topology pulled = until(driver, pd, t -> wellAndLed(t) && index(t, Role.LEADER) == 1);
      assertThat(pulled.members().get(1).reading(Readings.LEADER_PRIORITY).is("100")).isTrue();

      var world = new World();
      world.see(pulled);
      for (int i = 0; i < PdRules.TOO_OFTEN; i++) {
        assertThat(world.toRelease(1)).isEmpty();
        Topology now = until(driver, pd, t -> wellAndLed(t) && index(t, Role.LEADER) == 1);
        assertThat(driver.transferLeader(pd.seats(), leader(now), follower(now).id(), LOOK))
            .isEqualTo(new Outcome.Accepted());
        world.see(until(driver, pd, t -> wellAndLed(t) && index(t, Role.LEADER) != 1));
        world.see(until(driver, pd, t -> wellAndLed(t) && index(t, Role.LEADER) == 1));
      }
      assertThat(world.toRelease(1).toString())
          .contains("leadership came back to pd-1 2 times: its leader priority is 100");

      pd.post(0, "/pd/api/v1/members/name/pd-1", "{\"leader-priority\": 0}");
      world.see(
          until(
              driver,
              pd,
              t -> wellAndLed(t) && t.members().get(1).reading(Readings.LEADER_PRIORITY).is("0")));
      assertThat(world.toRelease(1)).isEmpty();
    }
  }

  @Test
  void another_cluster_behind_one_seat_spoils_the_picture() {
    try (var ours = RealPd.start(sub("ours"), NEW, 1);
        var theirs = RealPd.start(sub("theirs"), NEW, 1);
        var driver = new PdDriver(DriverConfig.PLAIN)) {
      Topology our = until(driver, ours, PdDriverIT::wellAndLed);
      until(driver, theirs, PdDriverIT::wellAndLed);
      Seat stray = new Seat("pd-1", "pd-1", theirs.seats().getFirst().address());
      assertThat(driver.observe(List.of(ours.seats().getFirst(), stray), LOOK).toString())
          .contains("pd-0 is of ", "pd-1 is of ");
      assertThat(our.groups().getFirst().required()).isEqualTo(1);
    }
  }

  @Test
  void rolls_to_the_newer_build_and_back_leader_last() {
    try (var pd = RealPd.start(dir, OLD, 3);
        var driver = new PdDriver(DriverConfig.PLAIN)) {
      until(driver, pd, PdDriverIT::wellAndLed);
      roll(driver, pd, NEW);
      assertThat(PdPolicy.INSTANCE.wayBack(new World().component()).floor())
          .isEqualTo(Fact.known(Optional.empty()));
      roll(driver, pd, OLD);
    }
  }

  private static void roll(PdDriver driver, RealPd pd, String to) {
    for (int i = 2; i >= 0; i--) {
      Topology t = until(driver, pd, PdDriverIT::wellAndLed);
      if (t.members().get(i).role() == Role.LEADER) {
        Member next = follower(t);
        assertThat(driver.transferLeader(pd.seats(), leader(t), next.id(), LOOK))
            .isEqualTo(new Outcome.Accepted());
        until(driver, pd, seen -> wellAndLed(seen) && leader(seen).memberId().equals(next.id()));
      }
      pd.processes.stop(i);
      pd.run(i, to);
      int updated = i;
      until(
          driver,
          pd,
          seen -> wellAndLed(seen) && seen.members().get(updated).version().is("v" + to));
    }
  }

  @Test
  void speaks_tls_both_ways_and_only_the_new_certificate_is_let_in_after_a_rotation() {
    var ours = new Certificates(dir, "ours").sign("client", "dns:belay");
    var theirs = new Certificates(dir, "theirs").sign("client", "dns:belay");
    var network = new String[1];
    try (var pd =
            RealPd.start(
                dir,
                NEW,
                1,
                "https",
                net -> {
                  network[0] = net;
                  return serving(ours, net);
                });
        var driver = new PdDriver(tls(ours, ours, Optional.empty()))) {
      until(driver, pd, PdDriverIT::wellAndLed);
      assertThat(look(pd, tls(ours, theirs, Optional.empty()))).contains("TLS fails");
      assertThat(look(pd, tls(theirs, ours, Optional.empty()))).contains("TLS fails");
      assertThat(look(pd, tls(ours, ours, Optional.of("other.example")))).contains("TLS fails");
      assertThat(look(pd, tls(ours, ours, Optional.of("pd.example")))).contains("Known");

      // The same files have other certificates in them now, of another authority.
      pd.processes.stop(0);
      assertThat(serving(theirs, network[0])).isNotEmpty();
      pd.run(0, NEW);
      try (var rotated = new PdDriver(tls(theirs, theirs, Optional.empty()))) {
        until(rotated, pd, PdDriverIT::wellAndLed);
      }
      assertThat(driver.observe(pd.seats(), LOOK).toString()).contains("TLS fails");
    }
  }

  /** Writes the files of a server, always the same ones, and says by which flags it finds them. */
  private List<String> serving(Certificates of, String network) {
    of.sign("server", "ip:" + network + "1,dns:pd.example");
    return List.of(
        "--cacert=" + file("ca.pem", of.certificate("ca")),
        "--cert=" + file("server.pem", of.certificate("server")),
        "--key=" + file("server-key.pem", of.key("server")));
  }

  private Path file(String name, byte[] content) {
    try {
      return Files.write(dir.resolve(name), content);
    } catch (java.io.IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static DriverConfig tls(
      Certificates trusted, Certificates identity, Optional<String> name) {
    return new DriverConfig(
        Optional.of(
            new Tls(
                Optional.of(trusted.certificate("ca")),
                Optional.of(identity.certificate("client")),
                Optional.of(identity.key("client")),
                name)),
        Optional.empty());
  }

  private static String look(RealPd pd, DriverConfig config) {
    try (var driver = new PdDriver(config)) {
      return driver.observe(pd.seats(), LOOK).toString();
    }
  }

  private Path sub(String name) {
    try {
      return Files.createDirectory(dir.resolve(name));
    } catch (java.io.IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean wellAndLed(Topology t) {
    return t.members().stream().allMatch(Member::healthy) && t.leader() instanceof Fact.Known;
  }

  private static Leader leader(Topology t) {
    return t.leader().asOptional().orElseThrow();
  }

  private static Member follower(Topology t) {
    return t.members().get(index(t, Role.FOLLOWER));
  }

  private static int index(Topology t, Role role) {
    return IntStream.range(0, t.members().size())
        .filter(i -> t.members().get(i).role() == role)
        .findFirst()
        .orElse(-1);
  }

  /**
   * Looks again and again until the cluster is as wanted, and tells the last look if it never is.
   */
  private static Topology until(PdDriver driver, RealPd pd, Predicate<Topology> wanted) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (true) {
      Fact<Topology> seen = driver.observe(pd.seats(), LOOK);
      if (seen instanceof Fact.Known<Topology>(Topology t) && wanted.test(t)) {
        return t;
      }
      if (System.nanoTime() > end) {
        throw new AssertionError("not within 60 s; last seen: " + seen);
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  private static Topology known(Fact<Topology> fact) {
    assertThat(fact).isInstanceOf(Fact.Known.class);
    return fact.asOptional().orElseThrow();
  }
}
