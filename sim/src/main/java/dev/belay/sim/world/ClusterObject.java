package dev.belay.sim.world;

import dev.belay.core.report.Report;
import dev.belay.core.snapshot.Memory;
import dev.belay.core.snapshot.Spec;
import java.util.Optional;

/** A StatefulCluster as the API server stores it: status writes do not touch the generation. */
public record ClusterObject(
    String name,
    String uid,
    long version,
    long generation,
    Spec spec,
    boolean deleting,
    Optional<Report> status) {

  public Memory memory() {
    return status.map(Report::memory).orElse(Memory.EMPTY);
  }
}
