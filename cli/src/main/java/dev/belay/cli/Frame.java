package dev.belay.cli;

import java.util.ArrayList;
import java.util.List;

/** A piece of the terminal that is drawn over itself. */
final class Frame {

  private final Terminal terminal;
  private int height;

  Frame(Terminal terminal) {
    this.terminal = terminal;
  }

  void draw(List<Line> lines) {
    List<Line> fitting = fitting(lines);
    var text = new StringBuilder();
    if (height > 0) {
      text.append("\u001b[").append(height).append('A');
    }
    // Each line is erased as it is rewritten, and the rest at the end: nothing flickers.
    fitting.forEach(l -> text.append(terminal.text(l)).append("\u001b[K\n"));
    text.append("\u001b[J");
    height = fitting.size();
    terminal.out().print(text);
    terminal.out().flush();
  }

  /** What does not fit is counted: the cursor cannot go above the first row. */
  private List<Line> fitting(List<Line> lines) {
    Terminal.Size size = terminal.size().get();
    var all = new ArrayList<Line>();
    lines.forEach(l -> all.addAll(l.wrap(size.columns())));
    int room = size.rows() - 1;
    if (all.size() <= room) {
      return all;
    }
    var some = new ArrayList<>(all.subList(0, Math.max(0, room - 1)));
    some.add(
        Line.of(
            "%s %d more lines; without -w all are shown"
                .formatted(terminal.glyphs().more(), all.size() - some.size()),
            Hue.QUIET));
    return some;
  }
}
