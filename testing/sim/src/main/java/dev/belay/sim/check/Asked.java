package dev.belay.sim.check;

import dev.belay.sim.world.World;
import java.time.Instant;

/** What people want of Belay, since when, and when something last moved. */
final class Asked {

  private final World world;
  private Instant deleted = Instant.MAX;
  private Instant progress;
  private String request = "";
  private String retryToken = "";
  private Instant retried = Instant.EPOCH;
  private boolean waitsForPerson;

  Asked(World world) {
    this.world = world;
    this.progress = world.time.now();
  }

  /** After every event. */
  void update() {
    // Belay knows when it heeded the request, not when it was made.
    String retry =
        world
            .api
            .cluster()
            .flatMap(c -> c.spec().requests().retry().filter(c.memory().handled().retry()::equals))
            .orElse(retryToken);
    if (!retry.equals(retryToken)) {
      retryToken = retry;
      retried = world.time.now();
    }
    String now = world.api.cluster().map(c -> c.uid() + "/" + c.generation()).orElse("");
    if (!now.equals(request)) {
      request = now;
      moved();
    }
    boolean leaving = world.api.cluster().filter(c -> c.deleting()).isPresent();
    if (leaving && deleted.equals(Instant.MAX)) {
      deleted = world.time.now();
    } else if (!leaving && world.api.cluster().isPresent()) {
      deleted = Instant.MAX;
    }
  }

  void moved() {
    progress = world.time.now();
  }

  Instant progress() {
    return progress;
  }

  /** Whether the StatefulCluster was deleted before this moment. */
  boolean deletedBefore(Instant moment) {
    return moment.isAfter(deleted);
  }

  /** When a request for another try was last heeded. */
  Instant retried() {
    return retried;
  }

  void waitsForPerson(boolean waits) {
    waitsForPerson = waits;
  }

  boolean waitsForPerson() {
    return waitsForPerson;
  }

  /** What was asked for, as far as it makes a restart another one. */
  String words() {
    return world
        .api
        .cluster()
        .map(c -> c.spec().requests().retry().orElse("") + c.memory().handled().rollback())
        .orElse("");
  }
}
