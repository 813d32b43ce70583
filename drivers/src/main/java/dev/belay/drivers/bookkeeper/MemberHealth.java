package dev.belay.drivers.bookkeeper;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Member.Health;
import dev.belay.drivers.bookkeeper.Answers.State;
import java.util.List;

/**
 * Whether one bookie serves: by its own word, and by its registration, which is all clients see.
 */
final class MemberHealth {

  private MemberHealth() {}

  static Fact<Health> of(SeatReport report, Registry registry) {
    return report.refused()
        ? withoutItsWord(report, registry)
        : report
            .state()
            .flatMap(
                state -> report.ready().flatMap(word -> judged(report, state, word, registry)));
  }

  /**
   * The admin port is not where ledgers are: a bookie whose server for it has ended still serves
   * its clients. Only one that is not registered either serves nobody; and that it is not can be
   * said only where the ids of those who answer tell which pods they live in.
   */
  private static Fact<Health> withoutItsWord(SeatReport report, Registry registry) {
    List<String> ids = Ids.of(report.seat(), registry.all());
    if (!ids.isEmpty()) {
      return Fact.unknown(
          "refuses connections on its admin port, yet is registered as %s: repair the admin port, or"
                  .formatted(String.join(", ", ids))
              + " stop the bookie");
    }
    return registry.telling()
        ? Fact.known(Health.down("refuses connections"))
        : Fact.unknown(
            "refuses connections on its admin port, and may be any of the registered bookies %s:"
                    .formatted(String.join(", ", registry.all()))
                + " correct driver.memberName or driver.address");
  }

  private static Fact<Health> judged(
      SeatReport report, State state, String ready, Registry registry) {
    if (!state.running() || state.shuttingDown()) {
      return bad(state.shuttingDown() ? "is shutting down" : "does not run");
    }
    if (!ready.equals("OK")) {
      return bad("is not ready: " + ready);
    }
    List<String> ids = Ids.of(report.seat(), registry.all());
    if (ids.size() > 1) {
      return Fact.unknown("may be any of the registered bookies " + String.join(", ", ids));
    }
    if (ids.isEmpty()) {
      return bad(
          "none of the registered bookies (%s) has its name or address"
              .formatted(String.join(", ", registry.all())));
    }
    boolean listed = registry.writable().contains(ids.getFirst());
    if (listed == state.readOnly()) {
      return bad(
          "says it is %s, and is %sregistered as writable"
              .formatted(Picture.mode(state), listed ? "" : "not "));
    }
    return Fact.known(new Health(true, state.readOnly() ? "serves reads only" : "serves"));
  }

  private static Fact<Health> bad(String reading) {
    return Fact.known(new Health(false, reading));
  }
}
