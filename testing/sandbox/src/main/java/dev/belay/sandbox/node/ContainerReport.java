package dev.belay.sandbox.node;

import java.util.Optional;

/** All that is to be said of one container. */
record ContainerReport(
    String name,
    String image,
    ContainerState state,
    Optional<ContainerState.Terminated> last,
    int restarts,
    boolean started,
    boolean ready,
    String id) {

  static ContainerReport fresh(String name, String image, String waiting, int restarts) {
    return new ContainerReport(
        name,
        image,
        new ContainerState.Waiting(waiting, ""),
        Optional.empty(),
        restarts,
        false,
        false,
        "");
  }

  /** In another state; what ended before stays known as the last one. */
  ContainerReport in(ContainerState next) {
    Optional<ContainerState.Terminated> ended =
        state instanceof ContainerState.Terminated t ? Optional.of(t) : last;
    boolean running = next instanceof ContainerState.Running;
    return new ContainerReport(
        name, image, next, ended, restarts, running && started, running && ready, id);
  }

  ContainerReport attempt(int number, String processId) {
    return new ContainerReport(name, image, state, last, number, false, false, processId);
  }

  ContainerReport started(boolean yes) {
    return new ContainerReport(name, image, state, last, restarts, yes, ready, id);
  }

  ContainerReport ready(boolean yes) {
    return new ContainerReport(name, image, state, last, restarts, started, yes, id);
  }
}
