package dev.belay.e2e;

import dev.belay.demo.Await;
import dev.belay.demo.Ledger;
import dev.belay.demo.WriteLoad;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that insert rows nobody inserted before, wherever it is taken, and in the end read all.
 */
final class MysqlLoad implements AutoCloseable {

  private static final int WRITERS = 4;

  private final List<String> hosts;
  private final Ledger ledger = new Ledger();
  private final AtomicLong next = new AtomicLong();
  private final List<Thread> writers = new ArrayList<>();
  private volatile boolean stopped;

  MysqlLoad(MysqlCluster cluster) {
    this.hosts = cluster.endpoints();
    for (int i = 0; i < WRITERS; i++) {
      writers.add(Thread.ofVirtual().start(this::write));
    }
  }

  private void write() {
    int at = 0;
    while (!stopped) {
      try (Connection c =
              MysqlCluster.connect(hosts.get(at % hosts.size()), "app", "change-me-too");
          Statement s = c.createStatement()) {
        while (!stopped) {
          String row = Long.toString(next.incrementAndGet());
          s.execute("INSERT INTO rows_written VALUES (" + row + ")");
          ledger.acknowledge(row, row, System.nanoTime());
          Thread.sleep(40);
        }
      } catch (SQLException notHere) {
        ledger.fail();
        at++;
        Await.pause(java.time.Duration.ofMillis(10));
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  WriteLoad.Figures figures() {
    return ledger.figures(System.nanoTime());
  }

  /**
   * Stops, and reads every row back from this server; what was acknowledged and is not there is
   * lost.
   */
  WriteLoad.Verdict verify(String host) throws InterruptedException {
    stopped = true;
    for (Thread writer : writers) {
      writer.join();
    }
    Map<String, String> found = new HashMap<>();
    try (Connection c = MysqlCluster.connect(host, "app", "change-me-too");
        Statement s = c.createStatement();
        ResultSet r = s.executeQuery("SELECT id FROM rows_written")) {
      while (r.next()) {
        found.put(r.getString(1), r.getString(1));
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return ledger.judge(found);
  }

  @Override
  public void close() {
    stopped = true;
    writers.forEach(Thread::interrupt);
  }
}
