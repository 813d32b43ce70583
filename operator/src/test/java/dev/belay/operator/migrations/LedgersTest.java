package dev.belay.operator.migrations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Ledger;
import dev.belay.governor.Standing;
import dev.belay.governor.files.Migration.Phase;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LedgersTest {

  private static final Standing.Known KNOWN =
      new Standing.Known(
          List.of(
              operation(1, "2.0.1", Optional.of(Phase.EXPAND), Standing.Status.PENDING),
              operation(2, "", Optional.empty(), Standing.Status.FAILED)),
          Optional.of(new Standing.Floor(1, Optional.of("2.0.1"), "add")),
          Optional.of("changed"),
          Optional.of("somebody"));

  @Test
  void what_this_process_carries_out_runs_although_the_database_does_not_show_it_yet() {
    Ledger ledger = ledger("2.0.1");
    assertThat(ledger.atWork()).isEqualTo("this operator");
    assertThat(ledger.operation("2.0.1").orElseThrow().status()).isEqualTo(Ledger.Status.RUNNING);
  }

  @Test
  void otherwise_it_is_as_the_database_says() {
    Ledger ledger = ledger("");
    assertThat(ledger.atWork()).isEqualTo("somebody");
    assertThat(ledger.misfit()).isEqualTo("changed");
    assertThat(ledger.operation("2.0.1").orElseThrow().status()).isEqualTo(Ledger.Status.PENDING);
    assertThat(ledger.operation("#2").orElseThrow().custom()).isTrue();
    assertThat(ledger.closed()).contains(new Ledger.Closed("2.0.1", "migration 2.0.1 (add)"));
  }

  @Test
  void a_database_that_does_not_answer_says_nothing() {
    assertThat(Ledgers.of(new Standing.Unknown("gone"), "", Optional.empty(), Optional.empty()))
        .isEqualTo(Fact.unknown("gone"));
  }

  private static Ledger ledger(String current) {
    return Ledgers.of(KNOWN, current, Optional.empty(), Optional.empty())
        .asOptional()
        .orElseThrow();
  }

  private static Standing.Operation operation(
      long id, String version, Optional<Phase> phase, Standing.Status status) {
    return new Standing.Operation(
        id,
        Optional.of(version).filter(v -> !v.isEmpty()),
        "add",
        phase,
        status,
        "",
        true,
        false,
        1);
  }
}
