package dev.belay.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VersionTest {

  @ParameterizedTest
  @CsvSource({
    "3.6.16, 3.7.3, true",
    "3.9, 3.10, true",
    "3.6, 3.6.0, false",
    "v3.6.16, 3.6.16, false",
    "3.6.1-debian-12-r3, 3.6.1-debian-12-r9, false",
    "4, 3.9.9, false",
    "8.0.36-rc1, 8.0.37, true",
  })
  void only_the_numbers_are_ordered(String a, String b, boolean older) {
    assertThat(version(a).olderThan(version(b))).isEqualTo(older);
  }

  @Test
  void the_same_numbers_with_another_suffix_are_a_rebuild() {
    assertThat(version("3.6.1-debian-12-r3").sameNumbers(version("v3.6.1"))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "latest",
        "v",
        "3..6",
        ".3",
        "3.6.",
        "-3.6",
        "3.６",
        "99999999999.1",
        "3.6 ",
        "\n3"
      })
  void what_is_no_version_is_refused(String text) {
    assertThat(Version.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "etcd:3.6.16, 3.6.16",
    "registry:5000/etcd:v3.6.16, v3.6.16",
    "quay.example/a/etcd:3.6.16@sha256:aa, 3.6.16",
  })
  void the_version_of_an_image_is_in_its_tag(String image, String version) {
    assertThat(Version.ofImage(image).map(Version::text)).contains(version);
  }

  @ParameterizedTest
  @ValueSource(strings = {"etcd", "registry:5000/etcd", "etcd:latest", "etcd@sha256:3aa", ""})
  void an_image_without_a_version_has_none(String image) {
    assertThat(Version.ofImage(image)).isEmpty();
  }

  @Test
  void a_missing_number_counts_as_zero() {
    assertThat(List.of(version("3").number(0), version("3").number(1))).containsExactly(3, 0);
  }

  private static Version version(String text) {
    return Version.parse(text).orElseThrow();
  }
}
