package dev.belay.drivers.none;

import dev.belay.core.driver.Driver;
import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Topology;
import java.time.Duration;
import java.util.List;

/** Knows that there is nothing to know: readiness is all that counts. */
public final class NoneDriver implements Driver {

  @Override
  public SystemPolicy policy() {
    return SystemPolicy.NONE;
  }

  @Override
  public Fact<Topology> observe(List<Seat> seats, Duration deadline) {
    return Fact.known(Topology.NONE);
  }

  @Override
  public Outcome transferLeader(
      List<Seat> seats, Topology.Leader from, String toMemberId, Duration deadline) {
    return new Outcome.Refused("driver none knows no leaders");
  }

  @Override
  public void close() {}
}
