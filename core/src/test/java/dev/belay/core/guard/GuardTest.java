package dev.belay.core.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.guard.Guard.Claim;
import dev.belay.core.guard.Guard.GuardedSet;
import dev.belay.core.guard.Guard.Verdict.Admitted;
import dev.belay.core.guard.Guard.Verdict.Refused;
import dev.belay.core.guard.Guard.Write;
import dev.belay.core.snapshot.Workload;
import dev.belay.core.snapshot.Workload.Update;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** What holds for every write whatever: all small writes are tried. */
class GuardTest {

  private static final String OWNER = "operator";
  private static final List<Claim> NONE = List.of();
  private static final List<Claim> UNOWNED = List.of(claim("one", Optional.empty()));
  private static final List<Claim> OWNED = List.of(claim("one", Optional.of(OWNER)));
  private static final List<Claim> RIVALS =
      List.of(claim("one", Optional.of(OWNER)), claim("two", Optional.of("another")));

  @Test
  void twice_equals_once() {
    everywhere((write, claims) -> {
      if (Guard.judge(write, claims) instanceof Admitted(GuardedSet stored)) {
        var again = new Write(write.before(), stored, write.user());
        assertThat(Guard.judge(again, claims)).as("%s", write).isEqualTo(new Admitted(stored));
        var repeated = new Write(Optional.of(stored), stored, write.user());
        assertThat(Guard.judge(repeated, claims)).isEqualTo(new Admitted(stored));
      }
    });
  }

  @Test
  void any_template_change_of_a_rolling_set_ends_frozen_whoever_makes_it() {
    everywhere((write, claims) -> {
      boolean changed =
          write.before().stream().anyMatch(b -> !b.template().equals(write.after().template()));
      if (changed
          && !claims.isEmpty()
          && write.after().update() == Update.ROLLING_UPDATE
          && Guard.judge(write, claims) instanceof Admitted(GuardedSet stored)) {
        assertThat(stored.partition()).as("%s", write).isEqualTo(Workload.FROZEN);
      }
    });
  }

  @Test
  void nobody_but_the_owner_lowers_a_partition_or_changes_the_type_except_back_to_frozen() {
    everywhere((write, claims) -> {
      if (claims.equals(OWNED)
          && !write.user().equals(OWNER)
          && write.before().isPresent()
          && Guard.judge(write, claims) instanceof Admitted(GuardedSet stored)) {
        assertThat(stored.partition()).isGreaterThanOrEqualTo(write.before().get().partition());
        boolean frozenReturn =
            stored.update() == Update.ROLLING_UPDATE && stored.partition() == Workload.FROZEN;
        assertThat(stored.update() == write.before().get().update() || frozenReturn)
            .as("%s", write)
            .isTrue();
      }
    });
  }

  @Test
  void the_owner_is_never_refused_and_neither_is_anyone_before_there_is_an_owner() {
    everywhere((write, claims) -> {
      if (claims.equals(UNOWNED) || (claims.equals(OWNED) && write.user().equals(OWNER))) {
        assertThat(Guard.judge(write, claims)).isInstanceOf(Admitted.class);
      }
    });
  }

  @Test
  void a_set_that_nobody_names_is_left_alone() {
    everywhere((write, claims) -> {
      var elsewhere = List.of(new Claim("other", "one", List.of("db"), Optional.of(OWNER)));
      var another = List.of(new Claim("ns", "one", List.of("web"), Optional.of(OWNER)));
      for (List<Claim> nobody : List.of(NONE, elsewhere, another)) {
        assertThat(Guard.judge(write, nobody)).isEqualTo(new Admitted(write.after()));
      }
    });
  }

  @Test
  void an_ondelete_set_is_never_given_a_partition() {
    everywhere((write, claims) -> {
      if (write.after().update() == Update.ON_DELETE
          && Guard.judge(write, claims) instanceof Admitted(GuardedSet stored)) {
        assertThat(stored).isEqualTo(write.after());
      }
    });
  }

  @Test
  void a_refusal_names_the_cluster_the_values_and_the_cure() {
    var write =
        new Write(
            Optional.of(set("a", Update.ROLLING_UPDATE, Workload.FROZEN)),
            set("a", Update.ROLLING_UPDATE, 0),
            "admin");
    assertThat(Guard.judge(write, OWNED))
        .isInstanceOfSatisfying(
            Refused.class,
            refused ->
                assertThat(refused.message())
                    .contains("StatefulCluster one")
                    .contains("2147483647 to 0")
                    .contains("not admin")
                    .contains("Cure: leave the partition out of what you apply"));
  }

  @Test
  void two_owners_lock_each_other_out() {
    var write =
        new Write(
            Optional.of(set("a", Update.ROLLING_UPDATE, 2)),
            set("a", Update.ROLLING_UPDATE, 1),
            OWNER);
    assertThat(Guard.judge(write, RIVALS))
        .isInstanceOfSatisfying(
            Refused.class, r -> assertThat(r.message()).contains("StatefulCluster two"));
  }

  private static void everywhere(BiConsumer<Write, List<Claim>> check) {
    List<GuardedSet> sets = new ArrayList<>();
    for (String template : List.of("a", "b")) {
      sets.add(set(template, Update.ON_DELETE, 0));
      for (int partition : List.of(0, 1, 99, Workload.FROZEN)) {
        sets.add(set(template, Update.ROLLING_UPDATE, partition));
      }
    }
    List<Optional<GuardedSet>> befores = new ArrayList<>(List.of(Optional.empty()));
    sets.forEach(s -> befores.add(Optional.of(s)));
    for (var before : befores) {
      for (var after : sets) {
        for (String user : List.of(OWNER, "another", "admin")) {
          for (var claims : List.of(NONE, UNOWNED, OWNED, RIVALS)) {
            check.accept(new Write(before, after, user), claims);
          }
        }
      }
    }
  }

  private static GuardedSet set(String template, Update update, int partition) {
    return new GuardedSet("ns", "db", template, update, partition);
  }

  private static Claim claim(String name, Optional<String> owner) {
    return new Claim("ns", name, List.of("db"), owner);
  }
}
