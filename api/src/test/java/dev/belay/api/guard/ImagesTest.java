package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No manifest names an image that a stranger could publish. */
class ImagesTest {

  private static final List<Path> FOLDERS =
      List.of(Path.of("../deploy"), Path.of("../examples"), Path.of("../demo/manifests"));

  /**
   * Docker Hub's library, to which Docker alone publishes; the sandbox has its own images by most
   * of these names.
   */
  private static final Set<String> WELL_KNOWN =
      Set.of(
          "bookkeeper",
          "etcd",
          "mariadb",
          "mysql",
          "pd",
          "pravega",
          "tally",
          "tikv-stand-in",
          "zookeeper");

  /** RFC 2606 and RFC 6761: nobody can register a name below these. */
  private static final Pattern RESERVED =
      Pattern.compile("[a-z0-9.-]+\\.(invalid|example|test)(:[0-9]+)?/.+");

  private static final Pattern IMAGE =
      Pattern.compile("(?<![\\w.])\"?image\"?:[ \\t]*[\"']?([^\\s\"',}]+)");

  @Test
  void every_image_is_well_known_or_in_a_reserved_domain() {
    List<String> images = FOLDERS.stream().flatMap(ImagesTest::images).toList();
    assertThat(images).hasSizeGreaterThan(20).allMatch(ImagesTest::safe);
  }

  @Test
  void the_operator_has_an_image_that_cannot_be_pulled() {
    assertThat(images(Path.of("../deploy")))
        .singleElement()
        .asString()
        .startsWith("belay.invalid/operator:");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "belay/operator:0.1.0",
        "operator:0.1.0",
        "docker.io/belay/operator",
        "belay.invalid.example.com/operator",
        "belay.invalid",
        "quay.io/invalid/operator",
        "someone/etcd:3.5.35"
      })
  void a_name_that_a_stranger_could_own_is_found(String image) {
    assertThat(safe(image)).isFalse();
  }

  private static boolean safe(String image) {
    return WELL_KNOWN.contains(image.replaceFirst("[:@].*", ""))
        || RESERVED.matcher(image).matches();
  }

  private static Stream<String> images(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(f -> f.toString().matches(".*\\.(yaml|yml|json)")).toList().stream()
          .flatMap(ImagesTest::imagesOf);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<String> imagesOf(Path file) {
    try {
      return IMAGE.matcher(Files.readString(file)).results().map(m -> m.group(1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
