package dev.belay.operator.marks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SelectorKeysTest {

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
  void finds_each_key_once_in_order(String selector, String keys) {
    assertThat(String.join(" ", SelectorKeys.of(selector))).isEqualTo(keys);
  }
}
