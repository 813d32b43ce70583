package dev.belay.drivers.pd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.state.Note;
import dev.belay.core.state.Objection;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PdPolicyTest {

  @Test
  void an_updated_successor_comes_first_then_a_wanted_one_then_one_that_is_caught_up() {
    assertThat(new World().successors()).containsExactly("pd-0", "pd-1", "pd-2");
    assertThat(new World().lag(0, 900).successors()).containsExactly("pd-1", "pd-2", "pd-0");
    assertThat(new World().lag(0, 400).successors()).containsExactly("pd-0", "pd-1", "pd-2");
    assertThat(new World().lag(2, 900).priority(2, 5).successors().getFirst()).isEqualTo("pd-2");
    assertThat(new World().priority(1, -5).successors().getLast()).isEqualTo("pd-1");
    assertThat(new World().priority(0, 5).updated(2).successors().getFirst()).isEqualTo("pd-2");
    assertThat(new World().unreadPriority(0).successors().getLast()).isEqualTo("pd-0");
  }

  @Test
  void leadership_that_comes_back_once_may_be_chance() {
    World world = new World().priority(0, 100).leads(0).leads(1).leads(0);
    assertThat(world.toRelease(0)).isEmpty();
  }

  @Test
  void leadership_that_comes_back_by_priority_again_is_told_with_the_cure() {
    World world = pulledBackTwice();
    assertThat(world.toRelease(0))
        .singleElement()
        .satisfies(o -> {
          assertThat(o.sentence())
              .isEqualTo(
                  "LeadershipStaysAway, leadership came back to pd-0 2 times: its leader priority"
                      + " is 100, the next highest is 7 of pd-2; cure: pd-ctl member leader_priority"
                      + " pd-0 7, until the upgrade is done");
          assertThat(o.weight()).isEqualTo(Objection.Weight.HUMAN);
        });
    assertThat(world.toRelease(1)).isEmpty();
  }

  @Test
  void a_moment_without_a_leader_does_not_hide_it() {
    World world =
        new World().priority(0, 100).leads(0).nobodyLeads().leads(1).nobodyLeads().leads(0);
    assertThat(world.notes())
        .contains(new Note(PriorityNotes.BACK, World.id(0), Map.of(PriorityNotes.TIMES, "1")));
  }

  @Test
  void it_goes_on_as_soon_as_the_priority_is_lowered() {
    assertThat(pulledBackTwice().priority(0, 7).toRelease(0)).isEmpty();
  }

  @Test
  void a_higher_one_that_is_unwell_does_not_count() {
    World world = pulledBackTwice().priority(2, 200);
    assertThat(world.toRelease(0)).isEmpty();
    assertThat(world.unwell(2).toRelease(0)).hasSize(1);
  }

  @Test
  void it_goes_on_while_leadership_is_elsewhere() {
    assertThat(pulledBackTwice().leads(2).toRelease(0)).isEmpty();
  }

  @Test
  void leadership_that_wanders_for_other_reasons_is_not_blamed_on_priorities() {
    World world = new World().leads(0).leads(1).leads(0).leads(1).leads(0);
    assertThat(world.toRelease(0)).isEmpty();
    assertThat(world.notes()).noneMatch(n -> n.kind().equals(PriorityNotes.BACK));
  }

  @Test
  void nothing_is_kept_when_the_roll_out_is_over() {
    assertThat(pulledBackTwice().updated(0, 1, 2).leads(0).notes()).isEmpty();
  }

  @Test
  void an_unchanged_world_changes_no_note() {
    World world = pulledBackTwice();
    assertThat(world.leads(0).notes()).isSameAs(world.notes()).isNotEmpty();
    assertThat(new World().leads(1).notes()).isEqualTo(new World().leads(1).leads(1).notes());
  }

  private static World pulledBackTwice() {
    return new World().priority(0, 100).priority(2, 7).leads(0).leads(1).leads(0).leads(2).leads(0);
  }
}
