package dev.belay.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.forecast.Forecast;
import dev.belay.core.model.Action;
import dev.belay.core.model.Check;
import dev.belay.core.model.Check.Moment;
import dev.belay.core.model.Check.On;
import dev.belay.core.model.Check.State;
import dev.belay.core.model.Component.Guarding;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Done;
import dev.belay.core.state.Decision.Hold;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** In a calm world, what was planned is what happens. */
class ForecastTest {

  @TestFactory
  Stream<DynamicTest> what_was_planned_is_what_happens() {
    return Stream.of(1, 2, 3, 4, 5, 7)
        .flatMap(n -> Stream.of(0, n - 1, n / 2).distinct().map(leader -> new int[] {n, leader}))
        .flatMap(w ->
            Stream.of(
                world(w, "by template", world -> world.template("etcd:3.6.16")),
                world(w, "by version", ForecastTest::byVersion),
                world(w, "OrderedReady, with a soak", ForecastTest::orderedWithSoak),
                world(w, "with approval", ForecastTest::withApproval),
                world(w, "with checks", ForecastTest::withChecks),
                world(w, "with migrations", ForecastTest::withMigrations),
                world(w, "by eviction", ForecastTest::byEviction),
                world(w, "with actions", ForecastTest::withActions),
                world(w, "with a Deployment behind it", ForecastTest::severalComponents),
                world(w, "by its controller", ForecastTest::byController),
                world(w, "back", ForecastTest::back)));
  }

  private static void byEviction(ScriptedWorld world) {
    world.update = Workload.Update.ON_DELETE;
    world.template("etcd:3.6.16");
  }

  private static void withActions(ScriptedWorld world) {
    world.actions =
        Stream.of(Action.Moment.values())
            .map(m -> new Action(m, On.TARGET, "do " + m, "", List.of()))
            .toList();
    world.template("etcd:3.6.16");
  }

  private static void severalComponents(ScriptedWorld world) {
    ScriptedWorld web = world.and("web", 2);
    web.kind = Workload.Kind.DEPLOYMENT;
    web.system.memberless = true;
    world.turns(3);
    world.taken.clear();
    world.template("etcd:3.6.16");
    web.template("web:2.0");
  }

  private static void byController(ScriptedWorld world) {
    world.system.memberless = true;
    world.rollout = rollout(Spec.Strategy.NATIVE, 1);
    world.template("etcd:3.6.16");
  }

  private static Spec.Rollout rollout(Spec.Strategy strategy, int maxUnavailable) {
    return new Spec.Rollout(
        Optional.of(strategy),
        Duration.ZERO,
        Duration.ofMinutes(10),
        Duration.ofMinutes(30),
        maxUnavailable,
        0,
        false);
  }

  @ParameterizedTest
  @CsvSource({"5, 3, 2", "7, 3, 3", "7, 2, 2", "3, 2, 1"})
  void a_batch_is_as_large_as_every_group_survives(int members, int allowed, int largest) {
    ScriptedWorld world = ScriptedWorld.adopted(members);
    world.leads("etcd-0");
    byEviction(world);
    world.rollout = rollout(Spec.Strategy.ON_DELETE, allowed);

    List<String> planned = new Forecast(new Planner(_ -> world.policy)).of(world.snapshot());
    List<String> happened = calmly(world);

    assertThat(planned.stream().map(l -> l.replaceFirst(" together with .*", "")))
        .isEqualTo(happened);
    assertThat(planned.stream().anyMatch(l -> l.endsWith("(" + largest + " at once)")))
        .isEqualTo(largest > 1);
    assertThat(planned).noneMatch(l -> l.endsWith("(" + (largest + 1) + " at once)"));
  }

  @Test
  void a_batch_names_who_goes_together() {
    ScriptedWorld world = ScriptedWorld.adopted(5);
    world.leads("etcd-0");
    byEviction(world);
    world.rollout = rollout(Spec.Strategy.ON_DELETE, 2);

    assertThat(new Forecast(new Planner(_ -> world.policy)).of(world.snapshot()))
        .startsWith(
            "evict etcd-4",
            "evict etcd-3 together with etcd-4 (2 at once)",
            "evict etcd-2",
            "evict etcd-1 together with etcd-2 (2 at once)");
  }

  @Test
  void to_the_version_that_runs_there_is_nothing_to_do() {
    ScriptedWorld world = ScriptedWorld.adopted(3);
    assertThat(new Forecast(new Planner(_ -> world.policy)).to(world.snapshot(), "3.5.35"))
        .isEmpty();
  }

  @Test
  void what_another_version_means_for_an_image_is_guessed_only_where_it_can_be() {
    ScriptedWorld world = ScriptedWorld.adopted(3);
    world.leads("etcd-0");
    world.and("web", 2).system.memberless = true;
    ScriptedWorld pinned = world.and("proxy", 2);
    pinned.system.memberless = true;
    pinned.image = "proxy:3.5.35@sha256:0123";
    List.copyOf(pinned.pods.keySet())
        .forEach(o -> pinned.replace(pinned.name(o)).up(pinned.name(o)));
    world.turns(4);

    assertThat(new Forecast(new Planner(_ -> world.policy)).to(world.snapshot(), "3.6.16"))
        .containsExactly(
            "not in this plan: web, whose image web:1.0 has another version: what follows cannot"
                + " be known",
            "not in this plan: proxy, whose image proxy:3.5.35@sha256:0123 is pinned by a digest:"
                + " which one stands for 3.6.16 cannot be known",
            "release etcd-2",
            "release etcd-1",
            "move leadership from etcd-0 to etcd-1",
            "release etcd-0");
  }

  private static DynamicTest world(
      int[] sizeAndLeader, String how, java.util.function.Consumer<ScriptedWorld> change) {
    return DynamicTest.dynamicTest(
        "%d members, %d leads, %s".formatted(sizeAndLeader[0], sizeAndLeader[1], how),
        () -> {
          ScriptedWorld world = ScriptedWorld.adopted(sizeAndLeader[0]);
          world.leads("etcd-" + sizeAndLeader[1]);
          world.rollout =
              new Spec.Rollout(
                  Duration.ZERO, Duration.ofMinutes(10), Duration.ofMinutes(30), 0, true);
          change.accept(world);
          List<String> planned = new Forecast(new Planner(_ -> world.policy)).of(world.snapshot());
          List<String> happened = calmly(world);
          assertThat(happened).isNotEmpty();
          assertThat(planned).isEqualTo(happened);
        });
  }

  private static void byVersion(ScriptedWorld world) {
    world.trigger = Spec.Trigger.VERSION;
    world.version = Optional.of("3.6.16");
    world.images = Map.of("etcd", "etcd:{version}");
  }

  private static void orderedWithSoak(ScriptedWorld world) {
    world.order = Workload.Order.ORDERED_READY;
    world.rollout =
        new Spec.Rollout(
            Duration.ofSeconds(30), Duration.ofMinutes(10), Duration.ofMinutes(30), 0, true);
    world.template("etcd:3.6.16");
  }

  private static void withApproval(ScriptedWorld world) {
    world.upgrade = new Spec.Upgrade(Spec.OnFailure.HOLD, Spec.Approval.BEFORE_LEADER, List.of());
    world.template("etcd:3.6.16");
  }

  private static void withChecks(ScriptedWorld world) {
    world.checks =
        Stream.of(Moment.values())
            .flatMap(m -> Stream.of(On.values()).map(on -> new Check(m, on, m + " " + on)))
            .toList();
    world.template("etcd:3.6.16");
  }

  private static void withMigrations(ScriptedWorld world) {
    for (String line :
        List.of(
            "migrations",
            "contract-soak 5S",
            "contract-approval",
            "migration 3.6.1 EXPAND reversible add",
            "migration 3.6.2 FINALIZE reversible fill",
            "migration 3.6.3 CONTRACT reversible drop",
            "by-hand vacuum")) {
      world.queue.command(line.split(" "), world.now);
    }
    world.template("etcd:3.6.16");
  }

  /** Half way through, and asked to go back. */
  private static void back(ScriptedWorld world) {
    world.template("etcd:3.6.16");
    for (int i = 0; i < 3; i++) {
      world.turn();
      settle(world);
    }
    world.requests =
        new Spec.Requests(
            Optional.empty(), Optional.empty(), Optional.of("back"), Optional.empty(), "");
    world.taken.clear();
  }

  /** Plays on with a controller and members that do what they should. */
  private static List<String> calmly(ScriptedWorld world) {
    var lines = new ArrayList<String>();
    for (int i = 0; i < 200; i++) {
      var turn = world.turn();
      switch (turn.decision()) {
        case Decision.Perform(Step step) -> lines.add(step.what());
        case Hold hold when !hold.waitingFor().isEmpty() -> {
          lines.add("wait for the approval " + hold.waitingFor());
          world.requests =
              new Spec.Requests(
                  Optional.of(hold.waitingFor()),
                  Optional.empty(),
                  Optional.empty(),
                  Optional.empty(),
                  "");
        }
        case Hold hold -> {
          Objection first = hold.objections().getFirst();
          lines.add("stop: " + first.object() + ": " + first.sentence());
          return lines;
        }
        case Done _ -> {
          return lines;
        }
        case Decision.Wait _ ->
            world.pods.keySet().forEach(ordinal -> world.up(world.name(ordinal)));
      }
      settle(world);
    }
    throw new AssertionError("it does not end: " + lines);
  }

  private static void rolled(ScriptedWorld world, Step.LetRoll roll) {
    Stream.concat(Stream.of(world), world.more.stream())
        .filter(w -> w.component.equals(roll.component()))
        .forEach(
            w -> List.copyOf(w.pods.keySet()).forEach(o -> w.replace(w.name(o)).up(w.name(o))));
  }

  private static void settle(ScriptedWorld world) {
    if (!world.taken.isEmpty()) {
      switch (world.taken.getLast()) {
        case Step.Release release -> world.replace(release.pod()).up(release.pod());
        case Step.LetRoll roll -> rolled(world, roll);
        case Step.Evict evict when world.rollout.maxUnavailable() == 1 -> world.up(evict.pod());
        case Step.RecreatePod recreate -> world.up(recreate.pod());
        case Step.Migrate _ -> world.queue.command(new String[] {"migrated"}, world.now);
        default -> {}
      }
      world.taken.clear();
    }
    world.pass(Duration.ofSeconds(10));
    world.results.clear();
    for (Check check : world.checks) {
      Stream.concat(
              Stream.of(""),
              world.snapshot().components().getFirst().podList().stream().map(Pod::uid))
          .forEach(uid ->
              world.results.add(new Check.Result(check, uid, State.PASSED, "ok", world.now)));
    }
  }

  @Test
  void a_check_that_fails_is_named_and_assumed_to_be_cured() {
    ScriptedWorld world = ScriptedWorld.adopted(1);
    world.rollout =
        new Spec.Rollout(Duration.ZERO, Duration.ofMinutes(10), Duration.ofMinutes(30), 0, true);
    var backup = new Check(Moment.BEFORE_UPGRADE, On.SERVICE, "GET :80/backup = 200");
    world.checks = List.of(backup);
    world.results.add(new Check.Result(backup, "", State.FAILED, "answered 503", world.now));
    world.template("etcd:3.6.16");

    assertThat(new Forecast(new Planner(_ -> world.policy)).of(world.snapshot()))
        .containsExactly(
            "wait: etcd: ChecksPass, CheckFailed: GET :80/backup = 200, answered 503; cure: make"
                + " the check pass; Belay goes on by itself",
            "release etcd-0");
  }

  @Test
  void what_stands_in_the_way_is_named_and_assumed_to_be_cured() {
    ScriptedWorld world = ScriptedWorld.adopted(3);
    world.down("etcd-0").leads("etcd-1").template("etcd:3.6.16");

    assertThat(new Forecast(new Planner(_ -> world.policy)).of(world.snapshot()))
        .containsExactly(
            "wait: etcd-2: EveryGroupSurvives, 2 of 3 voters healthy, 1 would remain, 2 needed;"
                + " cure: etcd-0 back",
            "release etcd-2",
            "move leadership from etcd-1 to etcd-0",
            "release etcd-1",
            "move leadership from etcd-0 to etcd-1",
            "release etcd-0");
  }

  @Test
  void a_version_nobody_asked_for_yet_is_planned_with_what_is_seen_now() {
    ScriptedWorld world = ScriptedWorld.adopted(3);
    world.leads("etcd-0").pods.values().forEach(p -> p.leaving = Fact.unknown("not read"));
    world.budgets = Fact.unknown("not read");
    var forecast = new Forecast(new Planner(_ -> world.policy));

    assertThat(forecast.to(world.snapshot(), "3.6.16"))
        .containsExactly(
            "release etcd-2",
            "release etcd-1",
            "move leadership from etcd-0 to etcd-1",
            "release etcd-0");

    world.pod("etcd-1").readiness = Pod.Readiness.UNREADY;
    assertThat(forecast.to(world.snapshot(), "3.6.16").getFirst())
        .isEqualTo(
            "wait: etcd-2: OneAtATime, not available: etcd-1 (not ready); cure: wait for the named"
                + " pods");
  }

  @ParameterizedTest
  @CsvSource({
    "STATEFUL_SET, ROLLING_UPDATE, release etcd-2",
    "STATEFUL_SET, ON_DELETE, evict etcd-2",
    "DEPLOYMENT, ROLLING_UPDATE, let the controller roll etcd",
  })
  void the_step_that_closes_the_way_back_says_so(
      Workload.Kind kind, Workload.Update update, String step) {
    ScriptedWorld world = ScriptedWorld.settled(3);
    world.kind = kind;
    world.turns(4);
    world.update = update;
    world.guard = update == Workload.Update.ON_DELETE ? Guarding.ON_DELETE : Guarding.POLICY;
    world.upgrade =
        new Spec.Upgrade(
            Spec.OnFailure.HOLD,
            Spec.Approval.NONE,
            List.of(new Spec.Path("3.5.x", "3.6.x", true)));
    world.template("etcd:3.6.16");

    assertThat(new Forecast(new Planner(_ -> SystemPolicy.NONE)).of(world.snapshot()))
        .filteredOn(line -> line.contains("no way back"))
        .containsExactly(
            step
                + "; from then on there is no way back: spec.upgrade.paths declares 3.5.35 to"
                + " 3.6.16 irreversible");
  }
}
