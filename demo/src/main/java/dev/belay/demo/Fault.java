package dev.belay.demo;

import dev.belay.demo.EtcdMember.Role;
import java.time.Duration;

/** The fault of acts 1 and 2: one member stops answering, as on a stuck node. */
final class Fault {

  private Fault() {}

  static void freeze(World world, EtcdCluster cluster) {
    world.stage().say("etcd-0 freezes, as on a stuck node. Two of three still make a quorum.");
    world.stage().command("kill -STOP $(pid of etcd-0)");
    cluster.freeze("etcd-0");
    Await.until(
        "etcd-0 is silent",
        Duration.ofSeconds(10),
        () -> cluster.members().getFirst().role() == Role.SILENT,
        () -> "the members are " + cluster.members());
  }

  static void thaw(World world, EtcdCluster cluster) {
    world.stage().say("etcd-0 wakes up.");
    world.stage().command("kill -CONT $(pid of etcd-0)");
    cluster.thaw("etcd-0");
  }
}
