package dev.belay.cli;

import java.io.Console;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Where the words go, and what can be shown there.
 *
 * @param live whether a person looks at it: then it may be redrawn and coloured
 */
record Terminal(
    PrintWriter out,
    PrintWriter err,
    boolean live,
    boolean colour,
    Glyphs glyphs,
    Supplier<Size> size) {

  /** How much fits. */
  record Size(int rows, int columns) {
    static final Size UNLIMITED = new Size(Integer.MAX_VALUE, Integer.MAX_VALUE);
  }

  static Terminal ofProcess(Map<String, String> environment) {
    // The JDK has none where input or output is no terminal.
    boolean live = Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent();
    boolean colour =
        live
            && environment.getOrDefault("NO_COLOR", "").isEmpty()
            && !"dumb".equals(environment.get("TERM"));
    return new Terminal(
        writer(System.out),
        writer(System.err),
        live,
        colour,
        Glyphs.in(System.out.charset()),
        live ? Terminal::ask : () -> Size.UNLIMITED);
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(new OutputStreamWriter(stream, stream.charset()), true);
  }

  Terminal withoutColour() {
    return new Terminal(out, err, live, false, glyphs, size);
  }

  void print(List<Line> lines) {
    int columns = size.get().columns();
    for (Line line : lines) {
      line.wrap(columns).forEach(l -> out.println(text(l)));
    }
    out.flush();
  }

  String text(Line line) {
    return colour ? line.painted() : line.plain();
  }

  /** The JDK cannot say how large the terminal is; stty can, and is wherever a terminal is. */
  private static Size ask() {
    try {
      Process stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(ProcessBuilder.Redirect.INHERIT)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String answer = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!stty.waitFor(1, TimeUnit.SECONDS)) {
        stty.destroyForcibly();
      }
      return parse(answer.strip());
    } catch (IOException e) {
      return Size.UNLIMITED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Size.UNLIMITED;
    }
  }

  static Size parse(String answer) {
    if (!answer.matches("\\d{1,6} \\d{1,6}")) {
      return Size.UNLIMITED;
    }
    int space = answer.indexOf(' ');
    int rows = Integer.parseInt(answer.substring(0, space));
    int columns = Integer.parseInt(answer.substring(space + 1));
    // A terminal that was never told its size says 0 0.
    return rows == 0 || columns == 0 ? Size.UNLIMITED : new Size(rows, columns);
  }
}
