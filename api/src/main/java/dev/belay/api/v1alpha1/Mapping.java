package dev.belay.api.v1alpha1;

import dev.belay.core.snapshot.Memory;
import dev.belay.core.snapshot.Spec;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** From the resource to core: what the user asked for, and what Belay wrote down earlier. */
public final class Mapping {

  /** The defaults of the schema, for objects that the API server has not defaulted. */
  private static final String SOAK = "0s";

  private static final String READY_TIMEOUT = "10m";

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
        Optional.ofNullable(spec.requests()).flatMap(r -> text(r.approve())));
  }

  private static Spec.ComponentSpec component(String field, Component component) {
    var images = component.images();
    return new Spec.ComponentSpec(
        component.name(),
        component.workload().name(),
        text(component.version()),
        images == null ? Map.of() : images,
        component.driver().type().word(),
        component.driver().memberNameOrDefault(),
        rollout(field + ".rollout", component.rollout()));
  }

  private static Spec.Rollout rollout(String field, Component.@Nullable Rollout rollout) {
    if (rollout == null) {
      return rollout(field, new Component.Rollout(null, null, null, null));
    }
    return new Spec.Rollout(
        Durations.parse(field + ".soak", text(rollout.soak()).orElse(SOAK)),
        Durations.parse(
            field + ".readyTimeout", text(rollout.readyTimeout()).orElse(READY_TIMEOUT)),
        Optional.ofNullable(rollout.tolerateUnhealthy()).orElse(0),
        Optional.ofNullable(rollout.allowDowntime()).orElse(false));
  }

  /**
   * What was written down earlier; {@link Memory#EMPTY} for a cluster never seen before.
   *
   * @throws IllegalArgumentException when somebody else wrote into the status what cannot be read
   */
  public static Memory memory(StatefulCluster cluster) {
    StatefulClusterStatus status = cluster.getStatus();
    return status == null ? Memory.EMPTY : memory(status);
  }

  static Memory memory(StatefulClusterStatus status) {
    var components = new HashMap<String, Memory.ComponentMemory>();
    for (ComponentStatus component : status.components()) {
      components.put(component.name(), componentMemory(component));
    }
    return new Memory(
        Optional.ofNullable(status.owner()).map(Mapping::owner),
        Optional.ofNullable(status.step()).map(Mapping::step),
        Optional.ofNullable(status.steps()).orElse(0L),
        components,
        Optional.ofNullable(status.blockedBy())
            .map(b ->
                new Memory.Blocked(
                    word(b.rule()), word(b.object()), time("blockedBy.since", b.since()))));
  }

  private static Memory.Owner owner(StatefulClusterStatus.Owner owner) {
    String id = word(owner.id());
    int at = id.lastIndexOf('@');
    return new Memory.Owner(
        at < 0 ? id : id.substring(0, at),
        at < 0 ? "" : id.substring(at + 1),
        word(owner.account()),
        Optional.ofNullable(owner.epoch()).orElse(0L));
  }

  private static Memory.RecordedStep step(StatefulClusterStatus.Step step) {
    var fence = step.fence();
    return new Memory.RecordedStep(
        word(step.id()),
        word(step.what()),
        word(step.object()),
        fence == null
            ? new Memory.Fence("", "", "")
            : new Memory.Fence(word(fence.kind()), word(fence.name()), word(fence.state())),
        time("step.since", step.since()),
        Optional.ofNullable(step.attempts()).orElse(0));
  }

  private static Memory.ComponentMemory componentMemory(ComponentStatus component) {
    String field = "components[" + component.name() + "]";
    var servingSince = new HashMap<String, Instant>();
    component
        .servingSince()
        .forEach((uid, since) ->
            servingSince.put(uid, time(field + ".servingSince[" + uid + "]", since)));
    return new Memory.ComponentMemory(
        Optional.ofNullable(component.adopted()).orElse(false),
        Optional.ofNullable(component.lastGood())
            .map(g -> new Memory.Good(word(g.revision()), word(g.version()))),
        Optional.ofNullable(component.target())
            .map(t ->
                new Memory.Target(
                    word(t.revision()),
                    word(t.version()),
                    time(field + ".target.since", t.since()))),
        servingSince,
        Optional.ofNullable(component.written())
            .map(w -> new Memory.Written(word(w.version()), w.images())),
        component.notes());
  }

  private static Instant time(String field, @Nullable String text) {
    try {
      return Instant.parse(word(text));
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          "status."
              + field
              + ": \""
              + word(text)
              + "\" is not a time; only Belay writes the status: remove what was edited by hand",
          e);
    }
  }

  private static Optional<String> text(@Nullable String text) {
    return Optional.ofNullable(text).filter(t -> !t.isEmpty());
  }

  /** Core has no null: what is absent in JSON is the empty text there. */
  private static String word(@Nullable String text) {
    return text == null ? "" : text;
  }

  private Mapping() {}
}
