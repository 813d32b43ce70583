package dev.belay.cli;

import dev.belay.cli.Changes.Change;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Shows changes until the process is stopped or nobody reads any more. */
record Watching(Clusters clusters, Changes changes, Terminal terminal, Clock clock) {

  /** What is on the screen. */
  interface View {
    List<Line> lines(List<Cluster> shown, Instant now);
  }

  /** Ages go on while nothing else happens. */
  private static final Duration TICK = Duration.ofSeconds(1);

  void redraw(View view) throws InterruptedException {
    var shown = new TreeMap<String, Cluster>();
    var frame = new Frame(terminal);
    while (!terminal.out().checkError()) {
      Optional<Change> next = changes.next(TICK);
      // Everything that came at once is one redraw.
      while (next.isPresent()) {
        apply(shown, next.get());
        next = changes.next(Duration.ZERO);
      }
      frame.draw(view.lines(List.copyOf(shown.values()), clock.instant()));
    }
  }

  void lines(ChangeView view) throws InterruptedException {
    Map<String, String> last = new HashMap<>();
    while (!terminal.out().checkError()) {
      Optional<Change> next = changes.next(TICK);
      if (next.isPresent()) {
        String line =
            switch (next.get()) {
              case Change.Seen(var raw) -> view.line(clusters.read(raw));
              case Change.Gone(var raw) -> view.gone(clusters.read(raw));
            };
        if (!line.equals(last.put(key(next.get()), line))) {
          terminal.out().println(clock.instant().truncatedTo(ChronoUnit.SECONDS) + "  " + line);
        }
      }
    }
  }

  void documents(Format format) throws InterruptedException {
    while (!terminal.out().checkError()) {
      Optional<Change> next = changes.next(TICK);
      if (next.orElse(null) instanceof Change.Seen(var raw)) {
        raw.getMetadata().setManagedFields(List.of());
        terminal.out().println(clusters.document(format, raw).stripTrailing());
      }
    }
  }

  private void apply(Map<String, Cluster> shown, Change change) {
    switch (change) {
      case Change.Seen(var raw) -> shown.put(key(change), clusters.read(raw));
      case Change.Gone _ -> shown.remove(key(change));
    }
  }

  private static String key(Change change) {
    var meta = change.raw().getMetadata();
    return meta.getNamespace() + "/" + meta.getName();
  }
}
