package dev.belay.drivers.mysql;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Topology;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.wire.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Servers that replay what real ones answered, question by question, until a test changes a word of
 * it; and that write down what they are told.
 */
final class Recorded implements Session.Door {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<String, Map<String, List<Map<String, String>>>> answers = new TreeMap<>();
  private Map<String, String> replica = Map.of();
  private final Set<String> silent = new HashSet<>();
  private final Set<String> dead = new HashSet<>();
  private final Map<String, SQLException> broken = new HashMap<>();

  /** What they were told, as in "mysql-0: STOP SLAVE"; questions are not in it. */
  final List<String> told = new CopyOnWriteArrayList<>();

  final MysqlDriver driver = new MysqlDriver(DriverConfig.PLAIN, this);

  static Recorded of(String folder, int size) {
    var recorded = new Recorded();
    for (int i = 0; i < size; i++) {
      String file = "/mysql/" + folder + "/mysql-" + i + ".json";
      try (InputStream in = Recorded.class.getResourceAsStream(file)) {
        recorded.answers.put("mysql-" + i, JSON.readValue(in, new TypeReference<>() {}));
      } catch (IOException e) {
        throw new UncheckedIOException(file, e);
      }
    }
    recorded.replica = recorded.rows(size - 1, "4-replication").getFirst();
    return recorded;
  }

  /** Writes down what a real server answers now. */
  static void write(Session session, Path file) throws SQLException, IOException {
    Files.createDirectories(file.getParent());
    var sorted = new TreeMap<String, List<Map<String, String>>>();
    Questions.ask(session)
        .forEach((name, rows) ->
            sorted.put(name, rows.stream().<Map<String, String>>map(TreeMap::new).toList()));
    JSON.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), sorted);
  }

  List<Seat> seats() {
    return answers.keySet().stream()
        .map(name -> new Seat(name, name, URI.create("http://" + name + ".mysql.default.svc:3306")))
        .toList();
  }

  Fact<Topology> observe() {
    return driver.observe(seats(), Duration.ofSeconds(10));
  }

  Topology look() {
    return observe().asOptional().orElseThrow();
  }

  /** One word of one answer is another. */
  Recorded set(int server, String question, String column, String value) {
    var row = new HashMap<>(answers.get("mysql-" + server).get(question).getFirst());
    row.put(column, value);
    return rows(server, question, List.of(row));
  }

  Recorded without(int server, String question, String column) {
    var row = new HashMap<>(answers.get("mysql-" + server).get(question).getFirst());
    row.remove(column);
    return rows(server, question, List.of(row));
  }

  /** One of its settings is another. */
  Recorded setting(int server, String name, String value) {
    List<Map<String, String>> rows = new ArrayList<>();
    for (Map<String, String> row : answers.get("mysql-" + server).get("2-settings")) {
      rows.add(
          row.get("variable_name").equalsIgnoreCase(name)
              ? Map.of("variable_name", name, "value", value)
              : row);
    }
    return rows(server, "2-settings", rows);
  }

  Recorded rows(int server, String question, List<Map<String, String>> rows) {
    answers.get("mysql-" + server).put(question, rows);
    return this;
  }

  List<Map<String, String>> rows(int server, String question) {
    return answers.get("mysql-" + server).get(question);
  }

  Recorded readOnly(int server, boolean readOnly) {
    return set(server, "1-read-only", "read_only", readOnly ? "1" : "0");
  }

  /** It replicates from nobody. */
  Recorded free(int server) {
    return rows(server, "4-replication", List.of());
  }

  Recorded follows(int server, int source) {
    boolean mysql = replica.containsKey("source_host");
    String host = "mysql-" + source + ".mysql.default.svc";
    var row = new HashMap<>(replica);
    row.put(mysql ? "source_host" : "master_host", host);
    row.put(mysql ? "source_uuid" : "master_server_id", "");
    return rows(server, "4-replication", List.of(row));
  }

  Recorded stopped(int server) {
    return set(server, "4-replication", "slave_io_running", "No")
        .set(server, "4-replication", "slave_sql_running", "No");
  }

  /** Whether the replication that runs confirms what it receives. */
  Recorded confirms(int server, boolean confirms) {
    return set(server, "5-confirms", "value", confirms ? "ON" : "OFF");
  }

  Recorded silent(int server) {
    silent.add("mysql-" + server);
    return this;
  }

  Recorded dead(int server) {
    dead.add("mysql-" + server);
    return this;
  }

  Recorded back(int server) {
    silent.remove("mysql-" + server);
    dead.remove("mysql-" + server);
    return this;
  }

  /** Whatever it is asked, it answers that. */
  Recorded broken(int server, SQLException error) {
    broken.put("mysql-" + server, error);
    return this;
  }

  @Override
  public Session open(Seat seat, Deadline deadline) throws SQLException {
    if (dead.contains(seat.pod())) {
      throw new SQLException("no", "08000", new ConnectException("Connection refused"));
    }
    if (silent.contains(seat.pod())) {
      throw new SQLException("no", "08000", new SocketTimeoutException("Read timed out"));
    }
    return new Replay(seat.pod());
  }

  private final class Replay implements Session {
    private final String name;

    Replay(String name) {
      this.name = name;
    }

    @Override
    public List<Map<String, String>> ask(String sql) throws SQLException {
      SQLException error = broken.get(name);
      if (error != null) {
        throw error;
      }
      if (sql.equals(Conference.LOCK)) {
        return List.of(Map.of("got", "1"));
      }
      if (sql.contains("GTID_WAIT(") || sql.contains("WAIT_FOR")) {
        told.add(name + ": " + sql);
        return List.of(Map.of("waited", "0"));
      }
      if (sql.equals(Questions.VERSION)) {
        return answers.get(name).get("0-version");
      }
      for (Flavor flavor : Flavor.values()) {
        for (var question : Questions.of(flavor).entrySet()) {
          if (question.getValue().equals(sql)) {
            return answers.get(name).get(question.getKey());
          }
        }
      }
      throw new SQLException("nobody expected " + sql);
    }

    @Override
    public void run(String sql) {
      told.add(name + ": " + sql);
    }

    @Override
    public void close() {}
  }
}
