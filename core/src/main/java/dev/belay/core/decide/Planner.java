package dev.belay.core.decide;

import static dev.belay.core.state.Objection.Weight.WAIT;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.model.Action.Moment;
import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Fleet;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
import dev.belay.core.rollout.Awaited;
import dev.belay.core.rollout.Deadline;
import dev.belay.core.rollout.Forcing;
import dev.belay.core.rollout.Migrations;
import dev.belay.core.rollout.Obligations;
import dev.belay.core.rollout.Passage;
import dev.belay.core.rollout.RecordedSteps;
import dev.belay.core.rollout.Rollout;
import dev.belay.core.rollout.Strategies;
import dev.belay.core.rules.CheckRules;
import dev.belay.core.rules.Course;
import dev.belay.core.rules.MigrationRules;
import dev.belay.core.rules.PodRules;
import dev.belay.core.rules.Reasons;
import dev.belay.core.rules.Rules;
import dev.belay.core.rules.UpgradeRules;
import dev.belay.core.rules.WholeUpgrade;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Done;
import dev.belay.core.state.Decision.Hold;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Decision.Wait;
import dev.belay.core.state.Memory.Run;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The whole of Belay's judgement: from all that is known to the one thing to do next. Pure, total,
 * and the same for the operator, the simulator and {@code belay plan}.
 */
public final class Planner {

  /** Less than this is nothing to turn back for. */
  private static final Duration A_MOMENT = Duration.ofSeconds(30);

  /** More names than this are no help. */
  private static final int NAMED = 5;

  private final Function<String, SystemPolicy> policies;
  private final List<Rule> rules;

  /**
   * @param policies what each kind of driver demands, by the driver's type
   */
  public Planner(Function<String, SystemPolicy> policies) {
    this(policies, Rules.ALL);
  }

  /** With other rules than the real ones, to show that tests notice a missing or wrong one. */
  public Planner(Function<String, SystemPolicy> policies, List<Rule> rules) {
    this.policies = policies;
    this.rules = List.copyOf(rules);
  }

  public SystemPolicy policy(Component component) {
    return policies.apply(component.spec().driver());
  }

  public Decision decide(Snapshot seen) {
    Snapshot snapshot = seen.ofItsWorkloads();
    var ownership = new Ownership(snapshot);
    if (ownership.handsOver()) {
      Decision next = ownership.handOver(rollouts(snapshot));
      return ownership.asOwner(new RecordedSteps(snapshot).settleBefore(next));
    }
    Optional<Decision> missing = ownership.missing();
    if (missing.isPresent()) {
      return missing.get();
    }
    var asked = new Asked(snapshot, this::policy);
    Decision next =
        snapshot.subject().deleting()
            ? new Departure(snapshot, rollouts(snapshot)).next()
            : asked
                .first()
                .map(first -> first instanceof Perform ? first : first.also(news(snapshot)))
                .or(() -> new Removed(snapshot).held())
                .orElseGet(() -> asked.keeping(advance(snapshot)));
    return new RecordedSteps(snapshot).settleBefore(secured(snapshot, next).orElse(next));
  }

  /** Whether a look is older than what was written down last, and so no ground to pass it over. */
  public boolean isBehind(Snapshot seen) {
    return new RecordedSteps(seen.ofItsWorkloads()).outrunTheLook();
  }

  /**
   * While a person is waited for, no release may be left that can still strike; and while nobody
   * goes on, nothing is left that was done only for going on.
   */
  private Optional<Decision> secured(Snapshot snapshot, Decision next) {
    if (snapshot.subject().deleting() || goesOn(snapshot, next)) {
      return Optional.empty();
    }
    List<Rollout> adopted = Among.those(rollouts(snapshot), r -> r.memory().adopted());
    // A failure is written down first: what takes its traces away must not make it forgotten.
    if (Among.any(adopted, r -> isNews(r, next))) {
      return Optional.empty();
    }
    // What waits for long keeps its release, unless something has to be taken back before it.
    boolean owes = Among.any(adopted, r -> new Obligations(r).takeBackAll().isPresent());
    Stream<Decision> secured =
        next instanceof Hold || owes
            ? adopted.stream()
                .filter(r -> !Forcing.drives(r))
                .filter(r -> !new Healing(snapshot, r.component(), next).goesOn(r.strategy()))
                .flatMap(r -> new Strategies(r).secure("a person is waited for").stream())
            : Stream.empty();
    return Stream.concat(
            secured, adopted.stream().flatMap(r -> new Obligations(r).takeBackAll().stream()))
        .findFirst();
  }

  /** A failure of a component that is rolling, and of which nothing is refused yet. */
  private static boolean isNews(Rollout rollout, Decision next) {
    return rollout.course().failsUnnoticed()
        && Among.any(next.failures(), o -> rollout.component().owns(o.object()));
  }

  /** What is only in the way for a moment does not count as an end. */
  private static boolean goesOn(Snapshot snapshot, Decision next) {
    return switch (next) {
      case Perform _ -> true;
      case Done _ -> true;
      case Hold _ -> false;
      case Wait wait -> {
        Objection first = wait.objections().getFirst();
        yield first.weight() == Objection.Weight.PROGRESS
            || snapshot
                .memory()
                .blocked()
                .filter(b -> first.is(b))
                .filter(b -> b.since().plus(A_MOMENT).isBefore(snapshot.at()))
                .isEmpty();
      }
    };
  }

  private List<Rollout> rollouts(Snapshot snapshot) {
    var rollouts = new ArrayList<Rollout>(snapshot.components().size());
    for (Component c : snapshot.components()) {
      c.workload()
          .asOptional()
          .ifPresent(w -> rollouts.add(new Rollout(snapshot, c, w, policy(c), rules)));
    }
    return rollouts;
  }

  /** What is asked for midway and waits; empty when nothing does. */
  public String awaited(Snapshot snapshot) {
    for (Rollout rollout : rollouts(snapshot)) {
      Optional<String> words = new Awaited(rollout).words();
      if (words.isPresent()) {
        return words.get();
      }
    }
    return "";
  }

  /** One component and what it would do if it were its turn. */
  private record Turn(Component component, Decision decision) {}

  /** Components in order, or back in reverse: the first that is not done moves. */
  private Decision advance(Snapshot snapshot) {
    List<Turn> turns = turns(snapshot);
    return Among.first(turns, t -> waitsForNobody(t.decision))
        .map(Turn::decision)
        .or(() -> refusedStands(snapshot))
        .or(() -> migrations(snapshot).resume())
        .or(() ->
            Among.first(turns, t -> !isThere(snapshot, t))
                .map(t -> {
                  List<Turn> others = Among.those(turns, other -> !other.equals(t));
                  return turn(snapshot, t, turns).also(news(snapshot, others));
                }))
        .orElseGet(() -> end(snapshot, turns));
  }

  private List<Turn> turns(Snapshot snapshot) {
    var turns = new ArrayList<Turn>();
    for (Component c : WholeUpgrade.order(snapshot)) {
      turns.add(new Turn(c, decide(snapshot, c)));
    }
    return turns;
  }

  /** What failed while something else is spoken of is written down all the same. */
  private List<Objection> news(Snapshot snapshot) {
    return news(snapshot, turns(snapshot));
  }

  private static List<Objection> news(Snapshot snapshot, List<Turn> turns) {
    var news = new ArrayList<Objection>();
    for (Turn turn : turns) {
      if (new Course(snapshot, turn.component).failsUnnoticed()) {
        news.addAll(Among.those(turn.decision.failures(), o -> turn.component.owns(o.object())));
      }
    }
    return news;
  }

  /** What only takes something back, or takes over without touching anything. */
  private static boolean waitsForNobody(Decision decision) {
    return decision instanceof Perform(Step step)
        && switch (step) {
          case Step.Freeze _, Step.Retract _, Step.Undo _, Step.GiveUp _, Step.Adopt _ -> true;
          case Step.Tell tell -> tell.mends();
          default -> false;
        };
  }

  /** Done, or sent back and back: where some have yet another revision, nobody is. */
  private static boolean isThere(Snapshot snapshot, Turn turn) {
    boolean rests =
        turn.component.podList().stream().map(Pod::revision).distinct().count() <= 1
            && turn.decision instanceof Hold hold
            && hold.objections().getFirst().is(UpgradeRules.REVISION_IS_NOT_REFUSED)
            && new Course(snapshot, turn.component).sentBack();
    return turn.decision instanceof Done || rests;
  }

  private Decision turn(Snapshot snapshot, Turn turn, List<Turn> all) {
    List<Turn> later = all.subList(all.indexOf(turn) + 1, all.size());
    if (turn.decision instanceof Perform(Step step)) {
      var course = new Course(snapshot, turn.component);
      boolean begins =
          course.arrived().isEmpty()
              || (step instanceof Step.SetTemplate && !course.sentBack() && !heals(snapshot, turn));
      return later.stream()
          .map(Turn::decision)
          .filter(d -> begins && needsPersonFirst(d))
          .findFirst()
          .or(() -> lostTheirTurn(snapshot, step, later))
          .or(() -> beforeAll(snapshot, turn))
          .orElse(turn.decision);
    }
    // Who is stuck on what was never good is healed out of turn: others may be waiting for it.
    return Among.first(later, t -> heals(snapshot, t))
        .map(t -> beforeAll(snapshot, t).orElse(t.decision))
        .orElseGet(
            () -> Deadline.applied(snapshot, turn.component, entangled(snapshot, turn, later)));
  }

  /** Who waits for a later one that may not go before it waits for a person. */
  private static Decision entangled(Snapshot snapshot, Turn turn, List<Turn> later) {
    return Among.first(turn.decision.objections())
        .flatMap(why ->
            later.stream()
                .map(t -> new Healing(snapshot, t.component, t.decision))
                .flatMap(h -> h.isWaitedFor(turn.component, why).stream())
                .findFirst())
        .map(o -> Decision.because(List.of(o)).also(turn.decision.objections()))
        .orElse(turn.decision);
  }

  /**
   * What was let through and has not struck would strike beside an earlier one that moves again,
   * and who was drained for its turn would stay so until it comes.
   */
  private Optional<Decision> lostTheirTurn(Snapshot snapshot, Step step, List<Turn> later) {
    boolean moves = step instanceof Step.Disruptive || step instanceof Step.SetTemplate;
    Set<String> names = later.stream().map(t -> t.component.name()).collect(Collectors.toSet());
    return rollouts(snapshot).stream()
        .filter(r -> moves && names.contains(r.component().name()) && r.memory().adopted())
        .filter(r -> !Forcing.drives(r))
        .flatMap(r ->
            new Strategies(r)
                    .secure("another component goes first")
                    .or(() -> new Obligations(r).takeBackExceptFor(Optional.empty()))
                    .stream())
        .findFirst();
  }

  /** What failed or was sent back goes to nobody else, whoever is spoken of. */
  private Optional<Decision> refusedStands(Snapshot snapshot) {
    return rollouts(snapshot).stream()
        .filter(r -> r.memory().adopted() && !Forcing.drives(r) && r.leadsToTheRefused())
        .flatMap(r -> new Strategies(r).standStill("it is refused").stream())
        .findFirst();
  }

  /** Whether other clusters are in the way, and nothing of its own. */
  public static boolean waitsForOthers(Decision decision) {
    return Among.any(decision.objections(), o -> o.is(Reasons.FLEET_HAS_ROOM));
  }

  /** What has not begun does not begin while as many others as may are half-way. */
  private static Optional<Decision> amongOthers(Snapshot snapshot, Turn turn) {
    Fleet fleet = snapshot.fleet();
    boolean begun = snapshot.memory().run().filter(Run::begun).isPresent();
    var course = new Course(snapshot, turn.component);
    boolean back = course.withdrawing() || course.goesBack();
    if (!fleet.full() || begun || back || heals(snapshot, turn)) {
      return Optional.empty();
    }
    List<String> some = fleet.underWay().stream().sorted().limit(NAMED).toList();
    int more = fleet.underWay().size() - some.size();
    return Optional.of(
        new Wait(
            List.of(
                Reasons.FLEET_HAS_ROOM.objection(
                    snapshot.subject().name(),
                    String.format(
                        Locale.ROOT,
                        "%d of %d clusters are in the middle of an upgrade: %s%s",
                        fleet.underWay().size(),
                        fleet.limit(),
                        String.join(", ", some),
                        more == 0 ? "" : " and " + more + " more"),
                    "its turn comes when one of them is through; help those that failed or are"
                        + " held, or raise --max-upgrades of the operator",
                    WAIT))));
  }

  /** What others, any component, and the database want before the first member of all goes. */
  private Optional<Decision> beforeAll(Snapshot snapshot, Turn turn) {
    boolean blind =
        snapshot.ledger().asOptional().filter(l -> l.denied().isEmpty()).isEmpty()
            && turn.decision instanceof Perform(Step step)
            && MigrationRules.heals(snapshot, turn.component, step);
    if (!(turn.decision instanceof Perform(Step.Disruptive _)) || Forcing.active(snapshot)) {
      return Optional.empty();
    }
    Optional<Decision> unfit = blind ? Optional.empty() : migrations(snapshot).unfit();
    return unfit
        .or(() -> amongOthers(snapshot, turn))
        .or(() -> checkedBefore(snapshot, turn))
        .or(() ->
            rollouts(snapshot).stream()
                .flatMap(
                    r -> new Obligations(r).due(Moment.BEFORE_UPGRADE, Optional.empty()).stream())
                .findFirst())
        .or(() -> blind ? Optional.empty() : migrations(snapshot).expand());
  }

  private static Optional<Decision> checkedBefore(Snapshot snapshot, Turn turn) {
    return turn.decision instanceof Perform(Step step)
        ? CheckRules.beforeUpgrade(snapshot, turn.component, step)
            .map(o -> Deadline.applied(snapshot, turn.component, new Wait(List.of(o))))
        : Optional.empty();
  }

  private Optional<Decision> checkedAfter(Snapshot snapshot) {
    return CheckRules.afterUpgrade(snapshot)
        .map(o -> Decision.because(List.of(o)))
        .map(asked -> {
          Component first = new WholeUpgrade(snapshot).forward().getFirst();
          return Deadline.applied(snapshot, first, asked);
        })
        .map(asked ->
            asked instanceof Hold
                ? rollouts(snapshot).stream()
                    .flatMap(r -> new Passage(r).turnBack().stream())
                    .findFirst()
                    .orElse(asked)
                : asked);
  }

  private Migrations migrations(Snapshot snapshot) {
    return new Migrations(snapshot, rules);
  }

  /** Nothing is begun that is already known not to come to an end. */
  private static boolean needsPersonFirst(Decision decision) {
    return decision instanceof Hold hold
        && Among.any(
            hold.objections(),
            o ->
                o.weight() == Objection.Weight.INVALID
                    || (o.weight() == Objection.Weight.HUMAN
                        && (hold.waitingFor().isEmpty() || isAdoption(o))
                        && !o.is(UpgradeRules.REVISION_IS_NOT_REFUSED)
                        && !o.is(PodRules.POD_IS_NOT_HELD)
                        && !o.is(UpgradeRules.NOT_PAUSED)));
  }

  private static boolean isAdoption(Objection objection) {
    return objection.is(Reasons.ADOPTED_MIDWAY);
  }

  private static boolean heals(Snapshot snapshot, Turn turn) {
    return new Healing(snapshot, turn.component, turn.decision).heals();
  }

  private Decision end(Snapshot snapshot, List<Turn> turns) {
    return Forcing.over(snapshot)
        .or(() -> migrations(snapshot).finish())
        .or(() -> checkedAfter(snapshot))
        .or(() ->
            rollouts(snapshot).stream()
                .filter(_ -> snapshot.memory().run().isPresent())
                .flatMap(r -> new Obligations(r).afterUpgrade().stream())
                .findFirst())
        .or(() -> migrations(snapshot).contract())
        .or(() ->
            turns.stream()
                .map(Turn::decision)
                .filter(d -> !(d instanceof Done))
                .max(Comparator.comparing(d -> d.objections().getFirst().weight())))
        .orElseGet(Done::new);
  }

  private Decision decide(Snapshot snapshot, Component component) {
    if (component.workload() instanceof Fact.Unknown<Workload>(String why)) {
      return new Wait(
          List.of(
              Reasons.WORKLOAD_IS_READABLE.objection(
                  component.spec().workload(),
                  why,
                  "create it, or correct the component's workload.name",
                  WAIT)));
    }
    Workload workload = component.workload().asOptional().orElseThrow();
    return new Passage(new Rollout(snapshot, component, workload, policy(component), rules)).next();
  }
}
