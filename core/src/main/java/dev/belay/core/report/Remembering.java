package dev.belay.core.report;

import dev.belay.core.plan.Decision;
import dev.belay.core.plan.Decision.Perform;
import dev.belay.core.plan.Objection;
import dev.belay.core.plan.Planner;
import dev.belay.core.plan.Step;
import dev.belay.core.plan.Versions;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Member;
import dev.belay.core.snapshot.Memory;
import dev.belay.core.snapshot.Memory.ComponentMemory;
import dev.belay.core.snapshot.Memory.Good;
import dev.belay.core.snapshot.Memory.Owner;
import dev.belay.core.snapshot.Memory.RecordedStep;
import dev.belay.core.snapshot.Memory.Target;
import dev.belay.core.snapshot.Memory.Written;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Topology;
import dev.belay.core.snapshot.Workload;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What Belay will know next time because of what it sees and decides now. */
record Remembering(Snapshot snapshot, Decision decision, Planner planner) {

  Memory memory() {
    Memory before = snapshot.memory();
    Optional<RecordedStep> step = step(before);
    boolean another =
        step.isPresent() && !step.map(RecordedStep::id).equals(before.step().map(RecordedStep::id));
    return new Memory(
        owner(before),
        step,
        before.steps() + (another ? 1 : 0),
        components(before),
        decision.objections().stream().findFirst().map(o -> blocked(o, before)));
  }

  private Optional<Owner> owner(Memory before) {
    if (!(decision instanceof Perform(Step.Claim _))) {
      return before.owner();
    }
    var self = snapshot.self();
    long epoch = before.owner().map(Owner::epoch).orElse(0L) + 1;
    return Optional.of(new Owner(self.install(), self.instance(), self.account(), epoch));
  }

  /** A step is written down before it is taken; the same step wanted again keeps its id. */
  private Optional<RecordedStep> step(Memory before) {
    if (decision instanceof Decision.Done) {
      return Optional.empty();
    }
    if (!(decision instanceof Perform(Step step)) || step instanceof Step.Recorded) {
      return before.step();
    }
    Optional<RecordedStep> last =
        before
            .step()
            .filter(s ->
                s.object().equals(step.object()) && s.fence().kind().equals(step.fence().kind()))
            .filter(s -> verb(s.what()).equals(verb(step.what())));
    boolean same =
        last.filter(s -> s.fence().equals(step.fence()) && s.what().equals(step.what()))
            .isPresent();
    String id =
        same
            ? last.get().id()
            : before.owner().map(Owner::epoch).orElse(0L) + "-" + (before.steps() + 1);
    return Optional.of(
        new RecordedStep(
            id,
            step.what(),
            step.object(),
            step.fence(),
            snapshot.at(),
            last.map(RecordedStep::attempts).orElse(0) + 1));
  }

  private static String verb(String what) {
    int space = what.indexOf(' ');
    return space < 0 ? what : what.substring(0, space);
  }

  private Memory.Blocked blocked(Objection objection, Memory before) {
    return before
        .blocked()
        .filter(b -> b.rule().equals(objection.rule()) && b.object().equals(objection.object()))
        .orElseGet(() -> new Memory.Blocked(objection.rule(), objection.object(), snapshot.at()));
  }

  private Map<String, ComponentMemory> components(Memory before) {
    var components = new HashMap<>(before.components());
    for (Component component : snapshot.components()) {
      ComponentMemory known = before.component(component.name());
      components.put(
          component.name(),
          component.workload().asOptional().map(w -> component(component, w, known)).orElse(known));
    }
    return components;
  }

  private ComponentMemory component(Component component, Workload workload, ComponentMemory known) {
    boolean adopted =
        known.adopted()
            || (decision instanceof Perform(Step.Adopt adopt)
                && adopt.component().equals(component.name()));
    Optional<Target> target = adopted ? target(component, workload, known) : Optional.empty();
    return new ComponentMemory(
        adopted,
        lastGood(component, workload, known, adopted, target),
        target,
        target.isPresent() ? servingSince(component, workload, known) : Map.of(),
        written(component, workload, known),
        planner.policy(component).remember(snapshot, component));
  }

  /** A roll-out starts when a pod is outdated and ends when the planner says done. */
  private Optional<Target> target(Component component, Workload workload, ComponentMemory known) {
    if (snapshot.subject().deleting() || !workload.observed()) {
      return known.target();
    }
    if (decision instanceof Decision.Done) {
      return Optional.empty();
    }
    boolean outdated =
        component.podList().stream().anyMatch(p -> !p.revision().equals(workload.updateRevision()));
    boolean sameTarget =
        known.target().filter(t -> t.revision().equals(workload.updateRevision())).isPresent();
    if (sameTarget || !outdated) {
      return known.target();
    }
    return Optional.of(
        new Target(
            workload.updateRevision(),
            Versions.ofTemplate(workload).asOptional().orElse(""),
            snapshot.at()));
  }

  private Optional<Good> lastGood(
      Component component,
      Workload workload,
      ComponentMemory known,
      boolean adopted,
      Optional<Target> target) {
    boolean settled =
        adopted
            && target.isEmpty()
            && workload.observed()
            && component
                .pods()
                .asOptional()
                .filter(l -> l.size() == workload.replicas())
                .isPresent()
            && component.podList().stream()
                .allMatch(
                    p -> p.revision().equals(workload.updateRevision()) && serves(component, p));
    if (!settled) {
      return known.lastGood();
    }
    String version =
        component.podList().stream()
            .findFirst()
            .flatMap(p -> Versions.running(component, p).asOptional())
            .orElse("");
    // A version that cannot be read for a moment does not erase what was read before.
    boolean unreadable =
        version.isEmpty()
            && known
                .lastGood()
                .filter(g -> g.revision().equals(workload.updateRevision()))
                .isPresent();
    return unreadable
        ? known.lastGood()
        : Optional.of(new Good(workload.updateRevision(), version));
  }

  private Map<String, Instant> servingSince(
      Component component, Workload workload, ComponentMemory known) {
    var since = new HashMap<String, Instant>();
    for (Pod pod : component.podList()) {
      if (pod.revision().equals(workload.updateRevision()) && serves(component, pod)) {
        since.put(pod.uid(), known.servingSince().getOrDefault(pod.uid(), snapshot.at()));
      }
    }
    return since;
  }

  private static boolean serves(Component component, Pod pod) {
    boolean memberless = component.topology().asOptional().filter(Topology::memberless).isPresent();
    return pod.ready()
        && !pod.terminating()
        && (memberless || component.memberOf(pod).asOptional().filter(Member::healthy).isPresent());
  }

  private Optional<Written> written(Component component, Workload workload, ComponentMemory known) {
    if (snapshot.spec().trigger() == Spec.Trigger.TEMPLATE) {
      return Optional.empty();
    }
    // Only what was seen in the template counts: a write that was refused changed nothing.
    return snapshot
        .spec()
        .wantedVersion(component.spec())
        .map(version -> new Written(version, Versions.images(component, version)))
        .filter(w -> workload.images().entrySet().containsAll(w.images().entrySet()))
        .or(known::written);
  }
}
