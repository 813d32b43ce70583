package dev.belay.operator.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HandoverIT compares the same texts with a real API server. */
class SelectorTest {

  private static final Map<String, String> LABELS =
      Map.of("by", "v1", "env", "prod", "disks", "4", "empty", "", "example.com/tier", "gold");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "by=v1",
        "by==v1",
        " by = v1 , env = prod ",
        "by!=v2",
        "missing!=v2",
        "by in (v0,v1)",
        "by in ( v1 )",
        "env notin (test,dev)",
        "missing notin (a)",
        "by",
        "!missing",
        "disks>3",
        "disks<5",
        "empty=",
        "empty in (,)",
        "empty in ()",
        "example.com/tier=gold",
        "by in (v1),!missing,env"
      })
  void matches(String selector) {
    assertThat(Selector.parse(selector).matches(LABELS)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "by=v2",
        "by!=v1",
        "by in (v2)",
        "env notin (prod)",
        "missing",
        "!by",
        "disks>4",
        "by>3",
        "missing<5",
        "by=",
        "by=v1,env=test"
      })
  void does_not_match(String selector) {
    assertThat(Selector.parse(selector).matches(LABELS)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "by=v1=v2            | character 6",
        "=v1                 | character 1",
        "by in v1            | character 7",
        "by in (v1           | expected ',' or ')'",
        "by,,env             | character 4",
        "disks>many          | 'many' is not a whole number",
        "by=v1;env=prod      | is not a label value",
        "Example.com/x=y     | lower-case DNS name",
        "by=größe            | is not a label value",
        "by in (a b)         | separate values",
        "by v1               | character 4",
        "!by=v1              | character 4",
      })
  void says_where_the_mistake_is_and_how_to_correct_it(String selector, String words) {
    assertThatThrownBy(() -> Selector.parse(selector))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("selector '" + selector + "': ")
        .hasMessageContaining(words)
        .hasMessageContaining("; fix: ");
  }

  @Test
  void refuses_a_value_that_is_too_long() {
    assertThatThrownBy(() -> Selector.parse("by=" + "x".repeat(64)))
        .hasMessageContaining("64 characters")
        .hasMessageContaining("use at most 63 characters");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                                        | ''",
        "tier=gold                                 | tier",
        "tier==gold,env!=test                      | env tier",
        "'tier in (gold, silver),!legacy'          | legacy tier",
        "' a.example/tier notin (x,y) , canary '   | a.example/tier canary",
        "canary,canary=yes                         | canary",
      })
  void names_each_key_once_in_order(String selector, String keys) {
    assertThat(String.join(" ", Selector.parse(selector).keys())).isEqualTo(keys);
  }
}
