package dev.belay.api.v1alpha1;

import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Memory;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** From the resource to core: what the user asked for, and what Belay wrote down earlier. */
public final class Mapping {

  /** The one value of the annotation that counts. */
  private static final String FORCED = "true";

  /** The defaults of the schema, for objects that the API server has not defaulted. */
  private static final String SOAK = "0s";

  private static final String READY_TIMEOUT = "10m";

  private static final String PROGRESS_DEADLINE = "30m";

  /** The form of the recorded state that this operator writes; it rises when the form changes. */
  static final int STATE_VERSION = 1;

  /**
   * What the user asked for.
   *
   * @throws IllegalArgumentException naming the field, the value and the cure
   */
  public static Spec spec(StatefulCluster cluster) {
    StatefulClusterSpec spec = cluster.getSpec();
    var components = new ArrayList<Spec.ComponentSpec>();
    for (int i = 0; i < spec.components().size(); i++) {
      components.add(component("spec.components[" + i + "]", spec.components().get(i)));
    }
    return new Spec(
        spec.trigger() == StatefulClusterSpec.Trigger.VERSION
            ? Spec.Trigger.VERSION
            : Spec.Trigger.TEMPLATE,
        text(spec.version()),
        components,
        upgrade(spec.upgrade()),
        Optional.ofNullable(spec.paused()).orElse(false),
        requests(cluster, spec.requests()),
        force(cluster),
        Migrating.spec(spec));
  }

  /** What is written in the resource and does nothing, each with the cure. */
  public static List<String> warnings(StatefulCluster cluster) {
    return annotation(cluster, Annotations.FORCE)
        .filter(value -> !value.equals(FORCED))
        .map(value ->
            "the annotation %s is \"%s\" and does nothing: only \"%s\" counts; correct or remove it"
                .formatted(Annotations.FORCE, value, FORCED))
        .stream()
        .toList();
  }

  private static Spec.Upgrade upgrade(StatefulClusterSpec.@Nullable Upgrade upgrade) {
    if (upgrade == null) {
      return Spec.Upgrade.DEFAULT;
    }
    return new Spec.Upgrade(
        upgrade.onFailure() == StatefulClusterSpec.OnFailure.ROLLBACK
            ? Spec.OnFailure.ROLLBACK
            : Spec.OnFailure.HOLD,
        switch (upgrade.approval()) {
          case BEFORE_COMPONENT -> Spec.Approval.BEFORE_COMPONENT;
          case BEFORE_LEADER -> Spec.Approval.BEFORE_LEADER;
          case BEFORE_IRREVERSIBLE -> Spec.Approval.BEFORE_IRREVERSIBLE;
          case NONE -> Spec.Approval.NONE;
          case null -> Spec.Approval.NONE;
        },
        Lists.orEmpty(upgrade.paths()).stream()
            .map(p ->
                new Spec.Path(
                    p.from(), p.to(), Optional.ofNullable(p.irreversible()).orElse(false)))
            .toList());
  }

  private static Spec.Requests requests(
      StatefulCluster cluster, StatefulClusterSpec.@Nullable Requests requests) {
    return requests == null
        ? Spec.Requests.NONE
        : new Spec.Requests(
            text(requests.approve()),
            text(requests.retry()),
            text(requests.rollback()),
            text(requests.abort()),
            annotation(cluster, Annotations.REQUESTED_BY).orElse(""),
            Migrating.request(requests.migration()),
            annotation(cluster, Annotations.APPROVED_BY).orElse(""));
  }

  private static Spec.Force force(StatefulCluster cluster) {
    boolean asked = annotation(cluster, Annotations.FORCE).filter(FORCED::equals).isPresent();
    return asked
        ? new Spec.Force(true, annotation(cluster, Annotations.FORCED_BY).orElse(""))
        : Spec.Force.NONE;
  }

  private static Optional<String> annotation(StatefulCluster cluster, String name) {
    return Optional.ofNullable(cluster.getMetadata().getAnnotations()).map(a -> a.get(name));
  }

  private static Spec.ComponentSpec component(String field, Component component) {
    var images = component.images();
    return new Spec.ComponentSpec(
        component.name(),
        kind(component.workload().kindOrDefault()),
        component.workload().name(),
        text(component.version()),
        images == null ? Map.of() : images,
        component.driver().type().word(),
        component.driver().memberNameOrDefault(),
        rollout(field + ".rollout", component.rollout()),
        Question.of(field + ".checks", component.checks()).stream().map(Question::check).toList(),
        Errand.of(field + ".actions", component.actions()).stream().map(Errand::action).toList());
  }

  /** The kind of a workload in core's own word. */
  public static Workload.Kind kind(Component.Kind kind) {
    return switch (kind) {
      case STATEFUL_SET -> Workload.Kind.STATEFUL_SET;
      case DEPLOYMENT -> Workload.Kind.DEPLOYMENT;
    };
  }

  private static Optional<Spec.Strategy> strategy(Component.@Nullable Strategy strategy) {
    return switch (strategy) {
      case PARTITION -> Optional.of(Spec.Strategy.PARTITION);
      case ON_DELETE -> Optional.of(Spec.Strategy.ON_DELETE);
      case NATIVE -> Optional.of(Spec.Strategy.NATIVE);
      case null -> Optional.empty();
    };
  }

  private static Spec.Rollout rollout(String field, Component.@Nullable Rollout rollout) {
    if (rollout == null) {
      return rollout(field, new Component.Rollout(null, null, null, null, null, null, null));
    }
    return new Spec.Rollout(
        strategy(rollout.strategy()),
        Durations.parse(field + ".soak", text(rollout.soak()).orElse(SOAK)),
        Durations.parse(
            field + ".readyTimeout", text(rollout.readyTimeout()).orElse(READY_TIMEOUT)),
        Durations.parse(
            field + ".progressDeadline",
            text(rollout.progressDeadline()).orElse(PROGRESS_DEADLINE)),
        Optional.ofNullable(rollout.maxUnavailable()).orElse(1),
        Optional.ofNullable(rollout.tolerateUnhealthy()).orElse(0),
        Optional.ofNullable(rollout.allowDowntime()).orElse(false));
  }

  /**
   * What was written down earlier; {@link Memory#EMPTY} for a cluster never seen before.
   *
   * @throws UnreadableStatus when it was edited by hand, or written by a newer operator
   */
  public static Memory memory(StatefulCluster cluster) {
    StatefulClusterStatus status = cluster.getStatus();
    return status == null ? Memory.EMPTY : memory(status);
  }

  /** The owner alone, which can be read where the rest of the status cannot. */
  public static Optional<Memory.Owner> owner(StatefulCluster cluster) {
    return Optional.ofNullable(cluster.getStatus())
        .flatMap(s -> Optional.ofNullable(s.owner()))
        .map(Mapping::owner);
  }

  static Memory memory(StatefulClusterStatus status) {
    int version = Optional.ofNullable(status.stateVersion()).orElse(STATE_VERSION);
    if (version > STATE_VERSION) {
      throw UnreadableStatus.newer(version, STATE_VERSION);
    }
    var refused = new HashMap<String, Memory.Refused>();
    status.refused().forEach(r -> refused.put(r.component(), Chronicles.refused(r)));
    Map<String, List<Memory.Obligation>> owed = Obligations.byComponent(status.obligations());
    var components = new HashMap<String, Memory.ComponentMemory>();
    for (ComponentStatus component : status.components()) {
      String name = component.name();
      components.put(
          name,
          componentMemory(
              component,
              Optional.ofNullable(refused.get(name)),
              owed.getOrDefault(name, List.of())));
    }
    return new Memory(
        Optional.ofNullable(status.owner()).map(Mapping::owner),
        Optional.ofNullable(status.step()).map(RecordedSteps::read),
        Optional.ofNullable(status.steps()).orElse(0L),
        components,
        Optional.ofNullable(status.blockedBy())
            .map(b ->
                new Memory.Blocked(
                    word(b.rule()), word(b.object()), time("blockedBy.since", b.since()))),
        Optional.ofNullable(status.requests()).map(Chronicles::handled).orElse(Memory.Handled.NONE),
        Optional.ofNullable(status.forced()).map(Chronicles::forced),
        Optional.ofNullable(status.upgrade()).map(Chronicles::run),
        status.history().stream().map(Chronicles::past).toList());
  }

  private static Memory.Owner owner(StatefulClusterStatus.Owner owner) {
    return new Memory.Owner(
        word(owner.install()),
        word(owner.instance()),
        word(owner.account()),
        Optional.ofNullable(owner.epoch()).orElse(0L),
        word(owner.lease()),
        Boolean.TRUE.equals(owner.released()));
  }

  private static Memory.ComponentMemory componentMemory(
      ComponentStatus component,
      Optional<Memory.Refused> refused,
      List<Memory.Obligation> obligations) {
    String field = "components[" + component.name() + "]";
    var servingSince = new HashMap<String, Instant>();
    component
        .servingSince()
        .forEach((uid, since) ->
            servingSince.put(uid, time(field + ".servingSince[" + uid + "]", since)));
    return new Memory.ComponentMemory(
        Optional.ofNullable(component.adopted()).orElse(false),
        Optional.ofNullable(component.lastGood())
            .map(g -> new Memory.Good(word(g.revision()), word(g.version()), g.images())),
        Optional.ofNullable(component.target()).map(t -> target(field + ".target", t)),
        refused,
        servingSince,
        Set.copyOf(component.served()),
        Optional.ofNullable(component.written())
            .map(w -> new Memory.Written(word(w.version()), w.images())),
        component.notes().stream().map(Observations::read).toList(),
        Observations.read(field + ".observed", component.observed()),
        obligations,
        word(component.workload()));
  }

  /** A status that knows only when the roll-out began is of an older Belay. */
  private static Memory.Target target(String field, ComponentStatus.Target target) {
    Instant since = time(field + ".since", target.since());
    return new Memory.Target(
        word(target.revision()),
        word(target.version()),
        since,
        target.tried() == null ? since : time(field + ".tried", target.tried()),
        target.moved() == null ? since : time(field + ".moved", target.moved()),
        Optional.ofNullable(target.through()).orElse(0),
        Set.copyOf(target.before()));
  }

  static Instant time(String field, @Nullable String text) {
    try {
      return Instant.parse(word(text));
    } catch (DateTimeParseException _) {
      throw UnreadableStatus.edited(field, word(text), "is not a time");
    }
  }

  private static Optional<String> text(@Nullable String text) {
    return Optional.ofNullable(text).filter(t -> !t.isEmpty());
  }

  /** Core has no null: what is absent in JSON is the empty text there. */
  static String word(@Nullable String text) {
    return text == null ? "" : text;
  }

  private Mapping() {}
}
