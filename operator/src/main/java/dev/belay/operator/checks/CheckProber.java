package dev.belay.operator.checks;

import dev.belay.api.v1alpha1.Question;
import dev.belay.core.model.Check;
import dev.belay.core.model.Check.State;
import dev.belay.operator.wire.Answer;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Asks what is due, again and again, each question on a thread of its own, and keeps the last
 * answers. Nobody waits for it: the loop takes what is there, and is woken when an answer changes.
 */
final class CheckProber implements AutoCloseable {

  /** A large set with slow members takes longer, instead of all there is. */
  private static final int AT_ONCE = 16;

  /** Puts one question to one host. */
  @FunctionalInterface
  interface Ask {
    Answer ask(String host, Question question) throws InterruptedException;
  }

  private final Ask ask;
  private final Clock clock;
  private final Map<String, Followed> followed = new HashMap<>();

  CheckProber(Ask ask, Clock clock) {
    this.ask = ask;
    this.clock = clock;
  }

  /** What is asked for one StatefulCluster. */
  private record Followed(Map<Due, Asking> askings, Semaphore room) {}

  /** From now on exactly this is asked for a cluster; what was asked before goes on as it was. */
  synchronized void follow(String cluster, Collection<Due> due, Runnable wake) {
    if (due.isEmpty()) {
      forget(cluster);
      return;
    }
    Followed now =
        followed.computeIfAbsent(
            cluster, _ -> new Followed(new HashMap<>(), new Semaphore(AT_ONCE)));
    Set<Due> wanted = new HashSet<>(due);
    now.askings()
        .entrySet()
        .removeIf(e -> {
          boolean over = !wanted.contains(e.getKey());
          if (over) {
            e.getValue().stop();
          }
          return over;
        });
    wanted.forEach(
        d -> now.askings().computeIfAbsent(d, _ -> new Asking(d, now.room(), wake).start()));
  }

  /** The answers to these questions that are there and not too old. */
  synchronized List<Check.Result> results(String cluster, List<Due> due, Instant now) {
    Map<Due, Asking> askings =
        Optional.ofNullable(followed.get(cluster)).map(Followed::askings).orElse(Map.of());
    return due.stream()
        .flatMap(d -> Optional.ofNullable(askings.get(d)).flatMap(a -> a.result(now)).stream())
        .toList();
  }

  synchronized void forget(String cluster) {
    Optional.ofNullable(followed.remove(cluster))
        .ifPresent(f -> f.askings().values().forEach(Asking::stop));
  }

  /** How many questions are being asked. */
  synchronized int size() {
    return followed.values().stream().mapToInt(f -> f.askings().size()).sum();
  }

  @Override
  public synchronized void close() {
    Set.copyOf(followed.keySet()).forEach(this::forget);
  }

  /** One question under way. */
  private final class Asking {

    private final Due due;
    private final Semaphore room;
    private final Runnable wake;
    private final Thread thread;
    private volatile @Nullable Standing standing;

    Asking(Due due, Semaphore room, Runnable wake) {
      this.due = due;
      this.room = room;
      this.wake = wake;
      this.thread = Thread.ofVirtual().name("checks " + due.host()).unstarted(this::run);
    }

    Asking start() {
      thread.start();
      return this;
    }

    void stop() {
      thread.interrupt();
    }

    Optional<Check.Result> result(Instant now) {
      return Optional.ofNullable(standing)
          .filter(s -> s.fresh(due.question().interval(), due.question().timeout(), now))
          .map(s -> s.result(due.question().check(), due.uid()));
    }

    private void run() {
      try {
        while (true) {
          askOnce();
          Thread.sleep(due.question().interval());
        }
      } catch (InterruptedException e) {
        // Stopped: nobody wants to know any more.
      }
    }

    private void askOnce() throws InterruptedException {
      room.acquire();
      Optional<State> before = Optional.ofNullable(standing).map(Standing::state);
      try {
        Instant asked = clock.instant();
        Answer answer = ask.ask(due.host(), due.question());
        standing =
            Standing.after(
                Optional.ofNullable(standing),
                answer,
                due.question().tries(),
                asked,
                clock.instant());
      } finally {
        room.release();
      }
      boolean changed = !before.equals(Optional.ofNullable(standing).map(Standing::state));
      if (changed && !thread.isInterrupted()) {
        wake.run();
      }
    }
  }
}
