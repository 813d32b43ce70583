package dev.belay.e2e;

import dev.belay.demo.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** examples/etcd.yaml, for another number of members. */
final class EtcdManifest {

  private EtcdManifest() {}

  static String of(Repository repository, int members, String spec) {
    String peers =
        IntStream.range(0, members)
            .mapToObj("etcd-%1$d=http://etcd-%1$d.etcd.$(NAMESPACE).svc:2380"::formatted)
            .collect(Collectors.joining(","));
    try {
      return Files.readString(repository.root().resolve("examples/etcd.yaml"))
          .replaceFirst("(?m)^  replicas: 3$", "  replicas: " + members + "\n  " + spec)
          .replaceFirst("--initial-cluster=\\S+", "--initial-cluster=" + quoted(peers));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String quoted(String replacement) {
    return Matcher.quoteReplacement(replacement);
  }
}
