package dev.belay.drivers.pd;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Member.Health;
import dev.belay.drivers.pd.Answers.Listed;
import dev.belay.drivers.pd.Answers.Raft;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Whether one member serves and is caught up. */
final class MemberHealth {

  static final String NOT_ASKED = "it lives in no pod of this component, so nobody asked it";

  /**
   * How far a member may lag and still count as caught up. The members are read at slightly
   * different moments under load, so 0 would flap; the etcd in PD keeps 5,000 entries for followers
   * to catch up from, and 1,000 are applied in well under a second.
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
    return report.refused()
        ? Fact.known(Health.down("refuses connections"))
        : report.raft().flatMap(raft -> judged(member, report, raft, all));
  }

  private static Fact<Health> judged(
      Listed member, SeatReport report, Raft raft, List<SeatReport> all) {
    if (raft.leader().equals("0")) {
      return bad("its etcd sees no leader");
    }
    long lag = lag(raft, all);
    if (lag > MAX_LAG) {
      return bad(String.format(Locale.ROOT, "%,d log entries behind", lag));
    }
    String failing = failsOn(member, all);
    if (!failing.isEmpty()) {
      return bad("fails PD's health check on " + failing);
    }
    return report
        .serving()
        .map(s ->
            s.good()
                ? new Health(true, raft.learner() ? "serves as a learner" : "serves")
                : new Health(false, "its PD " + s.reason()));
  }

  /**
   * Who does not reach this member, or finds no leader behind it. Nobody has to say anything: PD's
   * own check waits 3 s for each silent member, by which time the look is over, and Belay has asked
   * every member itself. Who sees no leader is cut off, and reaches nobody for that reason.
   */
  private static String failsOn(Listed member, List<SeatReport> all) {
    return all.stream()
        .filter(r -> r.raft().asOptional().filter(raft -> !raft.leader().equals("0")).isPresent())
        .filter(r ->
            r.health().asOptional().stream()
                .flatMap(List::stream)
                .anyMatch(h -> h.id().equals(member.id()) && !h.good()))
        .map(r -> r.seat().pod())
        .collect(Collectors.joining(", "));
  }

  /** Behind the furthest log end that anyone reports, which is the leader's or a follower's. */
  static long lag(Raft raft, List<SeatReport> all) {
    long furthest =
        all.stream()
            .flatMap(r -> r.raft().asOptional().stream())
            .mapToLong(Raft::index)
            .max()
            .orElse(0);
    return Math.max(0, furthest - raft.applied());
  }

  private static Fact<Health> bad(String reading) {
    return Fact.known(new Health(false, reading));
  }
}
