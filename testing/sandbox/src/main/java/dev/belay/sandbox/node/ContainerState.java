package dev.belay.sandbox.node;

import java.time.Instant;

/** What a container is doing. */
sealed interface ContainerState {

  /** Not running, for this reason. */
  record Waiting(String reason, String message) implements ContainerState {}

  /** A process is there. */
  record Running(Instant since) implements ContainerState {}

  /** The process ended. */
  record Terminated(
      int exitCode, String reason, String message, Instant started, Instant finished, String id)
      implements ContainerState {

    boolean failed() {
      return exitCode != 0;
    }
  }
}
