package dev.belay.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Draws a scene: several lines for a terminal, one for a pipe. */
record Panel(Paint paint, int width) {

  /** Longer than any healthy pause between two writes. */
  private static final Duration SILENCE = Duration.ofMillis(800);

  List<String> lines(Scene scene) {
    var lines = new ArrayList<String>();
    lines.add(paint.dim("─".repeat(Math.min(width, 76))));
    for (EtcdMember member : scene.members()) {
      String left = "  %-8s %-8s ".formatted(member.pod(), version(member));
      lines.add(left + role(member, "%-11s".formatted(word(member))) + ready(member));
    }
    lines.add("  writes   " + writes(scene.writes()));
    if (!scene.sentence().isEmpty()) {
      lines.addAll(wrapped(scene.sentence()));
    }
    return lines;
  }

  /** The members in one line, for those who see no panel. */
  static String line(List<EtcdMember> members) {
    return members.stream()
        .map(m -> "%s %s %s".formatted(m.pod(), version(m), word(m)))
        .collect(Collectors.joining(" | "));
  }

  private static String version(EtcdMember member) {
    return member.version().isEmpty() ? "-" : member.version();
  }

  private static String word(EtcdMember member) {
    return switch (member.role()) {
      case LEADER -> "leader";
      case FOLLOWER -> "follower";
      case LEADERLESS -> "no leader";
      case SILENT -> "silent";
      case RESTARTING -> "restarting";
    };
  }

  private String role(EtcdMember member, String text) {
    return switch (member.role()) {
      case LEADER -> paint.cyan(text);
      case FOLLOWER -> paint.green(text);
      case LEADERLESS, SILENT -> paint.red(text);
      case RESTARTING -> paint.yellow(text);
    };
  }

  private String ready(EtcdMember member) {
    return member.ready() ? paint.green("ready") : paint.yellow("not ready");
  }

  private String writes(WriteLoad.Figures writes) {
    if (writes.openGap().compareTo(SILENCE) > 0) {
      return paint.red("none for " + seconds(writes.openGap()) + ": no quorum");
    }
    return String.format(
        Locale.ROOT,
        "%d/s, %,d acknowledged, longest gap %s",
        writes.perSecond(),
        writes.acknowledged(),
        seconds(writes.longestGap()));
  }

  /** Belay's sentence is the point of it all: shown whole, on as many lines as it takes. */
  private List<String> wrapped(String sentence) {
    int room = Math.max(20, width - 12);
    var lines = new ArrayList<String>();
    var line = new StringBuilder();
    for (String word : sentence.split(" ", -1)) {
      if (!line.isEmpty() && line.length() + 1 + word.length() > room) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    lines.add(line.toString());
    var result = new ArrayList<String>();
    for (int i = 0; i < lines.size(); i++) {
      result.add((i == 0 ? "  Belay    " : "           ") + paint.yellow(lines.get(i)));
    }
    return result;
  }

  static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
  }
}
