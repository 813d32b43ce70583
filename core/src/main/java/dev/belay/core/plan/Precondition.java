package dev.belay.core.plan;

import dev.belay.core.snapshot.Fact;

/**
 * What the planner itself asks for before or around the rules. Like a rule's name, its word is API:
 * status, event, metric and docs use it.
 */
public enum Precondition {
  OWNED_ELSEWHERE(
      "OwnedElsewhere",
      "Only one operator acts on a cluster.",
      "Label the StatefulCluster so that the selector of one operator matches.",
      "Two operators that both believe they own a cluster each take a member down; a"
          + " lease alone does not exclude that (Jepsen on etcd 3.4.3)."),
  NOT_SELECTED(
      "NotSelected",
      "An operator acts only on clusters that its selector matches.",
      "Label the StatefulCluster so that the selector of one operator matches.",
      "tidb-operator's canary: two operators in one Kubernetes cluster divide the clusters by"
          + " label."),
  WORKLOAD_IS_READABLE(
      "WorkloadIsReadable",
      "The workload that a component names exists and can be read.",
      "Create the StatefulSet, or correct workload.name.",
      "What cannot be read is unknown, and unknown is never permission."),
  WORKLOAD_STAYS(
      "WorkloadStays",
      "A set that is being deleted is left alone.",
      "Re-create the StatefulSet.",
      "Its pods may outlive a set that is deleted with --cascade=orphan; the new set"
          + " begins with another history."),
  WORKLOAD_IS_OBSERVED(
      "WorkloadIsObserved",
      "The set's controller has seen the newest spec, so that its revisions can be believed.",
      "Wait; if it stays, look at the controller manager.",
      "tidb-operator#784: the partition was written before the new revision was"
          + " known. moco#633: it was at 0 before the first pod was new."),
  PODS_ARE_READABLE(
      "PodsAreReadable",
      "The pods of the set can be listed.",
      "Look at the operator's rights.",
      "An empty list and a list that failed look alike to whoever counts pods."),
  GUARD_IS_KNOWN(
      "GuardIsKnown",
      "It is known what freezes a template change of this set.",
      "Look at the operator's rights on statefulsets, and at the admission policies.",
      "Without a guard any template change starts the set's own controller at once,"
          + " before anybody has looked."),
  ONE_CLUSTER_PER_WORKLOAD(
      "OneClusterPerWorkload",
      "No two StatefulClusters name one workload; the older one keeps it.",
      "Remove the workload from one of the two.",
      "Two declarations of one set would each undo what the other one did."),
  STRATEGY_FITS(
      "StrategyFits",
      "The update strategy of the set itself and rollout.strategy speak of the same thing.",
      "Leave rollout.strategy out: it is then the one the set's own stands for.",
      "Under OnDelete a partition means nothing, and under RollingUpdate a deleted"
          + " pod may come back old."),
  CONTAINERS_EXIST(
      "ContainersExist",
      "Every key of images is a container of the workload.",
      "Use one of the names in the message.",
      "A key with a typo would change nothing, and look like an upgrade that is done."),
  VERSION_IS_READABLE(
      "VersionIsReadable",
      "The wanted version can be compared with others.",
      "Write numbers and dots, then any suffix.",
      "pravega-operator#156: a version nobody can compare can be neither ahead nor" + " behind."),
  ADOPTED_MIDWAY(
      "AdoptedMidway",
      "A set found in the middle of something is not touched before a person has looked at it.",
      "Look at the members, then set spec.requests.approve to what status.waitingFor says.",
      "tidb-operator#1335: a new version of the operator rolled clusters that nobody"
          + " had changed."),
  TEMPLATE_OWNED_ELSEWHERE(
      "TemplateOwnedElsewhere",
      "Belay does not fight over a template: images that somebody else changed are not written"
          + " again. The message names the field manager who did.",
      "Use trigger Template where another tool writes the template, or stop that tool and ask for"
          + " another try: belay retry NAME.",
      "Two writers of one field take turns for ever; a rewriting webhook made a"
          + " healthy member be deleted in a loop (etcd-operator PR#403)."),
  RELEASE_TAKES_EFFECT(
      "ReleaseTakesEffect",
      "A released member is replaced before anything else is done.",
      "Wait; if it stays, look at the StatefulSet controller.",
      "Tried on Kubernetes 1.36: a release stays latent while a pod is unready or the"
          + " controller is down, and strikes when that ends."),
  LEADER_TRANSFER_FAILED(
      "LeaderTransferFailed",
      "A leader that will not hand over is not taken down.",
      "Find out why leadership stays or comes back; move it by hand, or change the template.",
      "tidb-operator's upgrader takes a leader down after its tries; PD gives"
          + " leadership back by priority once a minute."),
  BROKEN_MEMBER_OUT_OF_ORDER(
      "BrokenMemberOutOfOrder",
      "Strategy Partition reaches only the highest outdated member; a broken one below it was made"
          + " anew once at its own revision and is still broken.",
      "Repair the named member, or revert the template.",
      "A StatefulSet gives new revisions to the highest ordinals first: what would"
          + " heal a lower one cannot reach it (kubernetes#67250)."),
  APPROVED(
      "Approved",
      "What spec.upgrade.approval names is done only after a person agreed to it.",
      "Set spec.requests.approve to what status.waitingFor says, or: belay approve NAME.",
      "cockroach#57887: people want to agree to the step after which there is no way"
          + " back; a stale agreement must not count."),
  WAY_BACK_IS_OPEN(
      "WayBackIsOpen",
      "Members go back only to the last good revision, and never below the floor.",
      "Go forward: correct the template, or choose a higher version.",
      "pravega-operator#309: a rollback has to be let through, and only to what was"
          + " good. Data that a newer version has rewritten is not read by the older one."),
  FORCED_ROLL_OUT(
      "ForcedRollOut",
      "A person let every member through at once; Belay only helps the controller along.",
      "Remove the annotation belay.dev/force-rolling-update to have the gates back.",
      "When everything is down no gate can pass, and the new template may be the"
          + " repair: PD's upgrader and MOCO both have such a door."),
  COMPONENTS_IN_ORDER(
      "ComponentsInOrder",
      "A component moves when all before it are wholly at their target and serve; on the way back,"
          + " when all behind it are.",
      "Wait: its turn comes when the component in the message is through. Where the two wait for"
          + " each other, revert the template of the one that is stuck.",
      "A store that is newer than its bookies speaks a protocol they do not know; on"
          + " the way back it is the other way round."),
  FLEET_HAS_ROOM(
      "FleetHasRoom",
      "No more clusters are in the middle of an upgrade at once than the operator's --max-upgrades"
          + " allows; one that failed keeps its place, so that a bad version stops there.",
      "Wait: its turn comes when one of the named is through; help those that failed or are held,"
          + " or raise --max-upgrades.",
      "moco#862 asks for a limit over all clusters: without one a bad version is in"
          + " each of them at once."),
  CONTROLLER_ROLLS(
      "ControllerRolls",
      "Under strategy Native the workload's own controller replaces the pods; Belay waits for the"
          + " end of it.",
      "Look at the pods it makes; correct or revert the template if they do not come up.",
      "A Deployment has no partition: once it rolls, it can be paused and not held at"
          + " one pod."),
  PAUSED_BY_HAND(
      "PausedByHand",
      "A Deployment that a person paused goes on when a person says so, and not because it is its"
          + " turn.",
      "Set spec.requests.approve to what status.waitingFor says, or: belay approve NAME.",
      "spec.paused does not say who set it: the guard, Belay, a chart or a person with kubectl"
          + " rollout pause."),
  ACTIONS_SUCCEED(
      "ActionsSucceed",
      "What the user wants done around members is done, and taken back, before anything else goes"
          + " on.",
      "Make the named request succeed, then ask for another try: belay retry NAME. What cannot be"
          + " taken back can be left as it is: belay approve NAME.",
      "tidb-operator#4483, #3722: what is begun for an upgrade outlives an operator that"
          + " dies, unless it was written down before it was done."),
  NOTHING_IS_OWED(
      "NothingIsOwed",
      "What a driver or an action changed for the upgrade is taken back before Belay leaves a"
          + " cluster; what an action changed, also before a removed component is forgotten.",
      "Bring a member back that can be told; after a minute Belay leaves, and says what is left."
          + " Name the removed component again, or leave it as it is: belay approve NAME.",
      "tidb-operator#7067: DDL that was paused for an upgrade stayed paused."),
  MIGRATIONS_SUCCEED(
      "MigrationsSucceed",
      "The migrations that a version needs are carried out in their phase, and a failed one stops"
          + " the line.",
      "Correct what the message names, then decide: belay migration retry, skip or resolve NAME.",
      "Jepsen on TiDB 2.1.7: retries that nobody asked for lost updates. A failed"
          + " migration stops the line."),
  MIGRATIONS_FIT(
      "MigrationsFit",
      "The declared migrations fit each other, the queue in the database and the versions of the"
          + " roll-out.",
      "Correct the ConfigMap as the message says.",
      "schemahero#376: plans that overlap carried out the same DDL twice."),
  MIGRATOR_HAS_RIGHTS(
      "MigratorHasRights",
      "The database user of the migrations may keep their queue; that is known before anything is"
          + " begun for an upgrade.",
      "Run the statement in the message as an owner of the database.",
      "What is found out at the first statement is found out when half of it is done."),
  PROGRESS_DEADLINE(
      "ProgressDeadline",
      "A roll-out in which nothing moves for rollout.progressDeadline is called failed, not left"
          + " waiting for ever.",
      "Cure what the message names, then ask for a retry: belay retry NAME.",
      "strimzi-kafka-operator#3710, #11634: a roll that never ends, and says nothing."
          + " A StatefulSet has no deadline."),
  STEP_TAKES_EFFECT(
      "StepTakesEffect",
      "A step that is refused again and again is not kept to itself.",
      "Look at the operator's log and its rights, and at the load of the API server.",
      "A right that is missing, or a server that is too slow, looks like patience"
          + " from outside."),
  RECORDED_STEP_SETTLES(
      "RecordedStepSettles",
      "A step that was written down and may still be carried out is waited for.",
      "Wait; it takes seconds.",
      "A write that was sent and not answered may still arrive; the next one is"
          + " decided only when it cannot (Sieve: 11 of 46 bugs are crashes in the middle).");

  private final String word;
  private final String protects;
  private final String cure;
  private final String because;

  Precondition(String word, String protects, String cure, String because) {
    this.word = word;
    this.protects = protects;
    this.cure = cure;
    this.because = because;
  }

  public String word() {
    return word;
  }

  /** For docs/rules.md: what is lost without it. */
  public String protects() {
    return protects;
  }

  /** For docs/rules.md: what a person does when it stays. */
  public String cure() {
    return cure;
  }

  /** For docs/rules.md: the fact or the field report behind it. */
  public String because() {
    return because;
  }

  Objection objection(String object, String reading, String cure, Objection.Weight weight) {
    return new Objection(word, object, reading, cure, weight);
  }

  Objection unseen(String object, Fact.Unknown<?> unknown) {
    return Objection.unseen(word, object, unknown);
  }
}
