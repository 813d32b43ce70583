package dev.belay.drivers.etcd;

import dev.belay.drivers.wire.Reply;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Picks a few metrics without labels out of a long page, line by line. */
final class Metrics {

  /** How many raft snapshots this process has saved. */
  static final String SNAPSHOTS_SAVED = "etcd_debugging_snap_save_total_duration_seconds_count";

  /** When this process started, in seconds since 1970. */
  static final String PROCESS_START = "process_start_time_seconds";

  /** etcd's page has about 180 kB; a page this long is not etcd's. */
  static final int LIMIT = 8 << 20;

  private Metrics() {}

  static Reply<Map<String, String>> read(InputStream in, Set<String> names) throws IOException {
    var found = new HashMap<String, String>();
    var limited = new Limited(in, LIMIT);
    var lines = new BufferedReader(new InputStreamReader(limited, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      int space = line.indexOf(' ');
      if (space > 0 && names.contains(line.substring(0, space))) {
        found.put(line.substring(0, space), line.substring(space + 1).strip());
      }
      if (found.size() == names.size()) {
        return new Reply.Ok<>(found);
      }
    }
    return limited.spent()
        ? new Reply.Failed<>("answers with more than " + LIMIT / 1024 + " KiB of metrics")
        : new Reply.Ok<>(found);
  }

  /** A stream that ends early rather than never. */
  private static final class Limited extends InputStream {
    private final InputStream in;
    private int left;

    Limited(InputStream in, int limit) {
      this.in = in;
      this.left = limit;
    }

    boolean spent() {
      return left <= 0;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      if (left <= 0) {
        return -1;
      }
      int n = in.read(into, offset, Math.min(length, left));
      left -= Math.max(n, 0);
      return n;
    }
  }
}
