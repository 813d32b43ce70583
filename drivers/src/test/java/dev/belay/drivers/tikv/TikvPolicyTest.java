package dev.belay.drivers.tikv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.decide.Planner;
import dev.belay.core.forecast.Forecast;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.state.Command;
import dev.belay.core.state.Memory.Blocked;
import dev.belay.core.state.Note;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Objection.Weight;
import dev.belay.drivers.Drivers;
import dev.belay.drivers.contract.Scene;
import dev.belay.drivers.tikv.Answers.Gap;
import dev.belay.drivers.tikv.Answers.Regions;
import dev.belay.drivers.tikv.Answers.Store;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TikvPolicyTest {

  private static final String EVICTS =
      "move region leaders off tikv-2 (store 12) before it goes down";
  private static final String ENDS = "let region leaders return to tikv-2 (store 12)";

  private final World world = new World();

  @Test
  void leaders_are_moved_off_a_store_and_waited_for_before_it_goes_down() {
    assertThat(world.toRelease(2)).as("so that it can be told").isEmpty();
    Command evict = world.prepare(2).orElseThrow();
    assertThat(evict.what()).isEqualTo(EVICTS);
    world.carryOut(evict);
    assertThat(world.prepare(2)).as("once").isEmpty();
    assertThat(only(world.toRelease(2)))
        .satisfies(o -> {
          assertThat(o.reason()).isEqualTo(TikvRules.LEADERS_LEAVE_FIRST);
          assertThat(o.reading()).isEqualTo("store 12 still leads 4 regions");
          assertThat(o.weight()).isEqualTo(Weight.PROGRESS);
        });
    world.leaders.put(2, 0L);
    assertThat(world.toRelease(2)).isEmpty();
    assertThat(world.prepare(2)).isEmpty();
  }

  @Test
  void leaders_that_stay_are_a_matter_for_a_person_unless_a_limit_is_declared() {
    world.carryOut(world.prepare(2).orElseThrow());
    world.later(Duration.ofMinutes(5));
    assertThat(only(world.toRelease(2)))
        .satisfies(o -> {
          assertThat(o.weight()).isEqualTo(Weight.HUMAN);
          assertThat(o.reading()).contains("still leads 4 regions 5 min after");
          assertThat(o.cure()).contains("driver.tikv.evictLeaderTimeout");
        });
    world.limit = Optional.of(Duration.ofMinutes(6));
    assertThat(only(world.toRelease(2)).weight()).isEqualTo(Weight.PROGRESS);
    world.later(Duration.ofMinutes(1));
    assertThat(world.toRelease(2)).isEmpty();
    assertThat(world.tend(Optional.of(2))).as("the eviction stands meanwhile").isEmpty();
  }

  @Test
  void leaders_that_nobody_can_count_are_waited_for() {
    world.evict(2);
    world.regions = Fact.known(new Regions(12, Map.of("10", 9L)));
    assertThat(only(world.toRelease(2)).reading())
        .isEqualTo("unknown: PD has not heard yet who leads 3 of 12 regions");
    world.regions = Fact.known(new Regions(12, Map.of("10", 9L, "12", 3L)));
    assertThat(only(world.toRelease(2)).reading())
        .as("heard between two answers")
        .isEqualTo("store 12 still leads 3 regions");
    world.regions = Fact.unknown("no answer in 5 s");
    assertThat(only(world.toRelease(2)).reading()).contains("no answer");
  }

  @Test
  void leaders_may_return_only_when_pd_has_heard_of_another_process() {
    world.evict(2);
    assertThat(world.tend(Optional.of(2))).as("about to go").isEmpty();
    world.terminating.add(2);
    assertThat(world.tend(Optional.of(2))).as("going").isEmpty();
    assertThat(world.tend(Optional.empty())).as("going, and paused").isEmpty();
    world.terminating.clear();
    world.replace(2).unready.add(2);
    assertThat(world.tend(Optional.of(2))).as("not ready").isEmpty();
    assertThat(world.tend(Optional.empty())).as("not ready, and paused").isEmpty();
    world.unready.clear();
    assertThat(world.tend(Optional.of(1))).as("PD speaks of its last life").isEmpty();
    assertThat(only(world.toRelease(1)).reason()).isEqualTo(TikvRules.ONE_STORE_AT_A_TIME);
    world.heartbeat(2);
    Command end = world.tend(Optional.of(1)).orElseThrow();
    assertThat(end.what()).isEqualTo(ENDS);
    world.carryOut(end);
    assertThat(world.tend(Optional.of(1))).isEmpty();
    assertThat(world.owes()).isEmpty();
    assertThat(world.toRelease(1)).isEmpty();
  }

  @Test
  void a_pod_that_comes_back_as_another_store_ends_the_eviction_of_the_one_that_is_lost() {
    world.evict(1);
    world.replace(1).heartbeat(1);
    world.firstId = "99";
    assertThat(world.tend(Optional.empty()).orElseThrow().what()).contains("store 11");
  }

  @Test
  void a_store_that_does_not_go_after_all_gets_its_leaders_back() {
    world.evict(2);
    assertThat(world.owes())
        .containsExactly(
            "region leaders back on tikv-2 (store 12): they were moved off before it went down");
    assertThat(world.tend(Optional.empty()).map(Command::what)).contains(ENDS);
  }

  @Test
  void a_store_that_is_kept_from_going_gets_its_leaders_back_but_not_for_its_own_leaders() {
    world.evict(2);
    world.blocked = Optional.of(new Blocked("EveryoneElseIsHealthy", "tikv-2", world.now()));
    assertThat(world.tend(Optional.of(2))).isEmpty();
    world.later(Duration.ofSeconds(31));
    assertThat(world.tend(Optional.of(2)).map(Command::what)).contains(ENDS);
    world.blocked = Optional.of(new Blocked("LeadersLeaveFirst", "tikv-2", world.now()));
    world.later(Duration.ofHours(1));
    assertThat(world.tend(Optional.of(2))).isEmpty();
  }

  @Test
  void an_eviction_of_the_user_is_waited_for_and_stays() {
    world.evicted.add("12");
    assertThat(world.prepare(2)).isEmpty();
    assertThat(only(world.toRelease(2)).weight()).isEqualTo(Weight.PROGRESS);
    world.blocked = Optional.of(new Blocked("LeadersLeaveFirst", "tikv-2", world.now()));
    world.later(Duration.ofMinutes(6));
    assertThat(only(world.toRelease(2)).weight()).isEqualTo(Weight.HUMAN);
    world.leaders.put(2, 0L);
    assertThat(world.toRelease(2)).isEmpty();
    world.look().replace(2).heartbeat(2).look();
    assertThat(world.owes()).isEmpty();
    assertThat(world.tend(Optional.empty())).isEmpty();
  }

  @Test
  void who_dies_between_record_and_note_leaves_enough_to_take_it_back() {
    Command evict = world.prepare(2).orElseThrow();
    world.record(evict).obey(evict).later(Duration.ofMinutes(5));
    assertThat(world.notes).isEmpty();
    assertThat(world.tend(Optional.empty()).map(Command::what)).contains(ENDS);
    world.look();
    assertThat(world.notes)
        .containsExactly(
            new Note(
                "evicted",
                "12",
                Map.of(
                    "pod", "tikv-2",
                    "uid", "uid-2-0",
                    "started", "179480",
                    "since", "2026-11-16T08:00:00Z")));
  }

  @Test
  void a_recorded_eviction_is_owed_in_whatever_words_it_was_recorded() {
    Command evict = world.prepare(2).orElseThrow();
    world.record(Scene.reworded(evict)).obey(evict).look();
    assertThat(world.owes()).hasSize(1);
    assertThat(world.tend(Optional.empty()).map(Command::what)).contains(ENDS);
  }

  @Test
  void an_eviction_is_noted_when_the_pod_it_is_for_can_be_seen() {
    Command evict = world.prepare(2).orElseThrow();
    world.record(evict).obey(evict);
    world.podsReadable = false;
    world.notes = TikvPolicy.INSTANCE.remember(world.snapshot(), world.component());
    assertThat(world.notes).isEmpty();
    world.podsReadable = true;
    assertThat(world.tend(Optional.of(2))).as("about to go").isEmpty();
    world.look();
    assertThat(world.notes).singleElement().matches(n -> n.value("uid").equals("uid-2-0"));
  }

  @Test
  void an_eviction_whose_time_cannot_be_read_is_owed_all_the_same() {
    world.evict(2);
    world.notes = List.of(new Note("evicted", "12", Map.of("pod", "tikv-2", "since", "soon")));
    world.leaders.put(2, 4L);
    assertThat(only(world.toRelease(2)).weight()).isEqualTo(Weight.PROGRESS);
    assertThat(world.look().owes()).hasSize(1);
  }

  @Test
  void a_recorded_command_may_still_come_and_is_not_forgotten_meanwhile() {
    world.record(world.prepare(2).orElseThrow());
    world.notes = TikvPolicy.INSTANCE.remember(world.snapshot(), world.component());
    assertThat(world.notes).singleElement().matches(n -> n.about().equals("12"));
    world.later(Duration.ofMinutes(1)).look();
    assertThat(world.notes).as("it never came").isEmpty();
  }

  @Test
  void what_cannot_be_seen_stays_owed_and_holds() {
    world.evict(2);
    world.evictionsReadable = false;
    world.look();
    assertThat(world.owes()).hasSize(1);
    assertThat(world.tend(Optional.empty())).isEmpty();
    assertThat(only(world.toRelease(2)).reading()).isEqualTo("unknown: no answer");
  }

  @Test
  void whoever_leaves_for_good_takes_it_back_at_once_and_so_it_is_for_a_store_scaled_away() {
    world.evict(2);
    world.replace(2).unready.add(2);
    assertThat(world.tend(Optional.empty())).isEmpty();
    world.deleting = true;
    assertThat(world.tend(Optional.empty()).map(Command::what)).contains(ENDS);
    world.deleting = false;
    world.size = 2;
    assertThat(world.tend(Optional.empty()).map(Command::what)).contains(ENDS);
    world.replicas = 2;
    assertThat(world.tend(Optional.empty()).map(Command::what))
        .as("when PD does not list the store any more")
        .contains(ENDS);
  }

  @ParameterizedTest
  @CsvSource({"3,3,2", "5,5,3", "5,3,4", "3,5,2", "4,4,3", "2,3,2", "1,3,1", "3,1,3", "3,2,3"})
  void as_many_stores_stay_as_a_region_needs_for_its_majority(
      int stores, int maxReplicas, int required) {
    world.size = stores;
    world.replicas = stores;
    world.maxReplicas = maxReplicas;
    assertThat(world.topology().asOptional().orElseThrow().groups())
        .singleElement()
        .matches(g -> g.required() == required);
  }

  @Test
  void one_store_needs_consent_to_downtime_and_is_not_emptied() {
    world.size = 1;
    world.replicas = 1;
    assertThat(world.groupObjection(0).map(Objection::weight)).contains(Weight.HUMAN);
    world.missing = List.of(new Gap("1000001", List.of()));
    world.allowDowntime = true;
    assertThat(world.groupObjection(0)).isEmpty();
    assertThat(world.prepare(0)).isEmpty();
    assertThat(world.toRelease(0)).isEmpty();
  }

  @Test
  void regions_that_lack_a_peer_elsewhere_hold_a_store_and_its_own_lack_does_not() {
    world.down = List.of(new Gap("1000001", List.of("12")));
    assertThat(world.toRelease(2)).isEmpty();
    assertThat(only(world.toRelease(1)))
        .satisfies(o -> {
          assertThat(o.reason()).isEqualTo(TikvRules.REGIONS_ARE_WHOLE);
          assertThat(o.reading()).isEqualTo("1 region with a peer that is down (1000001)");
          assertThat(o.weight()).isEqualTo(Weight.WAIT);
        });
    world.down = List.of();
    world.missing = List.of("1", "2", "3", "4").stream().map(id -> new Gap(id, List.of())).toList();
    assertThat(only(world.toRelease(2)).reading())
        .isEqualTo("4 regions with too few peers (1, 2, 3, …)");
  }

  @Test
  void stores_in_no_pod_of_the_component_have_to_be_up_too() {
    world.elsewhere.add(new Store("31", "tikv-0.rack-b:20160", "Disconnected", "", "1", 0, false));
    assertThat(only(world.toRelease(2)))
        .satisfies(o -> {
          assertThat(o.reason()).isEqualTo(TikvRules.OTHER_STORES_ARE_UP);
          assertThat(o.reading()).isEqualTo("store 31 at tikv-0.rack-b:20160 is Disconnected");
        });
    world.elsewhere.clear();
    world.elsewhere.add(new Store("33", "tikv-1.rack-b:20160", "Up", "", "1", 0, false));
    assertThat(world.toRelease(2)).isEmpty();
    world.evicted.add("33");
    assertThat(only(world.toRelease(2)).reading())
        .as("PD would call it up for 20 s after its death")
        .isEqualTo("store 33 at tikv-1.rack-b:20160 is emptied, and may be about to go");
    world.evicted.clear();
    world.elsewhere.clear();
    world.elsewhere.add(new Store("32", "tiflash-0:3930", "Down", "", "1", 0, true));
    assertThat(world.toRelease(2)).as("TiFlash has no vote").isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "Up,Known,true,false",
    "Offline,Known,false,false",
    "Down,Known,false,true",
    "Disconnected,Unknown,false,false",
    "Tired,Unknown,false,false"
  })
  void a_state_of_pd_is_health_death_or_nothing_at_all(
      String state, String fact, boolean healthy, boolean down) {
    world.states.put(2, state);
    Member store = member(2);
    assertThat(store.health().getClass().getSimpleName()).isEqualTo(fact);
    assertThat(store.healthy()).isEqualTo(healthy);
    assertThat(store.knownDown()).isEqualTo(down);
  }

  @Test
  void a_silent_store_is_not_taken_down_and_a_dead_one_needs_no_preparation() {
    world.states.put(2, "Disconnected");
    assertThat(world.prepare(2)).isEmpty();
    assertThat(only(world.toRelease(2)).reading())
        .contains("unknown: PD says that store 12 is Disconnected");
    world.states.put(2, "Down");
    assertThat(world.prepare(2)).isEmpty();
    assertThat(world.toRelease(2)).isEmpty();
  }

  @Test
  void a_pod_without_a_store_and_one_with_two_are_unknown_by_name() {
    world.replicas = 2;
    assertThat(member(2).health())
        .isEqualTo(Fact.unknown("PD knows no store at tikv-2.tikv.default.svc"));
    assertThat(only(world.toRelease(2)).reading()).contains("PD knows no store at");
    world.replicas = 3;
    world.elsewhere.add(new Store("77", "tikv-2.tikv:20161", "Up", "", "1", 0, false));
    assertThat(member(2).health())
        .isEqualTo(Fact.unknown("PD knows several stores at tikv-2.tikv.default.svc: 12, 77"));
    assertThat(only(world.toRelease(2)).reading()).contains("several stores");
  }

  /** PD would round it, and empty another store. */
  @Test
  void a_store_that_pd_cannot_be_told_of_is_for_a_person() {
    world.firstId = "9007199254740993";
    assertThat(world.prepare(1)).isEmpty();
    assertThat(only(world.toRelease(1)))
        .satisfies(o -> {
          assertThat(o.reading()).contains("store 9007199254740993 leads 4 regions");
          assertThat(o.weight()).isEqualTo(Weight.HUMAN);
        });
    world.leaders.put(1, 0L);
    assertThat(world.toRelease(1)).isEmpty();
    world.firstId = "9007199254740994";
    assertThat(world.prepare(1)).as("an even one is exact").isPresent();
  }

  @Test
  void two_at_a_time_is_refused() {
    world.maxUnavailable = 2;
    assertThat(only(world.toRelease(2)).reading()).isEqualTo("rollout.maxUnavailable is 2");
  }

  @Test
  void the_plan_shows_every_command_and_comes_to_an_end() {
    List<String> plan = new Forecast(new Planner(Drivers::policy)).of(world.snapshot());
    assertThat(plan)
        .containsSubsequence(
            EVICTS,
            ENDS,
            "move region leaders off tikv-1 (store 11) before it goes down",
            "let region leaders return to tikv-1 (store 11)",
            "move region leaders off tikv-0 (store 10) before it goes down",
            "let region leaders return to tikv-0 (store 10)")
        .noneMatch(line -> line.startsWith("stop: "));
  }

  @Test
  void on_the_way_back_leaders_leave_the_store_that_goes_first_and_no_other() {
    world.replace(2).heartbeat(2).replace(1).heartbeat(1);
    world.sentBack = true;
    List<String> plan = new Forecast(new Planner(Drivers::policy)).of(world.snapshot());
    assertThat(plan.stream().filter(line -> line.contains("region leaders")))
        .containsExactly(
            "move region leaders off tikv-1 (store 11) before it goes down",
            "let region leaders return to tikv-1 (store 11)",
            EVICTS,
            ENDS);
  }

  private Member member(int store) {
    return world.topology().asOptional().orElseThrow().members().get(store);
  }

  private static Objection only(List<Objection> objections) {
    assertThat(objections).hasSize(1);
    return objections.getFirst();
  }
}
