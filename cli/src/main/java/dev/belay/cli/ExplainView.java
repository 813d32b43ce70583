package dev.belay.cli;

import dev.belay.cli.Explanation.MemberWord;
import dev.belay.cli.Explanation.Why;
import dev.belay.cli.Line.Span;
import java.util.ArrayList;
import java.util.List;

/** An explanation as text: a block per member, then the cluster. */
record ExplainView(Explanation explanation, Cluster cluster, Sight sight) {

  private static final String INDENT = "  ";

  List<Line> lines() {
    var lines = new ArrayList<Line>();
    lines.add(head());
    new Footer(cluster, sight).staleness().ifPresent(t -> lines.add(Line.of(t, Hue.CARE)));
    lines.add(Line.EMPTY);
    for (MemberWord member : explanation.members()) {
      lines.add(member(member));
      Why why = member.why();
      if (why != null) {
        lines.addAll(facts(member.pod(), why));
      }
    }
    Why blocked = explanation.blockedBy();
    // A field or the workload itself can be what holds: then no member's block has said it.
    if (blocked != null && explanation.members().stream().noneMatch(m -> says(m, blocked))) {
      lines.add(
          Line.of(blocked.object(), Hue.STRONG)
              .and(" " + cluster.verb() + ": " + blocked.rule(), Hue.ofPhase(cluster.phase())));
      lines.addAll(facts(blocked.object(), blocked));
    }
    if (!lines.getLast().equals(Line.EMPTY)) {
      lines.add(Line.EMPTY);
    }
    lines.addAll(clusterFacts());
    return lines;
  }

  /** A member can be held by a rule for longer than that is what holds the whole. */
  private static boolean says(MemberWord member, Why blocked) {
    Why why = member.why();
    return why != null
        && why.rule().equals(blocked.rule())
        && why.object().equals(blocked.object());
  }

  private Line head() {
    String versions = cluster.versions(sight.glyphs());
    String counts =
        explanation.updated().isEmpty()
            ? ""
            : ", updated %s, ready %s".formatted(explanation.updated(), explanation.ready());
    return Line.of(explanation.name(), Hue.STRONG)
        .and(" is ")
        .and(explanation.phase(), Hue.ofPhase(explanation.phase()))
        .and((versions.isEmpty() ? "" : ": " + versions) + counts)
        .hanging(2);
  }

  private static Line member(MemberWord member) {
    Hue hue =
        switch (member.state()) {
          case HELD -> Hue.CARE;
          case AT_TARGET, AT_LAST_GOOD -> Hue.GOOD;
          case UNDER_WAY, GOES_NEXT, GOES_BACK -> Hue.BUSY;
          case NOT_ADOPTED, FOLLOWS -> Hue.QUIET;
        };
    return Line.of(member.pod(), Hue.STRONG)
        .and(member.version().isEmpty() ? " " : " (" + member.version() + ") ")
        .and(member.says(), hue)
        .hanging(2);
  }

  private List<Line> facts(String held, Why why) {
    var rows = new ArrayList<List<Span>>();
    // The objection that holds a member can be about something else: then that is named.
    add(rows, "about", why.object().equals(held) ? "" : why.object());
    add(rows, "reading", why.reading());
    Ages.since(why.since(), sight.now())
        .ifPresent(age -> add(rows, "since", why.since() + " (" + Ages.words(age) + ")"));
    add(rows, "cure", why.cure());
    add(rows, "docs", why.docs());
    return new Table(rows, "  ").lines();
  }

  private List<Line> clusterFacts() {
    var rows = new ArrayList<List<Span>>();
    add(rows, "error", explanation.error());
    add(rows, "paused", explanation.paused());
    add(rows, "forced", explanation.forced());
    new Footer(cluster, sight).refused().forEach(r -> add(rows, "refused", r));
    explanation.owes().forEach(o -> add(rows, "owes", o));
    explanation.asked().forEach(a -> add(rows, "asked", a));
    add(rows, "next", explanation.next());
    add(rows, "approve", explanation.approve());
    add(rows, "retry", explanation.retry());
    add(rows, "rollback", explanation.rollback());
    add(rows, "migrations", explanation.migrations());
    add(rows, "way back", explanation.wayBack());
    return new Table(rows, "  ").lines();
  }

  private static void add(List<List<Span>> rows, String label, String value) {
    if (!value.isEmpty()) {
      rows.add(List.of(new Span(INDENT + label, Hue.QUIET), new Span(value, Hue.PLAIN)));
    }
  }
}
