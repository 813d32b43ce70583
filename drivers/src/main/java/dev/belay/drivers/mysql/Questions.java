package dev.belay.drivers.mysql;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What one server is asked in a look, and nothing of it needs more than the right to look. */
final class Questions {

  static final String VERSION = "SELECT VERSION() AS version";

  private static final String MARIADB_SETTINGS =
      "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('server_id', 'log_bin', 'log_slave_updates',"
          + " 'gtid_binlog_pos', 'gtid_slave_pos', 'gtid_binlog_state',"
          + " 'rpl_semi_sync_master_enabled', 'rpl_semi_sync_master_timeout',"
          + " 'rpl_semi_sync_slave_enabled')";

  private static final String MYSQL_SETTINGS =
      "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('server_uuid', 'log_bin', 'gtid_mode',"
          + " 'log_replica_updates', 'log_slave_updates', 'gtid_executed',"
          + " 'rpl_semi_sync_source_enabled', 'rpl_semi_sync_source_timeout',"
          + " 'rpl_semi_sync_source_wait_for_replica_count', 'rpl_semi_sync_replica_enabled',"
          + " 'rpl_semi_sync_master_enabled', 'rpl_semi_sync_master_timeout',"
          + " 'rpl_semi_sync_master_wait_for_slave_count', 'rpl_semi_sync_slave_enabled')";

  /** What is switched on while replication runs holds only when it starts the next time. */
  private static final String CONFIRMS =
      "SHOW GLOBAL STATUS WHERE Variable_name IN ('Rpl_semi_sync_slave_status',"
          + " 'Rpl_semi_sync_replica_status')";

  private Questions() {}

  /** The questions to a server of this family, by the names their answers are kept under. */
  static Map<String, String> of(Flavor flavor) {
    var questions = new TreeMap<String, String>();
    switch (flavor) {
      case MARIADB -> {
        // The positions are asked for after the flag: those of a server that was read-only before
        // are final.
        questions.put("1-read-only", "SELECT @@GLOBAL.read_only AS read_only");
        questions.put("2-settings", MARIADB_SETTINGS);
        questions.put(
            "3-origin",
            "SELECT GLOBAL_VALUE AS value, GLOBAL_VALUE_ORIGIN AS origin FROM"
                + " information_schema.SYSTEM_VARIABLES WHERE VARIABLE_NAME = 'READ_ONLY'");
        questions.put("4-replication", "SHOW ALL SLAVES STATUS");
        questions.put("5-confirms", CONFIRMS);
      }
      case MYSQL -> {
        questions.put(
            "1-read-only",
            "SELECT @@GLOBAL.read_only AS read_only, @@GLOBAL.super_read_only AS super_read_only");
        questions.put("2-settings", MYSQL_SETTINGS);
        questions.put(
            "3-origin",
            "SELECT VARIABLE_NAME AS name, VARIABLE_SOURCE AS origin FROM"
                + " performance_schema.variables_info WHERE VARIABLE_NAME IN ('read_only',"
                + " 'super_read_only')");
        questions.put("4-replication", "SHOW REPLICA STATUS");
        questions.put("5-confirms", CONFIRMS);
      }
    }
    return questions;
  }

  /** All answers of one server, as they came. */
  static Map<String, List<Map<String, String>>> ask(Session session) throws SQLException {
    var answers = new TreeMap<String, List<Map<String, String>>>();
    List<Map<String, String>> version = session.ask(VERSION);
    answers.put("0-version", version);
    String text = version.isEmpty() ? "" : version.getFirst().getOrDefault("version", "");
    for (var question : of(Flavor.of(text)).entrySet()) {
      answers.put(question.getKey(), session.ask(question.getValue()));
    }
    return answers;
  }
}
