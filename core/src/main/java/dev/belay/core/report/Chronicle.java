package dev.belay.core.report;

import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.rules.Approval;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Forced;
import dev.belay.core.state.Memory.Good;
import dev.belay.core.state.Memory.Outcome;
import dev.belay.core.state.Memory.Past;
import dev.belay.core.state.Memory.Run;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The upgrade under way and those that are over. */
record Chronicle(Snapshot snapshot, Decision decision) {

  private static final int KEPT = 10;

  Optional<Run> run(Map<String, ComponentMemory> now, String next) {
    Optional<String> to = to(now);
    if (to.isEmpty()) {
      return Optional.empty();
    }
    Optional<Run> goesOn = memory().run().filter(r -> r.to().equals(to.get()));
    Run run =
        goesOn.orElseGet(() ->
            new Run(
                from(now).orElse(""),
                to.get(),
                snapshot.at(),
                Duration.ZERO,
                Optional.empty(),
                "",
                "",
                // What is half-way stays half-way when it is sent elsewhere.
                memory().run().filter(Run::begun).isPresent()));
    Outcome outcome = new Ending(snapshot, decision, now).soFar(goesOn);
    return Optional.of(waiting(signed(run, outcome, next)));
  }

  List<Past> history(Map<String, ComponentMemory> now) {
    Optional<String> to = to(now);
    Optional<Run> ended = memory().run().filter(r -> !to.equals(Optional.of(r.to())));
    if (ended.isEmpty()) {
      return memory().history();
    }
    Run run = waiting(ended.get());
    Ending ending = new Ending(snapshot, decision, now);
    Outcome outcome = to.isPresent() ? ending.replaced(run) : ending.over(run);
    var past =
        new Past(
            run.from(),
            run.to(),
            run.since(),
            snapshot.at(),
            run.waitingSince()
                .map(s -> run.waited().plus(Duration.between(s, snapshot.at())))
                .orElse(run.waited()),
            outcome,
            run.approvedBy(),
            run.forcedBy(),
            run.left());
    var all = new ArrayList<>(Stream.concat(Stream.of(past), memory().history().stream()).toList());
    return all.subList(0, Math.min(KEPT, all.size()));
  }

  /**
   * What the upgrade leads to: the version, or the revision where the template names none. Of
   * several components the first speaks, and keeps the word.
   */
  private Optional<String> to(Map<String, ComponentMemory> now) {
    var targets = new ArrayList<String>();
    for (Component component : snapshot.components()) {
      Optional.ofNullable(now.get(component.name()))
          .flatMap(ComponentMemory::target)
          .map(t -> t.version().isEmpty() ? t.revision() : t.version())
          .ifPresent(targets::add);
    }
    return memory().run().map(Run::to).filter(targets::contains).or(() -> Among.first(targets));
  }

  /** A return comes from where the upgrade was going. */
  private Optional<String> from(Map<String, ComponentMemory> now) {
    return new Ending(snapshot, decision, now).returns()
        ? memory().run().map(Run::to).or(() -> good(now))
        : good(now);
  }

  private Optional<String> good(Map<String, ComponentMemory> now) {
    return each(now)
        .filter(c -> c.target().isPresent())
        .flatMap(c -> c.lastGood().stream())
        .map(Good::version)
        .findFirst();
  }

  private Stream<ComponentMemory> each(Map<String, ComponentMemory> now) {
    return snapshot.components().stream().flatMap(c -> Stream.ofNullable(now.get(c.name())));
  }

  private Run waiting(Run run) {
    boolean person = snapshot.spec().paused() || decision instanceof Decision.Hold;
    if (person == run.waitingSince().isPresent()) {
      return run;
    }
    Duration waited =
        run.waitingSince()
            .map(s -> run.waited().plus(Duration.between(s, snapshot.at())))
            .orElse(run.waited());
    return new Run(
        run.from(),
        run.to(),
        run.since(),
        waited,
        person ? Optional.of(snapshot.at()) : Optional.empty(),
        run.approvedBy(),
        run.forcedBy(),
        run.begun(),
        run.outcome(),
        run.next(),
        run.left());
  }

  /** Who approved and who forced: known where a policy stamps it, else it is only said that. */
  private Run signed(Run run, Outcome outcome, String next) {
    boolean approved = Approval.answered(snapshot).isPresent();
    Optional<Forced> forced = memory().forced().filter(Forced::active);
    return new Run(
        run.from(),
        run.to(),
        run.since(),
        run.waited(),
        run.waitingSince(),
        approved ? known(snapshot.spec().requests().approvedBy()) : run.approvedBy(),
        forced.map(f -> known(f.by())).orElse(run.forcedBy()),
        run.begun() || begins(),
        outcome,
        next,
        left(run));
  }

  private List<String> left(Run run) {
    return decision instanceof Perform(Step.GiveUp gives)
        ? Stream.concat(run.left().stream(), Stream.of(gives.left())).toList()
        : run.left();
  }

  /** Something is done to the system for the upgrade: from now on it is half-way. */
  private boolean begins() {
    return decision instanceof Perform(Step.Disruptive step)
        && !(step instanceof Step.Tell tell && tell.mends());
  }

  private static String known(String by) {
    return by.isEmpty() ? "unknown" : by;
  }

  private Memory memory() {
    return snapshot.memory();
  }
}
