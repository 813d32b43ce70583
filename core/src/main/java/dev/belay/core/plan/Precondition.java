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
      "Let only one installation select the cluster: narrow --namespace or --selector."),
  WORKLOAD_IS_READABLE(
      "WorkloadIsReadable",
      "The workload that a component names exists and can be read.",
      "Create the StatefulSet, or correct workload.name."),
  WORKLOAD_STAYS(
      "WorkloadStays", "A set that is being deleted is left alone.", "Re-create the StatefulSet."),
  WORKLOAD_IS_OBSERVED(
      "WorkloadIsObserved",
      "The set's controller has seen the newest spec, so that its revisions can be believed.",
      "Wait; if it stays, look at the controller manager."),
  PODS_ARE_READABLE(
      "PodsAreReadable", "The pods of the set can be listed.", "Look at the operator's rights."),
  GUARD_IS_KNOWN(
      "GuardIsKnown",
      "It is known what freezes a template change of this set.",
      "Look at the operator's rights on statefulsets, and at the admission policies."),
  ONE_CLUSTER_PER_WORKLOAD(
      "OneClusterPerWorkload",
      "No two StatefulClusters name one workload; the older one keeps it.",
      "Remove the workload from one of the two."),
  STRATEGY_FITS(
      "StrategyFits",
      "The update strategy of the set itself and rollout.strategy speak of the same thing.",
      "Leave rollout.strategy out: it is then the one the set's own stands for."),
  CONTAINERS_EXIST(
      "ContainersExist",
      "Every key of images is a container of the workload.",
      "Use one of the names in the message."),
  VERSION_IS_READABLE(
      "VersionIsReadable",
      "The wanted version can be compared with others.",
      "Write numbers and dots, then any suffix."),
  ADOPTED_MIDWAY(
      "AdoptedMidway",
      "A set found in the middle of something is not touched before a person has looked at it.",
      "Look at the members, then set spec.requests.approve to what status.waitingFor says."),
  TEMPLATE_OWNED_ELSEWHERE(
      "TemplateOwnedElsewhere",
      "Belay does not fight over a template: images that somebody else changed are not written"
          + " again.",
      "Use trigger Template where another tool writes the template."),
  RELEASE_TAKES_EFFECT(
      "ReleaseTakesEffect",
      "A released member is replaced before anything else is done.",
      "Wait; if it stays, look at the StatefulSet controller."),
  LEADER_TRANSFER_FAILED(
      "LeaderTransferFailed",
      "A leader that will not hand over is not taken down.",
      "Find out why leadership stays or comes back; move it by hand, or change the template."),
  BROKEN_MEMBER_OUT_OF_ORDER(
      "BrokenMemberOutOfOrder",
      "Strategy Partition reaches only the highest outdated member; a broken one below it was made"
          + " anew once at its own revision and is still broken.",
      "Repair the named member, or revert the template."),
  APPROVED(
      "Approved",
      "What spec.upgrade.approval names is done only after a person agreed to it.",
      "Set spec.requests.approve to what status.waitingFor says, or: belay approve NAME."),
  WAY_BACK_IS_OPEN(
      "WayBackIsOpen",
      "Members go back only to the last good revision, and never below the floor.",
      "Go forward: correct the template, or choose a higher version."),
  FORCED_ROLL_OUT(
      "ForcedRollOut",
      "A person let every member through at once; Belay only helps the controller along.",
      "Remove the annotation belay.dev/force-rolling-update to have the gates back."),
  COMPONENTS_IN_ORDER(
      "ComponentsInOrder",
      "A component moves when all before it are wholly at their target and serve; on the way back,"
          + " when all behind it are.",
      "Wait: its turn comes when the component in the message is through."),
  FLEET_HAS_ROOM(
      "FleetHasRoom",
      "No more clusters are in the middle of an upgrade at once than the operator's --max-upgrades"
          + " allows; one that failed keeps its place, so that a bad version stops there.",
      "Wait: its turn comes when one of the named is through; help those that failed or are held,"
          + " or raise --max-upgrades."),
  CONTROLLER_ROLLS(
      "ControllerRolls",
      "Under strategy Native the workload's own controller replaces the pods; Belay waits for the"
          + " end of it.",
      "Look at the pods it makes; correct or revert the template if they do not come up."),
  PAUSED_BY_HAND(
      "PausedByHand",
      "A Deployment that a person paused goes on when a person says so, and not because it is its"
          + " turn.",
      "Set spec.requests.approve to what status.waitingFor says, or: belay approve NAME."),
  ACTIONS_SUCCEED(
      "ActionsSucceed",
      "What the user wants done around members is done, and taken back, before anything else goes"
          + " on.",
      "Make the named request succeed, then ask for another try: belay retry NAME."),
  NOTHING_IS_OWED(
      "NothingIsOwed",
      "What a driver or an action changed for the upgrade is taken back before Belay leaves a"
          + " cluster.",
      "Bring a member back that can be told; after a minute Belay leaves, and says what is left."),
  MIGRATIONS_SUCCEED(
      "MigrationsSucceed",
      "The migrations that a version needs are carried out in their phase, and a failed one stops"
          + " the line.",
      "Correct what the message names, then decide: belay migration retry, skip or resolve NAME."),
  MIGRATIONS_FIT(
      "MigrationsFit",
      "The declared migrations fit each other, the queue in the database and the versions of the"
          + " roll-out.",
      "Correct the ConfigMap as the message says."),
  MIGRATOR_HAS_RIGHTS(
      "MigratorHasRights",
      "The database user of the migrations may keep their queue; that is known before anything is"
          + " begun for an upgrade.",
      "Run the statement in the message as an owner of the database."),
  PROGRESS_DEADLINE(
      "ProgressDeadline",
      "A roll-out in which nothing moves for rollout.progressDeadline is called failed, not left"
          + " waiting for ever.",
      "Cure what the message names, then ask for a retry: belay retry NAME."),
  STEP_TAKES_EFFECT(
      "StepTakesEffect",
      "A step that is refused again and again is not kept to itself.",
      "Look at the operator's log and its rights, and at the load of the API server."),
  RECORDED_STEP_SETTLES(
      "RecordedStepSettles",
      "A step that was written down and may still be carried out is waited for.",
      "Wait; it takes seconds.");

  private final String word;
  private final String protects;
  private final String cure;

  Precondition(String word, String protects, String cure) {
    this.word = word;
    this.protects = protects;
    this.cure = cure;
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

  Objection objection(String object, String reading, String cure, Objection.Weight weight) {
    return new Objection(word, object, reading, cure, weight);
  }

  Objection unseen(String object, Fact.Unknown<?> unknown) {
    return Objection.unseen(word, object, unknown);
  }
}
