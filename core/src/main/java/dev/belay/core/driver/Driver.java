package dev.belay.core.driver;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * How one kind of clustered system is asked and told: the side of a driver that does I/O. It knows
 * no Kubernetes; it never throws for what the other side does or fails to do.
 */
public interface Driver extends AutoCloseable {

  /** Where one member should answer: the pod it lives in, the name it should have, its address. */
  record Seat(String pod, String memberName, URI address) {}

  /** How a command ended. Accepted is not success: the effect is observed, never assumed. */
  sealed interface Outcome {
    record Accepted() implements Outcome {}

    record Refused(String why) implements Outcome {}
  }

  /** The pure half. */
  SystemPolicy policy();

  /**
   * Asks every seat in parallel and answers within {@code deadline}. Unknown when no picture can be
   * formed; a single silent member is a member with unknown health.
   */
  Fact<Topology> observe(List<Seat> seats, Duration deadline);

  /**
   * Asks the leader, as observed in this term, to hand over. The command goes to the seat of the
   * observed leader and to no other, and is not sent when the leader's term has changed.
   */
  Outcome transferLeader(
      List<Seat> seats, Topology.Leader from, String toMemberId, Duration deadline);

  /**
   * Tells the system one thing that its policy asked for, if the member is still what the command's
   * term says. A driver whose policy asks for nothing is never told anything.
   */
  default Outcome tell(List<Seat> seats, Command command, Duration deadline) {
    return new Outcome.Refused("this kind of system knows no command " + command.verb());
  }

  @Override
  void close();
}
