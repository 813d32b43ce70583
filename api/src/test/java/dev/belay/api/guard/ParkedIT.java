package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.guard.GuardCase.Shape;
import dev.belay.core.snapshot.Workload;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The validating policy alone, as on a Kubernetes without mutating policies. */
class ParkedIT {

  @BeforeAll
  static void only_the_validating_policy() {
    Plane.installed();
    World.accounts();
    Plane.must(
        "",
        "delete",
        "mutatingadmissionpolicy/belay-guard-freeze",
        "mutatingadmissionpolicybinding/belay-guard-freeze");
    Plane.must("", "apply", "-f", "../deploy/guard-parked.yaml");
    World.canary("parked-canary");
    Plane.eventually(
        "nothing freezes, lowering is refused",
        () ->
            World.probe("parked-canary", "A/5", "B/5", "B/5")
                && World.probe("parked-canary", "A/5", "A/4", "refused"));
  }

  @AfterAll
  static void the_full_guard_again() {
    Plane.must("", "apply", "-f", "../deploy/guard.yaml");
    Plane.eventually(
        "template changes freeze", () -> World.probe("parked-canary", "A/5", "B/5", "B/frozen"));
  }

  @Test
  void a_template_change_of_a_parked_set_is_frozen_by_construction() {
    does("parked-template", "A/frozen | dev | edit | B/frozen | B/frozen");
  }

  @Test
  void nobody_else_unparks() {
    does("unpark-dev", "A/frozen | dev | edit | A/0 | refused");
    does("unpark-admin", "A/frozen | admin | edit | A/2 | refused");
    does("unpark-type", "A/frozen | dev | edit | A/OnDelete | refused");
    does("unpark-with-template", "A/frozen | dev | edit | B/0 | refused");
  }

  @Test
  void the_owner_releases_and_parks_again() {
    does("release", "A/frozen | owner | edit | A/2 | A/2");
    does("park", "A/0 | owner | edit | A/frozen | A/frozen");
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

  private static List<String> revisions(String namespace) {
    return Plane.admin().pods().inNamespace(namespace).list().getItems().stream()
        .map(p -> p.getMetadata().getLabels().get("controller-revision-hash"))
        .toList();
  }

  private static void does(String namespace, String cells) {
    GuardCase c = GuardCase.of(namespace + " | owned | " + cells);
    World.before(namespace, c);
    World.claim(World.owned(namespace), false);
    // The policy knows this StatefulCluster once it knows one that is younger.
    World.canary(namespace + "-canary");
    Plane.eventually("guarded", () -> World.probe(namespace + "-canary", "A/5", "A/4", "refused"));
    var answer = World.edit(namespace, c);
    if (c.stored().isPresent()) {
      assertThat(answer.exit()).as(answer.all()).isZero();
      assertThat(World.live(namespace)).isEqualTo(c.stored().get());
    } else {
      assertThat(answer.exit()).as(namespace).isNotZero();
      assertThat(answer.err()).contains("guards this set").contains("Cure: ");
      assertThat(World.live(namespace)).isEqualTo(c.before().orElseThrow());
    }
  }
}
