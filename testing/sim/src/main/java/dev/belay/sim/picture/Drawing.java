package dev.belay.sim.picture;

import static dev.belay.sim.picture.Page.escape;

import dev.belay.sim.Injection;
import dev.belay.sim.picture.Film.Span;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.PartSetup;
import dev.belay.sim.world.Raft;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The timeline: faults and people above, Belay in the middle, the members below. */
final class Drawing {

  private static final int LANE = 30;
  private static final int BAR = 20;
  private static final int MARGIN = 12;
  private static final double LETTER = 6.3;
  private static final Pattern LEADS = Pattern.compile("m(\\d+) leads in term (\\d+)");
  static final int COLOURS = 6;

  private final Film film;
  private final List<Said> story;
  private final List<String> versions;
  private final Ruler ruler;
  private final long end;
  private final StringBuilder svg = new StringBuilder();
  private final List<String> labels = new ArrayList<>();
  private int y = 24;

  Drawing(Film film, List<Said> story, List<String> versions, long end) {
    this.film = film;
    this.story = story;
    this.versions = versions;
    this.end = end;
    var moments = new ArrayList<Long>();
    story.forEach(s -> moments.add(s.millis()));
    this.ruler = new Ruler(film.start(), end, moments);
  }

  /** Labels that stay, and the picture that can be scrolled next to them. */
  String draw(List<Injection> faults, List<PartSetup> parts) {
    faults(faults);
    markers("people", "user");
    phases();
    markers("Belay acts", "");
    for (PartSetup part : parts) {
      partition(part.name());
      for (int ordinal : film.ordinals(part.name())) {
        member(part, ordinal);
      }
    }
    String axis = axis();
    return """
    <div class="chart"><div class="labels" style="height:%dpx">%s</div>
    <div class="scroll" tabindex="0" role="region" aria-label="timeline"><svg width="%d" height="%d" role="img" aria-label="What happened, from left to right">
    %s%s</svg></div></div>
    """
        .formatted(
            y + MARGIN,
            String.join("", labels),
            Math.round(ruler.width()) + 2 * MARGIN + 60,
            y + MARGIN,
            axis,
            svg);
  }

  private String axis() {
    var lines = new StringBuilder();
    for (long tick : ruler.ticks()) {
      lines.append(
          "<line class=\"grid\" x1=\"%1$s\" x2=\"%1$s\" y1=\"18\" y2=\"%2$d\"/><text class=\"tick\" x=\"%1$s\" y=\"12\">%3$d s</text>"
              .formatted(x(tick), y, tick / 1000));
    }
    for (Ruler.Piece fold : ruler.folds()) {
      lines.append(
          "<rect class=\"fold\" x=\"%s\" y=\"0\" width=\"%s\" height=\"%d\"><title>nothing happens for %d s</title></rect><text class=\"tick\" x=\"%s\" y=\"12\">⋯ %d s</text>"
              .formatted(
                  number(fold.x() + MARGIN),
                  number(fold.width()),
                  y,
                  (fold.to() - fold.from()) / 1000,
                  number(fold.x() + fold.width() / 2 + MARGIN),
                  (fold.to() - fold.from()) / 1000));
    }
    return lines.toString();
  }

  /** Below each other where they would touch. */
  private void faults(List<Injection> faults) {
    var rows = new ArrayList<Double>();
    int top = y;
    for (Injection fault : faults) {
      long from = film.start() + fault.at().toMillis();
      if (from > end) {
        continue;
      }
      long to = lasts(fault.fault()) ? Math.min(end, from + fault.length().toMillis()) : from;
      String name = fault.fault().name().toLowerCase(Locale.ROOT).replace('_', ' ');
      double left = ruler.x(from);
      double right = Math.max(ruler.x(to), left + name.length() * LETTER + 10) + 6;
      int row = 0;
      while (row < rows.size() && rows.get(row) > left) {
        row++;
      }
      if (row == rows.size()) {
        rows.add(right);
      } else {
        rows.set(row, right);
      }
      int at = top + row * (BAR + 2);
      svg.append(
          "<g class=\"fault\"><title>%s s: %s</title><rect x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\" rx=\"3\"/><text x=\"%s\" y=\"%d\">%s</text></g>%n"
              .formatted(
                  Said.seconds(from),
                  escape(fault.fault().words()),
                  number(left + MARGIN),
                  at,
                  number(Math.max(3, ruler.x(to) - left)),
                  BAR - 2,
                  number(left + MARGIN + 5),
                  at + 13,
                  escape(name)));
    }
    label("faults", rows.isEmpty() ? "none" : "");
    y = top + Math.max(1, rows.size()) * (BAR + 2) + 6;
  }

  /** Some strike once, at their next opportunity, and most of what people do is done at once. */
  private static boolean lasts(Fault fault) {
    return switch (fault) {
      case OPERATOR_CRASH,
          REPLY_LOST,
          OPERATOR_STALLS,
          LATE_WRITE,
          CONFLICT,
          POD_CRASH,
          POD_PENDING,
          IMAGE_PULL,
          EVICTION,
          LEADER_FLAP,
          LEADER_MOVES_BACK ->
          false;
      case USER_PAUSES, USER_HOLDS_POD -> true;
      default -> !fault.name().startsWith("USER_");
    };
  }

  /** One mark per thing done, which leads to its row in the story. */
  private void markers(String name, String who) {
    label(name, "");
    for (int i = 0; i < story.size(); i++) {
      Said said = story.get(i);
      boolean mine = who.isEmpty() ? said.deed() : said.who().equals(who);
      if (mine && said.millis() >= film.start()) {
        boolean refused = said.deed() && !said.what().endsWith("→ OK");
        svg.append(
            "<a href=\"#s%d\"><circle class=\"%s\" cx=\"%s\" cy=\"%d\" r=\"6\"><title>%s s: %s</title></circle></a>%n"
                .formatted(
                    i,
                    refused ? "refused" : who.isEmpty() ? "deed" : "person",
                    x(said.millis()),
                    y + BAR / 2,
                    said.seconds(),
                    escape(said.what())));
      }
    }
    y += LANE;
  }

  private void phases() {
    label("Belay says", "");
    for (Span span : film.phase()) {
      bar(span, "phase p-" + span.state().toLowerCase(Locale.ROOT), span.state(), why(span));
    }
    y += LANE;
  }

  /** Why it was so, as Belay wrote it down meanwhile. */
  private String why(Span span) {
    var reasons = new ArrayList<String>();
    for (Said said : story) {
      if (said.decision() && said.millis() >= span.from() && said.millis() < span.to()) {
        reasons.add(said.seconds() + " " + said.what().substring("records ".length()));
      }
    }
    int shown = Math.min(reasons.size(), 14);
    String more = reasons.size() > shown ? "\n… and " + (reasons.size() - shown) + " more" : "";
    return String.join("\n", reasons.subList(0, shown)) + more;
  }

  private void partition(String part) {
    label("partition", part);
    for (Span span : film.partition(part)) {
      bar(span, "partition", span.state(), "partition " + span.state());
    }
    y += LANE;
  }

  private void member(PartSetup part, int ordinal) {
    String pod = part.name() + "-" + ordinal;
    label(pod, "");
    for (Span span : film.member(part.name(), ordinal)) {
      String[] parts = span.state().split(" ", 3);
      int colour = versions.indexOf(parts[0]) % COLOURS;
      String trouble = parts.length > 2 ? parts[2] : "";
      bar(
          span,
          "member v" + colour + " " + parts[1] + (trouble.isEmpty() ? "" : " trouble"),
          trouble.isEmpty() ? parts[0] : trouble,
          pod + ": " + span.state());
    }
    if (part.hasMembers()) {
      leads(Raft.who(part.name()), ordinal);
    }
    y += LANE;
  }

  private void leads(String who, int ordinal) {
    long since = -1;
    for (Said said : story) {
      Matcher m = LEADS.matcher(said.what());
      boolean begins = said.who().equals(who) && m.matches();
      boolean other = begins && Integer.parseInt(m.group(1)) != ordinal;
      boolean nobody = said.who().equals(who) && said.what().startsWith("no leader");
      if (since >= 0 && (other || nobody)) {
        crown(ordinal, since, said.millis());
        since = -1;
      } else if (begins && !other && since < 0) {
        since = said.millis();
      }
    }
    if (since >= 0) {
      crown(ordinal, since, end);
    }
  }

  private void crown(int ordinal, long from, long to) {
    long first = Math.max(from, film.start());
    if (to > first) {
      svg.append(
          "<rect class=\"leader\" x=\"%s\" y=\"%d\" width=\"%s\" height=\"4\"><title>m%d leads from %s to %s s</title></rect>%n"
              .formatted(
                  x(first),
                  y - 4,
                  number(Math.max(2, ruler.x(to) - ruler.x(first))),
                  ordinal,
                  Said.seconds(from),
                  Said.seconds(to)));
    }
  }

  private void bar(Span span, String kind, String text, String title) {
    double width = Math.max(1.5, ruler.x(span.to()) - ruler.x(span.from()));
    boolean fits = width > text.length() * LETTER + 8;
    svg.append(
        "<g class=\"%s\"><title>%s to %s s\n%s</title><rect x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\"/>%s</g>%n"
            .formatted(
                escape(kind),
                Said.seconds(span.from()),
                Said.seconds(span.to()),
                escape(title),
                x(span.from()),
                y,
                number(width),
                BAR,
                fits
                    ? "<text x=\"%s\" y=\"%d\">%s</text>"
                        .formatted(number(ruler.x(span.from()) + MARGIN + 4), y + 14, escape(text))
                    : ""));
  }

  private void label(String name, String more) {
    labels.add(
        "<span style=\"top:%dpx\">%s</span>"
            .formatted(y, escape(String.join(" ", Arrays.asList(name, more)).trim())));
  }

  private String x(long millis) {
    return number(ruler.x(millis) + MARGIN);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
