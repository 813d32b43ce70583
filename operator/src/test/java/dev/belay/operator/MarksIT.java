package dev.belay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.guard.Mark;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Snapshot.Self;
import dev.belay.operator.marks.Sweep;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The marks and labels that workloads get, keep and lose. */
class MarksIT {

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
  void an_adopted_set_has_the_mark_of_its_owner_and_the_labels_of_the_selector() {
    made("adopted");
    label("adopted", "\"gold\"");
    Set<String> pods = podIds("adopted");
    long generation = meta("adopted").getGeneration();
    try (ClusterLoop loop = rig.loop("one")) {
      adopted(loop, "adopted");
      assertThat(meta("adopted").getLabels())
          .containsEntry(Mark.LABEL, "app")
          .containsEntry("tier", "gold");
      assertThat(owner("adopted")).hasValue("1 " + Rig.ACCOUNT);
      StatefulSet set = rig.set("adopted", "app", true);
      assertThat(set.getSpec().getTemplate().getMetadata().getLabels()).containsOnlyKeys("app");
      assertThat(pods("adopted"))
          .allSatisfy(
              p -> assertThat(p.getMetadata().getLabels()).doesNotContainKeys(Mark.LABEL, "tier"));
      assertThat(meta("adopted").getGeneration()).isEqualTo(generation);
      assertThat(podIds("adopted")).isEqualTo(pods);
    }
  }

  @Test
  void a_changed_label_follows_and_one_removed_by_hand_comes_back() {
    made("labels");
    label("labels", "\"gold\"");
    try (ClusterLoop loop = rig.loop("one")) {
      adopted(loop, "labels");
      label("labels", "\"silver\"");
      turnsUntil(loop, "labels", "silver", () -> tier("labels").equals(Optional.of("silver")));
      patchSet("labels", "{\"metadata\":{\"labels\":{\"tier\":null}}}");
      turnsUntil(
          loop, "labels", "silver again", () -> tier("labels").equals(Optional.of("silver")));
      label("labels", "null");
      turnsUntil(loop, "labels", "no label", () -> tier("labels").isEmpty());
    }
  }

  @Test
  void a_label_that_another_program_sets_differently_is_left_to_it() {
    made("disputed");
    label("disputed", "\"gold\"");
    patchSet("disputed", "{\"metadata\":{\"labels\":{\"tier\":\"theirs\"}}}");
    try (ClusterLoop loop = rig.loop("one")) {
      adopted(loop, "disputed");
      assertThat(tier("disputed")).hasValue("theirs");
      String version = meta("disputed").getResourceVersion();
      loop.turn("disputed", "app");
      assertThat(meta("disputed").getResourceVersion()).isEqualTo(version);
    }
  }

  @Test
  void the_mark_and_the_labels_go_with_the_statefulcluster_and_nothing_restarts() {
    made("deleted");
    label("deleted", "\"gold\"");
    try (ClusterLoop loop = rig.loop("one")) {
      adopted(loop, "deleted");
      Set<String> pods = podIds("deleted");
      String uid = rig.cluster("deleted", "app").getMetadata().getUid();
      rig.admin.resource(rig.cluster("deleted", "app")).delete();
      Rig.await("the StatefulCluster to be gone", () -> loop.turn("deleted", "app").isEmpty());
      loop.forget("deleted", uid);
      assertThat(meta("deleted").getLabels()).isNullOrEmpty();
      assertThat(owner("deleted")).isEmpty();
      assertThat(podIds("deleted")).isEqualTo(pods);
    }
  }

  @Test
  void a_set_that_is_no_longer_named_is_swept_and_those_that_are_named_are_not() {
    made("swept");
    rig.set("swept", "other");
    try (ClusterLoop loop = rig.loop("one")) {
      adopted(loop, "swept");
      loop.sweep(List.of());
      assertThat(owner("swept")).isPresent();
      rig.admin
          .resource(rig.cluster("swept", "app"))
          .patch(
              PatchContext.of(PatchType.JSON),
              "[{\"op\":\"replace\",\"path\":\"/spec/components/0/workload/name\",\"value\":\"other\"}]");
      loop.sweep(List.of("swept"));
      assertThat(owner("swept")).isEmpty();
      assertThat(meta("swept").getLabels()).isNullOrEmpty();
    }
  }

  @Test
  void of_two_statefulclusters_the_first_keeps_the_set_until_it_is_gone() {
    made("two");
    rig.cluster("two", "second", "app");
    try (ClusterLoop loop = rig.loop("one")) {
      adopted(loop, "two");
      for (int i = 0; i < 4; i++) {
        loop.turn("two", "second");
      }
      assertThat(meta("two").getLabels()).containsEntry(Mark.LABEL, "app");
      assertThat(rig.cluster("two", "second").getStatus().conditions())
          .anyMatch(c -> c.getMessage().contains("the mark of StatefulCluster app"));
      finalizer("two", "[\"example.com/waits\"]");
      rig.admin.resource(rig.cluster("two", "app")).delete();
      for (int i = 0; i < 4; i++) {
        loop.turn("two", "second");
      }
      assertThat(meta("two").getLabels()).containsEntry(Mark.LABEL, "app");
      finalizer("two", "null");
      Rig.await("the first to be gone", () -> loop.turn("two", "app").isEmpty());
      Rig.await(
          "the second to have the set",
          () -> {
            loop.turn("two", "second");
            return Map.of(Mark.LABEL, "second").equals(meta("two").getLabels());
          });
    }
  }

  @Test
  void a_label_without_an_owner_is_a_leftover_and_is_replaced() {
    made("leftover");
    patchSet("leftover", "{\"metadata\":{\"labels\":{\"belay.dev/cluster\":\"nobody\"}}}");
    try (ClusterLoop loop = rig.loop("one")) {
      adopted(loop, "leftover");
      assertThat(meta("leftover").getLabels()).containsEntry(Mark.LABEL, "app");
    }
  }

  @Test
  void a_higher_foreign_stamp_raises_the_epoch_of_the_recorded_owner() {
    made("taken");
    try (ClusterLoop loop = rig.loop("one")) {
      adopted(loop, "taken");
      // An account that holds the verb own takes the mark; the cluster's status still names Belay.
      patchSet(
          "taken",
          "{\"metadata\":{\"annotations\":{\"belay.dev/owner\":\"7 %s\"}}}".formatted("admin"));
      assertThat(owner("taken")).hasValue("7 " + "admin");
      turnsUntil(
          loop, "taken", "the mark", () -> owner("taken").equals(Optional.of("8 " + Rig.ACCOUNT)));
      assertThat(rig.cluster("taken", "app").getStatus().owner().epoch()).isEqualTo(8);
    }
  }

  @Test
  void an_epoch_beyond_one_write_is_reached_by_several() {
    made("climbs");
    try (ClusterLoop loop = rig.loop("one")) {
      adopted(loop, "climbs");
      patchSet(
          "climbs", "{\"metadata\":{\"annotations\":{\"belay.dev/owner\":\"10000000001 admin\"}}}");
      Optional<String> raised = Optional.of("10000000002 " + Rig.ACCOUNT);
      turnsUntil(loop, "climbs", "the mark", () -> owner("climbs").equals(raised));
      // As if the set were another one: a single write to the epoch of the status is too much.
      new Sweep(rig.operator, new Self("belay", "gone", Rig.ACCOUNT))
          .uninstall(List.of("climbs"), Set.of());
      assertThat(owner("climbs")).isEmpty();
      turnsUntil(loop, "climbs", "the mark", () -> owner("climbs").equals(raised));
    }
  }

  @Test
  void an_owner_without_a_label_does_not_count() {
    made("forged");
    patchSet("forged", "{\"metadata\":{\"annotations\":{\"belay.dev/owner\":\"999999999999 x\"}}}");
    try (ClusterLoop loop = rig.loop("one")) {
      adopted(loop, "forged");
      assertThat(owner("forged")).hasValue("1 " + Rig.ACCOUNT);
    }
  }

  @Test
  void nothing_is_done_with_an_on_delete_set_that_another_account_holds() {
    rig.namespace("held");
    rig.set("held", "app");
    patchSet(
        "held",
        "{\"metadata\":{\"labels\":{\"belay.dev/cluster\":\"nobody\"},"
            + "\"annotations\":{\"belay.dev/owner\":\"7 admin\"}},"
            + "\"spec\":{\"updateStrategy\":{\"type\":\"OnDelete\",\"rollingUpdate\":null}}}");
    assertThat(owner("held")).hasValue("7 admin");
    rig.cluster("held", "app", "app");
    try (ClusterLoop loop = rig.loop("one")) {
      turnsUntil(
          loop,
          "held",
          "the reason",
          () ->
              Optional.ofNullable(rig.cluster("held", "app").getStatus())
                  .map(s -> s.blockedBy())
                  .filter(b -> "GuardIsKnown".equals(b.rule()))
                  .isPresent());
      assertThat(owner("held")).hasValue("7 admin");
    }
  }

  @Test
  void a_label_without_an_owner_is_swept_when_its_statefulcluster_is_gone() {
    rig.namespace("orphan");
    rig.set("orphan", "app");
    patchSet("orphan", "{\"metadata\":{\"labels\":{\"belay.dev/cluster\":\"nobody\"}}}");
    try (ClusterLoop loop = rig.loop("one")) {
      loop.sweep(List.of("orphan"));
      assertThat(meta("orphan").getLabels()).isNullOrEmpty();
    }
  }

  @Test
  void an_uninstallation_removes_the_marks_of_this_operator() {
    made("uninstalled");
    label("uninstalled", "\"gold\"");
    try (ClusterLoop loop = rig.loop("one")) {
      adopted(loop, "uninstalled");
    }
    var self = new Self("belay", "gone", Rig.ACCOUNT);
    assertThat(new Sweep(rig.operator, self).uninstall(List.of("uninstalled"), Set.of())).isZero();
    assertThat(owner("uninstalled")).isEmpty();
    assertThat(meta("uninstalled").getLabels()).isNullOrEmpty();
  }

  private static void made(String namespace) {
    rig.namespace(namespace);
    rig.set(namespace, "app");
    rig.cluster(namespace, "app", "app");
  }

  private static void adopted(ClusterLoop loop, String namespace) {
    Rig.await(
        "adoption",
        () ->
            loop.turn(namespace, "app").orElseThrow().turn().decision() instanceof Decision.Done
                && owner(namespace).isPresent());
  }

  private static void turnsUntil(
      ClusterLoop loop, String namespace, String what, java.util.function.BooleanSupplier there) {
    Rig.await(
        what,
        () -> {
          loop.turn(namespace, "app");
          return there.getAsBoolean();
        });
  }

  private static void label(String namespace, String tier) {
    rig.admin
        .resource(rig.cluster(namespace, "app"))
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"labels\":{\"tier\":%s}}}".formatted(tier));
  }

  private static void finalizer(String namespace, String finalizers) {
    rig.admin
        .resource(rig.cluster(namespace, "app"))
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"finalizers\":%s}}".formatted(finalizers));
  }

  private static void patchSet(String namespace, String patch) {
    rig.admin
        .apps()
        .statefulSets()
        .inNamespace(namespace)
        .withName("app")
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  private static ObjectMeta meta(String namespace) {
    return rig.set(namespace, "app", true).getMetadata();
  }

  private static Optional<String> owner(String namespace) {
    return Optional.ofNullable(meta(namespace).getAnnotations()).map(a -> a.get(Mark.ANNOTATION));
  }

  private static Optional<String> tier(String namespace) {
    return Optional.ofNullable(meta(namespace).getLabels()).map(l -> l.get("tier"));
  }

  private static List<Pod> pods(String namespace) {
    return rig.admin.pods().inNamespace(namespace).withLabel("app", "app").list().getItems();
  }

  private static Set<String> podIds(String namespace) {
    return pods(namespace).stream().map(p -> p.getMetadata().getUid()).collect(Collectors.toSet());
  }
}
