package dev.belay.operator.actions;

import dev.belay.core.snapshot.Action;
import dev.belay.core.snapshot.Action.State;
import dev.belay.operator.wire.Answer;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Sends parcels until they are answered well or their tries are used up, each on a thread of its
 * own, and keeps what became of them. Nobody waits for it: the loop takes what is there, and is
 * woken when a sending is over.
 */
final class Sender implements AutoCloseable {

  /** Sends a parcel once. */
  @FunctionalInterface
  interface Send {
    Answer send(Parcel parcel) throws InterruptedException;
  }

  private final Send send;

  /** By StatefulCluster and obligation. */
  private final Map<String, Map<String, Sending>> clusters = new HashMap<>();

  Sender(Send send) {
    this.send = send;
  }

  /**
   * Sends a parcel, unless this very thing is being sent. An action and its undo are never on their
   * way together: the later one waits for the answer of the earlier one, which is not sent again,
   * and whose result is forgotten: it says nothing any more about how things are.
   */
  synchronized void send(String cluster, Parcel parcel, Runnable wake) {
    Map<String, Sending> sendings = clusters.computeIfAbsent(cluster, _ -> new HashMap<>());
    Optional<Sending> before = Optional.ofNullable(sendings.get(parcel.id()));
    boolean underWay =
        before.filter(b -> b.parcel.undo() == parcel.undo() && !b.over()).isPresent();
    if (!underWay) {
      before.ifPresent(Sending::stop);
      sendings.put(parcel.id(), new Sending(parcel, wake).after(before));
    }
  }

  /** What is known of these obligations; what was sent for any other one is forgotten. */
  synchronized List<Action.Result> results(String cluster, Collection<String> ids) {
    Map<String, Sending> sendings = clusters.get(cluster);
    if (sendings == null) {
      return List.of();
    }
    sendings
        .entrySet()
        .removeIf(e -> {
          boolean over = !ids.contains(e.getKey());
          if (over) {
            e.getValue().stop();
          }
          return over;
        });
    if (sendings.isEmpty()) {
      clusters.remove(cluster);
    }
    return ids.stream()
        .distinct()
        .flatMap(id -> Optional.ofNullable(sendings.get(id)).stream())
        .map(s -> s.result)
        .toList();
  }

  /** Sends nothing again for a cluster; what is on its way now gets there. */
  synchronized void forget(String cluster) {
    Optional.ofNullable(clusters.remove(cluster)).ifPresent(s -> s.values().forEach(Sending::stop));
  }

  /** How many results are kept. */
  synchronized int size() {
    return clusters.values().stream().mapToInt(Map::size).sum();
  }

  @Override
  public synchronized void close() {
    Set.copyOf(clusters.keySet()).forEach(this::forget);
  }

  /** One parcel under way, or delivered. */
  private final class Sending {

    private final Parcel parcel;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Runnable wake;
    private volatile Action.Result result;

    Sending(Parcel parcel, Runnable wake) {
      this.parcel = parcel;
      this.wake = wake;
      this.result = result(State.SENDING, "");
    }

    Sending after(Optional<Sending> before) {
      Optional<CountDownLatch> earlier = before.map(b -> b.ended);
      Thread.ofVirtual().name("action " + parcel.host()).start(() -> run(earlier));
      return this;
    }

    /** Not by interrupting it: a request that is on its way may have an effect, so wait for it. */
    void stop() {
      stopped.countDown();
    }

    boolean over() {
      return result.state() != State.SENDING;
    }

    private void run(Optional<CountDownLatch> earlier) {
      try {
        if (earlier.isPresent()) {
          earlier.get().await();
        }
        deliver();
      } catch (InterruptedException e) {
        result = result(State.FAILED, "was interrupted");
      } finally {
        ended.countDown();
      }
      if (stopped.getCount() > 0) {
        wake.run();
      }
    }

    private void deliver() throws InterruptedException {
      int tries = parcel.pace().tries();
      for (int i = 1; stopped.getCount() > 0; i++) {
        Answer answer = send.send(parcel);
        if (answer.good() || i >= tries) {
          result = result(answer.good() ? State.PASSED : State.FAILED, answer.reading());
          return;
        }
        result = result(State.SENDING, "%s (try %d of %d)".formatted(answer.reading(), i, tries));
        if (stopped.await(parcel.pace().interval().toMillis(), TimeUnit.MILLISECONDS)) {
          return;
        }
      }
    }

    private Action.Result result(State state, String reading) {
      return new Action.Result(parcel.id(), parcel.undo(), state, reading);
    }
  }
}
