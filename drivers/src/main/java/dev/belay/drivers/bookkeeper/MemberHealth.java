package dev.belay.drivers.bookkeeper;

import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Member.Health;
import dev.belay.drivers.bookkeeper.Answers.State;
import java.util.List;

/**
 * Whether one bookie serves: by its own word, and by its registration, which is all clients see.
 */
final class MemberHealth {

  private MemberHealth() {}

  static Fact<Health> of(SeatReport report, Registry registry) {
    return report.refused()
        ? Fact.known(Health.down("refuses connections"))
        : report
            .state()
            .flatMap(
                state -> report.ready().flatMap(word -> judged(report, state, word, registry)));
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
