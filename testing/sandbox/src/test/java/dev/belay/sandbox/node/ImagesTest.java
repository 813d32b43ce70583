package dev.belay.sandbox.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ImagesTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "example/db:1.2, example/db/1.2",
    "db, db/latest",
    "localhost:5000/db, localhost:5000/db/latest",
    "localhost:5000/a/db:3, localhost:5000/a/db/3"
  })
  void an_image_is_a_folder(String image, String relative) {
    assertThat(Images.relative(image)).isEqualTo(relative);
  }

  @Test
  void no_name_leads_out_of_the_images() throws Exception {
    Path images = Files.createDirectories(folder.resolve("images"));
    Files.createDirectories(folder.resolve("secret/1"));
    assertThat(new Images(images).find("../secret:1")).isEmpty();
  }
}
