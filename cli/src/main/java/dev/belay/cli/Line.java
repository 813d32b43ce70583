package dev.belay.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * One line of output, in pieces that may have a colour.
 *
 * @param hang how far its continuation is indented when it has to be broken
 */
record Line(List<Span> spans, int hang) {

  /** A piece of a line. */
  record Span(String text, Hue hue) {}

  static final Line EMPTY = new Line(List.of(), 0);

  Line {
    spans = List.copyOf(spans);
  }

  static Line of(String text) {
    return EMPTY.and(text);
  }

  static Line of(String text, Hue hue) {
    return EMPTY.and(text, hue);
  }

  Line and(String text) {
    return and(text, Hue.PLAIN);
  }

  Line and(String text, Hue hue) {
    return plus(List.of(new Span(text, hue)));
  }

  Line plus(List<Span> more) {
    var all = new ArrayList<>(spans);
    all.addAll(more);
    return new Line(all, hang);
  }

  Line hanging(int columns) {
    return new Line(spans, columns);
  }

  String plain() {
    var text = new StringBuilder();
    spans.forEach(s -> text.append(s.text()));
    return text.toString().stripTrailing();
  }

  String painted() {
    var text = new StringBuilder();
    spans.forEach(s -> text.append(s.hue().paint(s.text())));
    return text.toString();
  }

  /** Broken at spaces so that nothing is cut off; a word longer than the line is left whole. */
  List<Line> wrap(int width) {
    if (plain().length() <= width) {
      return List.of(this);
    }
    // Where the columns leave less than half of a narrow terminal, they are not kept.
    int indent = hang <= width / 2 ? hang : Math.min(8, width / 2);
    var lines = new ArrayList<Line>();
    var current = new ArrayList<Span>();
    int column = 0;
    boolean fresh = true;
    for (Span span : spans) {
      for (String word : span.text().split("(?<= )", -1)) {
        if (!fresh && column + word.stripTrailing().length() > width) {
          lines.add(new Line(current, 0));
          current = new ArrayList<>(List.of(new Span(" ".repeat(indent), Hue.PLAIN)));
          column = indent;
        }
        current.add(new Span(word, span.hue()));
        column += word.length();
        fresh = false;
      }
    }
    lines.add(new Line(current, 0));
    return lines;
  }
}
