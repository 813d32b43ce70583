package dev.belay.operator.migrations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Ledger;
import dev.belay.governor.Standing;
import dev.belay.governor.files.Migration.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LedgersTest {

  private static final Instant NOW = Instant.parse("2030-01-01T00:05:00Z");

  private static final Standing.Known KNOWN =
      new Standing.Known(
          List.of(
              operation(1, "2.0.1", Optional.of(Phase.EXPAND), Standing.Status.PENDING),
              operation(2, "", Optional.empty(), Standing.Status.FAILED)),
          Optional.of(new Standing.Floor(1, Optional.of("2.0.1"), "add")),
          Optional.of("changed"),
          Optional.of(
              new Standing.Holder(
                  "somebody", Optional.of(Duration.ofMinutes(5)), false, "KILL CONNECTION 7")),
          Optional.of(new Standing.Denied("no", "GRANT ALL")));

  @Test
  void what_this_process_carries_out_runs_although_the_database_does_not_show_it_yet() {
    Ledger ledger = ledger("2.0.1");
    assertThat(ledger.holder()).contains(Ledger.Holder.working("this operator"));
    assertThat(ledger.operation("2.0.1").orElseThrow().status()).isEqualTo(Ledger.Status.RUNNING);
  }

  @Test
  void otherwise_it_is_as_the_database_says() {
    Ledger ledger = ledger("");
    Ledger.Holder holder = ledger.holder().orElseThrow();
    assertThat(holder.idleSince()).isEqualTo(Fact.known(Optional.of(NOW.minusSeconds(300))));
    assertThat(holder.doing(NOW)).contains("somebody", "done nothing since 2030-01-01T00:00:00Z");
    assertThat(holder.cure()).endsWith(": KILL CONNECTION 7");
    assertThat(ledger.denied()).contains(new Ledger.Denied("no", "GRANT ALL", false));
    assertThat(ledger.misfit()).isEqualTo("changed");
    assertThat(ledger.operation("2.0.1").orElseThrow().status()).isEqualTo(Ledger.Status.PENDING);
    assertThat(ledger.operation("#2").orElseThrow().custom()).isTrue();
    assertThat(ledger.closed()).contains(new Ledger.Closed("2.0.1", "migration 2.0.1 (add)"));
  }

  @Test
  void a_database_that_does_not_answer_says_nothing() {
    assertThat(of(new Standing.Unknown("gone"), "")).isEqualTo(Fact.unknown("gone"));
  }

  @Test
  void a_queue_that_nobody_may_read_is_not_an_empty_one() {
    Ledger ledger =
        of(new Standing.Unread(new Standing.Denied("no", "GRANT ALL")), "")
            .asOptional()
            .orElseThrow();
    assertThat(ledger.isRead()).isFalse();
  }

  @Test
  void one_whose_work_is_hidden_may_be_left_over() {
    var hidden = new Standing.Holder("somebody", Optional.empty(), true, "KILL CONNECTION 7");
    Ledger ledger =
        of(
                new Standing.Known(
                    List.of(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(hidden),
                    Optional.empty()),
                "")
            .asOptional()
            .orElseThrow();
    assertThat(ledger.holder().orElseThrow().mayBeLeftOver(NOW)).isTrue();
    assertThat(Ledger.Holder.working("somebody").mayBeLeftOver(NOW)).isFalse();
  }

  private static Fact<Ledger> of(Standing standing, String current) {
    return Ledgers.of(standing, NOW, current, Optional.empty(), Optional.empty());
  }

  private static Ledger ledger(String current) {
    return of(KNOWN, current).asOptional().orElseThrow();
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
