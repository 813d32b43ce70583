package dev.belay.core.rules;

import dev.belay.core.state.Reason;
import java.util.List;

/** The reasons that the planner gives itself, before or around the rules. */
public final class Reasons {

  private Reasons() {}

  public static final Reason OWNED_ELSEWHERE =
      new Reason(
          "OwnedElsewhere",
          "Only one operator acts on a cluster.",
          "Label the StatefulCluster so that the selector of one operator matches.",
          "Two operators that both believe they own a cluster each take a member down; a"
              + " lease alone does not exclude that (Jepsen on etcd 3.4.3).");

  public static final Reason NOT_SELECTED =
      new Reason(
          "NotSelected",
          "An operator acts only on clusters that its selector matches.",
          "Label the StatefulCluster so that the selector of one operator matches.",
          "tidb-operator's canary: two operators in one Kubernetes cluster divide the clusters by"
              + " label.");

  public static final Reason WORKLOAD_IS_READABLE =
      new Reason(
          "WorkloadIsReadable",
          "The workload that a component names exists and can be read.",
          "Create the StatefulSet, or correct workload.name.",
          "What cannot be read is unknown, and unknown is never permission.");

  public static final Reason WORKLOAD_STAYS =
      new Reason(
          "WorkloadStays",
          "A set that is being deleted is left alone.",
          "Re-create the StatefulSet.",
          "Its pods may outlive a set that is deleted with --cascade=orphan; the new set"
              + " begins with another history.");

  public static final Reason WORKLOAD_IS_OBSERVED =
      new Reason(
          "WorkloadIsObserved",
          "The set's controller has seen the newest spec, so that its revisions can be believed.",
          "Wait; if it stays, look at the controller manager.",
          "tidb-operator#784: the partition was written before the new revision was"
              + " known. moco#633: it was at 0 before the first pod was new.");

  public static final Reason PODS_ARE_READABLE =
      new Reason(
          "PodsAreReadable",
          "The pods of the set can be listed.",
          "Look at the operator's rights.",
          "An empty list and a list that failed look alike to whoever counts pods.");

  public static final Reason GUARD_IS_KNOWN =
      new Reason(
          "GuardIsKnown",
          "It is known what freezes a template change of this set.",
          "Look at the operator's rights on statefulsets, and at the admission policies.",
          "Without a guard any template change starts the set's own controller at once,"
              + " before anybody has looked.");

  public static final Reason ONE_CLUSTER_PER_WORKLOAD =
      new Reason(
          "OneClusterPerWorkload",
          "No two StatefulClusters name one workload; the older one keeps it.",
          "Remove the workload from one of the two.",
          "Two declarations of one set would each undo what the other one did.");

  public static final Reason STRATEGY_FITS =
      new Reason(
          "StrategyFits",
          "The update strategy of the set itself and rollout.strategy speak of the same thing.",
          "Leave rollout.strategy out: it is then the one the set's own stands for.",
          "Under OnDelete a partition means nothing, and under RollingUpdate a deleted"
              + " pod may come back old.");

  public static final Reason CONTAINERS_EXIST =
      new Reason(
          "ContainersExist",
          "Every key of images is a container of the workload.",
          "Use one of the names in the message.",
          "A key with a typo would change nothing, and look like an upgrade that is done.");

  public static final Reason VERSION_IS_READABLE =
      new Reason(
          "VersionIsReadable",
          "The wanted version can be compared with others.",
          "Write numbers and dots, then any suffix.",
          "pravega-operator#156: a version nobody can compare can be neither ahead nor"
              + " behind.");

  public static final Reason ADOPTED_MIDWAY =
      new Reason(
          "AdoptedMidway",
          "A set found in the middle of something is not touched before a person has looked at it.",
          "Look at the members, then set spec.requests.approve to what status.waitingFor says.",
          "tidb-operator#1335: a new version of the operator rolled clusters that nobody"
              + " had changed.");

  public static final Reason TEMPLATE_OWNED_ELSEWHERE =
      new Reason(
          "TemplateOwnedElsewhere",
          "Belay does not fight over a template: images that somebody else changed are not written"
              + " again. The message names the field manager who did.",
          "Use trigger Template where another tool writes the template, or stop that tool and ask for"
              + " another try: belay retry NAME.",
          "Two writers of one field take turns for ever; a rewriting webhook made a"
              + " healthy member be deleted in a loop (etcd-operator PR#403).");

  public static final Reason RELEASE_TAKES_EFFECT =
      new Reason(
          "ReleaseTakesEffect",
          "A released member is replaced before anything else is done.",
          "Wait; if it stays, look at the StatefulSet controller.",
          "Tried on Kubernetes 1.36: a release stays latent while a pod is unready or the"
              + " controller is down, and strikes when that ends.");

  public static final Reason LEADER_TRANSFER_FAILED =
      new Reason(
          "LeaderTransferFailed",
          "A leader that will not hand over is not taken down.",
          "Find out why leadership stays or comes back; move it by hand, or change the template.",
          "tidb-operator's upgrader takes a leader down after its tries; PD gives"
              + " leadership back by priority once a minute.");

  public static final Reason BROKEN_MEMBER_OUT_OF_ORDER =
      new Reason(
          "BrokenMemberOutOfOrder",
          "Strategy Partition reaches only the highest outdated member; a broken one below it was made"
              + " anew once at its own revision and is still broken.",
          "Repair the named member, or revert the template.",
          "A StatefulSet gives new revisions to the highest ordinals first: what would"
              + " heal a lower one cannot reach it (kubernetes#67250).");

  public static final Reason APPROVED =
      new Reason(
          "Approved",
          "What spec.upgrade.approval names is done only after a person agreed to it.",
          "Set spec.requests.approve to what status.waitingFor says, or: belay approve NAME.",
          "cockroach#57887: people want to agree to the step after which there is no way"
              + " back; a stale agreement must not count.");

  public static final Reason WAY_BACK_IS_OPEN =
      new Reason(
          "WayBackIsOpen",
          "Members go back only to the last good revision, and never below the floor.",
          "Go forward: correct the template, or choose a higher version.",
          "pravega-operator#309: a rollback has to be let through, and only to what was"
              + " good. Data that a newer version has rewritten is not read by the older one.");

  public static final Reason FORCED_ROLL_OUT =
      new Reason(
          "ForcedRollOut",
          "A person let every member through at once; Belay only helps the controller along.",
          "Remove the annotation belay.dev/force-rolling-update to have the gates back.",
          "When everything is down no gate can pass, and the new template may be the"
              + " repair: PD's upgrader and MOCO both have such a door.");

  public static final Reason COMPONENTS_IN_ORDER =
      new Reason(
          "ComponentsInOrder",
          "A component moves when all before it are wholly at their target and serve; on the way back,"
              + " when all behind it are.",
          "Wait: its turn comes when the component in the message is through. Where the two wait for"
              + " each other, revert the template of the one that is stuck.",
          "A store that is newer than its bookies speaks a protocol they do not know; on"
              + " the way back it is the other way round.");

  public static final Reason FLEET_HAS_ROOM =
      new Reason(
          "FleetHasRoom",
          "No more clusters are in the middle of an upgrade at once than the operator's --max-upgrades"
              + " allows; one that failed keeps its place, so that a bad version stops there.",
          "Wait: its turn comes when one of the named is through; help those that failed or are held,"
              + " or raise --max-upgrades.",
          "moco#862 asks for a limit over all clusters: without one a bad version is in"
              + " each of them at once.");

  public static final Reason CONTROLLER_ROLLS =
      new Reason(
          "ControllerRolls",
          "Under strategy Native the workload's own controller replaces the pods; Belay waits for the"
              + " end of it.",
          "Look at the pods it makes; correct or revert the template if they do not come up.",
          "A Deployment has no partition: once it rolls, it can be paused and not held at"
              + " one pod.");

  public static final Reason PAUSED_BY_HAND =
      new Reason(
          "PausedByHand",
          "A Deployment that a person paused goes on when a person says so, and not because it is its"
              + " turn.",
          "Set spec.requests.approve to what status.waitingFor says, or: belay approve NAME.",
          "spec.paused does not say who set it: the guard, Belay, a chart or a person with kubectl"
              + " rollout pause.");

  public static final Reason ACTIONS_SUCCEED =
      new Reason(
          "ActionsSucceed",
          "What the user wants done around members is done, and taken back, before anything else goes"
              + " on.",
          "Make the named request succeed, then ask for another try: belay retry NAME. What cannot be"
              + " taken back can be left as it is: belay approve NAME.",
          "tidb-operator#4483, #3722: what is begun for an upgrade outlives an operator that"
              + " dies, unless it was written down before it was done.");

  public static final Reason NOTHING_IS_OWED =
      new Reason(
          "NothingIsOwed",
          "What a driver or an action changed for the upgrade is taken back before Belay leaves a"
              + " cluster; what an action changed, also before a removed component is forgotten.",
          "Bring a member back that can be told; after a minute Belay leaves, and says what is left."
              + " Name the removed component again, or leave it as it is: belay approve NAME.",
          "tidb-operator#7067: DDL that was paused for an upgrade stayed paused.");

  public static final Reason MIGRATIONS_SUCCEED =
      new Reason(
          "MigrationsSucceed",
          "The migrations that a version needs are carried out in their phase, and a failed one stops"
              + " the line.",
          "Correct what the message names, then decide: belay migration retry, skip or resolve NAME.",
          "Jepsen on TiDB 2.1.7: retries that nobody asked for lost updates. A failed"
              + " migration stops the line.");

  public static final Reason MIGRATIONS_FIT =
      new Reason(
          "MigrationsFit",
          "The declared migrations fit each other, the queue in the database and the versions of the"
              + " roll-out.",
          "Correct the ConfigMap as the message says.",
          "schemahero#376: plans that overlap carried out the same DDL twice.");

  public static final Reason MIGRATOR_HAS_RIGHTS =
      new Reason(
          "MigratorHasRights",
          "The database user of the migrations may keep their queue; that is known before anything is"
              + " begun for an upgrade.",
          "Run the statement in the message as an owner of the database.",
          "What is found out at the first statement is found out when half of it is done.");

  public static final Reason PROGRESS_DEADLINE =
      new Reason(
          "ProgressDeadline",
          "A roll-out in which nothing moves for rollout.progressDeadline is called failed, not left"
              + " waiting for ever.",
          "Cure what the message names, then ask for a retry: belay retry NAME.",
          "strimzi-kafka-operator#3710, #11634: a roll that never ends, and says nothing."
              + " A StatefulSet has no deadline.");

  public static final Reason STEP_TAKES_EFFECT =
      new Reason(
          "StepTakesEffect",
          "A step that is refused again and again is not kept to itself.",
          "Look at the operator's log and its rights, and at the load of the API server.",
          "A right that is missing, or a server that is too slow, looks like patience"
              + " from outside.");

  public static final Reason RECORDED_STEP_SETTLES =
      new Reason(
          "RecordedStepSettles",
          "A step that was written down and may still be carried out is waited for.",
          "Wait; it takes seconds.",
          "A write that was sent and not answered may still arrive; the next one is"
              + " decided only when it cannot (Sieve: 11 of 46 bugs are crashes in the middle).");

  public static final List<Reason> ALL =
      List.of(
          OWNED_ELSEWHERE,
          NOT_SELECTED,
          WORKLOAD_IS_READABLE,
          WORKLOAD_STAYS,
          WORKLOAD_IS_OBSERVED,
          PODS_ARE_READABLE,
          GUARD_IS_KNOWN,
          ONE_CLUSTER_PER_WORKLOAD,
          STRATEGY_FITS,
          CONTAINERS_EXIST,
          VERSION_IS_READABLE,
          ADOPTED_MIDWAY,
          TEMPLATE_OWNED_ELSEWHERE,
          RELEASE_TAKES_EFFECT,
          LEADER_TRANSFER_FAILED,
          BROKEN_MEMBER_OUT_OF_ORDER,
          APPROVED,
          WAY_BACK_IS_OPEN,
          FORCED_ROLL_OUT,
          COMPONENTS_IN_ORDER,
          FLEET_HAS_ROOM,
          CONTROLLER_ROLLS,
          PAUSED_BY_HAND,
          ACTIONS_SUCCEED,
          NOTHING_IS_OWED,
          MIGRATIONS_SUCCEED,
          MIGRATIONS_FIT,
          MIGRATOR_HAS_RIGHTS,
          PROGRESS_DEADLINE,
          STEP_TAKES_EFFECT,
          RECORDED_STEP_SETTLES);
}
