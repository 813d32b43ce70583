package dev.belay.e2e;

import dev.belay.e2e.PdCluster.Leaders;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** Who led PD and who led its etcd when, as the members tell it, looked at all the time. */
final class PdLeaders implements AutoCloseable {

  private static final Duration BEAT = Duration.ofMillis(20);

  private final PdCluster pd;
  private final List<URI> members;
  private final NavigableMap<Instant, Leaders> seen = new ConcurrentSkipListMap<>();
  private final Thread thread = Thread.ofVirtual().unstarted(this::watch);
  private volatile boolean stopped;

  private PdLeaders(PdCluster pd) {
    this.pd = pd;
    this.members = pd.endpoints();
  }

  static PdLeaders of(PdCluster pd) {
    var history = new PdLeaders(pd);
    history.thread.start();
    return history;
  }

  /** What is answered counts from before it was asked. */
  private void watch() {
    try {
      while (!stopped) {
        for (URI member : members) {
          Instant asked = Instant.now();
          pd.leaders(member).ifPresent(leaders -> seen.put(asked, leaders));
        }
        Thread.sleep(BEAT);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The last reading from before this moment, if there is one that is not much older. */
  Optional<Leaders> before(Instant moment) {
    return Optional.ofNullable(seen.lowerEntry(moment))
        .filter(e -> e.getKey().isAfter(moment.minusSeconds(2)))
        .map(Map.Entry::getValue);
  }

  @Override
  public void close() {
    stopped = true;
    thread.interrupt();
  }
}
