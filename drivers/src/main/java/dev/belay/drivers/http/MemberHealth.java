package dev.belay.drivers.http;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Member.Health;
import java.math.BigDecimal;

/** Whether one member serves and is caught up. */
final class MemberHealth {

  static final String NOT_ASKED = "it lives in no pod of this component, so nobody asked it";

  /** The port that is asked need not be the one that serves: that it is closed proves no death. */
  static final String REFUSED =
      "refuses connections where it is asked; another port of it may still serve";

  private MemberHealth() {}

  /** Whatever was declared and cannot be read leaves the health unknown. */
  static Fact<Health> of(Picture.Seated member, boolean leads) {
    if (member.report().isEmpty()) {
      return Fact.unknown(NOT_ASKED);
    }
    SeatReport report = member.report().get();
    if (report.refused()) {
      return Fact.known(new Health(false, REFUSED));
    }
    return report
        .serving()
        .flatMap(health -> health.good() ? believed(report, health, leads) : Fact.known(health));
  }

  private static Fact<Health> believed(SeatReport report, Health health, boolean leads) {
    Fact<Health> known =
        report.clusterId().flatMap(_ -> report.role()).flatMap(_ -> report.term()).map(_ -> health);
    // A leader is behind nobody, and many systems give its page no lag at all.
    return leads ? known : known.flatMap(h -> caughtUp(report, h));
  }

  private static Fact<Health> caughtUp(SeatReport report, Health health) {
    return report
        .lag()
        .map(lag ->
            lag.filter(behind -> tooFar(report, behind))
                .map(behind ->
                    new Health(
                        false,
                        "is %s behind, at most %d is allowed"
                            .formatted(
                                behind.toPlainString(),
                                report.declared().lag().orElseThrow().max())))
                .orElse(health));
  }

  private static boolean tooFar(SeatReport report, BigDecimal behind) {
    return report
        .declared()
        .lag()
        .filter(l -> behind.compareTo(BigDecimal.valueOf(l.max())) > 0)
        .isPresent();
  }
}
