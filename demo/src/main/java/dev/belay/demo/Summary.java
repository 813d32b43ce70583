package dev.belay.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The acts side by side, and whether Belay kept its word. */
record Summary(List<ActResult> acts) {

  private static final int LABEL = 22;
  private static final int CELL = 20;

  /** Acts 2 and 3 lost nothing, and every member runs the last version. */
  boolean kept() {
    return acts.size() == 3
        && acts.get(1).lostNothing()
        && acts.get(2).lostNothing()
        && acts.get(2).endedOn(World.LAST);
  }

  List<String> table() {
    var lines = new ArrayList<String>();
    lines.add(row("", ActResult::name));
    lines.add("-".repeat(LABEL + CELL * acts.size()).stripTrailing());
    lines.add(row("longest write gap", a -> Panel.seconds(a.longestGap())));
    lines.add(row("leader moves", Summary::moves));
    lines.add(row("writes acknowledged", a -> number(a.writes().acknowledged())));
    lines.add(row("  read back", a -> number(a.writes().readBack())));
    lines.add(row("  lost", a -> number(a.writes().lost())));
    lines.add(row("members run", Summary::versions));
    return lines;
  }

  private String row(String label, Function<ActResult, String> cell) {
    String cells = acts.stream().map(a -> pad(cell.apply(a), CELL)).collect(Collectors.joining());
    return (pad(label, LABEL) + cells).stripTrailing();
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(Math.max(1, width - text.length()));
  }

  private static String moves(ActResult act) {
    return act.movedByBelay() == 0
        ? String.valueOf(act.leaderMoves())
        : "%d (%d by Belay)".formatted(act.leaderMoves(), act.movedByBelay());
  }

  private static String number(int count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  private static String versions(ActResult act) {
    List<String> different = act.versions().stream().distinct().toList();
    return different.stream()
        .map(v ->
            act.versions().stream().filter(v::equals).count() + "x " + (v.isEmpty() ? "down" : v))
        .collect(Collectors.joining(" "));
  }
}
