package dev.belay.core.rules;

import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Ledger;
import dev.belay.core.model.Pod;
import dev.belay.core.state.Memory.Cause;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** What the state of the upgrade says against a step: paused, rejected before, or too early. */
public final class UpgradeRules {

  /** How long a changed template waits for those of the components before it. */
  private static final Duration SETTLED = Duration.ofSeconds(5);

  public static final Reason NOT_PAUSED =
      new Reason(
          "NotPaused",
          "While spec.paused is set no member is touched; a release that has not struck is taken"
              + " back.",
          "Set spec.paused to false, or: belay resume NAME.",
          "A StatefulSet has no field to pause it by, and kubectl rollout pause is for"
              + " Deployments only.");

  public static final Reason REVISION_IS_NOT_REFUSED =
      new Reason(
          "RevisionIsNotRefused",
          "A revision that failed, was rolled back or aborted is not tried again unasked.",
          "Change the template, or ask for another try: belay retry NAME.",
          "strimzi-kafka-operator#12649: a roll that ran out of tries failed and began"
              + " anew, in a loop.");

  public static final Reason EARLIER_TEMPLATES_HAD_TIME =
      new Reason(
          "EarlierTemplatesHadTime",
          "A template that changed a moment ago waits for those of the components before it: whoever"
              + " changes several writes one after the other, and the order is that of the"
              + " components.",
          "None needed: it passes by itself after " + SETTLED.toSeconds() + " seconds.",
          "helm and kubectl apply write the objects of a release one after the other: for"
              + " a moment only the last component is new.");

  private UpgradeRules() {}

  static Optional<Objection> revisionIsNotRefused(
      Snapshot snapshot, Component component, Step step) {
    var course = new Course(snapshot, component);
    return course
        .refused()
        .filter(r -> course.isRefused(step, r) || beginsMigration(step))
        .map(r -> refusal(snapshot, step.object(), r));
  }

  /** What a refused revision needs in the database is not begun either; what was begun is ended. */
  private static boolean beginsMigration(Step step) {
    return step instanceof Step.Migrate migrate
        && !migrate.operation().custom()
        && migrate.operation().is(Ledger.Status.PENDING);
  }

  static Optional<Objection> notPaused(Snapshot snapshot, Component component, Step step) {
    boolean mends = step instanceof Step.Tell tell && tell.mends();
    boolean stops = (step instanceof Step.Disruptive && !mends) || step instanceof Step.SetTemplate;
    return snapshot.spec().paused() && stops
        ? Optional.of(
            NOT_PAUSED.objection(
                step.object(),
                "spec.paused is set",
                "set it to false: belay resume " + snapshot.subject().name(),
                Objection.Weight.HUMAN))
        : Optional.empty();
  }

  static Optional<Objection> earlierTemplatesHadTime(
      Snapshot snapshot, Component component, Step step) {
    var course = new Course(snapshot, component);
    boolean begins =
        course.leadsTo(step).filter(course.wanted()::equals).isPresent()
            && course.arrived().isEmpty()
            && Among.all(component.podList(), Pod::ready)
            && !course.goesBack();
    boolean others =
        !component.equals(snapshot.components().getFirst())
            && snapshot.spec().wantedVersion(component.spec()).isEmpty();
    Duration age =
        course
            .memory()
            .target()
            .filter(_ -> course.known())
            .map(t -> Duration.between(t.since(), snapshot.at()))
            .orElse(Duration.ZERO);
    return begins && others && age.compareTo(SETTLED) < 0
        ? Optional.of(
            EARLIER_TEMPLATES_HAD_TIME.objection(
                step.object(),
                String.format(
                    Locale.ROOT,
                    "the template of %s changed %d s ago; those of earlier components may follow",
                    component.name(),
                    age.toSeconds()),
                String.format(Locale.ROOT, "wait until it is %d s old", SETTLED.toSeconds()),
                Objection.Weight.PROGRESS))
        : Optional.empty();
  }

  /** What is said of a revision or version that is refused. */
  public static Objection refusal(Snapshot snapshot, String object, Refused refused) {
    String what = refused.version().isEmpty() ? refused.revision() : refused.version();
    String reading =
        switch (refused.cause()) {
          case FAILED -> what + " failed on " + refused.object() + ": " + refused.reason();
          case ROLLED_BACK -> what + " was rolled back: " + refused.reason();
          case ABORTED -> what + " was aborted: " + refused.reason();
        };
    return REVISION_IS_NOT_REFUSED.objection(
        object,
        reading,
        "change the template, or ask for another try: belay retry " + snapshot.subject().name(),
        refused.cause() == Cause.FAILED ? Objection.Weight.FAILURE : Objection.Weight.HUMAN);
  }
}
