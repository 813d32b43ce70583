package dev.belay.drivers.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.decide.Planner;
import dev.belay.core.forecast.Forecast;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.state.Command;
import dev.belay.core.state.Memory.Blocked;
import dev.belay.core.state.Note;
import dev.belay.core.state.Objection;
import dev.belay.drivers.Drivers;
import dev.belay.drivers.contract.Scene;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BookkeeperPolicyTest {

  private static final String RAISED = "recover lost bookies after 600 s instead of 0 s";
  private static final String RESTORED = "recover lost bookies after 0 s again";
  private static final String DRAINED = "make bookie-3 read-only before it goes down";
  private static final String REOPENED = "make bookie-3 writable again";
  private static final String STOPPED =
      "turn autorecovery off while bookie-3 is down: it hosts the auditor";
  private static final String RESUMED = "turn autorecovery on again";

  private final World world = new World();

  @Test
  void recovery_is_held_off_before_clients_are_sent_elsewhere() {
    assertThat(world.prepareWhole(3)).containsExactly(RAISED, DRAINED);
    assertThat(world.prepare(3)).isEmpty();
  }

  @Test
  void the_cluster_is_not_told_through_the_bookie_that_goes() {
    assertThat(world.prepare(0).orElseThrow().memberId()).isEqualTo("bookie-1");
    assertThat(world.prepare(3).orElseThrow().memberId()).isEqualTo("bookie-0");
  }

  @Test
  void recovery_is_off_while_the_auditor_itself_is_down_for_a_new_one_knows_no_delay() {
    world.auditor = Optional.of("bookie-3.bookie:3181");
    assertThat(world.prepareWhole(3)).containsExactly(RAISED, STOPPED, DRAINED);
    world.restart(3).readOnly.clear();
    assertThat(world.tendWhole(Optional.of(2))).containsExactly(RESUMED);
    assertThat(world.tendWhole(Optional.empty())).containsExactly(RESTORED);
  }

  @Test
  void where_the_delay_cannot_be_read_recovery_is_off_instead() {
    world.delay = Fact.unknown("answers 404");
    assertThat(world.prepareWhole(3)).containsExactly(STOPPED, DRAINED);
  }

  @Test
  void what_the_user_had_set_stays() {
    world.delay = Fact.known(3600L);
    assertThat(world.prepareWhole(3)).containsExactly(DRAINED);
    world.restart(3).readOnly.clear();
    world.look();
    world.recovering = false;
    world.auditor = Optional.of("bookie-2.bookie:3181");
    world.readOnly.add(2);
    assertThat(world.prepareWhole(2)).isEmpty();
    assertThat(world.tendWhole(Optional.empty())).isEmpty();
    assertThat(world.owes()).isEmpty();
  }

  @Test
  void without_an_auditor_there_is_nothing_to_hold_off() {
    world.auditor = Optional.empty();
    world.delay = Fact.unknown("answers 404");
    assertThat(world.prepareWhole(3)).containsExactly(DRAINED);
  }

  @Test
  void without_a_spare_bookie_read_only_would_only_be_a_longer_outage() {
    world.size = 3;
    assertThat(world.prepareWhole(2)).containsExactly(RAISED);
  }

  @Test
  void what_a_bookie_refuses_again_and_again_it_goes_without() {
    Command raise = world.prepare(3).orElseThrow();
    world.record(raise, 2);
    assertThat(world.prepare(3)).contains(raise);
    world.record(raise, 3);
    Command drain = world.prepare(3).orElseThrow();
    assertThat(drain.what()).isEqualTo(DRAINED);
    world.record(drain, 1);
    assertThat(world.prepare(3)).as("the first is not begun anew").contains(drain);
    world.record(drain, 3);
    assertThat(world.prepare(3)).isEmpty();
    assertThat(world.prepare(2).orElseThrow().what()).as("of another bookie").isEqualTo(RAISED);
  }

  @Test
  void all_is_taken_back_and_nothing_is_owed_then() {
    world.delay = Fact.known(30L);
    world.prepareWhole(3);
    assertThat(world.owes()).hasSize(2).anyMatch(w -> w.contains("after 30 s again"));
    assertThat(world.tend(Optional.of(3))).as("while it is about to go").isEmpty();
    assertThat(world.tendWhole(Optional.empty()))
        .containsExactly(REOPENED, "recover lost bookies after 30 s again");
    assertThat(world.owes()).isEmpty();
    assertThat(world.delay).isEqualTo(Fact.known(30L));
  }

  @Test
  void a_bookie_that_comes_back_read_only_is_made_writable_before_the_next_goes() {
    world.prepareWhole(3);
    world.restart(3);
    assertThat(world.tendWhole(Optional.of(3))).containsExactly(REOPENED);
    world.look();
    assertThat(world.notes)
        .containsExactly(new Note("delay", "", Map.of("before", "0", "now", "600")));
  }

  @Test
  void between_two_pods_of_one_name_recovery_stays_as_it_is() {
    world.auditor = Optional.of("bookie-3.bookie:3181");
    world.prepareWhole(3);
    world.missing.add(3);
    assertThat(world.tend(Optional.of(2))).as("the next one is not it").isEmpty();
    assertThat(world.tend(Optional.empty())).as("it was the last one").isEmpty();
    world.blocked = Optional.of(new Blocked("EveryPodExists", "bookie", world.now()));
    world.later(Duration.ofSeconds(31));
    assertThat(world.tendWhole(Optional.empty())).containsExactly(RESUMED, RESTORED);
  }

  @Test
  void a_bookie_that_stays_read_only_whatever_it_is_told_is_let_be_and_stays_owed() {
    Command drain = drainOnly();
    world.record(drain).obey(drain).look().restart(3);
    Command reopen = world.tend(Optional.of(2)).orElseThrow();
    assertThat(reopen.what()).isEqualTo(REOPENED);
    world.record(reopen, Debts.TOLD_ENOUGH - 1);
    assertThat(world.tend(Optional.of(2))).contains(reopen);
    world.record(reopen, Debts.TOLD_ENOUGH);
    assertThat(world.tend(Optional.of(2))).isEmpty();
    world.look();
    assertThat(world.owes()).anySatisfy(o -> assertThat(o).contains("writable again"));
    assertThat(world.tend(Optional.of(2))).as("after another step").contains(reopen);
  }

  @Test
  void a_bookie_that_comes_back_writable_is_owed_nothing() {
    world.prepareWhole(3);
    world.restart(3).readOnly.clear();
    assertThat(world.tend(Optional.of(2))).isEmpty();
    world.look();
    assertThat(world.owes()).singleElement().asString().contains("lost bookies");
  }

  /** A bookie forgets by its restart what its user had told it. */
  @Test
  void what_the_user_had_made_read_only_is_so_again_after_its_restart() {
    world.readOnly.add(3);
    world.prepareWhole(3);
    world.look();
    assertThat(world.owes()).as("before its restart").noneMatch(w -> w.contains("bookie-3"));
    world.restart(3).readOnly.clear();
    assertThat(world.owes()).contains("bookie-3 read-only again: it was so before its restart");
    assertThat(world.tendWhole(Optional.of(3)))
        .containsExactly("make bookie-3 read-only again, as it was before its restart");
    world.look();
    assertThat(world.readOnly).containsExactly(3);
    assertThat(world.tendWhole(Optional.empty())).containsExactly(RESTORED);
    assertThat(world.owes()).isEmpty();
    assertThat(world.prepare(2).map(Command::what)).as("one less to spare").contains(RAISED);
  }

  @Test
  void what_the_user_made_writable_meanwhile_or_what_stayed_read_only_is_let_be() {
    world.readOnly.add(3);
    world.look();
    world.readOnly.clear();
    world.look();
    world.restart(3);
    assertThat(world.tend(Optional.empty())).isEmpty();

    world.readOnly.add(2);
    world.look();
    world.restart(2).look();
    world.readOnly.clear();
    assertThat(world.tend(Optional.empty())).as("it had stayed so by itself").isEmpty();
  }

  @Test
  void who_dies_between_record_and_note_leaves_enough_to_take_it_back() {
    Command drain = drainOnly();
    world.record(drain).obey(drain).later(Duration.ofMinutes(5));
    assertThat(world.notes).isEmpty();
    assertThat(world.tend(Optional.empty()).orElseThrow().what()).isEqualTo(REOPENED);
    world.look();
    assertThat(world.notes)
        .containsExactly(new Note("readOnly", "bookie-3", Map.of("uid", "uid-3-0")));
  }

  @Test
  void recorded_commands_are_owed_in_whatever_words_they_were_recorded() {
    world.auditor = Optional.of("bookie-3.bookie:3181");
    for (var next = world.prepare(3); next.isPresent(); next = world.prepare(3)) {
      world.record(Scene.reworded(next.get())).obey(next.get()).look();
    }
    assertThat(world.owes()).hasSize(3);
    Command reopen = world.tend(Optional.empty()).orElseThrow();
    world.record(Scene.reworded(reopen), Debts.TOLD_ENOUGH);
    assertThat(world.tend(Optional.empty()).map(Command::what)).as("in vain").contains(RESUMED);
    world.look();
    assertThat(world.tendWhole(Optional.empty())).containsExactly(REOPENED, RESUMED, RESTORED);
  }

  @Test
  void a_preparation_is_given_up_in_whatever_words_it_was_recorded() {
    world.record(Scene.reworded(world.prepare(3).orElseThrow()), 3);
    Command drain = world.prepare(3).orElseThrow();
    assertThat(drain.what()).isEqualTo(DRAINED);
    world.record(Scene.reworded(drain), 3);
    assertThat(world.prepare(3)).isEmpty();
  }

  @Test
  void a_bookie_is_not_reopened_because_its_pod_cannot_be_seen_for_a_moment() {
    Command drain = drainOnly();
    world.record(drain).obey(drain);
    world.podsReadable = false;
    assertThat(world.tend(Optional.of(3))).isEmpty();
    world.podsReadable = true;
    world.look();
    assertThat(world.notes).singleElement().matches(n -> n.value("uid").equals("uid-3-0"));
  }

  @Test
  void a_noted_delay_that_is_not_a_number_is_owed_no_more() {
    world.notes = List.of(new Note("delay", "", Map.of("before", "soon", "now", "600")));
    assertThat(world.owes()).isEmpty();
    assertThat(world.tend(Optional.empty())).isEmpty();
  }

  @Test
  void a_recorded_command_may_still_come_and_is_not_forgotten_meanwhile() {
    Command drain = drainOnly();
    world.record(drain);
    world.notes = BookkeeperPolicy.INSTANCE.remember(world.snapshot(), world.component());
    assertThat(world.notes).singleElement().matches(n -> n.about().equals("bookie-3"));
    world.later(Duration.ofMinutes(1)).look();
    assertThat(world.notes).as("it never came").isEmpty();
  }

  @Test
  void a_delay_that_somebody_else_set_meanwhile_stays() {
    world.prepareWhole(3);
    world.delay = Fact.known(120L);
    world.restart(3).readOnly.clear();
    assertThat(world.tendWhole(Optional.empty())).isEmpty();
    world.look();
    assertThat(world.owes()).isEmpty();
  }

  @Test
  void what_cannot_be_seen_stays_owed() {
    world.prepareWhole(3);
    world.down.add(3);
    world.delay = Fact.unknown("no answer");
    world.look();
    assertThat(world.owes()).hasSize(2);
  }

  @Test
  void a_bookie_that_is_kept_from_going_serves_as_before() {
    world.prepareWhole(3);
    world.blocked = Optional.of(new Blocked("EveryoneElseIsHealthy", "bookie-3", world.now()));
    assertThat(world.tend(Optional.of(3))).isEmpty();
    world.later(Duration.ofSeconds(31));
    assertThat(world.tendWhole(Optional.of(3))).containsExactly(REOPENED, RESTORED);
  }

  @Test
  void a_dead_bookie_needs_no_preparation() {
    world.down.add(3);
    assertThat(world.prepare(3)).isEmpty();
  }

  @Test
  void ledgers_that_lack_copies_hold_a_bookie_that_serves() {
    world.underReplicated = List.of("7", "12");
    assertThat(world.toRelease(3))
        .singleElement()
        .satisfies(o -> {
          assertThat(o.reason()).isEqualTo(BookkeeperRules.LEDGERS_ARE_REPLICATED);
          assertThat(o.reading()).isEqualTo("2 ledgers lack copies: 7, 12");
          assertThat(o.weight()).isEqualTo(Objection.Weight.WAIT);
        });
    world.auditor = Optional.empty();
    assertThat(world.toRelease(3).getFirst().cure()).contains("there is no auditor");
    world.down.add(3);
    assertThat(world.toRelease(3)).as("who is down is missed already").isEmpty();
  }

  @Test
  void with_recovery_off_the_list_never_empties_and_is_not_waited_for() {
    world.underReplicated = List.of("7");
    world.recovering = false;
    assertThat(world.toRelease(3)).isEmpty();
  }

  @Test
  void two_at_a_time_is_refused() {
    world.maxUnavailable = 2;
    assertThat(world.toRelease(3))
        .singleElement()
        .extracting(Objection::reason)
        .isEqualTo(BookkeeperRules.ONE_BOOKIE_AT_A_TIME);
  }

  @Test
  void the_forecast_sees_what_a_command_does() {
    Command drain = drainOnly();
    Component after = BookkeeperPolicy.INSTANCE.after(world.component(), drain);
    var pod = after.podList().getLast();
    assertThat(Readings.readOnly(after.memberOf(pod).asOptional().orElseThrow())).isTrue();
    assertThat(BookkeeperPolicy.INSTANCE.prepare(world.snapshot(), after, pod)).isEmpty();
  }

  /**
   * With 3/3/2 on three bookies writes stall for half a minute while all answer that they are well.
   */
  @Test
  void as_many_bookies_as_an_ensemble_are_one_too_few_and_the_user_is_told() {
    world.size = 3;
    assertThat(world.groupObjection(2))
        .hasValueSatisfying(o -> {
          assertThat(o.reading())
              .isEqualTo("3 of 3 writable bookies healthy, 2 would remain, 3 needed");
          assertThat(o.cure()).contains("rollout.allowDowntime: true", "add members");
          assertThat(o.weight()).isEqualTo(Objection.Weight.HUMAN);
        });
  }

  @Test
  void a_drained_bookie_goes_if_enough_others_take_writes_and_not_otherwise() {
    assertThat(world.groupObjection(3)).isEmpty();
    world.readOnly.add(3);
    assertThat(world.groupObjection(3)).isEmpty();
    world.down.add(0);
    assertThat(world.groupObjection(3)).isPresent();
    world.down.clear();
    assertThat(world.groupObjection(2)).as("another, while one is drained").isPresent();
  }

  @Test
  void on_the_way_back_the_bookie_that_goes_first_is_read_only_and_no_other() {
    world.delay = Fact.known(3600L);
    world.restart(3).restart(2);
    world.sentBack = true;
    List<String> plan = new Forecast(new Planner(Drivers::policy)).of(world.snapshot());
    assertThat(plan.stream().filter(line -> line.startsWith("make ")))
        .containsExactly(
            "make bookie-2 read-only before it goes down",
            "make bookie-2 writable again",
            DRAINED,
            REOPENED);
  }

  @Test
  void the_plan_shows_every_command_and_comes_to_an_end() {
    world.auditor = Optional.of("bookie-3.bookie:3181");
    List<String> plan = new Forecast(new Planner(Drivers::policy)).of(world.snapshot());
    assertThat(plan)
        .containsSubsequence(
            RAISED,
            STOPPED,
            DRAINED,
            REOPENED,
            RESUMED,
            "make bookie-2 read-only before it goes down",
            "make bookie-0 read-only before it goes down",
            RESTORED)
        .noneMatch(line -> line.startsWith("stop: "));
  }

  private Command drainOnly() {
    world.delay = Fact.known(3600L);
    Command drain = world.prepare(3).orElseThrow();
    assertThat(drain.what()).isEqualTo(DRAINED);
    return drain;
  }
}
