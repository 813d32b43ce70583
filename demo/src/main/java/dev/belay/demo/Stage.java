package dev.belay.demo;

import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;

/**
 * Where the demonstration is shown: lines with a time in a pipe; on a terminal also a panel below
 * them that is redrawn in place.
 */
public final class Stage {

  /** Where a line of the panel would break, redrawing in place would smear. */
  private static final int NARROWEST = 64;

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.S");

  private final PrintStream out;
  private final Paint paint;
  private final boolean live;
  private final Panel panel;
  private final Clock clock;
  private List<String> drawn = List.of();
  private String lastLine = "";
  private boolean closed;

  public Stage(PrintStream out, Paint paint, boolean live, int width, Clock clock) {
    this.out = out;
    this.paint = paint;
    this.live = live;
    this.panel = new Panel(paint, width);
    this.clock = clock;
  }

  /** A panel on a terminal that can draw one; colours unless NO_COLOR is set. */
  static Stage open() {
    String term = String.valueOf(System.getenv("TERM"));
    boolean live =
        Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent()
            && !List.of("dumb", "null").contains(term)
            && columns() >= NARROWEST;
    boolean colours = live && System.getenv("NO_COLOR") == null;
    var out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    return new Stage(
        out,
        new Paint(colours),
        live,
        live ? columns() : 100,
        Clock.system(ZoneId.systemDefault()));
  }

  private static int columns() {
    try {
      Process stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(ProcessBuilder.Redirect.INHERIT)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String answer = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int columns = Integer.parseInt(answer.strip().replaceAll("^\\S+ ", ""));
      // A terminal that does not know its size says 0.
      return columns == 0 ? 80 : columns;
    } catch (IOException | NumberFormatException e) {
      return 80;
    }
  }

  Paint paint() {
    return paint;
  }

  synchronized void title(String text) {
    print("");
    print(paint.bold(text));
  }

  synchronized void say(String text) {
    print(text);
  }

  /** What a user would type. */
  synchronized void command(String text) {
    print(paint.cyan("$ ") + paint.bold(text));
  }

  /** What a program answered. */
  synchronized void output(String text) {
    text.lines().forEach(line -> print("  " + paint.dim(line)));
  }

  /** What Belay says, word by word as it is in the status. */
  synchronized void belay(String text) {
    print(paint.yellow("Belay: " + text));
  }

  synchronized void show(Scene scene) {
    if (closed) {
      return;
    }
    if (live) {
      erase();
      drawn = panel.lines(scene);
      drawn.forEach(out::println);
      out.flush();
      return;
    }
    String line = Panel.line(scene.members());
    if (!line.equals(lastLine)) {
      lastLine = line;
      print("  " + line);
    }
  }

  /** Takes the panel away. */
  synchronized void clear() {
    erase();
    out.flush();
  }

  /** The last line; nothing is shown after it. */
  synchronized void close(String text) {
    if (!closed) {
      erase();
      if (!text.isEmpty()) {
        out.println(stamped(text));
      }
      out.flush();
      closed = true;
    }
  }

  private void print(String line) {
    if (closed) {
      return;
    }
    List<String> panelLines = drawn;
    erase();
    out.println(stamped(line));
    panelLines.forEach(out::println);
    drawn = panelLines;
    out.flush();
  }

  private String stamped(String line) {
    return live || line.isEmpty() ? line : LocalTime.now(clock).format(TIME) + "  " + line;
  }

  private void erase() {
    if (!drawn.isEmpty()) {
      out.print("\u001b[" + drawn.size() + "A\r\u001b[J");
      drawn = List.of();
    }
  }
}
