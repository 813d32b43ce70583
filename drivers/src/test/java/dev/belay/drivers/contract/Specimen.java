package dev.belay.drivers.contract;

import dev.belay.core.driver.Driver;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Member.Health;
import java.util.List;
import java.util.function.Function;

/**
 * One driver before three recorded members of its system, and how trouble looks in the words of
 * that system.
 */
public interface Specimen extends AutoCloseable {

  Driver driver();

  List<FakeMember> members();

  /** Who is asked about the last member answers a question so; that is itself, as a rule. */
  default void upset(String question, Function<FakeMember, FakeMember.Answer> how) {
    FakeMember last = members().getLast();
    last.on(question, how.apply(last));
  }

  /** How the driver calls one of those that it asks. */
  default String called(FakeMember member) {
    return member.seat().pod();
  }

  /** The questions without whose answers a member is not known to be well. */
  List<String> essential();

  /** The question in whose answer a member tells who or how it is. */
  String identity();

  /** An identity in which something has another type than it should. */
  String wrongType();

  /** The member answers as one of another cluster. */
  void joinOther(FakeMember member);

  /** The member's process ends, and the others notice it. */
  default void end(FakeMember member) {
    member.close();
  }

  /** What a closed port says of a member, once the others have noticed. */
  default Health ended() {
    return Health.down("refuses connections");
  }

  default List<Seat> seats() {
    return members().stream().map(FakeMember::seat).toList();
  }

  @Override
  default void close() {
    driver().close();
    members().forEach(FakeMember::close);
  }
}
