package dev.belay.drivers.contract;

import dev.belay.core.driver.Driver;
import dev.belay.core.driver.Driver.Seat;
import java.util.List;

/**
 * One driver before three recorded members of its system, of which the second leads; and how
 * trouble looks in the words of that system.
 */
public interface Specimen extends AutoCloseable {

  Driver driver();

  List<FakeMember> members();

  /** The questions without whose answers a member is not known to be well. */
  List<String> essential();

  /** The question in whose answer a member tells who it is and who leads. */
  String identity();

  /** An identity in which something has another type than it should. */
  String wrongType();

  /** Where a leader is told to hand over to the third member. */
  String command();

  /** What the system says when it takes that command. */
  FakeMember.Answer acknowledgement();

  /** The member answers as one of another cluster. */
  void joinOther(FakeMember member);

  /** The member sees nobody lead. */
  void loseLeader(FakeMember member);

  /** The member says that the third one leads, in the same term. */
  void seeThirdLead(FakeMember member);

  default List<Seat> seats() {
    return members().stream().map(FakeMember::seat).toList();
  }

  @Override
  default void close() {
    driver().close();
    members().forEach(FakeMember::close);
  }
}
