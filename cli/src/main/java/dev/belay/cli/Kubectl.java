package dev.belay.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Writes commands that can be copied and run.
 *
 * @param connection the options by which this run found its cluster, so that the copy finds it too
 */
record Kubectl(List<String> connection) {

  Kubectl {
    connection = List.copyOf(connection);
  }

  String approve(Cluster cluster) {
    var words = new ArrayList<>(List.of("kubectl"));
    words.addAll(connection);
    words.addAll(List.of("-n", cluster.namespace(), "patch", "stc", cluster.name()));
    words.addAll(List.of("--type=merge", "-p"));
    words.add("{\"spec\":{\"requests\":{\"approve\":\"" + cluster.waitingFor() + "\"}}}");
    return words.stream().map(Kubectl::quoted).collect(Collectors.joining(" "));
  }

  private static String quoted(String word) {
    return word.matches("[-A-Za-z0-9_=./:@,+]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
