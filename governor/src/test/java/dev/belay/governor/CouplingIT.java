package dev.belay.governor;

import static dev.belay.governor.files.Migration.Phase.CONTRACT;
import static dev.belay.governor.files.Migration.Phase.EXPAND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.belay.governor.Coupling.Decision;
import dev.belay.governor.Coupling.Outcome;
import dev.belay.governor.Coupling.Outcome.Ending;
import dev.belay.governor.Coupling.Permit;
import dev.belay.governor.Standing.Floor;
import dev.belay.governor.Standing.Operation;
import dev.belay.governor.Standing.Status;
import dev.belay.governor.files.Migration.Phase;
import dev.belay.governor.jdbc.Databases;
import dev.belay.governor.jdbc.Governor;
import dev.belay.governor.jdbc.Options;
import dev.belay.governor.jdbc.Target;
import dev.belay.governor.jdbc.Watcher;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** What the operator will ask, on the database that everybody has and on a real one. */
@ParameterizedClass
@ValueSource(strings = {"H2", "PostgreSQL"})
class CouplingIT {

  private static final Set<Phase> ALL = Set.of(Phase.values());

  @Parameter String database;

  private final Map<String, String> sources = new LinkedHashMap<>();
  private Target target;
  private Coupling coupling;

  @BeforeEach
  void a_database_and_three_migrations() throws Exception {
    target =
        database.equals("H2")
            ? new Target(
                "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "", Optional.empty())
            : new Target(Databases.postgres(), "postgres", Optional.empty());
    coupling = new Coupling(List.of(target), List.of(), "operator");
    sources.put("V1__table.sql", "-- belay:reversible yes\nCREATE TABLE t (n int);");
    sources.put("V2__rename.sql", "ALTER TABLE t RENAME COLUMN n TO m;");
    sources.put("V3__drop.sql", "-- belay:phase contract\nDROP TABLE t;");
  }

  @Test
  void says_what_will_run_before_anything_is_created() {
    Standing.Known known = known();
    assertThat(known.operations())
        .extracting(Operation::id, o -> o.version().orElse(""), Operation::status)
        .containsExactly(
            tuple(0L, "1", Status.PENDING),
            tuple(0L, "2", Status.PENDING),
            tuple(0L, "3", Status.PENDING));
    assertThat(known.operations())
        .extracting(Operation::reversible)
        .containsExactly(true, false, false);
    assertThat(known.operations())
        .extracting(o -> o.phase().orElseThrow())
        .containsExactly(EXPAND, EXPAND, CONTRACT);
    assertThat(known.floor()).isEmpty();
    assertThat(known()).as("looking has changed nothing").isEqualTo(known);
  }

  @Test
  void runs_one_operation_at_a_time_and_only_in_open_phases() throws Exception {
    Permit expand = new Permit(Set.of(EXPAND), false);
    assertThat(begin(expand).ending()).isEqualTo(Ending.RAN);
    assertThat(statuses()).containsExactly(Status.DONE, Status.PENDING, Status.PENDING);
    assertThat(known().floor()).as("the first one is reversible").isEmpty();
    assertThat(begin(expand).ending()).isEqualTo(Ending.RAN);
    assertThat(known().floor()).contains(new Floor(2, Optional.of("2"), "rename"));
    Outcome closed = begin(expand);
    assertThat(closed.ending()).isEqualTo(Ending.WAITING);
    assertThat(closed.text()).contains("waits for phase contract to open");
    assertThat(begin(new Permit(ALL, false)).ending()).isEqualTo(Ending.RAN);
    assertThat(begin(new Permit(ALL, false)).ending()).isEqualTo(Ending.DRAINED);
    assertThat(statuses()).containsOnly(Status.DONE);
    assertThat(known().operations()).extracting(Operation::id).containsExactly(1L, 2L, 3L);
    assertThat(known().floor().flatMap(Floor::version)).contains("3");
  }

  @Test
  void a_failed_one_waits_for_a_decision_and_retry_takes_the_corrected_text() throws Exception {
    sources.put("V2__rename.sql", "ALTER TABLE t RENAME COLUMN wrong TO m;");
    begin(new Permit(ALL, false));
    assertThat(begin(new Permit(ALL, false)).ending()).isEqualTo(Ending.RAN);
    Operation failed = known().operations().get(1);
    assertThat(failed.status()).isEqualTo(Status.FAILED);
    assertThat(failed.text()).containsIgnoringCase("wrong");
    assertThat(begin(new Permit(ALL, false)).ending()).isEqualTo(Ending.STOPPED);
    assertThat(decide(1, Decision.RETRY))
        .hasValueSatisfying(w -> assertThat(w).contains("operation 1 is done"));
    sources.put("V2__rename.sql", "ALTER TABLE t RENAME COLUMN n TO m;");
    assertThat(known().misfit())
        .hasValueSatisfying(
            w -> assertThat(w).contains("V2__rename.sql:1: changed after it was queued"));
    assertThat(known().operations().get(1).status())
        .as("a corrected text does not hide what failed")
        .isEqualTo(Status.FAILED);
    assertThat(decide(2, Decision.RETRY)).isEmpty();
    assertThat(statuses())
        .containsExactly(
            Status.DONE, database.equals("H2") ? Status.RUNNING : Status.PENDING, Status.PENDING);
    begin(new Permit(ALL, false));
    assertThat(statuses()).containsExactly(Status.DONE, Status.DONE, Status.PENDING);
  }

  @Test
  void skip_and_resolve_go_by_id() throws Exception {
    sources.put("V2__rename.sql", "ALTER TABLE t RENAME COLUMN wrong TO m;");
    begin(new Permit(ALL, false));
    begin(new Permit(ALL, false));
    assertThat(decide(2, Decision.NOT_APPLIED))
        .hasValueSatisfying(w -> assertThat(w).contains("not in doubt"));
    assertThat(decide(2, Decision.SKIP)).isEmpty();
    assertThat(statuses()).containsExactly(Status.DONE, Status.DONE, Status.PENDING);
    assertThat(decide(2, Decision.APPLIED))
        .hasValueSatisfying(w -> assertThat(w).contains("only a failed one waits for a decision"));
  }

  @Test
  void as_many_operations_run_as_were_accepted() throws Exception {
    List<CompletableFuture<Outcome>> accepted = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      CompletableFuture<Outcome> outcome = new CompletableFuture<>();
      if (coupling.begin(sources, new Permit(ALL, false), outcome::complete)) {
        accepted.add(outcome);
      }
    }
    for (CompletableFuture<Outcome> outcome : accepted) {
      assertThat(outcome.get(60, TimeUnit.SECONDS).ending()).isEqualTo(Ending.RAN);
    }
    assertThat(statuses().stream().filter(s -> s == Status.DONE)).hasSameSizeAs(accepted);
    assertThat(statuses()).doesNotContain(Status.FAILED, Status.RUNNING);
  }

  @Test
  void what_cannot_be_read_is_unknown_and_what_is_wrong_is_refused() throws Exception {
    Coupling nowhere =
        new Coupling(
            List.of(
                new Target("jdbc:postgresql://127.0.0.1:1/x", "eve", Optional.of("canary-secret"))),
            List.of(),
            "operator");
    assertThat(nowhere.standing(sources))
        .isInstanceOfSatisfying(
            Standing.Unknown.class,
            u -> assertThat(u.why()).contains("127.0.0.1:1").doesNotContain("canary"));
    CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    nowhere.begin(sources, new Permit(ALL, true), outcome::complete);
    assertThat(outcome.get(60, TimeUnit.SECONDS).ending()).isEqualTo(Ending.UNREACHABLE);
    sources.put("V5__gap.sql", "SELECT 1");
    assertThat(known().misfit())
        .hasValueSatisfying(w -> assertThat(w).contains("nothing stands between"));
    assertThat(begin(new Permit(ALL, true)).ending()).isEqualTo(Ending.REFUSED);
  }

  @Test
  void nothing_is_queued_but_what_was_asked_for_and_nothing_begins_too_late() throws Exception {
    Permit late = new Permit(ALL, false, "1", _ -> true, () -> false);
    Outcome outcome = begin(late);
    assertThat(outcome.ending()).isEqualTo(Ending.WAITING);
    assertThat(outcome.text()).contains("too much time has passed");
    assertThat(statuses()).containsOnly(Status.PENDING);
  }

  @Test
  void what_lies_below_the_first_in_the_queue_was_there_before() throws Exception {
    Permit second = new Permit(ALL, false, "2", "2"::equals, () -> true);
    sources.put("V2__rename.sql", "CREATE TABLE t (m int);");
    assertThat(begin(second).ending()).isEqualTo(Ending.RAN);
    assertThat(begin(second).ending()).isEqualTo(Ending.DRAINED);
    assertThat(statuses()).containsExactly(Status.DONE, Status.PENDING, Status.PENDING);
    assertThat(known().misfit()).isEmpty();
    assertThat(known().operations()).extracting(Operation::id).containsExactly(1L, 0L, 0L);
  }

  @Test
  void another_operation_than_the_one_that_was_decided_on_does_not_begin() throws Exception {
    Outcome outcome = begin(new Permit(ALL, false, "2", _ -> true, () -> true));
    assertThat(outcome.ending()).isEqualTo(Ending.WAITING);
    assertThat(outcome.text()).contains("operation 1 comes before operation 2");
    assertThat(statuses()).containsOnly(Status.PENDING);
  }

  @Test
  void a_decision_does_not_count_twice() throws Exception {
    sources.put("V1__table.sql", "CREATE TABLE wrong syntax;");
    begin(new Permit(ALL, false));
    assertThat(coupling.decide(1, 1, Decision.RETRY, sources, "eve")).isEmpty();
    begin(new Permit(ALL, false));
    assertThat(known().operations().getFirst().status()).isEqualTo(Status.FAILED);
    assertThat(coupling.decide(1, 1, Decision.RETRY, sources, "eve"))
        .hasValueSatisfying(w -> assertThat(w).contains("decided by somebody else"));
  }

  @Test
  void another_governor_is_waited_for() throws Exception {
    try (Governor other =
        new Governor(List.of(target), Options.defaults("another"), Watcher.NONE)) {
      other.init();
      Outcome outcome = begin(new Permit(ALL, false));
      assertThat(outcome.ending()).isEqualTo(Ending.WAITING);
      assertThat(outcome.text()).contains("another governor holds the lock");
      assertThat(known().operations()).as("it can be looked at all the same").hasSize(3);
      if (!database.equals("H2")) {
        assertThat(known().holder())
            .hasValueSatisfying(h -> assertThat(h.who()).contains("another"));
      }
    }
  }

  private Standing.Known known() {
    return (Standing.Known) coupling.standing(sources);
  }

  private List<Status> statuses() {
    return known().operations().stream().map(Operation::status).toList();
  }

  private Optional<String> decide(long id, Decision decision) {
    int attempt =
        known().operations().stream()
            .filter(o -> o.id() == id)
            .findFirst()
            .map(Operation::attempt)
            .orElse(1);
    return coupling.decide(id, attempt, decision, sources, "eve");
  }

  private Outcome begin(Permit permit) throws Exception {
    CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    assertThat(coupling.begin(sources, permit, outcome::complete)).isTrue();
    return outcome.get(60, TimeUnit.SECONDS);
  }
}
