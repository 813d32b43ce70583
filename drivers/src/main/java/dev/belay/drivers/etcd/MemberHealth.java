package dev.belay.drivers.etcd;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Member.Health;
import dev.belay.drivers.etcd.Answers.Alarm;
import dev.belay.drivers.etcd.Answers.Listed;
import dev.belay.drivers.etcd.Answers.Status;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Whether one member serves and is caught up. */
final class MemberHealth {

  static final String NOT_ASKED = "it lives in no pod of this component, so nobody asked it";

  /**
   * How far a member may lag and still count as caught up. The members are read at slightly
   * different moments under load, so 0 would flap; etcd keeps 5,000 entries for followers to catch
   * up from, and 1,000 are applied in well under a second.
   */
  static final long MAX_LAG = 1_000;

  private MemberHealth() {}

  static Fact<Health> of(Listed member, Optional<SeatReport> asked, List<SeatReport> all) {
    if (asked.isEmpty()) {
      return member.name().isEmpty()
          ? Fact.known(Health.down("was added but has never started"))
          : Fact.unknown(NOT_ASKED);
    }
    SeatReport report = asked.get();
    if (report.refused()) {
      return Fact.known(Health.down("refuses connections"));
    }
    return report
        .status()
        .flatMap(
            status -> alarmsOf(member, all).flatMap(alarms -> judged(report, status, alarms, all)));
  }

  private static Fact<Health> judged(
      SeatReport report, Status status, String alarms, List<SeatReport> all) {
    if (!alarms.isEmpty()) {
      return bad("alarm " + alarms);
    }
    long lag = lag(status, all);
    if (lag > MAX_LAG) {
      return bad(String.format(Locale.ROOT, "%,d log entries behind", lag));
    }
    return report
        .health()
        .map(h ->
            h.good()
                ? new Health(true, status.learner() ? "serves as a learner" : "serves")
                : new Health(
                    false,
                    "says it is not healthy" + (h.reason().isEmpty() ? "" : ": " + h.reason())));
  }

  /** The alarms that name a member, by the account of everyone who answers. */
  private static Fact<String> alarmsOf(Listed member, List<SeatReport> all) {
    List<List<Alarm>> lists = all.stream().flatMap(r -> r.alarms().asOptional().stream()).toList();
    return lists.isEmpty()
        ? Fact.unknown("nobody lists the alarms")
        : Fact.known(
            lists.stream()
                .flatMap(List::stream)
                .filter(a -> a.memberId().equals(member.id()))
                .map(Alarm::kind)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", ")));
  }

  /** Behind the furthest log end that anyone reports, which is the leader's or a follower's. */
  static long lag(Status status, List<SeatReport> all) {
    long furthest =
        all.stream()
            .flatMap(r -> r.status().asOptional().stream())
            .mapToLong(Status::index)
            .max()
            .orElse(0);
    return Math.max(0, furthest - status.applied());
  }

  private static Fact<Health> bad(String reading) {
    return Fact.known(new Health(false, reading));
  }
}
