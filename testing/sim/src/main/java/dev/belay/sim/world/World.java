package dev.belay.sim.world;

import dev.belay.core.guard.Guard;
import dev.belay.core.model.Among;
import dev.belay.core.model.Component.Guarding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** One simulated Kubernetes cluster with one clustered system in it, of one or more components. */
public final class World {

  public final Timeline time = new Timeline();
  public final Trace trace = new Trace(time);
  public final Weather weather = new Weather(time);
  public final Setup setup;
  public final ApiServer api;
  public final Installs installs;
  private final List<Part> parts = new ArrayList<>();

  public World(Setup setup, Rng rng) {
    this(setup, rng, Guard::judge);
  }

  /** With another guard than the product's; for tests. */
  public World(
      Setup setup, Rng rng, BiFunction<Guard.Write, List<Guard.Claim>, Guard.Verdict> guard) {
    this.setup = setup;
    this.api = new ApiServer(time, weather, guard, setup.policies());
    this.installs = new Installs(time, api);
    for (PartSetup part : setup.parts()) {
      parts.add(new Part(this, part, parts.isEmpty() ? rng : rng.split(part.name())));
    }
    // The sets were there before Belay: their first sync comes from their creation.
    parts.forEach(p -> p.store.annotateSet(Optional.empty(), "created"));
  }

  /** The components in their order. */
  public List<Part> parts() {
    return parts;
  }

  public Part first() {
    return parts.getFirst();
  }

  public Optional<Part> part(String component) {
    return Among.first(parts, p -> p.name().equals(component));
  }

  /** The component that an object belongs to. */
  public Optional<Part> owner(String object) {
    return Among.first(parts, p -> p.owns(object));
  }

  public boolean anyOutdated() {
    return Among.any(parts, p -> !p.outdated().isEmpty());
  }

  /** Something else goes on that no member shall be touched for: what is asked before says no. */
  public boolean busy() {
    return weather.holds(Fault.CHECK_SAYS_NO);
  }

  /** What the guard is, as a probe of the installed policies would say. */
  public Guarding guarding() {
    return api.guarded() ? Guarding.POLICY : Guarding.PARKED;
  }

  public void pass(Duration duration) {
    time.pass(duration);
  }
}
