package dev.belay.operator;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.decide.Planner;
import dev.belay.core.forecast.Forecast;
import dev.belay.core.forecast.Outlook;
import dev.belay.core.forecast.Outlook.WhatIf;
import dev.belay.core.loop.Loop;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.loop.Loop.Turn;
import dev.belay.core.report.Phase;
import dev.belay.core.report.Report;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Snapshot.Self;
import dev.belay.core.state.Step;
import dev.belay.drivers.Drivers;
import dev.belay.operator.act.Finalizer;
import dev.belay.operator.act.KubernetesActor;
import dev.belay.operator.actions.UserActions;
import dev.belay.operator.checks.UserChecks;
import dev.belay.operator.marks.LabelSync;
import dev.belay.operator.marks.Sweep;
import dev.belay.operator.marks.WorkloadMarks;
import dev.belay.operator.migrations.UserMigrations;
import dev.belay.operator.observe.GuardProbe;
import dev.belay.operator.observe.KubernetesObserver;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import dev.belay.operator.record.Announcer;
import dev.belay.operator.record.KubernetesRecorder;
import dev.belay.operator.record.Unreadable;
import dev.belay.operator.select.Claims;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Core's loop with Kubernetes behind its three ports: one turn for one StatefulCluster. */
final class ClusterLoop implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger("belay");

  /** A move from one install to another shows for a moment that a cluster is not owned. */
  private static final Duration MOVES = Duration.ofSeconds(30);

  /** What somebody wants to know before asking for it. */
  private static final String PLAN_TO = "belay.dev/plan-to";

  private final Planner planner = new Planner(Drivers::policy);
  private final DriverPool drivers;
  private final GuardProbe guard;
  private final KubernetesObserver observer;
  private final UserChecks checks;
  private final UserActions actions;
  private final UserMigrations migrations;
  private final KubernetesRecorder recorder;
  private final Unreadable unreadable;
  private final KubernetesActor actor;
  private final Announcer announcer;
  private final Finalizer finalizer;
  private final WorkloadMarks marks;
  private final LabelSync labels;
  private final Sweep sweep;
  private final Places places;
  private final Claims claims;
  private final Clock clock;

  /** Since when a StatefulCluster is seen that this install does not own, by uid. */
  private final Map<String, Instant> notOwnedSince = new ConcurrentHashMap<>();

  /**
   * @param claims which clusters this install may own
   * @param wake called when something was learnt beside the loop and a turn should follow
   */
  ClusterLoop(
      KubernetesClient client,
      Self self,
      Clock clock,
      Places places,
      Claims claims,
      Consumer<StatefulCluster> wake) {
    this.places = places;
    this.claims = claims;
    this.clock = clock;
    this.drivers = new DriverPool(client);
    this.guard = new GuardProbe(client);
    this.observer = new KubernetesObserver(client, self, guard, drivers, clock);
    this.checks = new UserChecks(clock, wake);
    this.actions = new UserActions(clock, claims::held, wake);
    this.migrations = new UserMigrations(client, self.instance(), clock, wake);
    this.recorder = new KubernetesRecorder(client);
    this.unreadable = new Unreadable(client, self.install(), clock);
    this.actor = new KubernetesActor(client, drivers, actions, migrations, clock);
    this.announcer = new Announcer(client, self.install());
    this.finalizer = new Finalizer(client);
    this.marks = new WorkloadMarks(client, self);
    this.labels = new LabelSync(client, self, claims.labels());
    this.sweep = new Sweep(client, self);
  }

  /** A turn and the last look it was based on. */
  record Taken(Turn turn, Sight sight) {}

  /** One turn; empty when the StatefulCluster is gone. */
  Optional<Taken> turn(String namespace, String name) {
    Optional<Sight> first = look(namespace, name);
    if (first.isEmpty()) {
      return Optional.empty();
    }
    var looks = new Looks(marked(first.get()));
    Turn turn =
        new Loop(
                planner,
                looks::next,
                (basis, report) -> looks.recorded = record(looks.sight, basis, report),
                (_, step) -> act(looks.sight, step))
            .turn();
    if (lasts(looks.sight, turn)) {
      announcer.announce(looks.sight.cluster(), turn);
    }
    announcer.parting(looks.sight.cluster(), looks.sight.snapshot(), turn);
    if (looks.sight.snapshot().subject().deleting() && turn.decision() instanceof Decision.Done) {
      announcer.farewell(looks.sight.cluster(), looks.sight.snapshot(), turn.report());
    }
    if (Loop.notOwner(turn.decision()) || isHandedOver(turn)) {
      standDown(looks.sight.cluster().getMetadata().getUid());
    } else if (looks.recorded != Loop.Recorded.CONFLICT && claims.held()) {
      keep(looks.sight, turn);
    }
    return Optional.of(new Taken(turn, looks.sight));
  }

  /** Everything that follows from the recorded status. */
  private void keep(Sight sight, Turn turn) {
    announcer.warn(sight.cluster());
    finalizer.keep(sight, turn.decision(), turn.report());
    checks.follow(sight, turn.report().memory());
    if (sight.snapshot().selection().matches()) {
      labels.keep(sight, turn.report().memory());
    }
  }

  private boolean lasts(Sight sight, Turn turn) {
    String uid = sight.cluster().getMetadata().getUid();
    if (!Loop.notOwner(turn.decision())) {
      notOwnedSince.remove(uid);
      return true;
    }
    Instant now = clock.instant();
    return !now.isBefore(notOwnedSince.computeIfAbsent(uid, _ -> now).plus(MOVES));
  }

  private static boolean isHandedOver(Turn turn) {
    return turn.decision() instanceof Decision.Perform(Step.HandOver _);
  }

  /** With the marks of this owner: what was written is observed before anything is decided. */
  private Sight marked(Sight sight) {
    var subject = sight.snapshot().subject();
    return claims.held() && marks.keep(sight)
        ? look(subject.namespace(), subject.name()).orElse(sight)
        : sight;
  }

  private Loop.Recorded record(Sight sight, Snapshot basis, Report report) {
    // That the old owner is gone must be true when the claim is written.
    boolean outdated =
        basis.selection().ownerGone() && !claims.selection(sight.cluster()).ownerGone();
    if (!claims.held() || outdated || !places.admits(basis, report.memory())) {
      return Loop.Recorded.CONFLICT;
    }
    Loop.Recorded recorded =
        recorder.record(sight.cluster(), report, outlook(sight, report), basis.at());
    if (recorded != Loop.Recorded.CONFLICT) {
      places.written(basis, report.memory());
    }
    return recorded;
  }

  private Optional<Sight> look(String namespace, String name) {
    return seen(namespace, name)
        .map(sight -> sight.among(places.around(sight.snapshot().subject())))
        .map(sight -> sight.selectedAs(claims.selection(sight.cluster())))
        .map(checks::answered)
        .map(actions::answered)
        .map(migrations::answered);
  }

  /** What cannot be read is said where people look for it, and nothing else is done. */
  private Optional<Sight> seen(String namespace, String name) {
    try {
      return observer.observe(namespace, name);
    } catch (IllegalArgumentException e) {
      unreadable.tell(namespace, name, Objects.requireNonNullElse(e.getMessage(), e.toString()));
      throw e;
    }
  }

  /** What lies ahead is a comfort; what has to be written down does not depend on it. */
  private Outlook outlook(Sight sight, Report report) {
    try {
      return foreseen(sight, report);
    } catch (RuntimeException e) {
      LOG.warn("no plan for {}: {}", sight.snapshot().subject().name(), e.toString());
      return Outlook.NONE;
    }
  }

  private Outlook foreseen(Sight sight, Report report) {
    var forecast = new Forecast(planner);
    boolean nothingToDo = report.phase() == Phase.IDLE;
    String curious =
        Objects.requireNonNullElse(
                sight.cluster().getMetadata().getAnnotations(), Map.<String, String>of())
            .getOrDefault(PLAN_TO, "");
    return new Outlook(
        nothingToDo ? List.of() : forecast.of(sight.snapshot()),
        curious.isEmpty()
            ? Optional.empty()
            : Optional.of(new WhatIf(curious, forecast.to(sight.snapshot(), curious))));
  }

  private Acted act(Sight sight, Step step) {
    if (!claims.held()) {
      return new Acted(false, "this process no longer holds the Lease of its install");
    }
    return marks
        .missing(sight)
        .map(workload -> "%s does not carry the mark of this operator yet".formatted(workload))
        .or(() -> finalizer.comesBefore(sight, step))
        .map(why -> new Acted(false, why))
        .orElseGet(() -> actor.act(sight, step));
  }

  /**
   * One turn of an uninstallation, which leaves the cluster as its deletion would.
   *
   * @return why the cluster is not released yet or still has the finalizer of Belay; empty when
   *     neither is so
   */
  Optional<String> leave(String namespace, String name) {
    Optional<Taken> taken = turn(namespace, name);
    if (taken.isEmpty()) {
      return Optional.empty();
    }
    Sight sight = taken.get().sight();
    Turn turn = taken.get().turn();
    if (isHandedOver(turn) && turn.acted().accepted()) {
      announcer.farewell(sight.cluster(), sight.snapshot(), turn.report());
      return finalizer.remove(sight);
    }
    if (Loop.notOwner(turn.decision())) {
      // Another install may have claimed it meanwhile, and needs its finalizer.
      return isRecordedOwner(sight) ? finalizer.remove(sight) : Optional.empty();
    }
    boolean deleted =
        sight.snapshot().subject().deleting() && turn.decision() instanceof Decision.Done;
    return deleted ? finalizer.remove(sight) : Optional.of(notReleased(turn));
  }

  private String notReleased(Turn turn) {
    if (!claims.held()) {
      return "this process no longer holds the Lease of its install";
    }
    if (turn.decision() instanceof Decision.Perform(Step step)) {
      String detail = turn.acted().detail();
      return "its step \"%s\" is not over".formatted(step.what())
          + (detail.isEmpty() ? "" : ": " + detail);
    }
    return turn.decision().objections().stream()
        .findFirst()
        .map(ClusterLoop::reason)
        .orElse("it was not released yet");
  }

  private static String reason(Objection objection) {
    return "%s, %s (%s)"
        .formatted(objection.reason().name(), objection.reading(), objection.cure());
  }

  private boolean isRecordedOwner(Sight sight) {
    return sight
        .snapshot()
        .memory()
        .owner()
        .filter(o -> o.install().equals(sight.snapshot().self().install()))
        .isPresent();
  }

  /** Removes the marks that StatefulClusters left behind which are gone. */
  void sweep(List<String> namespaces) {
    sweep.orphans(namespaces);
  }

  /** The policies are probed again before anything is decided on them. */
  void policiesChanged() {
    guard.policiesChanged();
  }

  /** Lets go of a StatefulCluster that is gone. */
  void forget(String namespace, String uid) {
    if (claims.held()) {
      sweep.orphans(List.of(namespace));
    }
    standDown(uid);
    announcer.forget(uid);
    notOwnedSince.remove(uid);
  }

  /**
   * Stops everything that goes on beside the loop for a StatefulCluster of another owner. What was
   * announced is kept: the reason is announced once, not in every turn.
   */
  void standDown(String uid) {
    guard.forget(uid);
    checks.forget(uid);
    actions.forget(uid);
    migrations.forget(uid);
    drivers.forget(uid);
  }

  /** The looks of one turn: the first was just taken, a second one reads everything anew. */
  private final class Looks {
    private Sight sight;
    private Loop.Recorded recorded = Loop.Recorded.CONFLICT;
    private boolean used;

    Looks(Sight first) {
      this.sight = first;
    }

    Snapshot next() {
      if (used) {
        var subject = sight.snapshot().subject();
        // Gone between two looks: what was seen first stands, and the record will conflict.
        sight = look(subject.namespace(), subject.name()).orElse(sight);
      }
      used = true;
      return sight.snapshot();
    }
  }

  @Override
  public void close() {
    checks.close();
    actions.close();
    actor.close();
    drivers.close();
  }
}
