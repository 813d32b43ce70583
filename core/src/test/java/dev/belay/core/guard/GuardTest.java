package dev.belay.core.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.guard.Guard.Claim;
import dev.belay.core.guard.Guard.Named;
import dev.belay.core.guard.Guard.Verdict.Admitted;
import dev.belay.core.guard.Guard.Verdict.Refused;
import dev.belay.core.guard.Guard.Write;
import dev.belay.core.guard.Mark.Stamp;
import dev.belay.core.model.Workload;
import dev.belay.core.model.Workload.Kind;
import dev.belay.core.model.Workload.Update;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What holds for every write: all small writes are tried. */
class GuardTest {

  private static final String OWNER = "operator";
  private static final Mark OWNED = Mark.of("one", new Stamp(3, OWNER));
  private static final List<Mark> MARKS =
      List.of(
          Mark.NONE,
          Mark.of("one"),
          OWNED,
          Mark.of("one", new Stamp(4, OWNER)),
          Mark.of("one", new Stamp(4, "another")),
          Mark.of("two", new Stamp(9, "another")),
          new Mark(Optional.of("one"), Optional.of("not a stamp")),
          new Mark(Optional.empty(), OWNED.owner()));
  private static final List<Author> AUTHORS =
      List.of(
          new Author(OWNER, true, false),
          new Author("another", true, false),
          new Author("another", false, false),
          new Author("another", true, true),
          new Author("person", false, true));

  @Test
  void twice_equals_once() {
    everywhere(write -> {
      if (judged(write) instanceof Admitted(GuardedSet stored)) {
        var again = new Write(write.before(), stored, write.author());
        assertThat(judged(again)).as("%s", write).isEqualTo(new Admitted(stored));
      }
    });
  }

  @Test
  void a_new_template_of_a_marked_workload_ends_frozen_by_any_author() {
    everywhere(write -> {
      boolean changed =
          write.before().filter(b -> b.mark().present() && changes(b, write.after())).isPresent();
      if (changed
          && write.after().update() != Update.ON_DELETE
          && judged(write) instanceof Admitted(GuardedSet stored)) {
        assertThat(stored.partition()).as("%s", write).isEqualTo(Workload.FROZEN);
      }
    });
  }

  @Test
  void only_the_owner_lowers_a_partition_or_changes_the_type_except_back_to_frozen() {
    everywhere(write -> {
      if (write.before().filter(b -> held(b) && !b.mark().heldBy(account(write))).isPresent()
          && judged(write) instanceof Admitted(GuardedSet stored)) {
        GuardedSet before = write.before().get();
        boolean frozenReturn =
            stored.update() == Update.ROLLING_UPDATE && stored.partition() == Workload.FROZEN;
        boolean freeType = stored.kind() == Kind.DEPLOYMENT || stored.update() == before.update();
        assertThat(stored.partition()).as("%s", write).isGreaterThanOrEqualTo(before.partition());
        assertThat(freeType || frozenReturn).as("%s", write).isTrue();
      }
    });
  }

  @Test
  void a_mark_with_an_owner_passes_only_to_a_higher_epoch_or_is_removed_by_its_owner() {
    everywhere(write -> {
      if (write.before().filter(GuardTest::held).isPresent()
          && judged(write) instanceof Admitted(GuardedSet stored)) {
        Mark before = write.before().get().mark();
        boolean kept = stored.mark().equals(before);
        boolean removed = stored.mark().equals(Mark.NONE) && before.heldBy(account(write));
        boolean taken =
            write.author().owns()
                && stored.mark().heldBy(account(write))
                && stored.mark().cluster().equals(before.cluster())
                && epoch(stored.mark()) > epoch(before);
        assertThat(kept || removed || taken).as("%s", write).isTrue();
      }
    });
  }

  @Test
  void an_owner_appears_only_by_an_account_with_the_verb_own() {
    everywhere(write -> {
      boolean unheld = write.before().filter(b -> !held(b)).isPresent();
      if (unheld && judged(write) instanceof Admitted(GuardedSet stored) && held(stored)) {
        assertThat(write.author().owns() && stored.mark().heldBy(account(write)))
            .as("%s", write)
            .isTrue();
      }
    });
  }

  @Test
  void only_a_person_is_refused_except_for_a_new_type_of_a_set() {
    everywhere(write -> {
      boolean sameType =
          write.after().kind() == Kind.DEPLOYMENT
              || write.before().filter(b -> b.update() != write.after().update()).isEmpty();
      if (!write.author().byHand() && sameType) {
        assertThat(judged(write)).as("%s", write).isInstanceOf(Admitted.class);
      }
    });
  }

  @Test
  void a_workload_without_a_mark_is_left_alone() {
    everywhere(write -> {
      boolean marked =
          write.after().mark().present()
              || write.before().filter(b -> b.mark().present()).isPresent();
      if (!marked) {
        assertThat(judged(write)).isEqualTo(new Admitted(write.after()));
      }
    });
  }

  @Test
  void an_ondelete_set_is_never_given_a_partition() {
    everywhere(write -> {
      if (write.after().update() == Update.ON_DELETE
          && judged(write) instanceof Admitted(GuardedSet stored)) {
        assertThat(stored.partition()).isZero();
      }
    });
  }

  @Test
  void a_new_named_set_is_marked_and_frozen_whatever_mark_it_claims() {
    var claim = List.of(claim("one", Optional.of(OWNER)));
    for (Mark mark : List.of(Mark.NONE, Mark.of("one"), OWNED)) {
      var write = new Write(Optional.empty(), set("a", 0).with(mark), AUTHORS.getLast());
      assertThat(Guard.judge(write, claim))
          .isEqualTo(
              new Admitted(set("a", Workload.FROZEN).with(Mark.of("one", new Stamp(0, OWNER)))));
    }
    var elsewhere = new Write(Optional.empty(), set("a", 0).with(OWNED), AUTHORS.getLast());
    assertThat(Guard.judge(elsewhere, List.of()))
        .isEqualTo(new Admitted(set("a", Workload.FROZEN).with(Mark.of("one"))));
  }

  @Test
  void a_new_deployment_is_not_paused_since_it_would_never_get_a_pod() {
    everywhere(write -> {
      if (write.after().kind() == Kind.DEPLOYMENT
          && write.before().isEmpty()
          && judged(write) instanceof Admitted(GuardedSet stored)) {
        assertThat(stored.partition()).isEqualTo(write.after().partition());
      }
    });
  }

  @Test
  void a_set_and_a_deployment_of_one_name_are_two() {
    var write = new Write(Optional.empty(), deployment("a", false), AUTHORS.getLast());
    assertThat(Guard.judge(write, List.of(claim("one", Optional.of(OWNER)))))
        .isEqualTo(new Admitted(deployment("a", false)));
  }

  @Test
  void a_refusal_names_the_cluster_the_values_and_the_fix() {
    var before = set("a", Workload.FROZEN).with(OWNED);
    var person = new Author("ann", false, true);
    assertThat(refusal(new Write(Optional.of(before), before.at(0), person)))
        .contains("StatefulCluster one guards this StatefulSet: only operator lowers")
        .contains("(2147483647 to 0), not ann")
        .contains("fix: wait for Belay");
    assertThat(refusal(new Write(Optional.of(before), before.with(Mark.NONE), person)))
        .contains("only its owner, operator, removes the label belay.dev/cluster")
        .contains("fix: delete the StatefulCluster");
    var paused = deployment("a", true).with(OWNED);
    assertThat(refusal(new Write(Optional.of(paused), paused.at(0), person)))
        .contains("guards this Deployment: only operator sets spec.paused from true to false");
  }

  @Test
  void an_account_may_contain_blanks() {
    assertThat(Stamp.of("12 Ann Example")).contains(new Stamp(12, "Ann Example"));
    assertThat(Stamp.of("12")).isEmpty();
    assertThat(Stamp.of("-1 ann")).isEmpty();
    assertThat(Stamp.of("1234567890123456 ann")).isEmpty();
  }

  private static String refusal(Write write) {
    return ((Refused) judged(write)).message();
  }

  private static Guard.Verdict judged(Write write) {
    return Guard.judge(write, List.of());
  }

  private static String account(Write write) {
    return write.author().account();
  }

  private static long epoch(Mark mark) {
    return mark.stamp().map(Stamp::epoch).orElse(-1L);
  }

  private static boolean held(GuardedSet set) {
    return set.mark().held();
  }

  private static boolean changes(GuardedSet before, GuardedSet after) {
    return !before.template().equals(after.template());
  }

  private static void everywhere(Consumer<Write> check) {
    List<GuardedSet> sets = new ArrayList<>();
    for (String template : List.of("a", "b")) {
      sets.add(
          new GuardedSet(Kind.STATEFUL_SET, "ns", "db", template, Update.ON_DELETE, 0, Mark.NONE));
      for (int partition : List.of(0, 1, Workload.FROZEN)) {
        sets.add(set(template, partition));
      }
    }
    everywhere(sets, check);
    everywhere(
        List.of(
            deployment("a", false),
            deployment("a", true),
            deployment("b", false),
            deployment("b", true),
            recreated("a", false),
            recreated("a", true)),
        check);
  }

  private static void everywhere(List<GuardedSet> shapes, Consumer<Write> check) {
    List<GuardedSet> sets = new ArrayList<>();
    shapes.forEach(s -> MARKS.forEach(m -> sets.add(s.with(m))));
    List<Optional<GuardedSet>> befores = new ArrayList<>(List.of(Optional.empty()));
    sets.forEach(s -> befores.add(Optional.of(s)));
    for (var before : befores) {
      for (var after : sets) {
        for (Author author : AUTHORS) {
          check.accept(new Write(before, after, author));
        }
      }
    }
  }

  private static GuardedSet set(String template, int partition) {
    return new GuardedSet(
        Kind.STATEFUL_SET, "ns", "db", template, Update.ROLLING_UPDATE, partition, Mark.NONE);
  }

  private static GuardedSet deployment(String template, boolean paused) {
    return new GuardedSet(
        Kind.DEPLOYMENT,
        "ns",
        "db",
        template,
        Update.ROLLING_UPDATE,
        paused ? Workload.FROZEN : 0,
        Mark.NONE);
  }

  private static GuardedSet recreated(String template, boolean paused) {
    return new GuardedSet(
        Kind.DEPLOYMENT,
        "ns",
        "db",
        template,
        Update.RECREATE,
        paused ? Workload.FROZEN : 0,
        Mark.NONE);
  }

  private static Claim claim(String name, Optional<String> owner) {
    return new Claim("ns", name, Named.sets("db"), owner, false);
  }
}
