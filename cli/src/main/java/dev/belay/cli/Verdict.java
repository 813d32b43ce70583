package dev.belay.cli;

import static dev.belay.cli.Cluster.word;

import dev.belay.api.v1alpha1.Component;
import dev.belay.api.v1alpha1.ComponentStatus;
import dev.belay.api.v1alpha1.Fingerprint;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Whether an upgrade is over. The status says so, but right after a change the status is one look
 * old: so a final word counts only if it speaks of the workload's newest revision.
 */
sealed interface Verdict {

  /** At the target and idle. */
  record Done() implements Verdict {}

  /** The operator gave up. */
  record Failed() implements Verdict {}

  /** A person is needed. */
  record Held() implements Verdict {}

  /**
   * It goes on.
   *
   * @param why for a person who waits in vain
   * @param outrun whether the status seems final and only the workload is ahead of it
   */
  record NotYet(String why, boolean outrun) implements Verdict {}

  /**
   * The workload as its own controller sees it.
   *
   * @param title its kind and name
   * @param observed whether the controller has seen the newest template
   */
  record Workload(String title, boolean exists, boolean observed, String newestRevision) {

    static Workload missing(Component.Workload named) {
      return new Workload(named.kindOrDefault().word() + " " + named.name(), false, false, "");
    }

    static Workload of(StatefulSet set) {
      var status = set.getStatus();
      return new Workload(
          "StatefulSet " + set.getMetadata().getName(),
          true,
          seen(set, status == null ? null : status.getObservedGeneration()),
          status == null ? "" : word(status.getUpdateRevision()));
    }

    static Workload of(Deployment deployment) {
      var status = deployment.getStatus();
      return new Workload(
          "Deployment " + deployment.getMetadata().getName(),
          true,
          seen(deployment, status == null ? null : status.getObservedGeneration()),
          Fingerprint.of(deployment.getSpec().getTemplate()));
    }

    private static boolean seen(HasMetadata object, @Nullable Long observed) {
      long generation = Objects.requireNonNullElse(object.getMetadata().getGeneration(), 0L);
      return Objects.requireNonNullElse(observed, 0L) >= generation;
    }
  }

  static Verdict of(Cluster cluster, Function<Component.Workload, Workload> workloads) {
    if (cluster.status().isEmpty()) {
      return new NotYet(Footer.UNSEEN, false);
    }
    Optional<String> unmanaged = Footer.unmanaged(cluster);
    if (unmanaged.isPresent()) {
      return new NotYet(unmanaged.get(), false);
    }
    if (cluster.stale()) {
      return new NotYet(
          "the operator has seen generation %d of the spec, it is at %d; cure: start the operator"
              .formatted(cluster.observedGeneration(), cluster.generation()),
          false);
    }
    Verdict word = ofStatus(cluster);
    if (word instanceof NotYet) {
      return word;
    }
    for (Component component : cluster.resource().getSpec().components()) {
      Optional<String> ahead =
          ahead(word, workloads.apply(component.workload()), cluster, component.name());
      if (ahead.isPresent()) {
        return new NotYet(ahead.get(), true);
      }
    }
    return word;
  }

  private static Verdict ofStatus(Cluster cluster) {
    if (cluster.is("Error", "True")) {
      return new Failed();
    }
    if (cluster.is("Stalled", "True")) {
      return new Held();
    }
    boolean paused = cluster.phase().equals("Paused");
    // A recorded step or an objection means that the operator is not done, whatever the phase.
    boolean done =
        (paused || cluster.phase().equals("Idle"))
            && cluster.is("Upgrading", "False")
            && cluster.step().isEmpty()
            && cluster.blockedBy().isEmpty();
    if (paused && !done) {
      return new Held();
    }
    return done ? new Done() : new NotYet(new ChangeView(false, Glyphs.ASCII).line(cluster), false);
  }

  /** How the workload is ahead of what the status speaks of. */
  private static Optional<String> ahead(
      Verdict verdict, Workload workload, Cluster cluster, String component) {
    Optional<ComponentStatus> status = cluster.component(component);
    if (!workload.exists()) {
      // A failure to find it is the operator's to report, and then it is the whole story.
      return verdict instanceof Done
          ? Optional.of("there is no " + workload.title())
          : Optional.empty();
    }
    if (!workload.observed()) {
      return Optional.of(
          "the controller of %s has not seen its newest template".formatted(workload.title()));
    }
    String spokenOf =
        verdict instanceof Done
            ? status.map(ComponentStatus::lastGood).map(g -> word(g.revision())).orElse("")
            : status
                .map(ComponentStatus::target)
                .map(t -> word(t.revision()))
                // Held before it was adopted: there is no roll-out to compare with.
                .orElse(workload.newestRevision());
    return spokenOf.equals(workload.newestRevision())
        ? Optional.empty()
        : Optional.of(
            "%s has revision %s, which the operator has not taken up; cure: start the"
                    .formatted(workload.title(), workload.newestRevision())
                + " operator");
  }
}
