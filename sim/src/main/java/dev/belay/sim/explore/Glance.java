package dev.belay.sim.explore;

import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Component.Guarding;
import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Group;
import dev.belay.core.snapshot.Member;
import dev.belay.core.snapshot.Member.Health;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Topology;
import dev.belay.core.snapshot.Workload;
import dev.belay.sim.explore.SmallWorld.Phase;
import dev.belay.sim.explore.SmallWorld.Seat;
import dev.belay.sim.world.Template;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What Belay sees of a small world: all of it, as it is. */
final class Glance {

  static final String COMPONENT = "db";

  /** One tick is longer than any patience of the planner that counts in seconds. */
  static final Duration TICK = Duration.ofSeconds(12);

  static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

  private static final Snapshot.Self SELF = new Snapshot.Self("belay", "belay-0", "belay");
  private static final Snapshot.Subject SUBJECT =
      new Snapshot.Subject("prod", "my-db", 1, "1", false);
  private static final Pod.Trouble TROUBLE = new Pod.Trouble("CrashLoopBackOff", "exited");

  private final Terrain terrain;
  private final Spec.ComponentSpec component;

  Glance(Terrain terrain) {
    this.terrain = terrain;
    this.component =
        new Spec.ComponentSpec(
            COMPONENT,
            "db",
            Optional.empty(),
            Map.of(),
            "small",
            "{pod}",
            new Spec.Rollout(
                Duration.ZERO,
                Duration.ofHours(10),
                Duration.ofHours(100),
                0,
                terrain.allowDowntime()),
            List.of());
  }

  static Instant at(int age) {
    return NOW.minus(TICK.multipliedBy(age));
  }

  static int age(Instant at) {
    return (int) Duration.between(at, NOW).dividedBy(TICK);
  }

  Snapshot of(SmallWorld world) {
    var seen =
        new Component(
            component,
            Fact.known(workload(world)),
            Fact.known(pods(world)),
            topology(world),
            Fact.known(List.of()),
            Fact.known(terrain.policies() ? Guarding.POLICY : Guarding.PARKED),
            Fact.known(Optional.empty()),
            List.of());
    return new Snapshot(SUBJECT, SELF, spec(world), List.of(seen), world.memory(), NOW);
  }

  private Spec spec(SmallWorld world) {
    var wishes = world.wishes();
    return new Spec(
        Spec.Trigger.TEMPLATE,
        Optional.empty(),
        List.of(component),
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

  private Workload workload(SmallWorld world) {
    var set = world.set();
    return new Workload(
        "db",
        "s",
        "1",
        2,
        set.observed() ? 2 : 1,
        terrain.replicas(),
        0,
        Workload.Update.ROLLING_UPDATE,
        set.partition(),
        terrain.order(),
        Terrain.TEMPLATES.get(set.current()).revision(),
        Terrain.TEMPLATES.get(set.update()).revision(),
        Map.of(Template.CONTAINER, Terrain.TEMPLATES.get(set.template()).image()),
        Template.CONTAINER,
        false);
  }

  private static List<Pod> pods(SmallWorld world) {
    var pods = new ArrayList<Pod>();
    for (int i = 0; i < world.seats().size(); i++) {
      Seat seat = world.seats().get(i);
      if (seat.phase() == Phase.ABSENT) {
        continue;
      }
      Template template = Terrain.TEMPLATES.get(seat.revision());
      pods.add(
          new Pod(
              "db-" + i,
              "u" + i,
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

  private Fact<Topology> topology(SmallWorld world) {
    if (world.readyCount() == 0) {
      return Fact.unknown("no member answers");
    }
    var members = new ArrayList<Member>();
    for (int i = 0; i < world.seats().size(); i++) {
      members.add(member(world, i));
    }
    Fact<Topology.Leader> leader =
        world.leader() < 0
            ? Fact.unknown("no leader")
            : Fact.known(new Topology.Leader("m" + world.leader(), "1"));
    var voters = new Group("voters", members.stream().map(Member::id).toList(), terrain.majority());
    return Fact.known(new Topology("c", members, leader, List.of(voters)));
  }

  private static Member member(SmallWorld world, int i) {
    Seat seat = world.seats().get(i);
    Health health =
        world.healthy(i)
            ? new Health(true, "serves")
            : seat.ready() ? new Health(false, "knows no leader") : Health.down("refuses");
    Member.Role role =
        !seat.ready()
            ? Member.Role.UNKNOWN
            : i == world.leader() ? Member.Role.LEADER : Member.Role.FOLLOWER;
    return new Member(
        "m" + i,
        "db-" + i,
        List.of(),
        role,
        Fact.known(health),
        seat.ready()
            ? Fact.known(Terrain.TEMPLATES.get(seat.revision()).tag())
            : Fact.unknown("it does not answer"),
        Map.of());
  }
}
