package dev.belay.operator.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.WayBack;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.loop.Loop.Turn;
import dev.belay.core.model.Spec;
import dev.belay.core.report.Phase;
import dev.belay.core.report.Report;
import dev.belay.core.report.Report.Blocked;
import dev.belay.core.report.Report.ComponentReport;
import dev.belay.core.report.Report.MemberReport;
import dev.belay.core.rules.GroupRules;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Command;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Done;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Observed;
import dev.belay.core.state.Memory.Past;
import dev.belay.core.state.Memory.Run;
import dev.belay.core.state.Memory.Target;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is counted, and what becomes of it. */
class MetricsTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Acted ACCEPTED = new Acted(true, "");
  private static final Acted REFUSED = new Acted(false, "403 forbidden");
  private static final Acted NOT_TRIED = new Acted(false, "");
  private static final Fence.ObjectVersion FENCE =
      new Fence.ObjectVersion(Fence.Kind.STATEFUL_SET, "etcd", "uid", "1");
  private static final Step RELEASE = new Step.Release("etcd", FENCE, 2, "etcd-2");
  private static final Step TRANSFER =
      new Step.TransferLeader("etcd", new Fence.LeaderTerm("a", "7"), "a", "etcd-0", "b", "etcd-1");

  private static final Step EVICT = new Step.Evict("etcd", FENCE, "etcd-1", "uid-1");
  private static final Step RECREATE =
      new Step.RecreatePod("etcd", FENCE, "etcd-1", "uid-1", "why");
  private static final Step TELL =
      new Step.Tell(
          "etcd",
          new Fence.MemberTerm("b", "7"),
          new Command("lead", "b", "etcd-1", "lead", "7", Map.of()),
          false);

  private Instant now = START;
  private Instant moved = START;
  private String leader = "";
  private Optional<Run> run = Optional.empty();
  private List<Past> history = List.of();

  private final Metrics metrics =
      new Metrics(
          new Clock() {
            @Override
            public ZoneId getZone() {
              return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
              return this;
            }

            @Override
            public Instant instant() {
              return now;
            }
          });

  private void pass(long seconds) {
    now = now.plusSeconds(seconds);
  }

  private void turn(String cluster, Phase phase, int updated, Decision decision, Acted acted) {
    boolean rolling = phase != Phase.IDLE;
    var members = new ArrayList<MemberReport>();
    for (int i = 0; i < 3; i++) {
      members.add(
          new MemberReport(
              "etcd-" + i,
              "",
              i,
              "",
              i >= 3 - updated,
              true,
              "",
              leader.equals("etcd-" + i) ? "leader" : "follower",
              true,
              "",
              Optional.empty()));
    }
    var remembered =
        new ComponentMemory(
            true,
            Optional.empty(),
            rolling
                ? Optional.of(Target.begun("r2", "2", START, 0).moved(moved, 0))
                : Optional.empty(),
            Optional.empty(),
            Map.of(),
            Set.of(),
            Optional.empty(),
            List.of(),
            Observed.NOTHING,
            List.of(),
            "");
    var report =
        new Report(
            phase,
            "1",
            "2",
            List.of(new ComponentReport("etcd", phase, "1", "2", "Policy", 3, members, List.of())),
            decision.objections().stream()
                .findFirst()
                .map(o -> new Blocked(o.reason().name(), o.object(), o.reading(), START, o.cure())),
            "",
            WayBack.unknown(""),
            List.of(),
            new Memory(
                Optional.empty(),
                Optional.empty(),
                0,
                Map.of("etcd", remembered),
                Optional.empty(),
                Memory.Handled.NONE,
                Optional.empty(),
                run,
                history));
    var snapshot =
        new Snapshot(
            new Snapshot.Subject("db", cluster, 1, "1", false),
            new Snapshot.Self("belay", "one", "account"),
            new Spec(
                Spec.Trigger.TEMPLATE,
                Optional.empty(),
                List.of(),
                Spec.Upgrade.DEFAULT,
                false,
                Spec.Requests.NONE,
                Spec.Force.NONE),
            List.of(),
            Memory.EMPTY,
            now);
    metrics.taken(snapshot, new Turn(report, decision, acted, Duration.ZERO));
  }

  private static Decision waiting(Reason reason) {
    return new Decision.Wait(List.of(reason.objection("etcd-2", "", "", Objection.Weight.WAIT)));
  }

  private List<String> lines(String family) {
    return metrics.text().lines().filter(l -> l.startsWith(family + "{")).toList();
  }

  @Test
  void replicas_are_counted_per_component() {
    turn("my", Phase.UPGRADING, 1, new Perform(RELEASE), ACCEPTED);
    String labels = "{namespace=\"db\",cluster=\"my\",component=\"etcd\"} ";
    assertThat(metrics.text().lines())
        .contains(
            "belay_cluster_replicas" + labels + "3",
            "belay_cluster_current_replicas" + labels + "2",
            "belay_cluster_updated_replicas" + labels + "1",
            "belay_cluster_ready_replicas" + labels + "3");
  }

  @Test
  void exactly_one_phase_is_1() {
    turn("my", Phase.WAITING, 1, waiting(GroupRules.EVERY_GROUP_SURVIVES), ACCEPTED);
    assertThat(lines("belay_cluster_phase")).hasSameSizeAs(Phase.values());
    assertThat(lines("belay_cluster_phase").stream().filter(l -> l.endsWith(" 1")))
        .containsExactly(
            "belay_cluster_phase{namespace=\"db\",cluster=\"my\",phase=\"Waiting\"} 1");
  }

  @Test
  void a_rule_is_counted_while_it_blocks_and_not_longer() {
    turn("my", Phase.WAITING, 1, waiting(GroupRules.EVERY_GROUP_SURVIVES), ACCEPTED);
    pass(90);
    assertThat(lines("belay_cluster_blocked_seconds"))
        .containsExactly(
            "belay_cluster_blocked_seconds{namespace=\"db\",cluster=\"my\","
                + "rule=\"EveryGroupSurvives\"} 90");
    turn("my", Phase.UPGRADING, 1, new Perform(RELEASE), ACCEPTED);
    assertThat(lines("belay_cluster_blocked_seconds")).isEmpty();
  }

  @Test
  void steps_are_counted_by_kind_and_outcome_and_those_not_tried_are_not() {
    turn("my", Phase.UPGRADING, 0, new Perform(TRANSFER), REFUSED);
    turn("my", Phase.UPGRADING, 0, new Perform(TRANSFER), ACCEPTED);
    turn("my", Phase.UPGRADING, 0, new Perform(RELEASE), NOT_TRIED);
    turn("my", Phase.UPGRADING, 0, new Perform(RELEASE), ACCEPTED);
    turn("my", Phase.UPGRADING, 1, new Perform(RELEASE), ACCEPTED);
    String labels = "belay_steps_total{namespace=\"db\",cluster=\"my\",kind=";
    assertThat(lines("belay_steps_total"))
        .containsExactlyInAnyOrder(
            labels + "\"TransferLeader\",outcome=\"refused\"} 1",
            labels + "\"TransferLeader\",outcome=\"accepted\"} 1",
            labels + "\"Release\",outcome=\"accepted\"} 2");
    assertThat(lines("belay_leader_moves_total"))
        .containsExactly("belay_leader_moves_total{namespace=\"db\",cluster=\"my\"} 1");
  }

  @Test
  void the_partition_moves_with_accepted_writes_only_and_starts_with_the_roll_out() {
    String family = "belay_cluster_last_partition_updated_seconds";
    turn("my", Phase.IDLE, 3, new Done(), ACCEPTED);
    assertThat(lines(family)).isEmpty();
    pass(10);
    turn("my", Phase.UPGRADING, 0, new Perform(RELEASE), REFUSED);
    assertThat(lines(family).getFirst()).endsWith(" " + START.getEpochSecond());
    pass(10);
    turn("my", Phase.UPGRADING, 0, new Perform(RELEASE), ACCEPTED);
    assertThat(lines(family).getFirst()).endsWith(" " + START.plusSeconds(20).getEpochSecond());
    pass(10);
    turn("my", Phase.UPGRADING, 1, new Perform(RELEASE), REFUSED);
    assertThat(lines(family).getFirst()).endsWith(" " + START.plusSeconds(20).getEpochSecond());
  }

  /** A later component, or the next upgrade: what was written last month is not its movement. */
  @Test
  void a_write_of_an_earlier_roll_out_says_nothing_about_this_one() {
    now = START.minusSeconds(1000);
    turn("my", Phase.IDLE, 3, new Perform(RELEASE), ACCEPTED);
    now = START.plusSeconds(1);
    turn("my", Phase.UPGRADING, 0, new Perform(RELEASE), REFUSED);
    assertThat(lines("belay_cluster_last_partition_updated_seconds").getFirst())
        .endsWith(" " + START.getEpochSecond());
  }

  @Test
  void a_roll_out_moves_by_whatever_lets_a_member_go() {
    String family = "belay_cluster_last_moved_seconds";
    turn("my", Phase.IDLE, 3, new Done(), ACCEPTED);
    assertThat(lines(family)).isEmpty();
    for (Step step : List.of(EVICT, RECREATE, RELEASE)) {
      pass(10);
      turn("my", Phase.UPGRADING, 0, new Perform(step), ACCEPTED);
      assertThat(lines(family).getFirst()).as(step.what()).endsWith(" " + now.getEpochSecond());
    }
    Instant last = now;
    pass(10);
    turn("my", Phase.UPGRADING, 0, new Perform(EVICT), REFUSED);
    turn("my", Phase.UPGRADING, 0, new Perform(TRANSFER), ACCEPTED);
    assertThat(lines(family).getFirst()).endsWith(" " + last.getEpochSecond());
    pass(10);
    turn("my", Phase.IDLE, 3, new Done(), ACCEPTED);
    assertThat(lines(family)).as("at rest").isEmpty();
  }

  @Test
  void a_process_that_saw_nothing_of_it_knows_from_the_status_when_it_last_moved() {
    moved = START.plusSeconds(500);
    pass(1000);
    turn("my", Phase.WAITING, 1, waiting(GroupRules.EVERY_GROUP_SURVIVES), ACCEPTED);
    assertThat(lines("belay_cluster_last_moved_seconds").getFirst())
        .endsWith(" " + moved.getEpochSecond());
  }

  /** MySQL and MariaDB need several commands, none of which is a transfer by itself. */
  @Test
  void a_leader_that_is_led_out_by_several_commands_is_counted_when_another_one_leads() {
    leader = "etcd-0";
    turn("my", Phase.UPGRADING, 0, new Perform(TELL), ACCEPTED);
    assertThat(leaderMoves()).endsWith(" 0");
    leader = "";
    turn("my", Phase.UPGRADING, 0, new Perform(TELL), ACCEPTED);
    assertThat(leaderMoves()).endsWith(" 0");
    leader = "etcd-1";
    turn("my", Phase.UPGRADING, 0, new Perform(TELL), ACCEPTED);
    assertThat(leaderMoves()).endsWith(" 1");
    turn("my", Phase.UPGRADING, 0, new Perform(RELEASE), ACCEPTED);
    assertThat(leaderMoves()).as("told to follow, it moves no more").endsWith(" 1");
  }

  @Test
  void an_election_that_nobody_asked_for_is_not_counted() {
    leader = "etcd-0";
    turn("my", Phase.UPGRADING, 0, new Perform(RELEASE), ACCEPTED);
    leader = "etcd-1";
    turn("my", Phase.UPGRADING, 0, new Perform(RELEASE), ACCEPTED);
    assertThat(leaderMoves()).endsWith(" 0");
  }

  private String leaderMoves() {
    return lines("belay_leader_moves_total").getFirst();
  }

  @Test
  void the_time_a_person_is_waited_for_is_no_working_time_and_no_restart_loses_it() {
    // This process begins here: what came before is known from the status.
    run = Optional.of(run(Duration.ofSeconds(30), Optional.of(START.plusSeconds(40))));
    pass(100);
    turn("my", Phase.HELD, 1, waiting(Reasons.ADOPTED_MIDWAY), ACCEPTED);
    assertThat(parts()).containsExactly("working 10", "waiting 90");
    pass(10);
    assertThat(parts()).containsExactly("working 10", "waiting 100");

    run = Optional.of(run(Duration.ofSeconds(100), Optional.empty()));
    turn("my", Phase.UPGRADING, 1, new Perform(RELEASE), ACCEPTED);
    pass(20);
    assertThat(parts()).containsExactly("working 30", "waiting 100");

    run = Optional.empty();
    history =
        List.of(
            new Past(
                "1",
                "2",
                START,
                now,
                Duration.ofSeconds(100),
                Memory.Outcome.COMPLETED,
                "",
                "",
                List.of()));
    turn("my", Phase.IDLE, 3, new Done(), ACCEPTED);
    pass(1000);
    assertThat(parts()).containsExactly("working 30", "waiting 100");
  }

  private static Run run(Duration waited, Optional<Instant> waitingSince) {
    return new Run("1", "2", START, waited, waitingSince, "", "", true);
  }

  private List<String> parts() {
    return lines("belay_upgrade_duration_seconds").stream()
        .map(l -> l.replaceAll(".*part=\"(\\w+)\"} (.*)", "$1 $2"))
        .toList();
  }

  @Test
  void every_number_of_a_cluster_vanishes_with_it_and_no_other() {
    turn("my", Phase.UPGRADING, 0, new Perform(RELEASE), ACCEPTED);
    turn("other", Phase.UPGRADING, 0, new Perform(RELEASE), ACCEPTED);
    metrics.failed("db", "my");
    metrics.forget("db", "my");
    assertThat(metrics.text()).doesNotContain("\"my\"").contains("cluster=\"other\"");
  }

  @Test
  void whoever_does_not_own_a_cluster_does_not_count_it() {
    turn("my", Phase.UPGRADING, 0, new Perform(RELEASE), ACCEPTED);
    turn("my", Phase.WAITING, 0, waiting(Reasons.OWNED_ELSEWHERE), NOT_TRIED);
    assertThat(metrics.text()).doesNotContain("\"my\"");
  }

  @Test
  void turns_that_end_in_trouble_are_counted() {
    metrics.failed("db", "my");
    metrics.failed("db", "my");
    assertThat(lines("belay_turn_failures_total"))
        .containsExactly("belay_turn_failures_total{namespace=\"db\",cluster=\"my\"} 2");
  }

  @Test
  void label_values_are_escaped() {
    turn("my", Phase.WAITING, 1, waiting(new Reason("a\"b\\c\nd", "", "", "")), ACCEPTED);
    assertThat(lines("belay_cluster_blocked_seconds").getFirst())
        .contains("rule=\"a\\\"b\\\\c\\nd\"");
  }
}
