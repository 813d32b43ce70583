package dev.belay.operator.checks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.DriverSpec;
import dev.belay.api.v1alpha1.Question;
import dev.belay.core.model.Check.Moment;
import dev.belay.core.model.Check.On;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Pod.Readiness;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.Cause;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Observed;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Memory.Target;
import dev.belay.core.state.Snapshot;
import dev.belay.operator.wire.Addresses;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is asked at which point of a roll-out from revision "old" to "new". */
class DueTest {

  private static final Instant BEGUN = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant LATER = BEGUN.plusSeconds(60);

  private static final List<Question> ALL =
      Arrays.stream(Moment.values())
          .flatMap(m -> Arrays.stream(On.values()).map(on -> Asked.at(m, on)))
          .filter(DueTest::allowed)
          .toList();

  private static boolean allowed(Question question) {
    Moment moment = question.check().moment();
    boolean ofMembers = moment == Moment.BEFORE_MEMBER || moment == Moment.AFTER_MEMBER;
    return ofMembers || question.check().on() != On.TARGET;
  }

  private final List<Pod> pods = new ArrayList<>();
  private final Map<String, Instant> serving = new HashMap<>();
  private Optional<Target> target = Optional.of(Target.begun("new", "", BEGUN, 0));
  private Optional<Refused> refused = Optional.empty();
  private boolean adopted = true;
  private boolean deleting;
  private List<Pod> others = List.of();
  private Map<String, Instant> othersServe = Map.of();

  @Test
  void before_the_first_member_moves() {
    pods("old", "old", "old");

    assertThat(asked())
        .containsExactlyInAnyOrder(
            "BEFORE_UPGRADE EACH db-0 db-1 db-2",
            "BEFORE_UPGRADE SERVICE db",
            "BEFORE_COMPONENT EACH db-0 db-1 db-2",
            "BEFORE_COMPONENT SERVICE db",
            "BEFORE_MEMBER TARGET db-0 db-1 db-2",
            "BEFORE_MEMBER EACH db-0 db-1 db-2",
            "BEFORE_MEMBER SERVICE db");
  }

  @Test
  void an_updated_member_serves() {
    pods("old", "old", "new");
    serves("db-2");

    assertThat(asked())
        .containsExactlyInAnyOrder(
            "BEFORE_MEMBER TARGET db-0 db-1",
            "BEFORE_MEMBER EACH db-0 db-1 db-2",
            "BEFORE_MEMBER SERVICE db",
            "AFTER_MEMBER TARGET db-2",
            "AFTER_MEMBER EACH db-0 db-1 db-2",
            "AFTER_MEMBER SERVICE db");
  }

  @Test
  void while_a_member_is_on_its_way_nobody_is_asked_what_comes_after() {
    pods("old", "old", "new");
    serves("db-2");

    pods.set(1, pod(1, "old", Readiness.AVAILABLE, true));
    assertThat(asked()).as("it terminates").noneMatch(a -> a.startsWith("AFTER"));
    pods.remove(1);
    assertThat(asked()).as("it is gone").noneMatch(a -> a.startsWith("AFTER"));
    pods.add(1, pod(1, "new", Readiness.UNREADY, false));
    assertThat(asked()).as("it starts").noneMatch(a -> a.startsWith("AFTER"));
    pods.set(1, pod(1, "new", Readiness.AVAILABLE, false));
    assertThat(asked())
        .as("it is ready, not yet seen serving")
        .noneMatch(a -> a.startsWith("AFTER"));
    serves("db-1");
    assertThat(asked()).contains("AFTER_MEMBER TARGET db-1 db-2");
  }

  @Test
  void a_broken_member_that_was_not_updated_keeps_nobody_from_being_asked() {
    pods("old", "old", "new");
    serves("db-2");
    pods.set(0, pod(0, "old", Readiness.UNREADY, false));

    assertThat(asked())
        .contains("AFTER_MEMBER TARGET db-2", "AFTER_MEMBER EACH db-1 db-2")
        .contains("BEFORE_MEMBER EACH db-0 db-1 db-2");
  }

  @Test
  void when_everyone_is_updated_and_serves() {
    pods("new", "new", "new");
    serves("db-0", "db-1", "db-2");

    assertThat(asked())
        .containsExactlyInAnyOrder(
            "AFTER_MEMBER TARGET db-0 db-1 db-2",
            "AFTER_MEMBER EACH db-0 db-1 db-2",
            "AFTER_MEMBER SERVICE db",
            "AFTER_COMPONENT EACH db-0 db-1 db-2",
            "AFTER_COMPONENT SERVICE db",
            "AFTER_UPGRADE EACH db-0 db-1 db-2",
            "AFTER_UPGRADE SERVICE db");
  }

  @Test
  void around_the_whole_upgrade_those_are_asked_too_who_do_not_move() {
    pods("new", "new", "new");
    target = Optional.empty();

    other("old", false);
    assertThat(asked())
        .containsExactlyInAnyOrder(
            "BEFORE_UPGRADE EACH db-0 db-1 db-2", "BEFORE_UPGRADE SERVICE db");
    other("new", false);
    assertThat(asked()).as("the other has moved, and does not serve yet").isEmpty();
    other("new", true);
    assertThat(asked())
        .containsExactlyInAnyOrder("AFTER_UPGRADE EACH db-0 db-1 db-2", "AFTER_UPGRADE SERVICE db");
    assertThat(due()).extracting(Due::since).containsOnly(LATER);
    pods.set(1, pod(1, "new", Readiness.UNREADY, false));
    assertThat(asked()).as("one is down").isEmpty();
  }

  @Test
  void of_a_component_that_is_through_nothing_of_the_whole_is_asked_before_the_others_are() {
    pods("new", "new", "new");
    serves("db-0", "db-1", "db-2");
    other("old", false);

    assertThat(asked())
        .contains("AFTER_COMPONENT EACH db-0 db-1 db-2")
        .noneMatch(a -> a.contains("UPGRADE"));
  }

  @Test
  void on_the_way_back_only_what_comes_after_a_member() {
    pods("old", "old", "new");
    serves("db-0", "db-1");
    refused = Optional.of(new Refused("new", "", Cause.FAILED, "db-2", "CheckFailed", LATER, true));

    assertThat(asked())
        .containsExactlyInAnyOrder(
            "AFTER_MEMBER TARGET db-0 db-1",
            "AFTER_MEMBER EACH db-0 db-1 db-2",
            "AFTER_MEMBER SERVICE db");
  }

  @Test
  void nothing_while_no_roll_out_is_under_way() {
    pods("new", "new", "new");
    target = Optional.empty();
    assertThat(due()).isEmpty();
  }

  @Test
  void nothing_before_adoption_and_nothing_when_it_is_deleted() {
    pods("old", "old", "new");
    serves("db-2");
    adopted = false;
    assertThat(due()).isEmpty();
    adopted = true;
    deleting = true;
    assertThat(due()).isEmpty();
  }

  @Test
  void a_member_that_comes_to_serve_and_another_try_begin_all_counts_anew() {
    pods("old", "old", "new");
    assertThat(due()).extracting(Due::since).containsOnly(BEGUN);
    serves("db-2");
    assertThat(due()).extracting(Due::since).containsOnly(LATER);
    Instant again = LATER.plusSeconds(60);
    target = Optional.of(new Target("new", "", BEGUN, again, BEGUN, 0, Set.of()));
    assertThat(due()).extracting(Due::since).containsOnly(again);
  }

  @Test
  void before_a_member_moves_whoever_came_up_elsewhere_makes_it_another_question() {
    pods("old", "old", "old");
    other("new", false);
    assertThat(due()).extracting(Due::since).containsOnly(BEGUN);
    other("new", true);
    assertThat(due())
        .isNotEmpty()
        .allMatch(d -> d.question().check().moment().name().startsWith("BEFORE"))
        .extracting(Due::since)
        .containsOnly(LATER);
  }

  @Test
  void a_member_is_asked_where_the_driver_says() {
    pods("old", "old", "old");
    assertThat(hosts("NONE", null)).contains("10.0.0.1").doesNotContain("db-1.db.ns.svc");
    assertThat(hosts("ETCD", null)).contains("db-1.db.ns.svc").doesNotContain("10.0.0.1");
    assertThat(hosts("ETCD", DriverSpec.Address.POD_IP)).contains("10.0.0.1");
    assertThat(hosts("NONE", null)).contains("db.ns.svc");
  }

  @Test
  void a_pod_without_an_address_is_not_asked() {
    Pod pod = pod(0, "old", Readiness.UNREADY, false);
    var none = new DriverSpec(DriverSpec.Type.NONE, null, null, null, null, null, null, null, null);
    var addresses = new Addresses(none, "ns", "db", "db");
    assertThat(addresses.of(pod)).contains("10.0.0.0");
    assertThat(addresses.of(withHosts(pod, List.of("db-0", "db-0.db")))).isEmpty();
    assertThat(addresses.of(withHosts(pod, List.of("fd00::1", "db-0")))).contains("[fd00::1]");
    assertThat(new Addresses(none, "ns", "", "").ofService()).isEmpty();
  }

  private Stream<String> hosts(String type, DriverSpec.Address address) {
    var driver =
        new DriverSpec(
            DriverSpec.Type.valueOf(type), null, address, null, null, null, null, null, null);
    return Due.in(snapshot(), component(), ALL, new Addresses(driver, "ns", "db", "db")).stream()
        .map(Due::host);
  }

  private void pods(String... revisions) {
    pods.clear();
    for (int i = 0; i < revisions.length; i++) {
      pods.add(pod(i, revisions[i], Readiness.AVAILABLE, false));
    }
  }

  /** Another component, of one member, that is on its way to "new". */
  private void other(String revision, boolean serves) {
    others = List.of(pod(0, revision, Readiness.AVAILABLE, false));
    othersServe = serves ? Map.of(others.getFirst().uid(), LATER) : Map.of();
  }

  private void serves(String... names) {
    for (String name : names) {
      pods.stream().filter(p -> p.name().equals(name)).forEach(p -> serving.put(p.uid(), LATER));
    }
  }

  private static Pod pod(int ordinal, String revision, Readiness readiness, boolean terminating) {
    String name = "db-" + ordinal;
    return new Pod(
        name,
        name + "/" + revision,
        "1",
        ordinal,
        revision,
        readiness,
        terminating,
        Optional.empty(),
        BEGUN,
        Map.of(),
        List.of("10.0.0." + ordinal, name, name + ".db"),
        Fact.known(Optional.empty()),
        false);
  }

  private static Pod withHosts(Pod p, List<String> hosts) {
    return new Pod(
        p.name(),
        p.uid(),
        p.resourceVersion(),
        p.ordinal(),
        p.revision(),
        p.readiness(),
        p.terminating(),
        p.trouble(),
        p.created(),
        p.images(),
        hosts,
        p.leaving(),
        p.held());
  }

  private List<Due> due() {
    var none = new DriverSpec(DriverSpec.Type.NONE, null, null, null, null, null, null, null, null);
    return Due.in(snapshot(), component(), ALL, new Addresses(none, "ns", "db", "db"));
  }

  /** Each question that is due, with those who are asked. */
  private List<String> asked() {
    List<Due> due = due();
    return ALL.stream()
        .filter(q -> due.stream().anyMatch(d -> d.question().equals(q)))
        .map(q -> {
          List<String> names =
              due.stream()
                  .filter(d -> d.question().equals(q))
                  .map(d -> d.uid().isEmpty() ? "db" : d.uid().substring(0, 4))
                  .sorted()
                  .toList();
          return q.check().moment() + " " + q.check().on() + " " + String.join(" ", names);
        })
        .toList();
  }

  private Component component() {
    return component("db", pods);
  }

  private static Component component(String name, List<Pod> pods) {
    var workload =
        new Workload(
            name,
            "set",
            "1",
            1,
            1,
            pods.size() < 2 ? 1 : 3,
            0,
            Workload.Update.ROLLING_UPDATE,
            Workload.FROZEN,
            Workload.Order.PARALLEL,
            "old",
            "new",
            Map.of(),
            "db",
            false);
    return new Component(
        spec(name),
        Fact.known(workload),
        Fact.known(List.copyOf(pods)),
        Fact.unknown("not asked"),
        Fact.known(List.of()),
        Fact.known(Component.Guarding.POLICY),
        Fact.known(Optional.empty()),
        List.of());
  }

  private static Spec.ComponentSpec spec(String name) {
    return new Spec.ComponentSpec(
        name,
        name,
        Optional.empty(),
        Map.of(),
        "none",
        "{pod}",
        Spec.Rollout.DEFAULT,
        ALL.stream().map(Question::check).toList());
  }

  private Snapshot snapshot() {
    var memory =
        new ComponentMemory(
            adopted,
            Optional.empty(),
            target,
            refused,
            serving,
            Set.of(),
            Optional.empty(),
            List.of(),
            Observed.NOTHING,
            List.of(),
            "");
    var other =
        new ComponentMemory(
            true,
            Optional.empty(),
            Optional.of(Target.begun("new", "", BEGUN, 0)),
            Optional.empty(),
            othersServe,
            Set.of(),
            Optional.empty(),
            List.of(),
            Observed.NOTHING,
            List.of(),
            "");
    List<Component> components =
        others.isEmpty() ? List.of(component()) : List.of(component(), component("web", others));
    var all =
        new Memory(
            Optional.empty(),
            Optional.empty(),
            0,
            others.isEmpty() ? Map.of("db", memory) : Map.of("db", memory, "web", other),
            Optional.empty(),
            Memory.Handled.NONE,
            Optional.empty(),
            Optional.empty(),
            List.of());
    return new Snapshot(
        new Snapshot.Subject("ns", "db", 1, "1", deleting),
        new Snapshot.Self("belay", "one", "account"),
        new Spec(
            Spec.Trigger.TEMPLATE,
            Optional.empty(),
            components.stream().map(Component::spec).toList(),
            Spec.Upgrade.DEFAULT,
            false,
            Spec.Requests.NONE,
            Spec.Force.NONE),
        components,
        all,
        LATER);
  }
}
