package dev.belay.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Writes commands that can be copied and run.
 *
 * @param connection the options by which this run found its cluster, so that the copy finds it too
 */
record Commands(List<String> connection) {

  Commands {
    connection = List.copyOf(connection);
  }

  /** With the token: what is approved is what was shown, not what waits by the time it is run. */
  String approve(Cluster cluster) {
    return belay("approve", cluster, "--token", cluster.waitingFor());
  }

  String belay(String verb, Cluster cluster, String... more) {
    return command(verb, cluster.name(), cluster.namespace(), more);
  }

  String release(WorkloadRef workload, String namespace, String... more) {
    return command("release", workload.toString(), namespace, more);
  }

  String releaseAll(String namespace, String... more) {
    return command("release", "--all", namespace, more);
  }

  private String command(String verb, String name, String namespace, String... more) {
    var words = new ArrayList<>(List.of("belay"));
    words.addAll(List.of(verb.split(" ")));
    words.addAll(List.of(name, "-n", namespace));
    words.addAll(List.of(more));
    words.addAll(connection);
    return words.stream().map(Commands::quoted).collect(Collectors.joining(" "));
  }

  static String quoted(String word) {
    return word.matches("[-A-Za-z0-9_=./:@,+]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
