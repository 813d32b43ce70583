package dev.belay.operator.actions;

import dev.belay.core.model.Action;
import dev.belay.core.model.Action.State;
import dev.belay.operator.actions.Parcel.Duty;
import dev.belay.operator.wire.Answer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Sends parcels until they are answered well or their tries are used up, each on a thread of its
 * own, and keeps what became of them. Nobody waits for it: the loop takes what is there, and is
 * woken when a sending is over.
 */
final class Sender implements AutoCloseable {

  /**
   * Nothing is sent because of a look that is older than this. A request has no fence: a process
   * that was stopped between two tries looks first, and learns that it is another's now.
   */
  static final Duration STALE = Duration.ofSeconds(3);

  /** The longest time-out of one try. */
  private static final Duration LONGEST_TRY = Duration.ofSeconds(10);

  private static final Duration UNTIL_LOOKED = Duration.ofMillis(50);

  /** Sends a parcel once. */
  @FunctionalInterface
  interface Send {
    Answer send(Parcel parcel) throws InterruptedException;
  }

  private final Send send;
  private final InstantSource clock;
  private final BooleanSupplier held;

  /** By StatefulCluster and obligation: there is at most one sending for each. */
  private final Map<String, Map<String, Sending>> clusters = new HashMap<>();

  /** Also those that were forgotten: their requests may still be on their way. */
  private final Set<Sending> running = ConcurrentHashMap.newKeySet();

  /**
   * @param held whether this process holds the Lease of its install
   */
  Sender(Send send, InstantSource clock, BooleanSupplier held) {
    this.send = send;
    this.clock = clock;
    this.held = held;
  }

  /**
   * Sends a parcel, unless this very thing is being sent. An action and its undo are never on their
   * way together: the later one waits for the answer of the earlier one, which is not sent again,
   * and whose result is forgotten: it says nothing any more about how things are.
   *
   * @param seen when what it is sent for was last seen to be wanted
   */
  synchronized void send(String cluster, Parcel parcel, Instant seen, Runnable wake) {
    Map<String, Sending> sendings = clusters.computeIfAbsent(cluster, _ -> new HashMap<>());
    Optional<Sending> before = Optional.ofNullable(sendings.get(parcel.duty().name()));
    boolean underWay = before.filter(b -> b.parcel.doesThat(parcel) && !b.over()).isPresent();
    if (!underWay) {
      before.ifPresent(Sending::stop);
      sendings.put(parcel.duty().name(), new Sending(parcel, seen, wake).after(before));
    }
  }

  /**
   * What became of these duties, which were seen then; whatever was sent for any other is not sent
   * again, and forgotten.
   */
  synchronized Map<Duty, Action.Result> results(
      String cluster, Collection<Duty> duties, Instant seen) {
    Map<String, Sending> sendings = clusters.get(cluster);
    if (sendings == null) {
      return Map.of();
    }
    sendings
        .values()
        .removeIf(s -> {
          boolean over = !duties.contains(s.parcel.duty());
          if (over) {
            s.stop();
          }
          return over;
        });
    if (sendings.isEmpty()) {
      clusters.remove(cluster);
    }
    var results = new HashMap<Duty, Action.Result>();
    sendings.values().forEach(s -> results.put(s.parcel.duty(), s.result(seen)));
    return results;
  }

  /** Sends nothing again for a cluster; what is on its way now gets there. */
  synchronized void forget(String cluster) {
    Optional.ofNullable(clusters.remove(cluster)).ifPresent(s -> s.values().forEach(Sending::stop));
  }

  /** How many results are kept. */
  synchronized int size() {
    return clusters.values().stream().mapToInt(Map::size).sum();
  }

  /** Sends nothing again, and waits for what is on its way: the next process may undo it. */
  @Override
  public void close() {
    synchronized (this) {
      Set.copyOf(clusters.keySet()).forEach(this::forget);
    }
    long end = System.nanoTime() + LONGEST_TRY.toNanos();
    running.forEach(s -> s.awaitEnd(end - System.nanoTime()));
  }

  /** One parcel under way, or delivered. */
  private final class Sending {

    private final Parcel parcel;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Runnable wake;
    private volatile Instant wanted;
    private volatile Action.Result result;

    Sending(Parcel parcel, Instant seen, Runnable wake) {
      this.parcel = parcel;
      this.wanted = seen;
      this.wake = wake;
      this.result = result(State.SENDING, "");
    }

    Sending after(Optional<Sending> before) {
      Optional<CountDownLatch> earlier = before.map(b -> b.ended);
      running.add(this);
      Thread.ofVirtual().name("action " + parcel.host()).start(() -> run(earlier));
      return this;
    }

    /** Not by interrupting it: a request that is on its way may have an effect, so wait for it. */
    void stop() {
      stopped.countDown();
    }

    void awaitEnd(long nanos) {
      try {
        boolean _ = ended.await(nanos, TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    boolean over() {
      return result.state() != State.SENDING;
    }

    Action.Result result(Instant seen) {
      wanted = seen;
      return result;
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
        running.remove(this);
        ended.countDown();
      }
      if (stopped.getCount() > 0) {
        wake.run();
      }
    }

    private void deliver() throws InterruptedException {
      int tries = parcel.order().pace().tries();
      for (int i = 1; isStillWanted(); i++) {
        Answer answer = send.send(parcel);
        if (answer.good() || i >= tries) {
          result = result(answer.good() ? State.PASSED : State.FAILED, answer.reading());
          return;
        }
        result = result(State.SENDING, "%s (try %d of %d)".formatted(answer.reading(), i, tries));
        isStopped(parcel.order().pace().interval());
      }
    }

    /** Waits for the Lease and for a look that is fresh enough, or for the end. */
    private boolean isStillWanted() throws InterruptedException {
      boolean over = isStopped(Duration.ZERO);
      while (!over && !mayBegin()) {
        over = isStopped(UNTIL_LOOKED);
      }
      return !over;
    }

    /** A look proves nothing about the Lease: a later try may begin long after it was lost. */
    private boolean mayBegin() {
      return !clock.instant().isAfter(wanted.plus(STALE)) && held.getAsBoolean();
    }

    private boolean isStopped(Duration within) throws InterruptedException {
      return stopped.await(within.toMillis(), TimeUnit.MILLISECONDS);
    }

    private Action.Result result(State state, String reading) {
      return new Action.Result(parcel.duty().id(), parcel.undo(), state, reading);
    }
  }
}
