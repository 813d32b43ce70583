package dev.belay.sim;

import dev.belay.core.decide.Planner;
import dev.belay.core.guard.Guard;
import dev.belay.core.loop.Loop;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.loop.Loop.Recorded;
import dev.belay.core.model.Check;
import dev.belay.core.report.Report;
import dev.belay.core.rules.CheckRules;
import dev.belay.core.rules.GroupRules;
import dev.belay.core.rules.NodeRules;
import dev.belay.core.rules.PodRules;
import dev.belay.core.rules.UpdatedMembers;
import dev.belay.core.rules.UpgradeRules;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.sim.operator.Seams;
import dev.belay.sim.world.Fault;
import dev.belay.sim.world.Timeline;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/** Bugs of the kind that operators have, each behind a seam that only tests use. */
enum PlantedBugs {
  QUORUM_IS_NOT_COUNTED(
      without(GroupRules.EVERY_GROUP_SURVIVES, GroupRules.EVERYONE_ELSE_IS_HEALTHY),
      "S1",
      "S3",
      "S9"),
  LEADERS_ARE_TAKEN_DOWN(without(GroupRules.LEADER_MOVES_FIRST), "S2"),
  SEVERAL_AT_A_TIME(
      without(PodRules.ONE_AT_A_TIME, GroupRules.EVERYONE_ELSE_IS_HEALTHY), "S1", "S3", "S9"),
  MISSING_PODS_ARE_OVERLOOKED(without(PodRules.EVERY_POD_EXISTS), "S1", "S3", "S9"),
  NODES_ARE_OVERLOOKED(without(NodeRules.NOBODY_ELSE_IS_LEAVING), "S3"),
  BUDGETS_ARE_OVERLOOKED(without(PodRules.DISRUPTION_BUDGET_ALLOWS), "S3"),
  A_FAILED_MEMBER_DOES_NOT_STOP_THE_LINE(
      without(
          UpdatedMembers.UPDATED_MEMBERS_SERVE,
          PodRules.ONE_AT_A_TIME,
          GroupRules.EVERYONE_ELSE_IS_HEALTHY),
      "S9",
      "S3",
      "S1",
      "S15"),
  THE_PARTITION_GOES_DOWN_BY_TWO(acting(PlantedBugs::twoAtOnce), "S5"),
  THE_GUARD_LETS_TEMPLATES_THROUGH(
      Seams.NONE.withGuard((write, claims) -> new Guard.Verdict.Admitted(write.after())), "S6"),
  THE_CONTROLLER_IS_NOT_WAITED_FOR(seeing(Blur::alwaysObserved), "S7", "S5", "S15", "S3", "L4"),
  FENCES_ARE_RENEWED(
      Seams.NONE.withActor((world, actor) ->
          (basis, step) -> {
            boolean contested = world.weather.holds(Fault.TWO_OPERATORS);
            world.pass(Duration.ofMillis(contested ? 900 : 0));
            return actor.act(basis, refenced(world, step));
          }),
      "S8",
      "S5",
      "S3",
      "S1",
      "S9",
      "S2",
      "L4",
      "S7"),
  NOTHING_IS_REVOKED(Lapses.nothingIsRevoked(), "S8"),
  ONE_LOOK_IS_ENOUGH(Seams.NONE.withObserver(PlantedBugs::onceATurn), "S7"),
  ORDINALS_START_AT_ZERO(seeing(Blur::startsAtZero), "L1", "L5", "S5", "S3"),
  WHO_CAME_BY_SCALING_IS_TAKEN_FOR_NEW(
      Seams.NONE.withObserver(
          (world, observer) -> () -> Blur.newcomersAreNew(observer.observe(), world)),
      "S13"),
  ANOTHER_SET_IS_TOUCHED(acting(PlantedBugs::elsewhere), "S14"),
  COMPLETE_TOO_EARLY(seeing(Blur::everybodyUpdated), "S15", "S4", "L1", "S5", "S10", "L4"),
  DELETION_IS_IGNORED(seeing(Blur::neverDeleted), "S16"),
  EVERY_LOOK_IS_WRITTEN_DOWN(
      Seams.NONE.withRecorder((world, recorder) -> restless(world, recorder)), "L1"),
  STEPS_COME_LATE(
      Seams.NONE.withObserver((world, observer) ->
          () -> {
            world.pass(Duration.ofSeconds(2));
            return observer.observe();
          }),
      "L2",
      "L3",
      "L1",
      "L5",
      "S7"),
  BLOCKED_IN_SILENCE(
      Seams.NONE.withRecorder(
          (world, recorder) -> (basis, report) -> recorder.record(basis, Blur.silent(report))),
      "L3",
      "L5"),
  UPDATED_PODS_LOOK_OLD(seeing(Blur::oneLooksOld), "L4", "S9", "S5", "L1", "S3"),
  BROKEN_PODS_ARE_LEFT(
      Seams.NONE.withActor((world, actor) ->
          (basis, step) ->
              step instanceof Step.RecreatePod
                  ? new Acted(true, "not done")
                  : actor.act(basis, step)),
      "L5",
      "L1",
      "S12"),
  A_MISSING_GUARD_GOES_UNNOTICED(seeing(Blur::guardHolds), "L6", "L1"),
  THE_RECORD_IS_NOT_WRITTEN(
      Seams.NONE.withRecorder(
          (world, recorder) -> (basis, report) -> lazily(recorder, basis, report)),
      "L1",
      "L4",
      "L5",
      "L3",
      "S8",
      "S11",
      "S12",
      "S3"),
  A_FAILED_REVISION_IS_TRIED_AGAIN(without(UpgradeRules.REVISION_IS_NOT_REFUSED), "S9"),
  FAILURES_ARE_FORGOTTEN(recording(Blur::withoutRefusal), "S9", "L1", "L5"),
  RETRIES_BY_ITSELF(seeing(Blur::retriesAlways), "S9"),
  GOES_BACK_UNASKED(seeing(Blur::rollsBackOnFailure), "S10"),
  GOES_BACK_ANYWHERE(seeing(Blur::currentIsGood), "S10", "S11"),
  PAUSE_IS_IGNORED(without(UpgradeRules.NOT_PAUSED), "S11"),
  HELD_PODS_ARE_TOUCHED(without(PodRules.POD_IS_NOT_HELD), "S11"),
  FORCE_TAKES_THE_HELD_ALONG(acting(PlantedBugs::allTheWayDown), "S11"),
  FORCE_NEVER_ENDS(seeing(Blur::neverForced), "S11", "L1"),
  FORCE_IS_NOT_SHOWN(recording(Blur::withoutForced), "S11"),
  TRIES_FOR_EVER_IN_SILENCE(
      Seams.NONE
          .withRecorder((world, recorder) ->
              (basis, report) -> recorder.record(basis, Blur.firstAttempt(report)))
          .withActor((world, actor) ->
              (basis, step) ->
                  step instanceof Step.Release
                      ? new Acted(false, "not done")
                      : actor.act(basis, step)),
      "L3"),
  LEAVES_THE_SET_UNPARKED(seeing(Blur::settledWhenDeleted), "S16"),
  THE_ORDER_OF_COMPONENTS_IS_TURNED(seeing(Blur::reversed), "S4"),
  BATCHES_ARE_AS_LARGE_AS_ASKED_FOR(
      Seams.NONE.withPlanner(
          policies -> new Planner(policies, exceptForBatches(GroupRules.EVERY_GROUP_SURVIVES))),
      "S1"),
  WHAT_IS_OWED_IS_FORGOTTEN(recording(Blur::withoutDues), "S12"),
  NOTHING_IS_LISTED_ANEW(
      Seams.NONE.withObserver(PlantedBugs::sinceItsWatchExpired), "L1", "L3", "L5", "L6", "S12"),
  A_FAILED_DEPLOYMENT_ROLLS_ON(
      Seams.NONE.withActor((world, actor) ->
          (basis, step) ->
              step instanceof Step.Freeze freeze && freeze.fence().kind() == Fence.Kind.DEPLOYMENT
                  ? new Acted(true, "not done")
                  : actor.act(basis, step)),
      "S9"),
  CHECKS_ARE_NOT_ASKED(without(CheckRules.CHECKS_PASS), "S9", "S15"),
  OLD_ANSWERS_COUNT(
      Seams.NONE.withObserver((world, observer) -> {
        var passed = new ArrayList<Check.Result>();
        return () -> Blur.remembering(observer.observe(), passed);
      }),
      "S9"),
  APPROVALS_ARE_TAKEN_FOR_GRANTED(seeing(Lapses::everythingAgreed), "S11"),
  AN_ABORT_IS_FORGOTTEN(recording(Lapses::withoutAbort), "S11"),
  A_FAILURE_DOES_NOT_TURN_BACK(seeing(Lapses::holdsOnFailure), "L5"),
  THE_SLOW_ARE_CALLED_FAILED(
      Seams.NONE.withPlanner(policies -> new Planner(policies, Lapses.impatient())), "S10"),
  NOBODY_SOAKS(seeing(Lapses::withoutSoak), "S3"),
  NOBODY_IS_DRAINED(seeing(Lapses::withoutActions), "S12"),
  NOTHING_IS_PARKED(
      Seams.NONE.withActor((world, actor) ->
          (basis, step) ->
              step instanceof Step.Rest rest && rest.partition() > 0
                  ? new Acted(true, "not done")
                  : actor.act(basis, step)),
      "L6",
      "L1"),
  HELD_IN_MANY_WORDS(Lapses.manyWords(), "L1"),
  OTHER_COMPONENTS_ARE_OVERLOOKED(
      Seams.NONE.withPlanner(policies -> new Planner(policies, narrow(PodRules.ONE_AT_A_TIME))),
      "S3"),
  CLAIMED_WITHOUT_A_RELEASE(seeing(Takeovers::withoutRelease), "S8"),
  RELEASED_WITHOUT_REVOKING(Takeovers.releasedUnsettled(), "S8", "S16", "S12"),
  THE_NEXT_OWNER_FORGETS_THE_RECORD(Takeovers.recordDropped(), "S8"),
  TWO_INSTALLS_OWN_IT(Takeovers.twoOwners(), "S8"),
  SUCCEEDED_BEFORE_THE_LEASE_EXPIRED(Seams.NONE.withObserver(Takeovers::impatient), "S8");

  private final Seams seams;
  private final Set<String> promises;

  PlantedBugs(Seams seams, String... promises) {
    this.seams = seams;
    this.promises = Set.copyOf(Arrays.asList(promises));
  }

  Seams seams() {
    return seams;
  }

  Set<String> promises() {
    return promises;
  }

  private static Seams without(Reason... reasons) {
    return judging(OtherRules.without(reasons));
  }

  private static Seams judging(List<Rule> rules) {
    return Seams.NONE.withPlanner(policies -> new Planner(policies, rules));
  }

  /** The rules, but one of them sees no other component. */
  private static List<Rule> narrow(Reason reason) {
    return OtherRules.changed(
        reason,
        judge -> (s, component, step) -> judge.object(Blur.only(s, component), component, step));
  }

  /** The rules, but one of them has nothing to say where several may go at once. */
  private static List<Rule> exceptForBatches(Reason reason) {
    return OtherRules.changed(
        reason,
        judge ->
            (s, component, step) ->
                component.spec().rollout().maxUnavailable() > 1
                    ? Optional.empty()
                    : judge.object(s, component, step));
  }

  private static Seams seeing(UnaryOperator<Snapshot> blur) {
    return Seams.NONE.withObserver((world, observer) -> () -> blur.apply(observer.observe()));
  }

  static Seams recording(UnaryOperator<Report> slip) {
    return Seams.NONE.withRecorder(
        (world, recorder) -> (basis, report) -> recorder.record(basis, slip.apply(report)));
  }

  private static Seams acting(UnaryOperator<Step> slip) {
    return Seams.NONE.withActor(
        (world, actor) -> (basis, step) -> actor.act(basis, slip.apply(step)));
  }

  private static Step twoAtOnce(Step step) {
    return step instanceof Step.Release r && r.partition() > 0
        ? new Step.Release(r.component(), r.fence(), r.partition() - 1, r.pod())
        : step;
  }

  private static Step allTheWayDown(Step step) {
    return step instanceof Step.Force f
        ? new Step.Force(f.component(), f.fence(), 0, f.by())
        : step;
  }

  private static Step elsewhere(Step step) {
    return step instanceof Step.Release r
        ? new Step.Release(
            r.component(),
            new Fence.ObjectVersion(
                r.fence().kind(), "other", r.fence().uid(), r.fence().resourceVersion()),
            r.partition(),
            r.pod())
        : step;
  }

  private static Step refenced(World world, Step step) {
    return step instanceof Step.Release r
        ? new Step.Release(
            r.component(),
            new Fence.ObjectVersion(
                r.fence().kind(),
                r.component(),
                r.fence().uid(),
                Long.toString(world.part(r.component()).orElseThrow().set().version())),
            r.partition(),
            r.pod())
        : step;
  }

  /** No time passes between the two looks of a turn: the second is what the first one was. */
  private static Loop.Observer onceATurn(World world, Loop.Observer observer) {
    var last = new AtomicReference<Optional<Snapshot>>(Optional.empty());
    var at = new AtomicReference<>(Instant.MIN);
    return () -> {
      if (last.get().isEmpty() || !world.time.now().equals(at.get())) {
        last.set(Optional.of(observer.observe()));
        at.set(world.time.now());
      }
      return last.get().orElseThrow();
    };
  }

  /** What was seen when the watch expired is all that is ever seen. */
  private static Loop.Observer sinceItsWatchExpired(World world, Loop.Observer observer) {
    var last = new AtomicReference<Optional<Snapshot>>(Optional.empty());
    return () -> {
      boolean expired = world.weather.since(Fault.WATCH_EXPIRES).isAfter(Timeline.START);
      if (!expired || last.get().isEmpty()) {
        last.set(Optional.of(observer.observe()));
      }
      return last.get().orElseThrow();
    };
  }

  private static Recorded lazily(Loop.Recorder recorder, Snapshot basis, Report report) {
    boolean step = report.memory().step().isPresent();
    return step && basis.memory().owner().isPresent()
        ? Recorded.WRITTEN
        : recorder.record(basis, report);
  }

  private static Loop.Recorder restless(World world, Loop.Recorder recorder) {
    return (basis, r) -> recorder.record(basis, Blur.current(r, "looked at " + world.time.now()));
  }
}
