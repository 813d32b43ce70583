package dev.belay.cli;

import dev.belay.api.v1alpha1.StatefulCluster;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** StatefulClusters in every phase, as an operator writes them. */
final class Samples {

  static final Path FOLDER = Path.of("src/test/resources/samples");
  static final Instant NOW = Instant.parse("2026-11-16T10:00:00Z");
  static final Sight SIGHT = new Sight(NOW, Glyphs.UNICODE, new Commands(List.of()));

  private static final KubernetesSerialization YAML = new KubernetesSerialization();

  static List<String> names() {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.map(f -> f.getFileName().toString().replace(".yaml", "")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Cluster read(String name) {
    return parse(text(name));
  }

  static String text(String name) {
    try {
      return Files.readString(FOLDER.resolve(name + ".yaml"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Cluster parse(String yaml) {
    return new Cluster(YAML.unmarshal(yaml, StatefulCluster.class));
  }

  /** A terminal whose words can be read. */
  record Recorder(Terminal terminal, StringWriter out, StringWriter err) {

    static Recorder pipe() {
      var out = new StringWriter();
      var err = new StringWriter();
      return new Recorder(
          new Terminal(
              new PrintWriter(out),
              new PrintWriter(err),
              false,
              false,
              Glyphs.UNICODE,
              () -> Terminal.Size.UNLIMITED),
          out,
          err);
    }

    static Recorder screen(boolean colour, int rows, int columns) {
      var out = new StringWriter();
      var err = new StringWriter();
      return new Recorder(
          new Terminal(
              new PrintWriter(out),
              new PrintWriter(err),
              true,
              colour,
              Glyphs.UNICODE,
              () -> new Terminal.Size(rows, columns)),
          out,
          err);
    }
  }

  private Samples() {}
}
