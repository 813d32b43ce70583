package dev.belay.core.rules;

import dev.belay.core.model.Component;
import dev.belay.core.model.Pod;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.util.List;
import java.util.Optional;

/**
 * The rules that hold for every system. The order is the order in which objections are shown: the
 * one that tells a person most comes first.
 */
public final class Rules {

  private Rules() {}

  public static final List<Rule> ALL =
      List.of(
          new Rule(VersionPath.VERSION_GOES_FORWARD, VersionPath::versionGoesForward),
          forMembers(
              UpdatedMembers.UPDATED_MEMBERS_SERVE,
              UpdatedMembers::updatedMembersServe,
              UpdatedMembers::noneHasFailed),
          new Rule(Mismatch.VERSION_MISMATCH, Mismatch::versionMismatch),
          forMembers(CheckRules.CHECKS_PASS, CheckRules::checksPass, CheckRules::beforeAll),
          new Rule(UpgradeRules.REVISION_IS_NOT_REFUSED, UpgradeRules::revisionIsNotRefused),
          forMembers(
              PodRules.EVERY_POD_EXISTS, PodRules::everyPodExists, WholeRules::allOfTheSetExist),
          forMembers(
              GroupRules.EVERY_GROUP_SURVIVES,
              GroupRules::everyGroupSurvives,
              WholeRules::somebodyStays),
          forMembers(GroupRules.MEMBERS_MATCH_PODS, GroupRules::membersMatchPods),
          forMembers(GroupRules.EVERYONE_ELSE_IS_HEALTHY, GroupRules::everyoneElseIsHealthy),
          forMembers(PodRules.ONE_AT_A_TIME, PodRules::oneAtATime, WholeRules::allAreUp),
          forMembers(
              NodeRules.NOBODY_ELSE_IS_LEAVING,
              NodeRules::nobodyElseIsLeaving,
              NodeRules::nobodyIsLeaving),
          forMembers(
              PodRules.DISRUPTION_BUDGET_ALLOWS,
              PodRules::disruptionBudgetAllows,
              WholeRules::budgetAllowsTheSet),
          new Rule(UpgradeRules.NOT_PAUSED, UpgradeRules::notPaused),
          forMembers(PodRules.POD_IS_NOT_HELD, PodRules::podIsNotHeld, WholeRules::noPodIsHeld),
          forMembers(CleanupRules.TAKEN_BACK_FIRST, CleanupRules::takenBackFirst),
          new Rule(UpgradeRules.EARLIER_TEMPLATES_HAD_TIME, UpgradeRules::earlierTemplatesHadTime),
          new Rule(MigrationRules.NO_MIGRATION_RUNNING, MigrationRules::noMigrationRunning),
          new Rule(MigrationRules.EVERY_MEMBER_IS_UP, MigrationRules::everyMemberIsUp),
          forMembers(GroupRules.LEADER_MOVES_FIRST, GroupRules::leaderMovesFirst));

  /** The rule that gives this reason. */
  public static Rule of(Reason reason) {
    return ALL.stream().filter(r -> r.reason().equals(reason)).findFirst().orElseThrow();
  }

  /** A question about taking one pod down. */
  @FunctionalInterface
  private interface MemberJudge {
    Optional<Objection> object(Snapshot snapshot, Component component, Pod target);
  }

  @FunctionalInterface
  private interface ComponentJudge {
    Optional<Objection> object(Snapshot snapshot, Component component);
  }

  private static Rule forMembers(Reason reason, MemberJudge judge) {
    return forMembers(reason, judge, (_, _) -> Optional.empty());
  }

  /**
   * @param whole the same question where a controller may replace all members of a component
   */
  private static Rule forMembers(Reason reason, MemberJudge judge, ComponentJudge whole) {
    return new Rule(
        reason,
        (snapshot, component, step) ->
            step instanceof Step.LetRoll
                ? whole.object(snapshot, component)
                : step.takesDown()
                    .flatMap(component::pod)
                    .flatMap(pod -> judge.object(snapshot, component, pod)));
  }
}
