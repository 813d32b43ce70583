package dev.belay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.driver.WayBack;
import dev.belay.core.model.Action;
import dev.belay.core.model.Check;
import dev.belay.core.report.Phase;
import dev.belay.core.report.Report;
import dev.belay.core.report.Report.ComponentReport;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory.Obligation;
import dev.belay.core.state.Snapshot.Self;
import dev.belay.core.state.Step;
import dev.belay.operator.act.Finalizer;
import dev.belay.operator.observe.GuardProbe;
import dev.belay.operator.observe.KubernetesObserver;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import dev.belay.operator.record.Announcer;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A StatefulCluster for which something is to be taken back does not go before it is. */
class OwingIT {

  private static final String LEAVE = "belay.dev/leave";
  private static final Instant T = Instant.parse("2026-01-01T00:00:00.123456789Z");
  private static Rig rig;

  @BeforeAll
  static void start() {
    rig = Rig.start();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @Test
  void the_finalizer_comes_before_what_has_to_be_taken_back() {
    settled("before");
    var finalizer = new Finalizer(rig.operator);

    assertThat(finalizer.comesBefore(look("before"), act(""))).isEmpty();
    assertThat(finalizers("before")).as("nothing to take back").isEmpty();

    assertThat(finalizer.comesBefore(look("before"), act("PUT :80/undrain"))).isEmpty();
    assertThat(finalizers("before")).containsExactly(LEAVE);
  }

  @Test
  void it_stays_as_long_as_something_is_owed_although_nothing_is_rolled_out() {
    settled("owes");
    var finalizer = new Finalizer(rig.operator);
    owe(
        "owes",
        """
        [{"component": "app", "id": "o1", "moment": "BeforeMember", "object": "app-0", "uid": "u", "what": "PUT :80/drain",
          "undo": "PUT :80/undrain sending {\\"a\\":1}", "progress": "Undoing", "since": "%s"}]
        """
            .formatted(T));

    Sight owing = look("owes");
    assertThat(owing.snapshot().memory().component("app").obligations())
        .as("as the API server keeps it")
        .containsExactly(
            new Obligation(
                "o1",
                Action.Moment.BEFORE_MEMBER,
                "app-0",
                "u",
                "PUT :80/drain",
                "PUT :80/undrain sending {\"a\":1}",
                Obligation.Progress.UNDOING,
                T));
    finalizer.keep(owing, new Decision.Done(), Rig.report(owing));
    assertThat(finalizers("owes")).containsExactly(LEAVE);

    owe("owes", "null");
    Sight free = look("owes");
    finalizer.keep(free, new Decision.Done(), Rig.report(free));
    assertThat(finalizers("owes")).isEmpty();
  }

  @Test
  void what_a_driver_still_owes_keeps_it_too_and_is_said_when_it_goes_all_the_same() {
    settled("driver-owes");
    Sight sight = look("driver-owes");
    var report =
        new Report(
            Phase.IDLE,
            "",
            "",
            List.of(
                new ComponentReport(
                    "app", Phase.IDLE, "", "", "", 1, List.of(), List.of("autorecovery on again"))),
            Optional.empty(),
            "",
            WayBack.open(""),
            List.of(),
            sight.snapshot().memory());

    new Finalizer(rig.operator).keep(sight, new Decision.Done(), report);
    assertThat(finalizers("driver-owes")).containsExactly(LEAVE);

    new Announcer(rig.operator, "test").farewell(sight.cluster(), sight.snapshot(), report);
    assertThat(rig.admin.v1().events().inNamespace("driver-owes").list().getItems())
        .filteredOn(e -> "LeftOwing".equals(e.getReason()))
        .singleElement()
        .satisfies(e ->
            assertThat(e.getMessage())
                .isEqualTo("autorecovery on again, of app: nobody sees to it any more"));
  }

  private static void settled(String namespace) {
    rig.namespace(namespace);
    rig.set(namespace, "app");
    rig.cluster(namespace, "app", "app");
    try (ClusterLoop loop = rig.loop("one")) {
      Rig.await(
          "adoption",
          () ->
              loop.turn(namespace, "app").orElseThrow().turn().decision() instanceof Decision.Done);
    }
  }

  private static Step.Act act(String undo) {
    var action =
        new Action(Action.Moment.BEFORE_MEMBER, Check.On.TARGET, "PUT :80/drain", undo, List.of());
    var obligation =
        new Obligation(
            "o1", action.moment(), "app-0", "u", action.what(), undo, Obligation.Progress.BEGUN, T);
    return new Step.Act("app", new Fence.Request("app-0", "o1", false), action, obligation);
  }

  private static void owe(String namespace, String obligations) {
    rig.admin
        .resources(StatefulCluster.class)
        .inNamespace(namespace)
        .withName("app")
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"status\": {\"obligations\": " + obligations + "}}");
  }

  private static List<String> finalizers(String namespace) {
    return rig.cluster(namespace, "app").getMetadata().getFinalizers();
  }

  private static Sight look(String namespace) {
    return new KubernetesObserver(
            rig.operator,
            new Self("belay", "one", Rig.ACCOUNT),
            new GuardProbe(rig.operator),
            new DriverPool(rig.operator),
            Clock.systemUTC())
        .observe(namespace, "app")
        .orElseThrow();
  }
}
