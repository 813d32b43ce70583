package dev.belay.core.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.guard.Guard.Claim;
import dev.belay.core.guard.Guard.GuardedSet;
import dev.belay.core.guard.Guard.Named;
import dev.belay.core.guard.Guard.Verdict.Admitted;
import dev.belay.core.guard.Guard.Verdict.Refused;
import dev.belay.core.guard.Guard.Write;
import dev.belay.core.snapshot.Workload;
import dev.belay.core.snapshot.Workload.Kind;
import dev.belay.core.snapshot.Workload.Update;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** What holds for every write whatever: all small writes are tried. */
class GuardTest {

  private static final String OWNER = "operator";
  private static final List<Named> BOTH =
      List.of(new Named(Kind.STATEFUL_SET, "db"), new Named(Kind.DEPLOYMENT, "db"));
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
      var elsewhere = List.of(new Claim("other", "one", BOTH, Optional.of(OWNER)));
      var another = List.of(new Claim("ns", "one", Named.sets("web"), Optional.of(OWNER)));
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

  @Test
  void a_new_deployment_is_left_as_it_is_since_paused_it_would_never_get_a_pod() {
    everywhere((write, claims) -> {
      if (write.after().kind() == Kind.DEPLOYMENT && write.before().isEmpty()) {
        assertThat(Guard.judge(write, claims)).isEqualTo(new Admitted(write.after()));
      }
    });
  }

  @Test
  void a_refusal_to_unpause_names_the_cluster_and_the_cure() {
    var write = new Write(Optional.of(deployment("a", true)), deployment("a", false), "admin");
    assertThat(Guard.judge(write, OWNED))
        .isInstanceOfSatisfying(
            Refused.class,
            refused ->
                assertThat(refused.message())
                    .contains("StatefulCluster one guards this Deployment")
                    .contains("not admin")
                    .contains("Cure: leave spec.paused out of what you apply"));
  }

  @Test
  void a_set_and_a_deployment_of_one_name_are_two() {
    var set = List.of(new Claim("ns", "one", Named.sets("db"), Optional.of(OWNER)));
    var changed = new Write(Optional.of(deployment("a", false)), deployment("b", false), "admin");
    assertThat(Guard.judge(changed, set)).isEqualTo(new Admitted(changed.after()));
    var named = List.of(new Named(Kind.DEPLOYMENT, "db"));
    var deployment = List.of(new Claim("ns", "one", named, Optional.of(OWNER)));
    assertThat(Guard.judge(changed, deployment)).isEqualTo(new Admitted(deployment("b", true)));
    var ofSet =
        new Write(
            Optional.of(set("a", Update.ROLLING_UPDATE, 0)),
            set("b", Update.ROLLING_UPDATE, 0),
            "admin");
    assertThat(Guard.judge(ofSet, deployment)).isEqualTo(new Admitted(ofSet.after()));
  }

  private static void everywhere(BiConsumer<Write, List<Claim>> check) {
    List<GuardedSet> sets = new ArrayList<>();
    for (String template : List.of("a", "b")) {
      sets.add(set(template, Update.ON_DELETE, 0));
      for (int partition : List.of(0, 1, 99, Workload.FROZEN)) {
        sets.add(set(template, Update.ROLLING_UPDATE, partition));
      }
    }
    everywhere(sets, check);
    everywhere(
        List.of(
            deployment("a", false),
            deployment("a", true),
            deployment("b", false),
            deployment("b", true)),
        check);
  }

  private static void everywhere(List<GuardedSet> sets, BiConsumer<Write, List<Claim>> check) {
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

  private static GuardedSet deployment(String template, boolean paused) {
    return new GuardedSet(
        Kind.DEPLOYMENT, "ns", "db", template, Update.ROLLING_UPDATE, paused ? Workload.FROZEN : 0);
  }

  private static Claim claim(String name, Optional<String> owner) {
    return new Claim("ns", name, BOTH, owner);
  }
}
