package dev.belay.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Act 2: the same cluster, the same fault, the same command, and ten lines of YAML. */
public record WithBelay(World world, EtcdCluster cluster) {

  public static final String NAMESPACE = "guarded";
  private static final String TEN_LINES = "examples/etcd-statefulcluster.yaml";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  public ActResult play() {
    Stage stage = world.stage();
    BelayView belay = world.belay(NAMESPACE);
    cluster.awaitServing(World.MEMBERS, World.OLD, LIMIT);
    cluster.lead("etcd-1");
    try (var load = WriteLoad.start(cluster.endpoints(), "demo/act2", World.RATE);
        var onlooker = Onlooker.at(stage, cluster, load, Optional.of(belay))) {
      adopt(belay);
      update(belay);
      return onlooker.sumUp("3.5 to 3.6, Belay");
    }
  }

  private void adopt(BelayView belay) {
    Stage stage = world.stage();
    Map<String, String> before = cluster.uids();
    stage.say("Ten lines, and nothing else changes:");
    stage.output(withoutComments(TEN_LINES));
    world.type("-n", NAMESPACE, "apply", "-f", TEN_LINES);
    Await.until(
        "Belay adopts etcd",
        LIMIT,
        () -> belay.phase().equals("Idle") && belay.is("Guarded"),
        () -> "its status is " + belay.status());
    if (!cluster.uids().equals(before)) {
      throw new DemoException(
          "the adoption restarted a member",
          "the pods were %s and are %s".formatted(before, cluster.uids()),
          "this is a bug of Belay: please report it with the operator's log");
    }
    stage.say(
        "Adopted and guarded. Nothing was restarted, the pods are the same: "
            + before.keySet().stream().sorted().collect(Collectors.joining(", "))
            + ".");
  }

  private String withoutComments(String file) {
    try {
      return Files.readString(world.repository().file(file))
          .lines()
          .filter(line -> !line.startsWith("#"))
          .collect(Collectors.joining("\n"));
    } catch (IOException e) {
      throw new DemoException("cannot read " + file, String.valueOf(e.getMessage()), "restore it");
    }
  }

  private void update(BelayView belay) {
    Stage stage = world.stage();
    Fault.freeze(world, cluster);
    world.type("-n", NAMESPACE, "set", "image", "sts/etcd", "etcd=etcd:" + World.NEXT);
    Await.until(
        "Belay says why it waits",
        Duration.ofSeconds(20),
        () -> belay.rule().equals("EveryGroupSurvives"),
        () -> "its status is " + belay.status());
    stage.belay(belay.sentence());
    stage.output(world.type("-n", NAMESPACE, "get", "stc"));
    // Long enough to see that writes go on.
    Await.pause(Duration.ofSeconds(2));
    Fault.thaw(world, cluster);
    Await.until(
        "all members run " + World.NEXT,
        LIMIT,
        () ->
            belay.phase().equals("Idle")
                && EtcdCluster.serving(cluster.members(), World.MEMBERS, World.NEXT),
        () -> "the members are %s, Belay says %s".formatted(cluster.members(), belay.status()));
    stage.say("It went on by itself, and every member runs " + World.NEXT + ".");
  }
}
