package dev.belay.demo;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** The checkout this code runs from: manifests, examples and the programs in bin. */
public record Repository(Path root) {

  /** Found from where the classes lie, so that the working directory does not matter. */
  public static Repository find() {
    Path from = classes();
    return Stream.iterate(Optional.of(from), Optional::isPresent, p -> p.map(Path::getParent))
        .flatMap(Optional::stream)
        .filter(p -> Files.exists(p.resolve("deploy/shared/crd.yaml")))
        .filter(p -> Files.exists(p.resolve("bin/belay-operator")))
        .findFirst()
        .map(Repository::new)
        .orElseThrow(() ->
            new DemoException(
                "the demonstration does not find deploy/, examples/ and bin/",
                "they are in no folder above " + from,
                "run bin/belay-demo of a checkout of Belay"));
  }

  private static Path classes() {
    try {
      return Path.of(Repository.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A file or folder of the checkout, which must be there. */
  public Path file(String name) {
    Path file = root.resolve(name);
    if (!Files.exists(file)) {
      throw new DemoException(
          name + " is missing", "there is no " + file, "restore it: git checkout -- " + name);
    }
    return file;
  }
}
