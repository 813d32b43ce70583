package dev.belay.core.decide;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One pod of a {@link ScriptedWorld} and the member in it, as the script left them. */
final class ScriptedPod {

  String uid;
  String revision;
  String image;
  Pod.Readiness readiness = Pod.Readiness.AVAILABLE;
  boolean terminating;
  Optional<Pod.Trouble> trouble = Optional.empty();
  Instant created = ScriptedWorld.START;
  Fact<Optional<String>> leaving = Fact.known(Optional.empty());
  boolean held;

  /** The version that its member tells, where that is not its image's tag. */
  Optional<String> reads = Optional.empty();

  Fact<Member.Health> health = Fact.known(new Member.Health(true, "serving"));

  void down() {
    health = Fact.known(Member.Health.down("refuses connections"));
    readiness = Pod.Readiness.UNREADY;
  }

  void up() {
    health = Fact.known(new Member.Health(true, "serving"));
    readiness = Pod.Readiness.AVAILABLE;
    trouble = Optional.empty();
  }

  Pod seen(ScriptedWorld world, int ordinal) {
    String name = world.name(ordinal);
    return new Pod(
        name,
        uid,
        "7",
        world.kind == Workload.Kind.DEPLOYMENT ? -1 : ordinal,
        revision,
        readiness,
        terminating,
        trouble,
        created,
        Map.of(world.component, image),
        List.of(name + "." + world.component),
        leaving,
        held);
  }
}
