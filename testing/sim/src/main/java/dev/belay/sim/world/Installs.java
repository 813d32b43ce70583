package dev.belay.sim.world;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which installs of Belay run, and which of them the network cuts off. A Lease is renewed by
 * processes that reach the API server; another install learns only that it changes.
 */
public final class Installs {

  /** How long a Lease holds, and how much longer another install waits after it. */
  public static final Duration EXPIRES = Duration.ofSeconds(15 + 30);

  private record Lease(long version, Instant renewed) {}

  private record Span(Instant from, Instant until) {}

  private final Timeline time;
  private final ApiServer api;
  private final Set<Install> running = EnumSet.of(Install.BELAY);
  private final Set<Install> leaving = EnumSet.noneOf(Install.class);
  private final Set<Install> uninstalled = EnumSet.noneOf(Install.class);
  private final Map<Install, Lease> leases = new EnumMap<>(Install.class);
  private final Map<Install, Span> cuts = new EnumMap<>(Install.class);
  private final Map<Install, Instant> suspended = new EnumMap<>(Install.class);
  private boolean several;

  Installs(Timeline time, ApiServer api) {
    this.time = time;
    this.api = api;
  }

  /** A second install runs beside the first. */
  public void join() {
    several = true;
    running.add(Install.CANARY);
  }

  public boolean several() {
    return several;
  }

  public boolean runs(Install install) {
    return running.contains(install);
  }

  /** For good: its processes end where they are. */
  public void dies(Install install) {
    running.remove(install);
  }

  /** It is being uninstalled: it releases what it owns, whatever its selector says. */
  public void leave(Install install) {
    leaving.add(install);
  }

  public boolean isLeaving(Install install) {
    return leaving.contains(install);
  }

  /** For good: its processes end, and then its marks are removed. */
  public void uninstall(Install install) {
    running.remove(install);
    uninstalled.add(install);
  }

  public boolean isUninstalled(Install install) {
    return uninstalled.contains(install);
  }

  /** The API server and an install do not reach each other. */
  public void cut(Install install, Duration length) {
    cuts.put(install, new Span(time.now(), time.now().plus(length)));
  }

  public boolean isCut(Install install) {
    return cutSince(install).isPresent();
  }

  /** The moment at which the caches of an install that is cut off stand still. */
  public Optional<Instant> cutSince(Install install) {
    return Optional.ofNullable(cuts.get(install))
        .filter(s -> time.now().isBefore(s.until()))
        .map(Span::from);
  }

  /** The machine of its only process stands still: nothing of it runs. */
  public void suspend(Install install, Duration length) {
    suspended.put(install, time.now().plus(length));
  }

  public boolean isSuspended(Install install) {
    return Optional.ofNullable(suspended.get(install)).filter(time.now()::isBefore).isPresent();
  }

  /** Every install that is left reaches the API server again. */
  public void heal() {
    cuts.clear();
  }

  public void renew(Install install) {
    leases.put(install, new Lease(api.nextVersion(), time.now()));
  }

  /** The resourceVersion of its Lease: all that another install goes by. */
  public Optional<Long> leaseVersion(Install install) {
    return Optional.ofNullable(leases.get(install)).map(Lease::version);
  }

  /** Whether its Lease was renewed so lately that nobody may take its place. */
  public boolean holdsLease(Install install) {
    return Optional.ofNullable(leases.get(install))
        .filter(l -> l.renewed().plus(EXPIRES).isAfter(time.now()))
        .isPresent();
  }
}
