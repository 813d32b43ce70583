package dev.belay.core.forecast;

import dev.belay.core.decide.Planner;
import dev.belay.core.model.Component;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.report.Reporter;
import dev.belay.core.rules.Floor;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Done;
import dev.belay.core.state.Decision.Hold;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Decision.Wait;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What Belay will do, step by step: the production planner against the effect that each step is
 * expected to have. What stands in the way is named, and assumed to be cured once; where that does
 * not help, the forecast ends.
 */
public record Forecast(Planner planner) {

  /** More than this is no plan but a circle. */
  private static final int LIMIT = 200;

  /** Waits in a row that nothing but time could end. */
  private static final int PATIENCE = 3;

  /** The lines of the plan, each in words; empty when nothing is to be done. */
  public List<String> of(Snapshot now) {
    var lines = new ArrayList<String>();
    var reporter = new Reporter(planner);
    // The plan is that of the next owner while the cluster is handed over.
    Snapshot world = now.selectedAs(Snapshot.Selection.MATCHES);
    int waits = 0;
    boolean cured = false;
    var down = new TreeSet<String>();
    for (int i = 0; i < LIMIT; i++) {
      world = new Effects(world).answered();
      Decision decision = planner.decide(world);
      var effects = new Effects(world.remembering(reporter.report(world, decision).memory()));
      if (!down.isEmpty() && !(decision instanceof Perform)) {
        world = effects.back(down);
        down.clear();
        continue;
      }
      switch (decision) {
        case Done _ -> {
          return lines;
        }
        case Perform(Step step) -> {
          if (!(step instanceof Step.Claim) && !(step instanceof Step.Revoke)) {
            lines.add(words(world, step) + together(step, down));
          }
          if (isOfBatch(world, step)) {
            step.takesDown().ifPresent(down::add);
          }
          world = after(effects, step);
          waits = 0;
        }
        case Hold hold when !hold.waitingFor().isEmpty() -> {
          lines.add("wait for the approval " + hold.waitingFor());
          world = effects.approved(hold.waitingFor());
        }
        case Hold hold -> {
          return with(lines, "stop: ", hold.objections().getFirst());
        }
        case Wait wait -> {
          Objection first = wait.objections().getFirst();
          boolean progress = first.weight() == Objection.Weight.PROGRESS;
          if (++waits > PATIENCE || (!progress && cured)) {
            return with(lines, "stop: ", first);
          }
          if (!progress) {
            with(lines, "wait: ", first);
            cured = true;
          }
          world = progress ? effects.ofTime() : effects.cured();
        }
      }
    }
    return lines;
  }

  /** Whether others may go before the member that this step takes down is back. */
  private static boolean isOfBatch(Snapshot world, Step step) {
    return step instanceof Step.Evict
        && world
            .component(step.component())
            .filter(c -> c.spec().rollout().maxUnavailable() > 1)
            .isPresent();
  }

  private static String together(Step step, Set<String> down) {
    return step instanceof Step.Evict && !down.isEmpty()
        ? String.format(
            Locale.ROOT, " together with %s (%d at once)", String.join(", ", down), down.size() + 1)
        : "";
  }

  private Snapshot after(Effects effects, Step step) {
    Snapshot world = effects.of(step);
    return step instanceof Step.Tell tell
        ? world.seeing(
            world.components().stream()
                .map(c ->
                    c.name().equals(step.component())
                        ? planner.policy(c).after(c, tell.command())
                        : c)
                .toList())
        : world;
  }

  /** The same for a version that nobody asked for yet. */
  public List<String> to(Snapshot now, String version) {
    Snapshot calm = new Effects(now).asIfRead();
    if (now.spec().trigger() == Spec.Trigger.VERSION) {
      return of(calm.asking(now.spec().withVersion(version)));
    }
    var retagging = new Retagging(calm, version);
    return Stream.concat(retagging.leftOut(), of(retagging.world()).stream()).toList();
  }

  private static List<String> with(List<String> lines, String verb, Objection objection) {
    lines.add(verb + objection.object() + ": " + objection.sentence());
    return lines;
  }

  /** The step that closes the way back says so. */
  private String words(Snapshot world, Step step) {
    if (step instanceof Step.Migrate migrate
        && !migrate.operation().reversible()
        && !migrate.operation().custom()) {
      return step.what() + "; from then on there is no way back: it cannot be taken back";
    }
    Optional<Component> component = world.component(step.component());
    Optional<Pod> released =
        component.flatMap(c -> c.podList().stream().filter(p -> goes(p, step)).findFirst());
    return released
        .flatMap(p ->
            new Floor(world, component.orElseThrow(), planner.policy(component.orElseThrow()))
                .closedBy(p))
        .map(why -> step.what() + "; from then on there is no way back: " + why)
        .orElse(step.what());
  }

  /** Whether a step sends this pod to the new revision. */
  private static boolean goes(Pod pod, Step step) {
    return switch (step) {
      case Step.Release release -> pod.name().equals(release.pod());
      case Step.Evict evict -> pod.name().equals(evict.pod());
      case Step.LetRoll _ -> true;
      default -> false;
    };
  }
}
