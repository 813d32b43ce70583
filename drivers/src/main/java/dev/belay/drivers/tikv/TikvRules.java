package dev.belay.drivers.tikv;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Health;
import dev.belay.core.model.Pod;
import dev.belay.core.state.Memory.Blocked;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Objection.Weight;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.drivers.tikv.Debts.Eviction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What TiKV demands of an upgrade, beyond what holds for every system. */
final class TikvRules {

  /** PD moves thousands of leaders a minute; what takes longer has a reason. */
  static final Duration PATIENCE = Duration.ofMinutes(5);

  static final Reason LEADERS_LEAVE_FIRST =
      new Reason(
          "LeadersLeaveFirst",
          "A store that goes down while it leads regions leaves each of them without a leader until"
              + " the others have found out and elected one.",
          "See in PD why leaders stay (pd-ctl scheduler show, pd-ctl operator show); or accept the"
              + " elections: driver.tikv.evictLeaderTimeout.",
          "tidb-operator#1200: the eviction of leaders was ended before the store went,"
              + " and they flowed back.");

  static final Reason REGIONS_ARE_WHOLE =
      new Reason(
          "RegionsAreWhole",
          "A region that lacks a peer elsewhere may lose its majority with the store that goes down"
              + " next.",
          "Wait until PD has made up for what is missing (pd-ctl region check down-peer, miss-peer).",
          "PD calls a store Up again before all of its peers have caught up; what is"
              + " missing is in its region checks alone.");

  static final Reason OTHER_STORES_ARE_UP =
      new Reason(
          "OtherStoresAreUp",
          "Regions also have peers on stores that are no pods of this component, such as those of"
              + " another set.",
          "Bring the named store back, or have PD remove it for good.",
          "Placement is per region, over all stores that PD knows: a set sees only its" + " own.");

  static final Reason ONE_STORE_AT_A_TIME =
      new Reason(
          "OneStoreAtATime",
          "Two stores may hold the majority of a region, whatever the size of the cluster; and a"
              + " store is through only when leaders may return to it.",
          "Leave rollout.maxUnavailable at 1; wait until PD has heard of the store before.",
          "tidb-operator#6131: regions were unavailable while stores were rolled. #4335:"
              + " with a single store the eviction of leaders never ends.");

  static final List<Rule> ALL =
      List.of(
          new Rule(LEADERS_LEAVE_FIRST, TikvRules::leadersLeaveFirst),
          new Rule(REGIONS_ARE_WHOLE, TikvRules::regionsAreWhole),
          new Rule(OTHER_STORES_ARE_UP, TikvRules::otherStoresAreUp),
          new Rule(ONE_STORE_AT_A_TIME, TikvRules::oneStoreAtATime));

  private TikvRules() {}

  private static Optional<Pod> target(Component component, Step step) {
    return step.takesDown().flatMap(name -> Debts.pod(component, name));
  }

  /** The store that a step takes down; none where it is down already, so that nothing is lost. */
  private static Optional<Member> serving(Component component, Pod pod) {
    boolean stopped = pod.stuck() && pod.trouble().filter(Pod.Trouble::stopped).isPresent();
    return component
        .memberOf(pod)
        .asOptional()
        .filter(m -> !m.knownDown() && (!stopped || m.healthy()));
  }

  private static Optional<Objection> onServing(
      Component component, Step step, Function<Member, Optional<Objection>> judge) {
    return target(component, step).flatMap(pod -> serving(component, pod)).flatMap(judge);
  }

  /** Of a store that is unknown, LeadersLeaveFirst says so; all else would only repeat it. */
  private static Optional<Objection> onKnown(
      Component component, Step step, Function<Member, Optional<Objection>> judge) {
    return onServing(
        component,
        step,
        store ->
            store.health() instanceof Fact.Known<Health> ? judge.apply(store) : Optional.empty());
  }

  private static Optional<Objection> leadersLeaveFirst(
      Snapshot snapshot, Component component, Step step) {
    return onServing(
        component,
        step,
        store -> {
          String pod = step.takesDown().orElseThrow();
          if (store.health() instanceof Fact.Unknown<Health> unknown) {
            return Optional.of(LEADERS_LEAVE_FIRST.unseen(pod, unknown));
          }
          if (Readings.nothingToSpare(store)) {
            return Optional.empty();
          }
          return switch (store.reading(Readings.EVICTION)) {
            case Fact.Unknown<String> unknown ->
                Optional.of(LEADERS_LEAVE_FIRST.unseen(pod, unknown));
            case Fact.Known<String> _ ->
                switch (store.reading(Readings.LEADERS)) {
                  case Fact.Unknown<String> unknown ->
                      Optional.of(LEADERS_LEAVE_FIRST.unseen(pod, unknown));
                  case Fact.Known<String>(String none) when none.equals("0") -> Optional.empty();
                  case Fact.Known<String>(String count) when Readings.evicting(store) ->
                      stillLeads(snapshot, component, new Leading(store, pod, count));
                  case Fact.Known<String>(String count) -> cannotBeTold(store, pod, count);
                };
          };
        });
  }

  /** A store that is to lead nothing, and how many regions it still leads. */
  private record Leading(Member store, String pod, String count) {

    String words() {
      return "store %s still leads %s %s"
          .formatted(store.id(), count, count.equals("1") ? "region" : "regions");
    }
  }

  private static Optional<Objection> stillLeads(
      Snapshot snapshot, Component component, Leading leading) {
    Duration waited = Duration.between(since(snapshot, component, leading), snapshot.at());
    Optional<Duration> limit = Readings.limit(leading.store);
    if (limit.filter(l -> waited.compareTo(l) >= 0).isPresent()) {
      return Optional.empty();
    }
    boolean overdue = limit.isEmpty() && waited.compareTo(PATIENCE) >= 0;
    return Optional.of(
        overdue
            ? LEADERS_LEAVE_FIRST.objection(
                leading.pod,
                leading.words() + " " + PATIENCE.toMinutes() + " min after PD began to move them",
                "see in PD why they stay; it goes on when they are gone, or after"
                    + " driver.tikv.evictLeaderTimeout if you set that",
                Weight.HUMAN)
            : LEADERS_LEAVE_FIRST.objection(
                leading.pod, leading.words(), "wait: PD moves them away", Weight.PROGRESS));
  }

  /** An eviction that Belay did not ask for is waited for since it was first in the way. */
  private static Instant since(Snapshot snapshot, Component component, Leading leading) {
    return Optional.ofNullable(Debts.of(snapshot, component).evictions().get(leading.store.id()))
        .flatMap(Eviction::since)
        .or(() ->
            snapshot
                .memory()
                .blocked()
                .filter(b -> LEADERS_LEAVE_FIRST.is(b) && b.object().equals(leading.pod))
                .map(Blocked::since))
        .orElse(snapshot.at());
  }

  /** It is told when nobody objects; unless PD would take another store for it. */
  private static Optional<Objection> cannotBeTold(Member store, String pod, String count) {
    return Orders.canName(store.id())
        ? Optional.empty()
        : Optional.of(
            LEADERS_LEAVE_FIRST.objection(
                pod,
                "store %s leads %s regions, and PD's API rounds an id of that size"
                    .formatted(store.id(), count),
                "move its leaders away by hand: pd-ctl operator add transfer-leader",
                Weight.HUMAN));
  }

  private static Optional<Objection> regionsAreWhole(
      Snapshot snapshot, Component component, Step step) {
    return onKnown(
        component,
        step,
        store ->
            Readings.nothingToSpare(store)
                ? Optional.empty()
                : clear(
                    REGIONS_ARE_WHOLE,
                    store.reading(Readings.GAPS),
                    step,
                    "wait until PD has restored them"));
  }

  private static Optional<Objection> otherStoresAreUp(
      Snapshot snapshot, Component component, Step step) {
    return onKnown(
        component,
        step,
        store ->
            clear(
                OTHER_STORES_ARE_UP,
                store.reading(Readings.OTHERS),
                step,
                "bring it back, or have PD remove it for good; wait for one that is emptied"));
  }

  /** Nothing to say is what is wanted. */
  private static Optional<Objection> clear(
      Reason reason, Fact<String> reading, Step step, String cure) {
    String pod = step.takesDown().orElseThrow();
    return switch (reading) {
      case Fact.Unknown<String> unknown -> Optional.of(reason.unseen(pod, unknown));
      case Fact.Known<String>(String words) when words.isEmpty() -> Optional.empty();
      case Fact.Known<String>(String words) ->
          Optional.of(reason.objection(pod, words, cure, Weight.WAIT));
    };
  }

  private static Optional<Objection> oneStoreAtATime(
      Snapshot snapshot, Component component, Step step) {
    Optional<Pod> target = target(component, step);
    int asked = component.spec().rollout().maxUnavailable();
    if (target.isPresent() && asked > 1) {
      return Optional.of(
          ONE_STORE_AT_A_TIME.objection(
              target.get().name(),
              "rollout.maxUnavailable is " + asked,
              "set rollout.maxUnavailable to 1",
              Weight.HUMAN));
    }
    return target.flatMap(pod ->
        Debts.of(snapshot, component).evictions().entrySet().stream()
            .filter(e -> !e.getValue().pod().equals(pod.name()))
            .filter(e -> returned(component, e.getValue()))
            .findFirst()
            .map(e ->
                ONE_STORE_AT_A_TIME.objection(
                    pod.name(),
                    "leaders may not return to %s (store %s) yet: PD has not heard of it"
                        .formatted(e.getValue().pod(), e.getKey()),
                    "wait for its next heartbeat",
                    Weight.PROGRESS)));
  }

  /** One that does not come back is for those rules to judge that ask whether others are well. */
  private static boolean returned(Component component, Eviction eviction) {
    return Debts.pod(component, eviction.pod()).filter(Pod::ready).isPresent();
  }
}
