package dev.belay.operator.actions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.model.Action;
import dev.belay.core.model.Action.Moment;
import dev.belay.core.model.Action.State;
import dev.belay.core.model.Check;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Obligation;
import dev.belay.core.state.Memory.Obligation.Progress;
import dev.belay.core.state.Memory.Observed;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.operator.observe.KubernetesObserver.Behind;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import dev.belay.operator.observe.Live;
import dev.belay.operator.wire.Listener;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** From a step to a member that is told something, and back into the next look. */
class UserActionsTest {

  private static final Instant T = Instant.parse("2026-01-01T00:00:00Z");
  private static final Fence.Request FENCE = new Fence.Request("db-0", "o1", false);

  private final List<String> woken = new CopyOnWriteArrayList<>();
  private final UserActions actions =
      new UserActions(
          Clock.fixed(T, ZoneOffset.UTC),
          () -> true,
          cluster -> woken.add(cluster.getMetadata().getName()));
  private Listener member;
  private String declared = "";
  private List<Obligation> memory = List.of();
  private String owner = "one";
  private Optional<Pod> pod = Optional.of(pod(List.of(Listener.HOST, "db-2"), false));

  @BeforeEach
  void listen() throws IOException {
    member = new Listener();
    declared =
        """
        beforeMember: [{http: {method: PUT, port: %1$d, path: /drain, body: '{"on":true}'}, undo: {method: DELETE, path: /drain, expect: {statuses: [200, 404]}}, tries: 1}]
        """
            .formatted(member.port())
            .strip();
  }

  @AfterEach
  void stop() {
    actions.close();
    member.close();
  }

  @Test
  void an_action_is_sent_seen_and_forgotten() throws Exception {
    member.waiting();
    Obligation owed = owed(Progress.BEGUN);
    assertThat(look().acts()).isEmpty();
    memory = List.of(owed);

    assertThat(actions.send(sight(), act(owed))).isEqualTo(new Acted(true, ""));

    assertThat(look().acts()).containsExactly(new Action.Result("o1", false, State.SENDING, ""));
    member.answering(200);
    await(() -> woken.equals(List.of("db")));
    assertThat(look().acts())
        .containsExactly(new Action.Result("o1", false, State.PASSED, "answered 200"));
    assertThat(member.told().getFirst().body()).isEqualTo("{\"on\":true}");

    memory = List.of();
    assertThat(look().acts()).isEmpty();
    memory = List.of(owed);
    assertThat(look().acts()).as("once forgotten").isEmpty();
  }

  @Test
  void an_undo_is_sent_as_it_was_written_down_whatever_the_spec_says_now() throws Exception {
    Obligation owed = owed(Progress.UNDOING);
    memory = List.of(owed);
    declared = "";
    member.answering(404);

    assertThat(actions.undo(sight(), new Step.Undo("db", FENCE, owed)).accepted()).isTrue();

    await(() -> !woken.isEmpty());
    assertThat(look().acts())
        .containsExactly(new Action.Result("o1", true, State.PASSED, "answered 404"));
    assertThat(member.heard()).containsExactly("DELETE /drain");
  }

  @Test
  void an_undo_goes_to_the_pod_of_that_name_as_it_is_now() throws Exception {
    Obligation owed = owed(Progress.UNDOING);
    memory = List.of(owed);
    var undo = new Step.Undo("db", FENCE, owed);

    pod = Optional.empty();
    assertThat(actions.undo(sight(), undo)).isEqualTo(new Acted(false, "db-2 has no address now"));
    pod = Optional.of(pod(List.of(Listener.HOST), true));
    assertThat(actions.undo(sight(), undo).accepted()).as("it is going").isFalse();
    pod = Optional.of(pod(List.of("db-2"), false));
    assertThat(actions.undo(sight(), undo).accepted()).as("it has no address yet").isFalse();
    assertThat(member.heard()).isEmpty();

    pod = Optional.of(pod(List.of(Listener.HOST), false));
    assertThat(actions.undo(sight(), undo).accepted()).isTrue();
    await(() -> !woken.isEmpty());
    assertThat(member.heard()).hasSize(1);
  }

  @Test
  void a_workload_is_asked_by_its_service() throws Exception {
    var owed =
        new Obligation(
            "o1", Moment.BEFORE_COMPONENT, "db", "", "", "PUT service:1/x", Progress.UNDOING, T);
    memory = List.of(owed);

    assertThat(actions.undo(sight(), new Step.Undo("db", FENCE, owed)).accepted()).isTrue();

    await(() -> !look().acts().getFirst().reading().isEmpty());
    assertThat(look().acts().getFirst().reading())
        .startsWith("the name db-headless.ns.svc does not resolve");
  }

  @Test
  void a_member_may_be_spoken_of_to_the_service() throws Exception {
    declared =
        "beforeMember: [{http: {method: PUT, port: 1, path: /drain}, ask: service, tries: 1}]";
    Obligation owed = owed(Progress.BEGUN);
    memory = List.of(owed);

    assertThat(actions.send(sight(), act(owed)).accepted()).isTrue();

    await(() -> look().acts().getFirst().state() == State.FAILED);
    assertThat(look().acts().getFirst().reading()).contains("db-headless.ns.svc");
  }

  @Test
  void whoever_is_not_the_owner_any_more_knows_nothing_and_sends_nothing_again() throws Exception {
    Obligation owed = owed(Progress.BEGUN);
    memory = List.of(owed);
    actions.send(sight(), act(owed));
    await(() -> !woken.isEmpty());

    owner = "two";
    assertThat(look().acts()).isEmpty();
    owner = "one";
    assertThat(look().acts()).as("once forgotten").isEmpty();
  }

  @Test
  void what_is_no_request_is_not_guessed() {
    var edited =
        new Obligation(
            "o1", Moment.BEFORE_MEMBER, "db-2", "uid", "", "undo it", Progress.UNDOING, T);
    assertThat(actions.undo(sight(), new Step.Undo("db", FENCE, edited)).detail())
        .contains("\"undo it\" in status.obligations is no request");

    var unknown = new Action(Moment.BEFORE_MEMBER, Check.On.TARGET, "GET :1/", "", List.of());
    assertThat(actions.send(sight(), new Step.Act("db", FENCE, unknown, edited)).detail())
        .isEqualTo("the spec has no action GET :1/ any more");
  }

  private Component look() {
    return actions.answered(sight()).snapshot().components().getFirst();
  }

  private Step.Act act(Obligation owed) {
    Action action = Mapping.spec(cluster()).components().getFirst().actions().getFirst();
    return new Step.Act("db", FENCE, action, owed);
  }

  private Obligation owed(Progress progress) {
    Action action = Mapping.spec(cluster()).components().getFirst().actions().getFirst();
    return new Obligation(
        "o1", action.moment(), "db-2", "uid", action.what(), action.undo(), progress, T);
  }

  private StatefulCluster cluster() {
    return Serialization.unmarshal(
        """
        apiVersion: belay.dev/v1alpha1
        kind: StatefulCluster
        metadata: {name: db, namespace: ns, uid: cluster-uid}
        spec: {components: [{name: db, workload: {name: db}, driver: {type: none}, actions: {%s}}]}
        """
            .formatted(declared),
        StatefulCluster.class);
  }

  private Sight sight() {
    StatefulCluster cluster = cluster();
    Spec spec = Mapping.spec(cluster);
    var component =
        new Component(
            spec.components().getFirst(),
            Fact.unknown("not read"),
            Fact.known(pod.stream().toList()),
            Fact.unknown("not asked"),
            Fact.known(List.of()),
            Fact.known(Component.Guarding.POLICY),
            Fact.known(Optional.empty()),
            List.of());
    var set =
        new StatefulSetBuilder().withNewSpec().withServiceName("db-headless").endSpec().build();
    var snapshot =
        new Snapshot(
            new Snapshot.Subject("ns", "db", 1, "1", false),
            new Snapshot.Self("belay", "one", "account"),
            spec,
            List.of(component),
            remembered(),
            T);
    return new Sight(
        snapshot, cluster, Map.of("db", new Behind(Fact.known(new Live.Set(set)), List.of())));
  }

  private Memory remembered() {
    var component =
        new ComponentMemory(
            true,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Map.of(),
            Set.of(),
            Optional.empty(),
            List.of(),
            Observed.NOTHING,
            memory,
            "");
    return new Memory(
        Optional.of(new Memory.Owner("belay", owner, "account", 1, "lease", false)),
        Optional.empty(),
        0,
        Map.of("db", component),
        Optional.empty(),
        Memory.Handled.NONE,
        Optional.empty(),
        Optional.empty(),
        List.of());
  }

  private static Pod pod(List<String> hosts, boolean terminating) {
    return new Pod(
        "db-2",
        "another-uid",
        "1",
        2,
        "new",
        Pod.Readiness.AVAILABLE,
        terminating,
        Optional.empty(),
        T,
        Map.of(),
        hosts,
        Fact.known(Optional.empty()),
        false);
  }

  private interface Condition {
    boolean holds();
  }

  private static void await(Condition condition) throws InterruptedException {
    Instant end = Instant.now().plusSeconds(30);
    while (!condition.holds()) {
      assertThat(Instant.now()).isBefore(end);
      Thread.sleep(1);
    }
  }
}
