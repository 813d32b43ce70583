package dev.belay.sim.differential;

import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.sim.differential.Stage.Event;
import dev.belay.sim.differential.Stage.Kind;
import dev.belay.sim.differential.Stage.PodAtRest;
import dev.belay.sim.differential.Stage.Rest;
import dev.belay.sim.world.ApiServer;
import dev.belay.sim.world.PartSetup;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.Rng;
import dev.belay.sim.world.SetObject;
import dev.belay.sim.world.Setup;
import dev.belay.sim.world.Store;
import dev.belay.sim.world.Template;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Plays a script in the simulator: its API server, controller and kubelets, and nobody else. */
final class Simulated {

  private static final String USER = "alice";
  private static final Duration SETTLES = Duration.ofMinutes(2);

  private final World world;
  private final List<Event> events = new ArrayList<>();
  private final Set<String> told = new HashSet<>();
  private List<PodObject> before = List.of();

  private Simulated(Script.Start start, long seed) {
    var part =
        new PartSetup(
            Setup.COMPONENT,
            start.replicas(),
            start.firstOrdinal(),
            start.order(),
            Duration.ofSeconds(start.minReadySeconds()),
            Workload.Update.ROLLING_UPDATE,
            "none",
            Setup.rollout(Duration.ZERO, 0, false),
            false,
            false);
    var setup = new Setup(false, Spec.Trigger.TEMPLATE, Spec.Upgrade.DEFAULT, List.of(part));
    world = new World(setup, new Rng(seed));
    world.api.watch(kind -> {
      if (kind == ApiServer.Kind.POD) {
        look();
      }
    });
  }

  static List<Stage> play(Script script, long seed) {
    var simulated = new Simulated(script.start(), seed);
    var stages = new ArrayList<Stage>();
    stages.add(simulated.rest(new Script.Act.Created()));
    for (Script.Act act : script.acts()) {
      simulated.perform(act);
      stages.add(simulated.rest(act));
    }
    return stages;
  }

  private void perform(Script.Act act) {
    switch (act) {
      case Script.Act.Created() -> {}
      case Script.Act.Roll(String tag) ->
          write(s -> s.withTemplate(new Template(Setup.COMPONENT, tag, 0)));
      case Script.Act.Partition(int index) -> write(s -> s.withPartition(index));
      case Script.Act.Scale(int replicas) -> write(s -> s.withReplicas(replicas));
      case Script.Act.Strategy(var update) -> write(s -> s.withUpdate(update));
      case Script.Act.MinReady(int seconds) -> write(s -> minReady(s, seconds));
      case Script.Act.DeletePod(int ordinal) ->
          store()
              .writePod(
                  store().podAt(ordinal).orElseThrow().uid(),
                  Optional.empty(),
                  PodObject.State::terminate);
      case Script.Act.Recreate(String tag, int partition) ->
          store()
              .createSet(
                  USER,
                  store()
                      .set()
                      .spec()
                      .withTemplate(new Template(Setup.COMPONENT, tag, 0))
                      .withPartition(partition));
    }
  }

  private Store store() {
    return world.first().store;
  }

  private void write(UnaryOperator<SetObject.Spec> change) {
    store().writeSet(USER, Optional.empty(), change);
  }

  private static SetObject.Spec minReady(SetObject.Spec s, int seconds) {
    return new SetObject.Spec(
        s.replicas(),
        s.firstOrdinal(),
        s.update(),
        s.partition(),
        s.order(),
        Duration.ofSeconds(seconds),
        s.template());
  }

  private void look() {
    List<PodObject> now = store().pods();
    for (PodObject pod : now) {
      tell(Kind.CREATED, pod, true);
      tell(Kind.READY, pod, pod.ready());
      tell(Kind.DELETED, pod, pod.terminating());
    }
    for (PodObject pod : before) {
      tell(Kind.GONE, pod, now.stream().noneMatch(p -> p.uid().equals(pod.uid())));
    }
    before = now;
  }

  private void tell(Kind kind, PodObject pod, boolean happened) {
    if (happened && told.add(kind + pod.uid())) {
      events.add(new Event(kind, pod.ordinal(), pod.template().tag()));
    }
  }

  private Stage rest(Script.Act act) {
    world.pass(SETTLES);
    SetObject.Status status = store().set().status();
    var pods =
        store().pods().stream()
            .map(p -> new PodAtRest(p.ordinal(), p.template().tag(), p.ready()))
            .toList();
    var stage =
        new Stage(
            act,
            List.copyOf(events),
            new Rest(
                tag(status.currentRevision()),
                tag(status.updateRevision()),
                status.updated(),
                pods));
    events.clear();
    return stage;
  }

  private static String tag(String revision) {
    return revision.substring(revision.indexOf('-') + 1);
  }
}
