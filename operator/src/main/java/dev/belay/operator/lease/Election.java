package dev.belay.operator.lease;

import dev.belay.core.state.Snapshot.Self;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Elects the process of this install that acts. A process that cannot renew the Lease stops acting
 * and stands for election again; it does not end.
 */
public final class Election implements AutoCloseable {

  /**
   * Is told when this process begins and when it stops to lead: in order, on a thread of its own,
   * and possibly late. {@link #leads} tells what is true now.
   */
  public interface Candidate {
    void leads();

    void stops();
  }

  /** A candidate that asks {@link #leads} instead. */
  public record Nothing() implements Candidate {

    @Override
    public void leads() {}

    @Override
    public void stops() {}
  }

  /** A process that stands by notices within this time that the Lease was released. */
  private static final Duration LOOK = Duration.ofMillis(500);

  private static final Duration RENEW = Duration.ofSeconds(3);

  /** Shorter than the Lease: what was sent last has arrived before another process leads. */
  private static final Duration LEADS_FOR = Duration.ofSeconds(10);

  private static final int REQUEST_LIMIT = 2_000;

  private static final Logger LOG = LoggerFactory.getLogger("belay");

  private final KubernetesClient client;
  private final Self self;
  private final String name;
  private final Clock clock;
  private final Candidate candidate;
  private final ScheduledExecutorService rounds =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("election").daemon().factory());

  /** A candidate may block for long, and the Lease must be renewed and released meanwhile. */
  private final ExecutorService changes =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("leader change").daemon().factory());

  private Optional<Seen> seen = Optional.empty();
  private boolean everHeld;
  private boolean leading;
  private boolean toRelease;
  private boolean first = true;
  private volatile String trouble = "";
  private long renewed;
  private volatile long leadsUntil = System.nanoTime();

  /**
   * @param name of this process; the process that comes after a crash under the same name need not
   *     wait for its own Lease
   */
  public Election(
      KubernetesClient client, Self self, String name, Clock clock, Candidate candidate) {
    this.client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(client.getConfiguration())
                    .withRequestRetryBackoffLimit(0)
                    .withRequestTimeout(REQUEST_LIMIT)
                    .build())
            .build();
    this.self = self;
    this.name = name;
    this.clock = clock;
    this.candidate = candidate;
  }

  public void start() {
    var _ = rounds.scheduleWithFixedDelay(this::round, 0, LOOK.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Whether this process may act now. */
  public boolean leads() {
    return leadsUntil - System.nanoTime() > 0;
  }

  private synchronized void round() {
    if (rounds.isShutdown()) {
      // It waited for leave() to end, and must not lead again.
      return;
    }
    long now = System.nanoTime();
    try {
      if (leading && leads()) {
        if (now - renewed >= RENEW.toNanos()) {
          renew(now);
        }
      } else {
        stop(
            "the Lease %s was not renewed for %d s".formatted(self.lease(), LEADS_FOR.toSeconds()));
        stand(now);
      }
      trouble = "";
    } catch (KubernetesClientException e) {
      complain("the Lease %s was not read or written: %s".formatted(self.lease(), e.getMessage()));
    } catch (RuntimeException | Error e) {
      // It would end all rounds, and the process would stand by for ever.
      complain("the election failed: " + e);
    }
  }

  private void renew(long now) {
    look();
    // The others wait before they create a Lease that was deleted, so that its holder can.
    if (exists() && !isHeldBy(identity())) {
      stop("another process holds the Lease " + self.lease());
    } else if (write(identity())) {
      hold(now);
    }
  }

  private void stand(long now) {
    look();
    Optional<String> holder = seen.flatMap(Seen::holder);
    boolean predecessor = first && holder.filter(this::isOfThisName).isPresent();
    first = false;
    boolean released = exists() ? holder.isEmpty() : !everHeld;
    boolean free =
        released
            || predecessor
            || isHeldBy(identity())
            || seen.orElseThrow().expired(Duration.ZERO);
    if (free && write(identity())) {
      LOG.info("{} leads the install {}", identity(), self.install());
      hold(now);
      leading = true;
      tell(candidate::leads);
    }
  }

  /** A deleted Lease is no released one: the process that held it may still act. */
  private boolean exists() {
    return seen.flatMap(Seen::lease).isPresent();
  }

  private boolean isHeldBy(String process) {
    return seen.flatMap(Seen::holder).filter(process::equals).isPresent();
  }

  private void hold(long now) {
    renewed = now;
    leadsUntil = now + LEADS_FOR.toNanos();
  }

  private void stop(String why) {
    leadsUntil = System.nanoTime();
    if (leading) {
      leading = false;
      LOG.warn("{} stops acting: {}; it stands for election again", identity(), why);
      tell(candidate::stops);
    }
  }

  private void tell(Runnable candidate) {
    changes.execute(() -> {
      try {
        candidate.run();
      } catch (RuntimeException e) {
        LOG.warn("after a change of the leader: {}", e.toString());
      }
    });
  }

  private void look() {
    long begin = System.nanoTime();
    Optional<Lease> read = Optional.ofNullable(lease().get());
    saw(Seen.of(seen, read, begin, System.nanoTime()));
  }

  private void saw(Seen now) {
    seen = Optional.of(now);
    everHeld |= now.holder().isPresent();
  }

  /** False when another process was faster. */
  private boolean write(String holder) {
    Optional<Lease> before = seen.flatMap(Seen::lease);
    ZonedDateTime now = clock.instant().atZone(ZoneOffset.UTC);
    boolean same = isHeldBy(holder);
    var lease = before.map(LeaseBuilder::new).orElseGet(this::fresh);
    var spec =
        lease
            .editOrNewSpec()
            .withHolderIdentity(holder)
            .withLeaseDurationSeconds((int) Seen.SHORTEST.toSeconds())
            .withRenewTime(now);
    if (!same && !holder.isEmpty()) {
      int transitions =
          before.map(Lease::getSpec).map(LeaseSpec::getLeaseTransitions).map(n -> n + 1).orElse(0);
      spec = spec.withAcquireTime(now).withLeaseTransitions(transitions);
    }
    Lease next = spec.endSpec().build();
    try {
      var resource = client.resource(next);
      long begin = System.nanoTime();
      Lease written = before.isPresent() ? resource.update() : resource.create();
      saw(Seen.of(seen, Optional.of(written), begin, System.nanoTime()));
      return true;
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return false;
      }
      throw e;
    }
  }

  private LeaseBuilder fresh() {
    return new LeaseBuilder()
        .withNewMetadata()
        .withNamespace(namespace())
        .withName(leaseName())
        .endMetadata();
  }

  private Resource<Lease> lease() {
    return client.leases().inNamespace(namespace()).withName(leaseName());
  }

  private String namespace() {
    return self.lease().substring(0, self.lease().indexOf('/'));
  }

  private String leaseName() {
    return self.lease().substring(self.lease().indexOf('/') + 1);
  }

  /** No other process has it, even under the same name. */
  private String identity() {
    return name + "_" + self.instance();
  }

  private boolean isOfThisName(String holder) {
    int end = holder.lastIndexOf('_');
    return end >= 0 && holder.substring(0, end).equals(name);
  }

  private void complain(String text) {
    if (!text.equals(trouble)) {
      trouble = text;
      LOG.warn(text);
    }
    if (leading && !leads()) {
      stop("the Lease %s was not renewed for %d s".formatted(self.lease(), LEADS_FOR.toSeconds()));
    }
  }

  /** The last failure of the election; empty when the last round went well. */
  public String trouble() {
    return trouble;
  }

  /** Stops acting and standing for election, and keeps the Lease: no other process leads yet. */
  public void leave() {
    rounds.shutdownNow();
    synchronized (this) {
      toRelease |= leading && leads();
      leadsUntil = System.nanoTime();
      leading = false;
    }
  }

  /** Releases the Lease, so that the next process leads at once. */
  public void release() {
    leave();
    synchronized (this) {
      try {
        if (toRelease) {
          look();
          boolean _ = isHeldBy(identity()) && write("");
        }
      } catch (KubernetesClientException e) {
        LOG.warn("the Lease {} was not released: {}", self.lease(), e.getMessage());
      }
    }
  }

  /** A Lease that was not released expires. */
  @Override
  public void close() {
    leave();
    changes.shutdownNow();
    client.close();
  }
}
