package dev.belay.demo;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Act 1: what a rolling update does to a quorum that already misses a member. */
record WithoutBelay(World world) {

  private static final String NAMESPACE = "plain";
  private static final Duration SILENCE = Duration.ofSeconds(1);
  private static final Duration ENOUGH = Duration.ofSeconds(8);

  ActResult play() {
    Stage stage = world.stage();
    stage.title("Act 1: an ordinary update, without Belay");
    stage.say("Three members of etcd 3.5, as charts ship them. A client writes and reads back.");
    world.namespace(NAMESPACE);
    world.type("-n", NAMESPACE, "apply", "-f", "examples/etcd.yaml");
    try (var cluster = new EtcdCluster(world.sandbox(), NAMESPACE)) {
      cluster.awaitServing(World.MEMBERS, World.OLD, Duration.ofSeconds(60));
      cluster.lead("etcd-1");
      try (var load = WriteLoad.start(cluster.endpoints(), "demo/act1", World.RATE);
          var onlooker = Onlooker.at(stage, cluster, load, Optional.empty())) {
        Await.pause(Duration.ofSeconds(1));
        update(cluster, load);
        return onlooker.sumUp("without Belay");
      }
    } finally {
      world.leave(NAMESPACE);
    }
  }

  private void update(EtcdCluster cluster, WriteLoad load) {
    Stage stage = world.stage();
    Fault.freeze(world, cluster);
    Map<String, String> before = cluster.uids();
    world.type("-n", NAMESPACE, "set", "image", "sts/etcd", "etcd=etcd:" + World.NEXT);
    Await.until(
        "the controller replaces etcd-2",
        Duration.ofSeconds(20),
        () -> !Objects.equals(before.get("etcd-2"), cluster.uids().get("etcd-2")),
        () -> "the pods are " + cluster.uids());
    stage.say("The controller knows pods, not quorums: it deletes etcd-2 at once.");
    if (Await.within(ENOUGH, () -> load.figures().openGap().compareTo(SILENCE) > 0)) {
      stage.say(stage.paint().red("One of three members is left: nobody can write."));
    }
    // Either the quorum comes back by luck, or it has been seen long enough.
    Await.within(ENOUGH, () -> load.figures().openGap().compareTo(Duration.ofMillis(200)) < 0);
    Fault.thaw(world, cluster);
    Await.within(ENOUGH, () -> EtcdCluster.serving(cluster.members(), World.MEMBERS, World.NEXT));
    stage.say(
        "Longest time without a single write: " + Panel.seconds(load.figures().longestGap()) + ".");
  }
}
