package dev.belay.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.model.Workload;
import dev.belay.core.rules.PodRules;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A second opinion that knows no rules, only arithmetic: over every small world, the planner takes
 * a member down exactly when the oracle calls that safe.
 */
class OracleTest {

  private static final String NEW = "etcd:3.6.16";

  /** What can be true of one member. */
  private enum State {
    OLD_UP,
    NEW_UP,
    OLD_DOWN,
    NEW_DOWN,
    OLD_SILENT,
    NEW_SILENT;

    boolean isNew() {
      return this == NEW_UP || this == NEW_DOWN || this == NEW_SILENT;
    }

    boolean up() {
      return this == OLD_UP || this == NEW_UP;
    }

    boolean down() {
      return this == OLD_DOWN || this == NEW_DOWN;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void the_planner_and_arithmetic_agree_on_which_member_may_be_taken_down(int members) {
    int worlds = (int) Math.pow(State.values().length, members);
    int taken = 0;
    for (int code = 0; code < worlds; code++) {
      List<State> states = states(code, members);
      for (int leader = -1; leader < members; leader++) {
        // Whoever leads answers: a leader that nobody hears of is none.
        if (leader >= 0 && !states.get(leader).up()) {
          continue;
        }
        Optional<String> victim = victim(world(states, leader).decide());
        assertThat(victim).as("%s, leader %d", states, leader).isEqualTo(safe(states, leader));
        taken += victim.isPresent() ? 1 : 0;
      }
    }
    assertThat(taken).as("worlds in which a member may be taken down").isPositive();
  }

  private static List<State> states(int code, int members) {
    var states = new ArrayList<State>();
    int rest = code;
    for (int i = 0; i < members; i++) {
      states.add(State.values()[rest % State.values().length]);
      rest /= State.values().length;
    }
    return states;
  }

  private static Optional<String> victim(Decision decision) {
    return switch (decision) {
      case Perform(Step.Release release) -> Optional.of(release.pod());
      case Perform(Step.RecreatePod recreate) -> Optional.of(recreate.pod());
      default -> Optional.empty();
    };
  }

  /** The highest old member, if everybody else serves, a majority is left, and it does not lead. */
  private static Optional<String> safe(List<State> states, int leader) {
    int target = -1;
    for (int i = 0; i < states.size(); i++) {
      target = states.get(i).isNew() ? target : i;
    }
    if (target < 0 || target == leader) {
      return Optional.empty();
    }
    int others = 0;
    for (int i = 0; i < states.size(); i++) {
      others += i != target && states.get(i).up() ? 1 : 0;
    }
    boolean everyoneElse = others == states.size() - 1;
    boolean takesNothing = states.get(target).down();
    boolean majorityStays = others >= states.size() / 2 + 1;
    boolean led = leader >= 0 || takesNothing;
    return everyoneElse && (majorityStays || takesNothing) && led
        ? Optional.of("etcd-" + target)
        : Optional.empty();
  }

  private static ScriptedWorld world(List<State> states, int leader) {
    ScriptedWorld world = ScriptedWorld.adopted(states.size());
    world.template(NEW);
    for (int i = 0; i < states.size(); i++) {
      String pod = "etcd-" + i;
      if (states.get(i).isNew()) {
        world.replace(pod).up(pod);
      }
    }
    world.partition = partition(states);
    world.memory = rolling(world);
    for (int i = 0; i < states.size(); i++) {
      String pod = "etcd-" + i;
      switch (states.get(i)) {
        case OLD_DOWN, NEW_DOWN -> world.down(pod);
        case OLD_SILENT, NEW_SILENT -> world.silent(pod);
        case OLD_UP, NEW_UP -> {}
      }
    }
    world.system.leader = leader < 0 ? Optional.empty() : Optional.of(leader);
    return world;
  }

  /** What Belay remembers of a roll-out under way. */
  private static dev.belay.core.state.Memory rolling(ScriptedWorld world) {
    var snapshot = world.snapshot();
    return new dev.belay.core.report.Reporter(new Planner(_ -> world.policy))
        .report(snapshot, new Decision.Wait(List.of(objection())))
        .memory();
  }

  private static Objection objection() {
    return PodRules.ONE_AT_A_TIME.objection("etcd-0", "", "", Objection.Weight.PROGRESS);
  }

  private static int partition(List<State> states) {
    int lowest = states.size();
    while (lowest > 0 && states.get(lowest - 1).isNew()) {
      lowest--;
    }
    return lowest == states.size() ? Workload.FROZEN : lowest;
  }
}
