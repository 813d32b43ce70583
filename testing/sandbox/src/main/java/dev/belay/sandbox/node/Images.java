package dev.belay.sandbox.node;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Images are folders: {@code example/db:1.2} is {@code example/db/1.2} with an entrypoint. */
record Images(Path folder) {

  /** The folder of an image that is there, complete. */
  Optional<Path> find(String image) {
    Path found = folder.resolve(relative(image)).normalize();
    // A name with dots in it must not lead out of the images.
    return found.startsWith(folder.normalize()) && Files.isDirectory(found)
        ? Optional.of(found)
        : Optional.empty();
  }

  static String relative(String image) {
    int slash = image.lastIndexOf('/');
    int colon = image.lastIndexOf(':');
    return colon > slash
        ? image.substring(0, colon) + "/" + image.substring(colon + 1)
        : image + "/latest";
  }
}
