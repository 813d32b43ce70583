package dev.belay.e2e;

import dev.belay.demo.Await;
import dev.belay.demo.Ledger;
import dev.belay.demo.WriteLoad;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** A client that adds entries nobody added before, and in the end reads all of them. */
final class TallyLoad implements AutoCloseable {

  private static final int WRITERS = 4;

  private final TallyCluster tally;
  private final List<URI> endpoints;
  private final Ledger ledger = new Ledger();
  private final AtomicLong next = new AtomicLong();
  private final List<Thread> writers = new ArrayList<>();
  private volatile boolean stopped;

  TallyLoad(TallyCluster tally) {
    this.tally = tally;
    this.endpoints = List.copyOf(tally.members().values());
    for (int i = 0; i < WRITERS; i++) {
      int first = i;
      writers.add(Thread.ofVirtual().start(() -> write(first)));
    }
  }

  private void write(int first) {
    int at = first;
    while (!stopped) {
      String entry = "entry-" + next.incrementAndGet();
      try {
        boolean taken = tally.post(endpoints.get(at % 3), "/entries", entry).statusCode() == 200;
        if (taken) {
          ledger.acknowledge(entry, entry, System.nanoTime());
        } else {
          ledger.fail();
          at++;
        }
        Thread.sleep(taken ? 60 : 10);
      } catch (IOException silent) {
        ledger.fail();
        at++;
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  WriteLoad.Figures figures() {
    return ledger.figures(System.nanoTime());
  }

  /** Stops and reads every entry back; what was acknowledged and is not there is lost. */
  WriteLoad.Verdict verify() throws InterruptedException {
    stopped = true;
    for (Thread writer : writers) {
      writer.join();
    }
    Map<String, String> found = new HashMap<>();
    Await.until(
        "a leader lists the entries",
        Arena.LIMIT,
        () -> endpoints.stream().anyMatch(e -> read(e, found)),
        () -> "nobody does");
    return ledger.judge(found);
  }

  private boolean read(URI member, Map<String, String> found) {
    try {
      HttpResponse<String> answer = tally.get(member, "/entries");
      if (answer.statusCode() != 200) {
        return false;
      }
      answer.body().lines().forEach(line -> found.put(line, line));
      return true;
    } catch (IOException silent) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    stopped = true;
    writers.forEach(Thread::interrupt);
  }
}
