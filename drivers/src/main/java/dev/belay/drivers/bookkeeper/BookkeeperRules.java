package dev.belay.drivers.bookkeeper;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Objection.Weight;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.util.List;
import java.util.Optional;

/** What BookKeeper demands of an upgrade, beyond what holds for every system. */
final class BookkeeperRules {

  private static final int SHOWN = 60;

  static final Reason LEDGERS_ARE_REPLICATED =
      new Reason(
          "LedgersAreReplicated",
          "A ledger that lacks a copy may have its last one on the bookie that goes down next. With"
              + " autorecovery off nobody restores copies, and there is nothing to wait for.",
          "Wait until autorecovery has restored the copies; see what it does in the auditor's log.",
          "The bookie answers 404 both for \"no ledger lacks a copy\" and for an error:"
              + " only the first is good news. With autorecovery off the list never empties.");

  static final Reason ONE_BOOKIE_AT_A_TIME =
      new Reason(
          "OneBookieAtATime",
          "Two bookies may hold all copies of a ledger, whatever the size of the cluster: taken down"
              + " together, it cannot be read.",
          "Leave rollout.maxUnavailable at 1.",
          "Where the copies of a ledger are is decided per ledger, by the client that"
              + " wrote it: with two copies each, some pair of bookies has both.");

  static final List<Rule> ALL =
      List.of(
          new Rule(LEDGERS_ARE_REPLICATED, BookkeeperRules::ledgersAreReplicated),
          new Rule(ONE_BOOKIE_AT_A_TIME, BookkeeperRules::oneBookieAtATime));

  private BookkeeperRules() {}

  private static Optional<Objection> ledgersAreReplicated(
      Snapshot snapshot, Component component, Step step) {
    Optional<Pod> target =
        step.takesDown()
            .flatMap(name ->
                component.podList().stream().filter(p -> p.name().equals(name)).findFirst());
    // Whoever is down is missed already: to bring it back is what restores the copies.
    boolean down =
        target
            .flatMap(p -> component.memberOf(p).asOptional())
            .filter(Member::knownDown)
            .isPresent();
    if (target.isEmpty()
        || down
        || Readings.ofCluster(component, Readings.AUTORECOVERY).is(Readings.OFF)) {
      return Optional.empty();
    }
    String pod = target.orElseThrow().name();
    return switch (Readings.ofCluster(component, Readings.UNDER_REPLICATED)) {
      case Fact.Unknown<String> unknown -> Optional.of(LEDGERS_ARE_REPLICATED.unseen(pod, unknown));
      case Fact.Known<String>(String ledgers) when ledgers.isEmpty() -> Optional.empty();
      case Fact.Known<String>(String ledgers) ->
          Optional.of(
              LEDGERS_ARE_REPLICATED.objection(
                  pod, reading(ledgers), cure(component), Weight.WAIT));
    };
  }

  private static String reading(String ledgers) {
    int count = ledgers.split(", ").length;
    String shown =
        ledgers.length() > SHOWN
            ? ledgers.substring(0, ledgers.lastIndexOf(", ", SHOWN)) + ", …"
            : ledgers;
    return count + (count == 1 ? " ledger lacks" : " ledgers lack") + " copies: " + shown;
  }

  private static String cure(Component component) {
    return Readings.ofCluster(component, Readings.AUDITOR).is(Readings.NOBODY)
        ? "start autorecovery: there is no auditor"
        : "wait for autorecovery to restore them";
  }

  private static Optional<Objection> oneBookieAtATime(
      Snapshot snapshot, Component component, Step step) {
    int asked = component.spec().rollout().maxUnavailable();
    return step.takesDown().isPresent() && asked > 1
        ? Optional.of(
            ONE_BOOKIE_AT_A_TIME.objection(
                step.takesDown().get(),
                "rollout.maxUnavailable is " + asked,
                "set rollout.maxUnavailable to 1",
                Weight.HUMAN))
        : Optional.empty();
  }
}
