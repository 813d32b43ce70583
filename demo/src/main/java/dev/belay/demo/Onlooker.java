package dev.belay.demo;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Watches one act from outside: shows the members and the writes, and counts the leaders. */
final class Onlooker implements AutoCloseable {

  private static final Duration BEAT = Duration.ofMillis(200);

  /** What Belay did that is worth a line of its own. */
  private static final Set<String> DEEDS =
      Set.of("SetTemplate", "TransferLeader", "Release", "Retract", "RecreatePod", "Freeze");

  private final Stage stage;
  private final EtcdCluster cluster;
  private final WriteLoad load;
  private final Optional<BelayView> belay;
  private final Thread thread;
  private final Set<String> told = new HashSet<>();
  private volatile boolean stopped;

  /** How often another member led, as etcd tells it; and how often Belay moved it, as it tells. */
  private int leaderMoves;

  private int movedByBelay;
  private String leader = "";

  private Onlooker(Stage stage, EtcdCluster cluster, WriteLoad load, Optional<BelayView> belay) {
    this.stage = stage;
    this.cluster = cluster;
    this.load = load;
    this.belay = belay;
    belay.stream().flatMap(b -> b.events().stream()).forEach(e -> told.add(uid(e)));
    this.thread = Thread.ofVirtual().name("onlooker").unstarted(this::look);
  }

  static Onlooker at(Stage stage, EtcdCluster cluster, WriteLoad load, Optional<BelayView> belay) {
    var onlooker = new Onlooker(stage, cluster, load, belay);
    onlooker.thread.start();
    return onlooker;
  }

  /** Ends the writing, reads everything back, and sums up. */
  ActResult sumUp(String act) {
    WriteLoad.Figures figures = load.stop();
    leave();
    return new ActResult(
        act,
        figures.longestGap(),
        leaderMoves,
        movedByBelay,
        load.verify(),
        cluster.members().stream().map(EtcdMember::version).toList());
  }

  private void look() {
    while (!stopped) {
      try {
        once();
        Thread.sleep(BEAT);
      } catch (KubernetesClientException e) {
        // One look was missed; the next one sees what there is then.
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private synchronized void once() {
    List<EtcdMember> members = cluster.members();
    members.stream()
        .filter(EtcdMember::leads)
        .map(EtcdMember::pod)
        .findFirst()
        .ifPresent(this::led);
    belay.ifPresent(this::listen);
    stage.show(new Scene(members, load.figures(), belay.map(BelayView::sentence).orElse("")));
  }

  private void led(String now) {
    if (!leader.isEmpty() && !leader.equals(now)) {
      leaderMoves++;
    }
    leader = now;
  }

  private void listen(BelayView view) {
    for (Event event : view.events()) {
      if (told.add(uid(event)) && DEEDS.contains(event.getReason())) {
        stage.belay(event.getMessage());
        if (event.getReason().equals("TransferLeader")) {
          movedByBelay++;
        }
      }
    }
  }

  private static String uid(Event event) {
    return event.getMetadata().getUid();
  }

  /** Looks a last time, and goes. */
  private void leave() {
    if (stopped) {
      return;
    }
    stopped = true;
    try {
      thread.join();
      once();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (KubernetesClientException e) {
      // The sandbox may be gone already.
    }
    stage.clear();
  }

  @Override
  public void close() {
    leave();
  }
}
