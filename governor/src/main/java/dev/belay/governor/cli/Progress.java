package dev.belay.governor.cli;

import dev.belay.governor.jdbc.Watcher;
import dev.belay.governor.queue.Effect;
import dev.belay.governor.queue.Event;
import java.time.Duration;

/** One line per operation, and a sign of life while a long one runs. */
final class Progress implements Watcher {

  private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(10);

  private final Printer printer;
  private volatile String running = "";
  private volatile long since;

  Progress(Printer printer) {
    this.printer = printer;
    Thread.ofVirtual().start(this::signsOfLife);
  }

  @Override
  public void before(Effect effect) {
    String what =
        switch (effect) {
          case Effect.ApplyAtHome e -> e.op().ticket().toString();
          case Effect.Prepare e -> e.op().ticket() + " on " + e.master();
          case Effect.Apply e ->
              e.op().ticket()
                  + " statement "
                  + (e.statement() + 1)
                  + " of "
                  + e.op().statements()
                  + " on "
                  + e.master();
          default -> "";
        };
    since = System.nanoTime();
    running = what;
  }

  @Override
  public void after(Effect effect, Event event) {
    running = "";
    boolean done = event instanceof Event.Done;
    switch (effect) {
      case Effect.CommitAtHome e when done -> say(e.op().id(), e.settled() ? "done" : "decided");
      case Effect.RecordDone e when done -> say(e.op().id(), e.settled() ? "done" : "decided");
      case Effect.RecordSettled e when done -> say(e.op().id(), "settled everywhere");
      case Effect.RecordFailure e when done -> say(e.op().id(), "failed");
      case Effect.Tell e when done ->
          printer.say(
              e.ticket() + (e.commit() ? " committed" : " taken back") + " on " + e.master(),
              "id",
              e.ticket().id(),
              "master",
              e.master(),
              "commit",
              e.commit());
      default -> {}
    }
  }

  private void say(long id, String status) {
    printer.say("operation " + id + " " + status, "id", id, "status", status);
  }

  private void signsOfLife() {
    try {
      while (true) {
        Thread.sleep(SIGN_OF_LIFE);
        String what = running;
        long seconds = Duration.ofNanos(System.nanoTime() - since).toSeconds();
        if (!what.isEmpty() && seconds >= SIGN_OF_LIFE.toSeconds()) {
          printer.say(
              what + " has been running for " + seconds + " s",
              "running",
              what,
              "seconds",
              seconds);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
