package dev.belay.sim.explore;

import dev.belay.core.model.Component;
import dev.belay.core.model.Component.Guarding;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Health;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Snapshot;
import dev.belay.sim.explore.SmallWorld.Phase;
import dev.belay.sim.explore.SmallWorld.Seat;
import dev.belay.sim.world.Template;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** What Belay sees of a small world: all of it, as it is. */
final class Glance {

  /** One tick is longer than any patience of the planner that counts in seconds. */
  static final Duration TICK = Duration.ofSeconds(12);

  static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

  private static final Snapshot.Self SELF = new Snapshot.Self("belay", "belay-0", "belay");
  private static final Snapshot.Subject SUBJECT =
      new Snapshot.Subject("prod", "my-db", 1, "1", false);
  private static final Pod.Trouble TROUBLE = new Pod.Trouble("CrashLoopBackOff", "exited");

  private final Terrain terrain;
  private final List<Spec.ComponentSpec> components;

  Glance(Terrain terrain) {
    this.terrain = terrain;
    this.components =
        IntStream.range(0, terrain.sizes().size()).mapToObj(p -> component(terrain, p)).toList();
  }

  private static Spec.ComponentSpec component(Terrain terrain, int place) {
    return new Spec.ComponentSpec(
        Terrain.name(place),
        Terrain.name(place),
        Optional.empty(),
        Map.of(),
        "small",
        "{pod}",
        new Spec.Rollout(
            Duration.ZERO,
            Duration.ofHours(10),
            Duration.ofHours(100),
            0,
            terrain.allowDowntime(place)),
        List.of());
  }

  static String pod(int place, int seat) {
    return Terrain.name(place) + "-" + seat;
  }

  static String uid(int place, int seat) {
    return (place == 0 ? "u" : "v") + seat;
  }

  /** What the members of a component are called, before their number. */
  static String member(int place) {
    return place == 0 ? "m" : "g";
  }

  static Instant at(int age) {
    return NOW.minus(TICK.multipliedBy(age));
  }

  static int age(Instant at) {
    return (int) Duration.between(at, NOW).dividedBy(TICK);
  }

  Snapshot of(SmallWorld world) {
    List<Component> seen =
        IntStream.range(0, world.places().size())
            .mapToObj(p -> component(p, world.place(p)))
            .toList();
    return new Snapshot(SUBJECT, SELF, spec(world), seen, world.memory(), NOW);
  }

  private Component component(int at, Place place) {
    return new Component(
        components.get(at),
        Fact.known(workload(at, place)),
        Fact.known(pods(at, place)),
        topology(at, place),
        Fact.known(List.of()),
        Fact.known(terrain.policies() ? Guarding.POLICY : Guarding.PARKED),
        Fact.known(Optional.empty()),
        List.of());
  }

  private Spec spec(SmallWorld world) {
    var wishes = world.wishes();
    return new Spec(
        Spec.Trigger.TEMPLATE,
        Optional.empty(),
        components,
        new Spec.Upgrade(terrain.onFailure(), Spec.Approval.NONE, List.of()),
        wishes.paused(),
        new Spec.Requests(
            Optional.empty(),
            token(wishes.retries()),
            token(wishes.rollbacks()),
            token(wishes.aborts()),
            ""),
        Spec.Force.NONE);
  }

  private static Optional<String> token(int count) {
    return count == 0 ? Optional.empty() : Optional.of("ask-" + count);
  }

  private Workload workload(int at, Place place) {
    var set = place.set();
    return new Workload(
        Terrain.name(at),
        "s",
        "1",
        2,
        set.observed() ? 2 : 1,
        place.seats().size(),
        0,
        Workload.Update.ROLLING_UPDATE,
        set.partition(),
        terrain.order(),
        Terrain.template(at, set.current()).revision(),
        Terrain.template(at, set.update()).revision(),
        Map.of(Template.CONTAINER, Terrain.template(at, set.template()).image()),
        Template.CONTAINER,
        false);
  }

  private static List<Pod> pods(int place, Place seen) {
    var pods = new ArrayList<Pod>();
    for (int i = 0; i < seen.seats().size(); i++) {
      Seat seat = seen.seats().get(i);
      if (seat.phase() == Phase.ABSENT) {
        continue;
      }
      Template template = Terrain.template(place, seat.revision());
      pods.add(
          new Pod(
              pod(place, i),
              uid(place, i),
              "1",
              i,
              template.revision(),
              seat.ready() ? Pod.Readiness.AVAILABLE : Pod.Readiness.UNREADY,
              seat.phase() == Phase.TERMINATING,
              seat.phase() == Phase.TROUBLE ? Optional.of(TROUBLE) : Optional.empty(),
              at(seat.age()),
              Map.of(Template.CONTAINER, template.image()),
              List.of(),
              Fact.known(Optional.empty()),
              false));
    }
    return pods;
  }

  private static Fact<Topology> topology(int place, Place seen) {
    if (seen.readyCount() == 0) {
      return Fact.unknown("no member answers");
    }
    var members = new ArrayList<Member>();
    for (int i = 0; i < seen.seats().size(); i++) {
      members.add(member(place, seen, i));
    }
    Fact<Topology.Leader> leader =
        seen.leader() < 0
            ? Fact.unknown("no leader")
            : Fact.known(new Topology.Leader(member(place) + seen.leader(), "1"));
    var voters = new Group("voters", members.stream().map(Member::id).toList(), seen.majority());
    return Fact.known(new Topology("c", members, leader, List.of(voters)));
  }

  private static Member member(int place, Place seen, int i) {
    Seat seat = seen.seats().get(i);
    Health health =
        seen.healthy(i)
            ? new Health(true, "serves")
            : seat.ready() ? new Health(false, "knows no leader") : Health.down("refuses");
    Member.Role role =
        !seat.ready()
            ? Member.Role.UNKNOWN
            : i == seen.leader() ? Member.Role.LEADER : Member.Role.FOLLOWER;
    return new Member(
        member(place) + i,
        pod(place, i),
        List.of(),
        role,
        Fact.known(health),
        seat.ready()
            ? Fact.known(Terrain.template(place, seat.revision()).tag())
            : Fact.unknown("it does not answer"),
        Map.of());
  }
}
