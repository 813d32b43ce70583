package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.guard.GuardCase.Shape;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.model.Workload;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The validating policy alone, as on a Kubernetes without mutating policies. */
class ParkedIT {

  private static final List<GuardCase> CASES =
      Stream.of(
              "template change | owned | A/frozen | dev | edit | B/frozen | B/frozen",
              "template change by cluster-admin | owned | A/frozen | admin | edit | B/frozen | B/frozen",
              "template change midway | owned | A/2 | dev | edit | B/2 | B/2",
              "un-parking by a user | owned | A/frozen | dev | edit | A/0 | refused",
              "un-parking by cluster-admin | owned | A/frozen | admin | edit | A/2 | refused",
              "un-parking by type | owned | A/frozen | dev | edit | A/OnDelete | refused",
              "un-parking with a template | owned | A/frozen | dev | edit | B/0 | refused",
              "release by the owner | owned | A/frozen | owner | edit | A/2 | A/2",
              "parking again by the owner | owned | A/0 | owner | edit | A/frozen | A/frozen",
              "Deployment: template change | owned | A/paused | dev | edit | B/paused | B/paused",
              "Deployment: un-parking | owned | A/paused | admin | edit | A/rolls | refused",
              "Deployment: un-parking with a template | owned | A/paused | dev | edit | B/rolls | refused",
              "Deployment: release by the owner | owned | A/paused | owner | edit | A/rolls | A/rolls")
          .map(GuardCase::of)
          .toList();

  @BeforeAll
  static void only_the_validating_policy() {
    Plane.installed();
    World.accounts();
    Plane.must(
        "",
        "delete",
        "mutatingadmissionpolicy/belay-guard",
        "mutatingadmissionpolicybinding/belay-guard",
        "mutatingadmissionpolicy/belay-guard-adopt",
        "mutatingadmissionpolicybinding/belay-guard-adopt",
        "mutatingadmissionpolicy/belay-stamp",
        "mutatingadmissionpolicybinding/belay-stamp");
    Plane.must("", "apply", "-f", "../deploy/shared/guard-parked.yaml");
    for (int i = 0; i < CASES.size(); i++) {
      World.before("parked-" + i, CASES.get(i));
      CASES.get(i).claimsIn("parked-" + i).forEach(claim -> World.claim(claim, false));
      World.mark("parked-" + i, CASES.get(i));
    }
    World.canary("parked-canary");
    Plane.eventually(
        "what is lowered is refused",
        () ->
            World.probe("parked-canary", "A/5", "B/5", "B/5")
                && World.probe("parked-canary", "A/5", "A/4", "refused")
                && World.probe("parked-canary", "A/paused", "B/rolls", "refused")
                && World.probe("parked-canary", "A/paused", "A/rolls", "refused")
                && !named("boss").isEmpty());
  }

  @AfterAll
  static void the_full_guard_again() {
    Plane.must(
        "",
        "delete",
        "validatingadmissionpolicy/belay-stamp",
        "validatingadmissionpolicybinding/belay-stamp");
    Plane.must("", "apply", "-f", "../deploy/shared/guard.yaml");
    Plane.eventually(
        "template changes freeze",
        () ->
            World.probe("parked-canary", "A/5", "B/5", "B/frozen")
                && World.probe("parked-canary", "A/paused", "B/rolls", "B/paused"));
  }

  @TestFactory
  Stream<DynamicTest> a_parked_set_stays_frozen_until_its_owner_releases_it() {
    return IntStream.range(0, CASES.size())
        .mapToObj(i ->
            DynamicTest.dynamicTest(CASES.get(i).name(), () -> check("parked-" + i, CASES.get(i))));
  }

  @Test
  void a_parked_set_starts_and_grows_on_the_revision_that_was_verified() {
    World.namespace("grows");
    Shape parked = Shape.of("A/frozen x2");
    World.create(
        Sets.manifest("grows", parked, "")
            .replace("\"serviceName\"", "\"podManagementPolicy\":\"Parallel\",\"serviceName\""));
    Plane.eventually("two pods", () -> revisions("grows").size() == 2);
    var first = List.copyOf(revisions("grows"));
    World.patch("grows", parked, Shape.of("B/frozen x2"));
    World.revisions("grows", 2);
    Plane.must("", "--namespace=grows", "scale", "sts/" + GuardCase.SET, "--replicas=4");
    Plane.eventually("four pods", () -> revisions("grows").size() == 4);
    assertThat(first).hasSize(2);
    assertThat(revisions("grows")).allMatch(first.getFirst()::equals);
    assertThat(World.live("grows").partition()).isEqualTo(Workload.FROZEN);
  }

  @Test
  void where_nothing_stamps_nobody_can_name_another() {
    assertThat(named("boss"))
        .contains("root-of-all can name nobody else")
        .contains("Cure: leave them out");
    assertThat(named("root-of-all")).isEmpty();
    assertThat(named("")).contains("Cure: ");
  }

  /** Why a dry run that says who asked is refused; empty when it is not. */
  private static String named(String by) {
    try {
      World.client("admin")
          .resources(StatefulCluster.class)
          .inNamespace("parked-canary")
          .withName("one")
          .patch(
              new PatchContext.Builder()
                  .withPatchType(PatchType.JSON_MERGE)
                  .withDryRun(List.of("All"))
                  .build(),
              "{\"metadata\": {\"annotations\": {\"belay.dev/requested-by\": \"" + by + "\"}}}");
      return "";
    } catch (KubernetesClientException e) {
      return e.getMessage();
    }
  }

  private static List<String> revisions(String namespace) {
    return Plane.admin().pods().inNamespace(namespace).list().getItems().stream()
        .map(p -> p.getMetadata().getLabels().get("controller-revision-hash"))
        .toList();
  }

  private static void check(String namespace, GuardCase c) {
    var answer = World.edit(namespace, c);
    var live = World.live(namespace, c.asked().kind());
    if (c.stored().isPresent()) {
      assertThat(answer.exit()).as(answer.all()).isZero();
      assertThat(live).isEqualTo(c.stored().get());
    } else {
      assertThat(answer.exit()).as(answer.all()).isNotZero();
      assertThat(answer.err()).contains("StatefulCluster one guards this ").contains("fix: ");
      assertThat(live).isEqualTo(c.before().orElseThrow());
    }
  }
}
