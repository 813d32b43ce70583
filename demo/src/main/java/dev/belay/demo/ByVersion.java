package dev.belay.demo;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Act 3: the next minor release, asked for by version; a skipped one is refused first. */
public record ByVersion(World world, EtcdCluster cluster) {

  static final String HOP = "hop";
  private static final String RULE = "OldLogIsBehindASnapshot";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** So slowly that no snapshot comes before the rule that asks for one was seen. */
  private static final int SLOWLY = 2;

  /** etcd saves a snapshot after so many writes: the client helps it along. */
  private static final int FASTER = 4 * World.RATE;

  /** Belay may have to look a second time before it knows which snapshots are new. */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  public ActResult play() {
    BelayView belay = world.belay(WithBelay.NAMESPACE);
    try (var load = WriteLoad.start(cluster.endpoints(), "demo/act3", SLOWLY);
        var onlooker = Onlooker.at(world.stage(), cluster, load, Optional.of(belay))) {
      upgrade(belay, load);
      return onlooker.sumUp("3.6 to 3.7, Belay");
    }
  }

  /** A single 3.5 member of its own is asked to skip 3.6. */
  public void refuseToSkip() {
    Stage stage = world.stage();
    BelayView belay = world.belay(HOP);
    try (var alone = new EtcdCluster(world.sandbox(), HOP)) {
      stage.say("First, on a single 3.5 member of its own: may it skip 3.6?");
      world.namespace(HOP);
      world.type("-n", HOP, "apply", "-f", "demo/manifests/hop.yaml");
      alone.awaitServing(1, World.OLD, LIMIT);
      Await.until(
          "Belay adopts the single member",
          LIMIT,
          () -> belay.phase().equals("Idle"),
          () -> "its status is " + belay.status());
      Map<String, String> before = alone.uids();
      world.type(
          "-n",
          HOP,
          "patch",
          "stc",
          "etcd",
          "--type=merge",
          "-p",
          "{\"spec\":{\"version\":\"" + World.LAST + "\"}}");
      Await.until(
          "the skipped minor is refused",
          Duration.ofSeconds(20),
          () -> belay.rule().equals("OneMinorAtATime"),
          () -> "its status is " + belay.status());
      stage.belay(belay.sentence());
      if (!alone.uids().equals(before)) {
        throw new DemoException(
            "a refused version touched the member",
            "the pod was %s and is %s".formatted(before, alone.uids()),
            "this is a bug of Belay: please report it with the operator's log");
      }
    } finally {
      world.leave(HOP);
    }
  }

  private void upgrade(BelayView belay, WriteLoad load) {
    Stage stage = world.stage();
    stage.say("Now the three on 3.6, asked for by version: Belay writes the image itself.");
    world.type("-n", WithBelay.NAMESPACE, "apply", "-f", "demo/manifests/etcd-3.7.yaml");
    Await.within(PATIENCE, () -> missesSnapshot(belay) || belay.phase().equals("Upgrading"));
    if (belay.rule().equals(RULE)) {
      stage.belay(belay.sentence());
      stage.say("etcd 3.7 panics on log entries of 3.5 that no snapshot covers. The client writes");
      stage.say("faster, so that each member saves one sooner.");
      load.pace(FASTER);
    } else {
      stage.say("Every member has saved a snapshot on 3.6 already: " + RULE + " has no objection.");
    }
    Await.until(
        "every member has saved a snapshot, and Belay writes the image",
        LIMIT,
        () -> !belay.rule().equals(RULE),
        () -> "its status is " + belay.status());
    load.pace(World.RATE);
    Await.until(
        "all members run " + World.LAST,
        LIMIT,
        () ->
            belay.phase().equals("Idle")
                && EtcdCluster.serving(cluster.members(), World.MEMBERS, World.LAST),
        () -> "the members are %s, Belay says %s".formatted(cluster.members(), belay.status()));
    stage.say("Every member runs " + World.LAST + ".");
  }

  private static boolean missesSnapshot(BelayView belay) {
    return belay.rule().equals(RULE) && belay.sentence().contains("no raft snapshot");
  }
}
