package dev.belay.core.plan;

import dev.belay.core.snapshot.Among;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Ledger;
import dev.belay.core.snapshot.Pod;
import dev.belay.core.snapshot.Snapshot;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The rules that hold for every system. The order is the order in which objections are shown: the
 * one that tells a person most comes first.
 */
public final class Rules {

  private Rules() {}

  /** A question about taking one pod down. */
  @FunctionalInterface
  private interface MemberJudge {
    Optional<Objection> object(Snapshot snapshot, Component component, Pod target);
  }

  @FunctionalInterface
  private interface ComponentJudge {
    Optional<Objection> object(Snapshot snapshot, Component component);
  }

  public static final Rule EVERY_GROUP_SURVIVES =
      forMembers(
              "EveryGroupSurvives",
              "Every group the member belongs to keeps enough healthy members without it: no write"
                  + " quorum is lost.",
              "Bring the unhealthy members back; for groups too small to lose a member set"
                  + " rollout.allowDowntime.",
              GroupRules::everyGroupSurvives,
              WholeRules::somebodyStays)
          .because(
              "Neither a StatefulSet nor a PodDisruptionBudget knows of votes: with one of"
                  + " three voters dead, ready pods are replaced all the same. redpanda-operator"
                  + " PR#1547: several brokers could be deleted in one pass.");

  public static final Rule MEMBERS_MATCH_PODS =
      forMembers(
              "MembersMatchPods",
              "Every pod is exactly one member and every voter is a pod of the set, so that counting"
                  + " members means what it says.",
              "Remove members that no longer exist from the system, or correct driver.memberName.",
              GroupRules::membersMatchPods)
          .because(
              "Who was removed as a pod and not as a member still counts in Raft: with a"
                  + " ghost among four voters, three have to be well. redpanda-operator PR#1538 is"
                  + " a departure that health did not know of yet.");

  public static final Rule EVERY_POD_EXISTS =
      forMembers(
              "EveryPodExists",
              "All pods exist and none is terminating: the gap between delete and re-create never"
                  + " releases a second member.",
              "Wait, or find out why the set's controller cannot create the pod.",
              PodRules::everyPodExists,
              WholeRules::allOfTheSetExist)
          .because(
              "pravega-operator#477, bookkeeper-operator#82: between a delete and the new pod"
                  + " everybody who is left looks well, and several were deleted at once.");

  public static final Rule UPDATED_MEMBERS_SERVE =
      forMembers(
              "UpdatedMembersServe",
              "A member that already has the new revision is ready, healthy and through its soak"
                  + " before the next one is touched; a failed one stops the line.",
              "Correct or revert the template.",
              PodRules::updatedMembersServe,
              PodRules::noneHasFailed)
          .because(
              "postgres-operator#1765: a pod that no node took did not stop the line, and all"
                  + " three went down. kubernetes#67250: a broken new pod blocks a set even after"
                  + " its template is right again.");

  public static final Rule EVERYONE_ELSE_IS_HEALTHY =
      forMembers(
              "EveryoneElseIsHealthy",
              "Every other voter is healthy, beyond the bare quorum; rollout.tolerateUnhealthy says how"
                  + " many may be missing.",
              "Bring the named members back.",
              GroupRules::everyoneElseIsHealthy)
          .because(
              "A bare quorum has nothing left for an accident while a member restarts."
                  + " tidb-operator asks this of PD's peers only where an annotation wants it.");

  public static final Rule ONE_AT_A_TIME =
      forMembers(
              "OneAtATime",
              "No other pod is down or not yet available: one member at a time, over the whole cluster."
                  + " A release with another pod unready could also stay latent and strike later.",
              "Bring the named pods to Available.",
              PodRules::oneAtATime,
              WholeRules::allAreUp)
          .because(
              "kubeblocks#10641: a window that was to hold one pod covered all of them. Tried"
                  + " on Kubernetes 1.36: a partition lowered while another pod is unready strikes"
                  + " later, when nobody looks.");

  public static final Rule NOBODY_ELSE_IS_LEAVING =
      forMembers(
              "NobodyElseIsLeaving",
              "No other member, of whichever component, sits on a node that is cordoned, unready or"
                  + " going away.",
              "Finish the node maintenance, or uncordon the node.",
              NodeRules::nobodyElseIsLeaving,
              NodeRules::nobodyIsLeaving)
          .because(
              "cluster-etcd-operator#1663: a quorum was lost to health that was a minute old"
                  + " and a node that rebooted meanwhile. That a node is cordoned is known before.");

  public static final Rule DISRUPTION_BUDGET_ALLOWS =
      forMembers(
              "DisruptionBudgetAllows",
              "The PodDisruptionBudgets of others are kept, although the set's controller ignores them.",
              "Wait for the budget, or relax it.",
              PodRules::disruptionBudgetAllows,
              WholeRules::budgetAllowsTheSet)
          .because(
              "Workload controllers delete pods, and only an eviction asks a budget"
                  + " (kubernetes#89820); moco#622: a node that failed and an update took two pods"
                  + " down despite one.");

  public static final Rule VERSION_GOES_FORWARD =
      new Rule(
              "VersionGoesForward",
              "A lower version is refused, unless it is the last good one or spec.upgrade.paths declares"
                  + " the way down, and the way back is open.",
              "Choose a version that is not lower than any that runs, or declare the path.",
              Rules::versionGoesForward)
          .because(
              "pravega-operator#156: any version was taken. cloud-on-k8s#5259: a typo in a"
                  + " version had no way back.");

  public static final Rule VERSION_MISMATCH =
      new Rule(
              "VersionMismatch",
              "With trigger Version, members that have the images of the version asked for run that"
                  + " version by their own account; else nobody follows them, and the upgrade is not"
                  + " called complete. Only the numbers count, and a system that tells no version is"
                  + " believed its image.",
              "Correct images of the component, or ask for the version that its images bring.",
              (snapshot, component, step) -> new Mismatch(snapshot, component).against(step))
          .because(
              "A tag can be moved, and an image named for the wrong container changes nothing that"
                  + " counts: both look like an upgrade that is done.");

  public static final Rule NOT_PAUSED =
      new Rule(
              "NotPaused",
              "While spec.paused is set no member is touched; a release that has not struck is taken"
                  + " back.",
              "Set spec.paused to false, or: belay resume NAME.",
              Rules::notPaused)
          .because(
              "A StatefulSet has no field to pause it by, and kubectl rollout pause is for"
                  + " Deployments only.");

  public static final Rule POD_IS_NOT_HELD =
      forMembers(
              "PodIsNotHeld",
              "A pod with the annotation belay.dev/hold is left alone, and with it all lower ordinals.",
              "Remove the annotation from the pod.",
              PodRules::podIsNotHeld,
              WholeRules::noPodIsHeld)
          .because(
              "A StatefulSet replaces from the highest ordinal down, so that whoever keeps"
                  + " one pod keeps all below it.");

  public static final Rule REVISION_IS_NOT_REFUSED =
      new Rule(
              "RevisionIsNotRefused",
              "A revision that failed, was rolled back or aborted is not tried again unasked.",
              "Change the template, or ask for another try: belay retry NAME.",
              Rules::revisionIsNotRefused)
          .because(
              "strimzi-kafka-operator#12649: a roll that ran out of tries failed and began"
                  + " anew, in a loop.");

  public static final Rule TAKEN_BACK_FIRST =
      forMembers(
              "TakenBackFirst",
              "What was done to a member for the upgrade is taken back before the next one is touched.",
              "Make the named request succeed; Belay sends it again by itself.",
              PodRules::takenBackFirst)
          .because(
              "tidb-operator#4483: after a crash the scheduler that keeps leaders off a store"
                  + " was left behind. #1200: taken back too early, it let them flow back.");

  public static final Rule CHECKS_PASS =
      forMembers(
              "ChecksPass",
              "The checks of the component pass before a member is touched, and on updated members"
                  + " before the next one is.",
              "Look at what the check asks; correct or revert the template if an updated member fails"
                  + " it.",
              CheckRules::checksPass,
              CheckRules::beforeAll)
          .because(
              "Ready says that a process answers, not that its data is back"
                  + " (cloud-on-k8s#5449); Pravega's readiness says false with status 200.");

  public static final Rule LEADER_MOVES_FIRST =
      forMembers(
              "LeaderMovesFirst",
              "A leader is never taken down: another healthy, caught-up member leads, as seen by a fresh"
                  + " read.",
              "Belay moves leadership itself; if it cannot, look at the named members.",
              GroupRules::leaderMovesFirst)
          .because(
              "The upgrader of PD in tidb-operator logs that it found no successor and"
                  + " restarts the leader. tidb-operator#5764: leadership went to a member that was"
                  + " not ready to serve.");

  /** How long a changed template waits for those of the components before it. */
  private static final Duration SETTLED = Duration.ofSeconds(5);

  public static final Rule EARLIER_TEMPLATES_HAD_TIME =
      new Rule(
              "EarlierTemplatesHadTime",
              "A template that changed a moment ago waits for those of the components before it: whoever"
                  + " changes several writes one after the other, and the order is that of the"
                  + " components.",
              "None needed: it passes by itself after " + SETTLED.toSeconds() + " seconds.",
              Rules::earlierTemplatesHadTime)
          .because(
              "helm and kubectl apply write the objects of a release one after the other: for"
                  + " a moment only the last component is new.");

  public static final Rule NO_MIGRATION_RUNNING =
      new Rule(
              "NoMigrationRunning",
              "No member is touched, and no migration begun, while another operation runs in the database"
                  + " or a session holds the lock of the migrations.",
              "Wait for the end of it; end a session that was left over, as the message says.",
              MigrationRules::noMigrationRunning)
          .because(
              "liquibase#1311: a killed pod leaves the lock of a migration behind."
                  + " tidb#44159: an upgrade that met running DDL hung.");

  public static final Rule EVERY_MEMBER_IS_UP =
      new Rule(
              "EveryMemberIsUp",
              "No migration is begun while a member is down, unready or unhealthy.",
              "Bring the named member back.",
              MigrationRules::everyMemberIsUp)
          .because(
              "picodata's own note in its governor: instances that are away in that moment"
                  + " are skipped, and stay as they were.");

  public static final List<Rule> ALL =
      List.of(
          VERSION_GOES_FORWARD,
          UPDATED_MEMBERS_SERVE,
          VERSION_MISMATCH,
          CHECKS_PASS,
          REVISION_IS_NOT_REFUSED,
          EVERY_POD_EXISTS,
          EVERY_GROUP_SURVIVES,
          MEMBERS_MATCH_PODS,
          EVERYONE_ELSE_IS_HEALTHY,
          ONE_AT_A_TIME,
          NOBODY_ELSE_IS_LEAVING,
          DISRUPTION_BUDGET_ALLOWS,
          NOT_PAUSED,
          POD_IS_NOT_HELD,
          TAKEN_BACK_FIRST,
          EARLIER_TEMPLATES_HAD_TIME,
          NO_MIGRATION_RUNNING,
          EVERY_MEMBER_IS_UP,
          LEADER_MOVES_FIRST);

  /** The same question where a controller is let loose on all members of a component. */
  private static Rule forMembers(
      String name, String protects, String cure, MemberJudge judge, ComponentJudge whole) {
    return new Rule(
        name,
        protects,
        cure,
        (snapshot, component, step) ->
            step instanceof Step.LetRoll
                ? whole.object(snapshot, component)
                : target(component, step).flatMap(pod -> judge.object(snapshot, component, pod)));
  }

  private static Rule forMembers(String name, String protects, String cure, MemberJudge judge) {
    return new Rule(
        name,
        protects,
        cure,
        (snapshot, component, step) ->
            target(component, step).flatMap(pod -> judge.object(snapshot, component, pod)));
  }

  /** The pod a step takes down. */
  static Optional<Pod> target(Component component, Step step) {
    Optional<String> name = step.takesDown();
    if (name.isEmpty()) {
      return Optional.empty();
    }
    for (Pod pod : component.podList()) {
      if (pod.name().equals(name.get())) {
        return Optional.of(pod);
      }
    }
    return Optional.empty();
  }

  private static Optional<Objection> revisionIsNotRefused(
      Snapshot snapshot, Component component, Step step) {
    var course = new Course(snapshot, component);
    return course
        .refused()
        .filter(r -> course.isRefused(step, r) || beginsMigration(step))
        .map(r -> course.refusal(step.object(), r));
  }

  /** What a refused revision needs in the database is not begun either; what was begun is ended. */
  private static boolean beginsMigration(Step step) {
    return step instanceof Step.Migrate migrate
        && !migrate.operation().custom()
        && migrate.operation().is(Ledger.Status.PENDING);
  }

  private static Optional<Objection> notPaused(Snapshot snapshot, Component component, Step step) {
    boolean mends = step instanceof Step.Tell tell && tell.mends();
    boolean stops = (step instanceof Step.Disruptive && !mends) || step instanceof Step.SetTemplate;
    return snapshot.spec().paused() && stops
        ? Optional.of(
            new Objection(
                "",
                step.object(),
                "spec.paused is set",
                "set it to false: belay resume " + snapshot.subject().name(),
                Objection.Weight.HUMAN))
        : Optional.empty();
  }

  private static Optional<Objection> earlierTemplatesHadTime(
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
            new Objection(
                "",
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

  private static Optional<Objection> versionGoesForward(
      Snapshot snapshot, Component component, Step step) {
    return new VersionPath(snapshot, component).objection(step);
  }
}
