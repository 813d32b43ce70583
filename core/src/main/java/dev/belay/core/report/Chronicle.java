package dev.belay.core.report;

import dev.belay.core.plan.Approval;
import dev.belay.core.plan.Decision;
import dev.belay.core.plan.Decision.Perform;
import dev.belay.core.plan.Step;
import dev.belay.core.snapshot.Memory;
import dev.belay.core.snapshot.Memory.ComponentMemory;
import dev.belay.core.snapshot.Memory.Forced;
import dev.belay.core.snapshot.Memory.Good;
import dev.belay.core.snapshot.Memory.Outcome;
import dev.belay.core.snapshot.Memory.Past;
import dev.belay.core.snapshot.Memory.Refused;
import dev.belay.core.snapshot.Memory.Run;
import dev.belay.core.snapshot.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The upgrade under way and those that are over. */
record Chronicle(Snapshot snapshot, Decision decision) {

  private static final int KEPT = 10;

  Optional<Run> run(Map<String, ComponentMemory> now) {
    Optional<String> to = to(now);
    if (to.isEmpty()) {
      return Optional.empty();
    }
    Run run =
        memory()
            .run()
            .filter(r -> r.to().equals(to.get()))
            .orElseGet(() ->
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
    return Optional.of(waiting(signed(run)));
  }

  List<Past> history(Map<String, ComponentMemory> now) {
    Optional<String> to = to(now);
    Optional<Run> ended = memory().run().filter(r -> !to.equals(Optional.of(r.to())));
    if (ended.isEmpty()) {
      return memory().history();
    }
    Run run = waiting(ended.get());
    boolean back =
        now.values().stream().anyMatch(c -> c.refused().filter(Refused::withdrawing).isPresent());
    Outcome outcome =
        to.isPresent() ? Outcome.SUPERSEDED : back ? Outcome.ROLLED_BACK : Outcome.COMPLETED;
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
            run.forcedBy());
    var all = new ArrayList<>(Stream.concat(Stream.of(past), memory().history().stream()).toList());
    return all.subList(0, Math.min(KEPT, all.size()));
  }

  /**
   * What the upgrade leads to: the version, or the revision where the template names none. Of
   * several components the first speaks, and keeps the word.
   */
  private Optional<String> to(Map<String, ComponentMemory> now) {
    List<String> targets =
        each(now)
            .flatMap(c -> c.target().stream())
            .map(t -> t.version().isEmpty() ? t.revision() : t.version())
            .toList();
    return memory().run().map(Run::to).filter(targets::contains).or(targets.stream()::findFirst);
  }

  private Optional<String> from(Map<String, ComponentMemory> now) {
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
        run.begun());
  }

  /** Who approved and who forced: known where a policy stamps it, else it is only said that. */
  private Run signed(Run run) {
    boolean approved = Approval.answered(snapshot).isPresent();
    Optional<Forced> forced = memory().forced().filter(Forced::active);
    return new Run(
        run.from(),
        run.to(),
        run.since(),
        run.waited(),
        run.waitingSince(),
        approved ? known(snapshot.spec().requests().by()) : run.approvedBy(),
        forced.map(f -> known(f.by())).orElse(run.forcedBy()),
        run.begun() || begins());
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
