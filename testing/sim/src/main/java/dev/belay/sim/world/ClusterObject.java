package dev.belay.sim.world;

import dev.belay.core.model.Spec;
import dev.belay.core.report.Report;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.Owner;
import java.util.Optional;
import java.util.Set;

/**
 * A StatefulCluster as the API server stores it: writes to its status and its labels do not touch
 * the generation.
 *
 * @param labels the installs whose selectors match
 */
public record ClusterObject(
    String name,
    String uid,
    long version,
    long generation,
    Spec spec,
    boolean deleting,
    Set<Install> labels,
    Optional<Report> status) {

  public Memory memory() {
    return status.map(Report::memory).orElse(Memory.EMPTY);
  }

  public Optional<Owner> owner() {
    return memory().owner();
  }

  ClusterObject asking(long at, Spec other) {
    return new ClusterObject(name, uid, at, generation + 1, other, deleting, labels, status);
  }

  ClusterObject leaving(long at) {
    return new ClusterObject(name, uid, at, generation + 1, spec, true, labels, status);
  }

  ClusterObject labelled(long at, Set<Install> others) {
    return new ClusterObject(name, uid, at, generation, spec, deleting, others, status);
  }

  ClusterObject reporting(long at, Report report) {
    return new ClusterObject(
        name, uid, at, generation, spec, deleting, labels, Optional.of(report));
  }
}
