package dev.belay.drivers.mysql;

import dev.belay.core.model.Fact;
import dev.belay.drivers.mysql.Server.Channel;
import dev.belay.drivers.mysql.Server.SemiSync;
import dev.belay.drivers.mysql.Server.SemiSync.Words;
import dev.belay.drivers.wire.Malformed;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** A server's answers as types. What is missing, or of another kind, is malformed. */
final class Answers {

  private static final Pattern VERSION = Pattern.compile("(\\d+\\.\\d+(?:\\.\\d+)?).*");

  /** A source's error for a user or a password it does not know. */
  private static final String NOT_LET_IN = "1045";

  /** Where a setting comes from that was neither left alone nor changed since the start. */
  private static final Set<String> CONFIGURED = Set.of("CONFIG", "COMMAND-LINE", "ENV", "AUTO");

  private Answers() {}

  static Fact<Server> server(Map<String, List<Map<String, String>>> answers) {
    try {
      return Fact.known(read(answers));
    } catch (Malformed e) {
      return Fact.unknown("malformed answer: " + e.getMessage());
    }
  }

  private static Server read(Map<String, List<Map<String, String>>> answers) {
    String banner = field(one(answers, "0-version"), "version");
    var version = VERSION.matcher(banner);
    if (!version.matches()) {
      throw new Malformed("version is \"" + banner + "\"");
    }
    Flavor flavor = Flavor.of(banner);
    Map<String, String> settings = settings(answers);
    return new Server(
        flavor,
        version.group(1),
        id(settings, flavor),
        flag(one(answers, "1-read-only"), "read_only"),
        starts(answers, flavor),
        flag(settings, "log_bin") && logsUpdates(settings),
        gtids(settings, flavor),
        semiSync(settings, confirms(answers)),
        answers.getOrDefault("4-replication", List.of()).stream()
            .map(row -> channel(row, flavor))
            .toList());
  }

  private static String id(Map<String, String> settings, Flavor flavor) {
    String name = flavor == Flavor.MYSQL ? "server_uuid" : "server_id";
    String id = field(settings, name);
    if (id.isBlank() || id.equals("0")) {
      throw new Malformed(name + " is \"" + id + "\"");
    }
    return id.toLowerCase(Locale.ROOT);
  }

  private static boolean logsUpdates(Map<String, String> settings) {
    return flag(
        settings,
        settings.containsKey("log_replica_updates") ? "log_replica_updates" : "log_slave_updates");
  }

  private static Gtids gtids(Map<String, String> settings, Flavor flavor) {
    return switch (flavor) {
      case MARIADB ->
          Gtids.of(
              flavor,
              String.join(
                  ";",
                  field(settings, "gtid_binlog_pos"),
                  field(settings, "gtid_slave_pos"),
                  field(settings, "gtid_binlog_state")));
      case MYSQL -> {
        if (!field(settings, "gtid_mode").equals("ON")) {
          throw new Malformed(
              "gtid_mode is "
                  + field(settings, "gtid_mode")
                  + ", without which nobody can tell who has what; set gtid_mode = ON");
        }
        yield Gtids.of(flavor, field(settings, "gtid_executed"));
      }
    };
  }

  /** What the server would start with, where what it runs with now tells. */
  private static Optional<Boolean> starts(
      Map<String, List<Map<String, String>>> answers, Flavor flavor) {
    boolean readOnly = flag(one(answers, "1-read-only"), "read_only");
    List<Map<String, String>> rows = answers.getOrDefault("3-origin", List.of());
    if (rows.isEmpty()) {
      return Optional.empty();
    }
    List<String> origins = rows.stream().map(r -> r.getOrDefault("origin", "")).toList();
    boolean changed = origins.contains(flavor == Flavor.MARIADB ? "SQL" : "DYNAMIC");
    boolean configured =
        flavor == Flavor.MARIADB
            ? origins.stream().anyMatch(CONFIGURED::contains)
            : origins.stream().anyMatch(o -> !o.equals("COMPILED"));
    return changed ? Optional.empty() : Optional.of(configured && readOnly);
  }

  private static boolean confirms(Map<String, List<Map<String, String>>> answers) {
    return answers.getOrDefault("5-confirms", List.of()).stream()
        .anyMatch(row -> flag(row, "value"));
  }

  private static SemiSync semiSync(Map<String, String> settings, boolean confirms) {
    for (Words words : List.of(Words.SOURCE, Words.MASTER)) {
      boolean primary = settings.containsKey(words.primary + "enabled");
      boolean replica = settings.containsKey(words.replica + "enabled");
      if (primary || replica) {
        String count = words == Words.SOURCE ? "wait_for_replica_count" : "wait_for_slave_count";
        return new SemiSync(
            words,
            primary && flag(settings, words.primary + "enabled"),
            replica && flag(settings, words.replica + "enabled"),
            confirms,
            (int) number(settings.getOrDefault(words.primary + count, "1"), count),
            settings.getOrDefault(words.primary + "timeout", ""));
      }
    }
    return new SemiSync(Words.NONE, false, false, false, 0, "");
  }

  private static Channel channel(Map<String, String> row, Flavor flavor) {
    return switch (flavor) {
      case MARIADB ->
          new Channel(
              field(row, "master_host"),
              (int) number(field(row, "master_port"), "master_port"),
              row.getOrDefault("master_user", ""),
              row.getOrDefault("master_server_id", "").replaceAll("^0$", ""),
              field(row, "slave_io_running").equals("Yes"),
              field(row, "slave_sql_running").equals("Yes"),
              !field(row, "using_gtid").equals("No"),
              lag(row.get("seconds_behind_master")),
              trouble(row));
      case MYSQL ->
          new Channel(
              field(row, "source_host"),
              (int) number(field(row, "source_port"), "source_port"),
              row.getOrDefault("source_user", ""),
              row.getOrDefault("source_uuid", "").toLowerCase(Locale.ROOT),
              field(row, "replica_io_running").equals("Yes"),
              field(row, "replica_sql_running").equals("Yes"),
              field(row, "auto_position").equals("1"),
              lag(row.get("seconds_behind_source")),
              trouble(row));
    };
  }

  /** What the server says against its own replication; the first words are enough for people. */
  private static String trouble(Map<String, String> row) {
    if (row.getOrDefault("last_io_errno", "").equals(NOT_LET_IN)) {
      return "it is not let in there as %s (error %s); after a stop of its replication, CHANGE %s = the password that holds now"
          .formatted(
              row.getOrDefault("master_user", row.getOrDefault("source_user", "")),
              NOT_LET_IN,
              row.containsKey("master_user")
                  ? "MASTER TO MASTER_PASSWORD"
                  : "REPLICATION SOURCE TO SOURCE_PASSWORD");
    }
    String said =
        row.getOrDefault("last_sql_error", "").isEmpty()
            ? row.getOrDefault("last_io_error", "")
            : row.getOrDefault("last_sql_error", "");
    return said.length() > 160 ? said.substring(0, 160) + "…" : said;
  }

  private static Optional<Long> lag(@org.jspecify.annotations.Nullable String text) {
    return text == null ? Optional.empty() : Optional.of(number(text, "seconds behind"));
  }

  private static Map<String, String> settings(Map<String, List<Map<String, String>>> answers) {
    var settings = new HashMap<String, String>();
    for (Map<String, String> row : answers.getOrDefault("2-settings", List.of())) {
      settings.put(
          field(row, "variable_name").toLowerCase(Locale.ROOT), row.getOrDefault("value", ""));
    }
    return settings;
  }

  private static Map<String, String> one(
      Map<String, List<Map<String, String>>> answers, String question) {
    List<Map<String, String>> rows = answers.getOrDefault(question, List.of());
    if (rows.size() != 1) {
      throw new Malformed(question.substring(2) + " has " + rows.size() + " rows");
    }
    return rows.getFirst();
  }

  private static String field(Map<String, String> row, String name) {
    String value = row.get(name);
    if (value == null) {
      throw new Malformed(name + " is missing");
    }
    return value;
  }

  private static boolean flag(Map<String, String> row, String name) {
    return switch (field(row, name).toUpperCase(Locale.ROOT)) {
      case "1", "ON", "TRUE" -> true;
      case "0", "OFF", "FALSE" -> false;
      default -> throw new Malformed(name + " is \"" + row.get(name) + "\", neither on nor off");
    };
  }

  private static long number(String text, String name) {
    if (!text.matches("\\d{1,18}")) {
      throw new Malformed(name + " is \"" + text + "\", no number");
    }
    return Long.parseLong(text);
  }
}
