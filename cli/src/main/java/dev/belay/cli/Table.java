package dev.belay.cli;

import dev.belay.cli.Line.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Rows whose columns stand under each other. */
record Table(List<List<Span>> rows, String gap) {

  Table {
    rows = rows.stream().map(List::copyOf).toList();
  }

  /** The last column may be as long as it likes: nothing stands behind it. */
  List<Line> lines() {
    int columns = rows.stream().mapToInt(List::size).max().orElse(0);
    int[] widths = IntStream.range(0, columns).map(this::width).toArray();
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private int width(int column) {
    return rows.stream()
        .filter(r -> r.size() > column)
        .mapToInt(r -> r.get(column).text().length())
        .max()
        .orElse(0);
  }

  /** A column that is empty in every row takes no room. */
  private Line line(List<Span> row, int[] widths) {
    var spans = new ArrayList<Span>();
    int hang = 0;
    for (int i = 0; i < row.size(); i++) {
      if (widths[i] == 0) {
        continue;
      }
      Span cell = row.get(i);
      spans.add(cell);
      if (i < row.size() - 1) {
        spans.add(new Span(" ".repeat(widths[i] - cell.text().length()) + gap, Hue.PLAIN));
        hang += widths[i] + gap.length();
      }
    }
    return new Line(spans, hang);
  }
}
