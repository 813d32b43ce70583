package dev.belay.operator.record;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.core.driver.WayBack;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.loop.Loop.Turn;
import dev.belay.core.model.Action;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.report.Phase;
import dev.belay.core.report.Report;
import dev.belay.core.rules.GroupRules;
import dev.belay.core.rules.PodRules;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.Cause;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Observed;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** An event for each new reason, and no other. */
class AnnouncerTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Decision.Wait QUORUM = waits(GroupRules.EVERY_GROUP_SURVIVES, "etcd-2");
  private static final Decision.Wait BUDGET = waits(PodRules.DISRUPTION_BUDGET_ALLOWS, "etcd-2");
  private static final Fence.ObjectVersion FENCE =
      new Fence.ObjectVersion(Fence.Kind.STATEFUL_SET, "etcd", "uid", "1");
  private static final Decision RELEASE =
      new Decision.Perform(new Step.Release("etcd", FENCE, 2, "etcd-2"));
  private static final Decision CLAIM =
      new Decision.Perform(new Step.Claim("etcd", new Fence.Cluster("etcd"), List.of()));

  private static final Memory.Obligation OWED =
      new Memory.Obligation(
          "before-member-1/uid/2",
          Action.Moment.BEFORE_MEMBER,
          "etcd-2",
          "uid",
          "PUT :80/drain",
          "PUT :80/undrain",
          Memory.Obligation.Progress.UNDOING,
          NOW);

  private final List<String> written = new ArrayList<>();
  private final List<String> messages = new ArrayList<>();
  private final Set<String> names = new HashSet<>();
  private final StatefulCluster cluster = cluster();
  private Announcer announcer = new Announcer(this::write, "one");
  private String target = "2";

  /** As the API server does: a name is taken once. */
  private void write(Event event) {
    String name = event.getMetadata().getName();
    if (name != null && !names.add(name)) {
      throw new KubernetesClientException("exists", 409, null);
    }
    written.add(event.getType() + " " + event.getReason());
    messages.add(event.getMessage());
  }

  /** Another process, which knows what the status says and no more. */
  private void restart() {
    announcer = new Announcer(this::write, "two");
  }

  private Report report(Phase phase) {
    return new Report(
        phase,
        "1",
        target,
        List.of(),
        Optional.empty(),
        "",
        WayBack.unknown(""),
        List.of(),
        Memory.EMPTY);
  }

  private void turn(Phase phase, Decision decision) {
    announcer.announce(
        cluster, new Turn(report(phase), decision, new Acted(true, ""), Duration.ZERO));
    Map<String, Object> status =
        decision.objections().isEmpty()
            ? Map.of("phase", phase.toString(), "observedGeneration", 1, "targetVersion", target)
            : Map.of(
                "phase",
                phase.toString(),
                "observedGeneration",
                1,
                "targetVersion",
                target,
                "blockedBy",
                Map.of(
                    "rule",
                    decision.objections().getFirst().reason().name(),
                    "object",
                    decision.objections().getFirst().object()));
    cluster.setStatus(
        Serialization.unmarshal(Serialization.asJson(status), StatefulClusterStatus.class));
  }

  @Test
  void warns_when_somebody_leaves_something_as_it_is() {
    turn(
        Phase.HELD,
        new Decision.Perform(
            new Step.GiveUp("etcd", new Fence.Request("etcd-0", "o1", true), OWED, "ann")));
    assertThat(written).containsExactly("Warning GiveUp");
    assertThat(messages.getFirst()).contains("give up PUT :80/undrain for etcd-2, approved by ann");
  }

  @Test
  void a_reason_is_told_when_it_is_new_and_not_again_while_it_stays() {
    turn(Phase.WAITING, QUORUM);
    turn(Phase.WAITING, QUORUM);
    turn(Phase.WAITING, BUDGET);
    turn(Phase.WAITING, BUDGET);
    assertThat(written)
        .containsExactly("Warning EveryGroupSurvives", "Warning DisruptionBudgetAllows");
  }

  @Test
  void two_reasons_that_take_turns_are_each_told_once() {
    for (int i = 0; i < 20; i++) {
      turn(Phase.WAITING, QUORUM);
      turn(Phase.WAITING, BUDGET);
    }
    assertThat(written)
        .containsExactly("Warning EveryGroupSurvives", "Warning DisruptionBudgetAllows");
  }

  @Test
  void after_a_step_or_for_another_target_it_is_told_again() {
    turn(Phase.WAITING, QUORUM);
    turn(Phase.UPGRADING, RELEASE);
    turn(Phase.WAITING, QUORUM);
    target = "3";
    turn(Phase.WAITING, QUORUM);
    assertThat(written)
        .containsExactly(
            "Warning EveryGroupSurvives",
            "Normal Release",
            "Warning EveryGroupSurvives",
            "Warning EveryGroupSurvives");
  }

  @Test
  void a_restart_repeats_nothing() {
    turn(Phase.WAITING, QUORUM);
    restart();
    turn(Phase.WAITING, QUORUM);
    restart();
    turn(Phase.WAITING, CLAIM);
    turn(Phase.WAITING, QUORUM);
    assertThat(written).containsExactly("Warning EveryGroupSurvives", "Normal Claim");
  }

  @Test
  void nor_does_one_at_rest() {
    turn(Phase.IDLE, new Decision.Done());
    restart();
    turn(Phase.IDLE, new Decision.Done());
    assertThat(written).containsExactly("Normal Idle");
  }

  @Test
  void a_reason_that_changed_while_nobody_looked_is_told() {
    turn(Phase.WAITING, QUORUM);
    restart();
    turn(Phase.WAITING, BUDGET);
    assertThat(written)
        .containsExactly("Warning EveryGroupSurvives", "Warning DisruptionBudgetAllows");
  }

  @Test
  void each_step_and_each_new_reason_is_a_line_in_the_log() {
    var log = (Logger) LoggerFactory.getLogger("belay");
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    log.addAppender(lines);
    log.setLevel(Level.INFO);
    log.setAdditive(false);
    try {
      turn(Phase.WAITING, QUORUM);
      turn(Phase.WAITING, QUORUM);
      turn(Phase.UPGRADING, RELEASE);
    } finally {
      log.detachAppender(lines);
      log.setLevel(null);
      log.setAdditive(true);
    }
    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .satisfiesExactly(
            line -> assertThat(line).startsWith("db/my-etcd etcd-2 waits: EveryGroupSurvives"),
            line -> assertThat(line).startsWith("db/my-etcd release etcd-2"));
  }

  @Test
  void what_does_nothing_is_told_once_whoever_looks() {
    cluster.getMetadata().setAnnotations(Map.of("belay.dev/force-rolling-update", "TRUE"));
    announcer.warn(cluster);
    announcer.warn(cluster);
    restart();
    announcer.warn(cluster);
    assertThat(written).containsExactly("Warning Ignored");
  }

  /** Whoever reads only this must not roll out what was found bad. */
  @Test
  void who_leaves_what_is_refused_says_so_and_to_revert_it_first() {
    var failed = new Refused("new", "9.9.9", Cause.FAILED, "etcd-2", "ErrImagePull", NOW, false);
    farewell(2, Optional.of(failed));
    farewell(0, Optional.of(failed.withdraw(true)));
    farewell(2, Optional.empty());
    farewell(0, Optional.empty());
    assertThat(messages)
        .satisfiesExactly(
            m ->
                assertThat(m)
                    .contains("1 of 3 members of StatefulSet etcd")
                    .contains("9.9.9 is refused (ErrImagePull): revert the template")
                    .matches(".*revert the template.*\"partition\":0.*"),
            m -> assertThat(m).contains("go to it by themselves: 9.9.9 is refused"),
            m -> assertThat(m).contains("\"partition\":0").doesNotContain("refused"));
  }

  private void farewell(int partition, Optional<Refused> refused) {
    var workload =
        new Workload(
            "etcd",
            "set",
            "1",
            1,
            1,
            3,
            0,
            Workload.Update.ROLLING_UPDATE,
            partition,
            Workload.Order.PARALLEL,
            "old",
            "new",
            Map.of(),
            "etcd",
            false);
    var pod =
        new Pod(
            "etcd-0",
            "u0",
            "1",
            0,
            "old",
            Pod.Readiness.AVAILABLE,
            false,
            Optional.empty(),
            NOW,
            Map.of(),
            List.of(),
            Fact.known(Optional.empty()),
            false);
    Spec spec = Mapping.spec(cluster);
    var component =
        new Component(
            spec.components().getFirst(),
            Fact.known(workload),
            Fact.known(List.of(pod)),
            Fact.unknown("not asked"),
            Fact.known(List.of()),
            Fact.known(Component.Guarding.POLICY),
            Fact.known(Optional.empty()),
            List.of());
    var known =
        new ComponentMemory(
            true,
            Optional.empty(),
            Optional.empty(),
            refused,
            Map.of(),
            Set.of(),
            Optional.empty(),
            List.of(),
            Observed.NOTHING,
            List.of(),
            "");
    var memory =
        new Memory(
            Optional.empty(),
            Optional.empty(),
            0,
            Map.of("etcd", known),
            Optional.empty(),
            Memory.Handled.NONE,
            Optional.empty(),
            Optional.empty(),
            List.of());
    var seen =
        new Snapshot(
            new Snapshot.Subject("db", "my-etcd", 1, "1", true),
            new Snapshot.Self("belay", "one", "account"),
            spec,
            List.of(component),
            memory,
            NOW);
    announcer.farewell(cluster, seen, report(Phase.FAILED));
  }

  @Test
  void what_a_driver_owed_is_said_of_a_component_that_is_no_longer_named() {
    cluster.setStatus(
        Serialization.unmarshal(
            """
            phase: Upgrading
            components:
            - {name: bookie, owes: ["autorecovery on again", "bookie-3 writable again"]}
            - {name: etcd, owes: ["nothing that would be left"]}
            """,
            StatefulClusterStatus.class));
    announcer.parting(cluster, seen(remembering("bookie", "etcd")), done(remembering("etcd")));
    assertThat(written).containsExactly("Warning LeftOwing", "Warning LeftOwing");
    assertThat(messages)
        .containsExactly(
            "autorecovery on again, of bookie: nobody sees to it any more",
            "bookie-3 writable again, of bookie: nobody sees to it any more");
  }

  @Test
  void one_that_is_kept_for_what_it_owes_is_parted_from_when_it_is_forgotten() {
    cluster.setStatus(
        Serialization.unmarshal(
            "components: [{name: bookie, owes: [autorecovery on again]}]",
            StatefulClusterStatus.class));
    Memory owing = remembering(ComponentMemory.EMPTY.owing(List.of(OWED)), "bookie");
    announcer.parting(cluster, seen(owing), done(owing));
    assertThat(messages)
        .containsExactly("autorecovery on again, of bookie: nobody sees to it any more");

    cluster.setStatus(
        Serialization.unmarshal("components: [{name: bookie}]", StatefulClusterStatus.class));
    announcer.parting(cluster, seen(owing), done(owing));
    assertThat(messages).hasSize(1);

    announcer.parting(cluster, seen(owing), done(remembering()));
    assertThat(messages.getLast()).startsWith("PUT :80/undrain of bookie is not taken back");
  }

  @Test
  void a_farewell_says_what_a_removed_component_still_owed() {
    Memory owing = remembering(ComponentMemory.EMPTY.owing(List.of(OWED)), "bookie");
    announcer.farewell(cluster, seen(owing), report(Phase.HELD));
    assertThat(messages)
        .containsExactly(
            "PUT :80/undrain of bookie is not taken back by anybody any more: send it yourself,"
                + " to etcd-2");
  }

  private static Memory remembering(String... components) {
    return remembering(ComponentMemory.EMPTY, components);
  }

  private static Memory remembering(ComponentMemory each, String... components) {
    return new Memory(
        Optional.empty(),
        Optional.empty(),
        0,
        Arrays.stream(components).collect(Collectors.toMap(Function.identity(), _ -> each)),
        Optional.empty(),
        Memory.Handled.NONE,
        Optional.empty(),
        Optional.empty(),
        List.of());
  }

  private static Snapshot seen(Memory memory) {
    return new Snapshot(
        new Snapshot.Subject("db", "my-etcd", 1, "1", false),
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
        memory,
        Instant.EPOCH);
  }

  private static Turn done(Memory memory) {
    var report =
        new Report(
            Phase.IDLE,
            "1",
            "",
            List.of(),
            Optional.empty(),
            "",
            WayBack.unknown(""),
            List.of(),
            memory);
    return new Turn(report, new Decision.Done(), new Acted(true, ""), Duration.ZERO);
  }

  private static Decision.Wait waits(Reason reason, String object) {
    return new Decision.Wait(List.of(reason.objection(object, "", "", Objection.Weight.WAIT)));
  }

  private static StatefulCluster cluster() {
    return Serialization.unmarshal(
        """
        apiVersion: belay.dev/v1alpha1
        kind: StatefulCluster
        metadata: {name: my-etcd, namespace: db, uid: u, generation: 1}
        spec:
          components:
          - {name: etcd, workload: {name: etcd}, driver: {type: none}}
        """,
        StatefulCluster.class);
  }
}
