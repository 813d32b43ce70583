package dev.belay.cli;

import static dev.belay.cli.Cluster.word;

import dev.belay.api.v1alpha1.StatefulClusterStatus.Migrations;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Operation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The migrations of a cluster in one line; nothing where there are none. */
final class Migrating {

  static Optional<String> text(Cluster cluster) {
    return cluster.migrations().map(Migrating::text).filter(t -> !t.isEmpty());
  }

  private static String text(Migrations m) {
    var phases = new LinkedHashMap<String, String>();
    phases.put("expand", word(m.expand()));
    phases.put("finalize", word(m.finalizing()));
    phases.put("contract", word(m.contract()));
    List<String> said =
        phases.entrySet().stream()
            .filter(e -> !e.getValue().isEmpty())
            .map(e -> e.getKey() + " " + e.getValue())
            .toList();
    String all = String.join(", ", said);
    String rest = word(m.trouble()).isEmpty() ? operation(m.operation()) : word(m.trouble());
    return all.isEmpty() || rest.isEmpty() ? all + rest : all + "; " + rest;
  }

  private static String operation(@Nullable Operation o) {
    if (o == null) {
      return "";
    }
    String id = o.id() == null ? "" : " as operation " + o.id();
    String name =
        word(o.version()).isEmpty()
            ? word(o.description())
            : o.version() + " " + word(o.description());
    String text = word(o.text()).isEmpty() ? "" : ": " + o.text();
    return name.strip() + " is " + word(o.status()) + id + text;
  }

  private Migrating() {}
}
