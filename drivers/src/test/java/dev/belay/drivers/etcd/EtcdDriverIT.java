package dev.belay.drivers.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Health;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Topology.Leader;
import dev.belay.core.state.Note;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Step;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.DriverConfig.Auth;
import dev.belay.drivers.DriverConfig.Tls;
import dev.belay.drivers.contract.Certificates;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The driver on real etcd clusters of the releases it is made for. */
class EtcdDriverIT {

  private static final String V3_5 = "3.5.35";
  private static final String V3_6 = "3.6.16";
  private static final String V3_7 = "3.7.3";
  private static final Duration LOOK = Duration.ofSeconds(5);

  @TempDir Path dir;

  @Test
  void sees_moves_freezes_and_deaths() {
    try (var etcd = RealEtcd.start(dir, V3_6, 3);
        var driver = new EtcdDriver(DriverConfig.PLAIN)) {
      Topology born = until(driver, etcd, EtcdDriverIT::wellAndLed);
      assertThat(born.members())
          .extracting(Member::name)
          .containsExactly("etcd-0", "etcd-1", "etcd-2");
      Leader first = leader(born);
      Member next =
          born.members().stream().filter(m -> m.role() == Role.FOLLOWER).findFirst().get();

      assertThat(
              driver.transferLeader(
                  etcd.seats(), new Leader(first.memberId(), "0"), next.id(), LOOK))
          .isInstanceOf(Outcome.Refused.class);
      assertThat(driver.transferLeader(etcd.seats(), first, "12345", LOOK).toString())
          .contains("bad leader transferee");
      assertThat(driver.transferLeader(etcd.seats(), first, next.id(), LOOK))
          .isEqualTo(new Outcome.Accepted());
      Topology moved = until(driver, etcd, EtcdDriverIT::wellAndLed);
      assertThat(leader(moved).memberId()).isEqualTo(next.id());
      assertThat(driver.transferLeader(etcd.seats(), first, next.id(), LOOK).toString())
          .contains(next.id() + " leads");

      int victim =
          IntStream.range(0, 3)
              .filter(i -> moved.members().get(i).role() == Role.FOLLOWER)
              .findFirst()
              .getAsInt();
      etcd.signal(victim, "STOP");
      Topology frozen = known(driver.observe(etcd.seats(), Duration.ofSeconds(2)));
      assertThat(frozen.members().get(victim).health()).isEqualTo(Fact.unknown("no answer in 2 s"));
      assertThat(frozen.members()).filteredOn(Member::healthy).hasSize(2);
      etcd.signal(victim, "CONT");
      until(driver, etcd, EtcdDriverIT::wellAndLed);

      etcd.kill(victim);
      assertThat(known(driver.observe(etcd.seats(), LOOK)).members().get(victim).health())
          .isEqualTo(Fact.known(Health.down("refuses connections")));
    }
  }

  @Test
  void a_member_is_added_as_a_learner_before_it_votes() {
    try (var etcd = RealEtcd.start(dir, V3_6, 1);
        var driver = new EtcdDriver(DriverConfig.PLAIN)) {
      until(driver, etcd, EtcdDriverIT::wellAndLed);
      etcd.post(
          0,
          "/v3/cluster/member/add",
          "{\"peerURLs\":[\"" + etcd.peer(1) + "\"],\"isLearner\":true}",
          "");
      Topology added = known(driver.observe(etcd.seats(), LOOK));
      assertThat(added.members())
          .filteredOn(m -> m.name().isEmpty())
          .singleElement()
          .satisfies(m -> {
            assertThat(m.role()).isEqualTo(Role.LEARNER);
            assertThat(m.health())
                .isEqualTo(Fact.known(Health.down("was added but has never started")));
          });
      etcd.join(1, V3_6);
      var seats =
          List.of(
              etcd.seats().getFirst(), new Seat("etcd-1", "etcd-1", URI.create(etcd.client(1))));
      // A member serves before the cluster has learnt its name.
      Topology joined =
          until(
              () -> driver.observe(seats, LOOK),
              t -> t.members().stream().allMatch(m -> m.healthy() && !m.name().isEmpty()));
      assertThat(joined.members().getLast().role()).isEqualTo(Role.LEARNER);
      assertThat(joined.members().getLast().health())
          .isEqualTo(Fact.known(new Health(true, "serves as a learner")));
      assertThat(joined.groups().getFirst().memberIds()).hasSize(1);
      assertThat(joined.groups().getFirst().required()).isEqualTo(1);
    }
  }

  @Test
  void speaks_tls_both_ways_and_trusts_nobody_else() {
    var ours = new Certificates(dir, "ours").sign("client", "dns:belay");
    var theirs = new Certificates(dir, "theirs");
    byte[] ca = ours.certificate("ca");
    try (var etcd =
            RealEtcd.start(
                dir,
                V3_7,
                1,
                "https",
                network -> {
                  ours.sign("server", "ip:" + network + "1,dns:etcd.example");
                  return List.of(
                      "--client-cert-auth",
                      "--trusted-ca-file=" + ours.file("ca.pem", ca),
                      "--cert-file=" + ours.file("server.pem", ours.certificate("server")),
                      "--key-file=" + ours.file("server-key.pem", ours.key("server")));
                });
        var driver = tls(new Tls(Optional.of(ca), cert(ours), key(ours), Optional.empty()))) {
      until(driver, etcd, EtcdDriverIT::wellAndLed);
      assertThat(look(etcd, Tls.trusting(ca))).contains("TLS fails");
      assertThat(look(etcd, Tls.trusting(theirs.certificate("ca")))).contains("TLS fails");
      assertThat(look(etcd, named(ours, "other.example"))).contains("TLS fails");
      assertThat(look(etcd, named(ours, "etcd.example"))).contains("Known");
    }
  }

  @Test
  void logs_in_and_stays_logged_in_when_the_password_changes_hands() {
    try (var etcd = RealEtcd.start(dir, V3_5, 1);
        var driver = new EtcdDriver(DriverConfig.PLAIN);
        var root = new EtcdDriver(user("one"))) {
      until(driver, etcd, EtcdDriverIT::wellAndLed);
      etcd.post(0, "/v3/auth/user/add", "{\"name\":\"root\",\"password\":\"one\"}", "");
      etcd.post(0, "/v3/auth/role/add", "{\"name\":\"root\"}", "");
      etcd.post(0, "/v3/auth/user/grant", "{\"user\":\"root\",\"role\":\"root\"}", "");
      until(root, etcd, EtcdDriverIT::wellAndLed);
      etcd.post(0, "/v3/auth/enable", "{}", "");

      assertThat(driver.observe(etcd.seats(), LOOK).toString())
          .contains("asks for a user and password");
      until(root, etcd, EtcdDriverIT::wellAndLed);
      try (var wrong = new EtcdDriver(user("guessed"))) {
        assertThat(wrong.observe(etcd.seats(), LOOK).toString())
            .contains("refuses user root")
            .doesNotContain("guessed");
      }
      String token =
          etcd.post(0, "/v3/auth/authenticate", "{\"name\":\"root\",\"password\":\"one\"}", "")
              .path("token")
              .asText();
      etcd.post(0, "/v3/auth/user/changepw", "{\"name\":\"root\",\"password\":\"two\"}", token);
      assertThat(root.observe(etcd.seats(), LOOK).toString()).contains("refuses user root");
      try (var rotated = new EtcdDriver(user("two"))) {
        until(rotated, etcd, EtcdDriverIT::wellAndLed);
        // A restart forgets every token.
        etcd.stop(0);
        etcd.run(0, V3_5);
        until(rotated, etcd, EtcdDriverIT::wellAndLed);
      }
    }
  }

  @Test
  void walks_from_3_5_to_3_7_and_the_rules_stand_before_each_hop() {
    try (var etcd = RealEtcd.start(dir, V3_5, 3, "--snapshot-count=10");
        var driver = new EtcdDriver(DriverConfig.PLAIN)) {
      Topology t = until(driver, etcd, at(V3_5, "3.5.0"));
      assertThat(rules(toTemplate(t, V3_7, List.of()))).containsExactly("OneMinorAtATime");
      assertThat(toTemplate(t, V3_6, List.of())).isEmpty();

      roll(driver, etcd, V3_5, V3_6, List.of());
      t = until(driver, etcd, at(V3_6, "3.6.0"));
      assertThat(rules(toTemplate(t, V3_5, List.of()))).containsExactly("OneMinorAtATime");
      Component settled = component(t, V3_6, V3_7);
      assertThat(EtcdPolicy.INSTANCE.wayBack(settled).floor())
          .isEqualTo(Fact.known(Optional.of("3.6.0")));

      List<Note> notes = remember(settled, List.of());
      assertThat(notes).hasSize(3);
      assertThat(rules(toTemplate(t, V3_7, notes))).containsExactly("OldLogIsBehindASnapshot");
      etcd.write(30);
      t = until(driver, etcd, seen -> toTemplate(seen, V3_7, notes).isEmpty());
      List<Note> saved = remember(component(t, V3_6, V3_7), notes);
      assertThat(saved).allMatch(n -> n.value(SnapshotNotes.SAVED_SINCE).equals("true"));

      roll(driver, etcd, V3_6, V3_7, saved);
      until(driver, etcd, at(V3_7, "3.7.0"));
    }
  }

  /** From the top down; leadership moves first; every rule is asked before each member. */
  private static void roll(
      EtcdDriver driver, RealEtcd etcd, String from, String to, List<Note> notes) {
    for (int i = 2; i >= 0; i--) {
      Topology t = until(driver, etcd, EtcdDriverIT::wellAndLed);
      Component component = component(t, from, to);
      Member member = t.members().get(i);
      if (member.role() == Role.LEADER) {
        Member next =
            t.members().stream()
                .filter(m -> m.role() == Role.FOLLOWER)
                .min(EtcdPolicy.INSTANCE.successors(component))
                .orElseThrow();
        assertThat(driver.transferLeader(etcd.seats(), leader(t), next.id(), LOOK))
            .isEqualTo(new Outcome.Accepted());
        until(driver, etcd, seen -> wellAndLed(seen) && leader(seen).memberId().equals(next.id()));
      }
      var release = new Step.Release("etcd", World.FENCE, i, "etcd-" + i);
      assertThat(World.objections(component, notes, release)).isEmpty();
      etcd.stop(i);
      etcd.run(i, to);
      int updated = i;
      until(driver, etcd, seen -> wellAndLed(seen) && seen.members().get(updated).version().is(to));
    }
  }

  private static List<Objection> toTemplate(Topology t, String version, List<Note> notes) {
    String running = t.members().getFirst().version().asOptional().orElseThrow();
    return World.objections(
        component(t, running, version),
        notes,
        new Step.SetTemplate("etcd", World.FENCE, version, Map.of()));
  }

  private static List<String> rules(List<Objection> objections) {
    return objections.stream().map(o -> o.reason().name()).toList();
  }

  private static List<Note> remember(Component component, List<Note> notes) {
    return EtcdPolicy.INSTANCE.remember(World.snapshot(component, notes), component);
  }

  /** The pods such a cluster would have, on the way from one image to another. */
  private static Component component(Topology t, String from, String to) {
    String image = "quay.io/coreos/etcd:v" + to;
    List<Pod> pods =
        IntStream.range(0, t.members().size())
            .mapToObj(i ->
                World.pod(
                    i,
                    t.members().get(i).version().asOptional().orElse(from),
                    image,
                    Pod.Readiness.AVAILABLE))
            .toList();
    return World.component(t, pods, image);
  }

  private static boolean wellAndLed(Topology t) {
    return t.members().stream().allMatch(Member::healthy) && t.leader() instanceof Fact.Known;
  }

  private static Predicate<Topology> at(String version, String cluster) {
    return t ->
        wellAndLed(t)
            && t.members().stream()
                .allMatch(m ->
                    m.version().is(version) && m.reading(Readings.CLUSTER_VERSION).is(cluster));
  }

  private static Leader leader(Topology t) {
    return t.leader().asOptional().orElseThrow();
  }

  private static Topology until(EtcdDriver driver, RealEtcd etcd, Predicate<Topology> wanted) {
    return until(() -> driver.observe(etcd.seats(), LOOK), wanted);
  }

  /**
   * Looks again and again until the cluster is as wanted, and tells the last look if it never is.
   */
  private static Topology until(Supplier<Fact<Topology>> look, Predicate<Topology> wanted) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (true) {
      Fact<Topology> seen = look.get();
      if (seen instanceof Fact.Known<Topology>(Topology t) && wanted.test(t)) {
        return t;
      }
      if (System.nanoTime() > end) {
        throw new AssertionError("not within 60 s; last seen: " + seen);
      }
      LockSupport.parkNanos(50_000_000);
    }
  }

  private static Topology known(Fact<Topology> fact) {
    assertThat(fact).isInstanceOf(Fact.Known.class);
    return fact.asOptional().orElseThrow();
  }

  private static EtcdDriver tls(Tls tls) {
    return new EtcdDriver(new DriverConfig(Optional.of(tls), Optional.empty()));
  }

  private static String look(RealEtcd etcd, Tls tls) {
    try (var driver = tls(tls)) {
      return driver.observe(etcd.seats(), LOOK).toString();
    }
  }

  private static Tls named(Certificates ours, String name) {
    return new Tls(Optional.of(ours.certificate("ca")), cert(ours), key(ours), Optional.of(name));
  }

  private static Optional<byte[]> cert(Certificates ours) {
    return Optional.of(ours.certificate("client"));
  }

  private static Optional<byte[]> key(Certificates ours) {
    return Optional.of(ours.key("client"));
  }

  private static DriverConfig user(String password) {
    return new DriverConfig(Optional.empty(), Optional.of(new Auth("root", password)));
  }
}
