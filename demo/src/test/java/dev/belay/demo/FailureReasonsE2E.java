package dev.belay.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.Arena.Place;
import dev.belay.demo.Pages.Said;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What fails other than by its image: by its place, by its health, by a leader that stays, by time.
 */
@ExtendWith(Arena.Provider.class)
class FailureReasonsE2E {

  private static final TinySet SET = TinySet.of(3);
  private static final String QUICKLY = "    rollout: {readyTimeout: 6s, progressDeadline: 8s}\n";

  @ParameterizedTest
  @ValueSource(strings = {"revert", "fix", "rollback"})
  void a_member_that_no_node_takes_is_named_touches_nobody_else_and_can_be_cured(
      String cure, Arena arena) {
    try (Place place = arena.place("unschedulable-" + cure)) {
      BelayView belay = SET.in(place);
      Map<String, String> before = place.uids();
      place.kubectl("patch", "sts", "tiny", "-p", template("tiny:2.0", "{\"disk\":\"none-such\"}"));

      failed(place, belay, "tiny-2", "Unschedulable");
      onlyTheLastMoved(place, before);

      switch (cure) {
        case "revert" ->
            place.kubectl("patch", "sts", "tiny", "-p", template("tiny:1.0", "{\"disk\":null}"));
        case "fix" ->
            place.kubectl("patch", "sts", "tiny", "-p", template("tiny:3.0", "{\"disk\":null}"));
        default -> place.patch("tiny", "\"requests\":{\"rollback\":\"now\"}");
      }
      if (cure.equals("fix")) {
        done(place, belay, "tiny:3.0");
      } else {
        back(place, belay, before, cure);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"revert", "fix", "rollback"})
  void a_member_that_is_ready_and_not_well_is_named_touches_nobody_else_and_can_be_cured(
      String cure, Arena arena) {
    try (Place place = placed(arena, "unwell-" + cure);
        var pages = new Pages(place)) {
      pages.script((_, image, _) -> serves(!image.equals("tiny:2.0")));
      BelayView belay = adopted(place, pages, "healthy: {pointer: /serves}");
      Map<String, String> before = place.uids();
      image(place, "2.0");

      failed(place, belay, "tiny-2", "MemberUnhealthy");
      assertThat(place.isReady("tiny-2")).as("all that its probe asks is well").isTrue();
      onlyTheLastMoved(place, before);

      switch (cure) {
        case "revert" -> image(place, "1.0");
        case "fix" -> image(place, "3.0");
        default -> place.patch("tiny", "\"requests\":{\"rollback\":\"now\"}");
      }
      if (cure.equals("fix")) {
        done(place, belay, "tiny:3.0");
      } else {
        back(place, belay, before, cure);
      }
    }
  }

  @Test
  void a_leader_that_stays_is_not_taken_down_and_once_it_hands_over_another_try_goes_through(
      Arena arena) {
    try (Place place = placed(arena, "leader-stays");
        var pages = new Pages(place)) {
      var leader = new AtomicReference<>("tiny-2");
      pages.script((pod, _, _) -> status(pod, leader.get()));
      BelayView belay =
          adopted(
              place,
              pages,
              "healthy: {pointer: /serves}, leader: {role: {pointer: /role, leader: [leader],"
                  + " follower: [follower]}, term: {pointer: /term}, transfer: {path:"
                  + " \"/lead/{successor}\"}}");
      image(place, "2.0");

      failed(place, belay, "tiny-2", "LeaderTransferFailed");
      assertThat(pages.log().stream().filter(line -> line.contains("/lead/")))
          .as("asked so often, and no more")
          .hasSize(3);
      assertThat(place.deleted()).isEmpty();

      pages.script((pod, _, path) -> {
        if (path.startsWith("/lead/")) {
          leader.set(path.substring("/lead/".length()));
        }
        return status(pod, leader.get());
      });
      place.patch("tiny", "\"requests\":{\"retry\":\"it-moves-now\"}");
      done(place, belay, "tiny:2.0");
      assertThat(place.deleted()).containsExactly("tiny-2", "tiny-1", "tiny-0");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"revert", "retry"})
  void what_stands_still_for_too_long_is_called_failed_and_can_be_cured(String cure, Arena arena) {
    try (Place place = placed(arena, "stands-still-" + cure)) {
      assertThat(place.apply(SET.statefulCluster() + QUICKLY).ok()).isTrue();
      BelayView belay = place.adopted("tiny");
      place.kubectl("create", "pdb", "tiny", "--selector=app=tiny", "--min-available=3");
      Map<String, String> before = place.uids();
      image(place, "2.0");

      failed(place, belay, "tiny-2", "ProgressDeadlineExceeded");
      assertThat(error(belay).getMessage()).contains("DisruptionBudgetAllows");
      assertThat(place.deleted()).isEmpty();

      if (cure.equals("revert")) {
        image(place, "1.0");
        place.await("it rests", () -> belay.phase().equals("Idle"));
        assertThat(belay.is("Error")).isFalse();
        assertThat(place.uids()).isEqualTo(before);
        assertThat(place.deleted()).isEmpty();
      } else {
        place.kubectl("delete", "pdb", "tiny");
        place.patch("tiny", "\"requests\":{\"retry\":\"allowed-now\"}");
        done(place, belay, "tiny:2.0");
      }
    }
  }

  private static void failed(Place place, BelayView belay, String member, String reason) {
    place.await("the failure is named", () -> belay.is("Error"));
    assertThat(error(belay).getReason()).isEqualTo("UpgradeFailed");
    assertThat(error(belay).getMessage()).contains(member).contains(reason);
    assertThat(belay.phase()).isEqualTo("Failed");
    assertThat(belay.is("Stalled")).isTrue();
    assertThat(belay.is("Upgrading")).isFalse();
  }

  private static void done(Place place, BelayView belay, String image) {
    place.await(
        "all is new",
        () ->
            belay.phase().equals("Idle")
                && place.ready() == SET.replicas()
                && place.images().equals(Set.of(image)));
    assertThat(belay.is("Error")).isFalse();
    assertThat(belay.status().orElseThrow().refused()).isEmpty();
  }

  private static void back(Place place, BelayView belay, Map<String, String> before, String cure) {
    place.await(
        "everyone is well again",
        () -> place.ready() == SET.replicas() && place.images().equals(Set.of("tiny:1.0")));
    if (cure.equals("rollback")) {
      place.await("it stays refused", () -> belay.rule().equals("RevisionIsNotRefused"));
      assertThat(belay.status().orElseThrow().history().getFirst().outcome())
          .isEqualTo("RolledBack");
    } else {
      place.await("it rests", () -> belay.phase().equals("Idle"));
      assertThat(belay.status().orElseThrow().refused()).isEmpty();
    }
    onlyTheLastMoved(place, before);
    assertThat(Set.copyOf(place.deleted())).isEqualTo(Set.of("tiny-2"));
  }

  private static void onlyTheLastMoved(Place place, Map<String, String> before) {
    assertThat(place.uids())
        .containsEntry("tiny-0", Objects.requireNonNull(before.get("tiny-0")))
        .containsEntry("tiny-1", Objects.requireNonNull(before.get("tiny-1")))
        .doesNotContainEntry("tiny-2", Objects.requireNonNull(before.get("tiny-2")));
  }

  private static void image(Place place, String tag) {
    place.kubectl("set", "image", "sts/tiny", "tiny=tiny:" + tag);
  }

  private static String template(String image, String nodeSelector) {
    return """
    {"spec": {"template": {"spec": {"nodeSelector": %s, "containers": [{"name": "tiny", "image": "%s"}]}}}}
    """
        .formatted(nodeSelector, image);
  }

  private static Said serves(boolean well) {
    return new Said(200, "{\"serves\": " + well + "}");
  }

  /** As a term, whatever changes with the leader will do. */
  private static Said status(String pod, String leader) {
    return new Said(
        200,
        "{\"serves\": true, \"role\": \"%s\", \"term\": \"%s\"}"
            .formatted(pod.equals(leader) ? "leader" : "follower", leader));
  }

  private static Place placed(Arena arena, String namespace) {
    Place place = arena.place(namespace);
    assertThat(place.apply(SET.statefulSet()).ok()).isTrue();
    place.await("all members", () -> place.ready() == SET.replicas());
    return place;
  }

  /** Asked over HTTP for what a test says of them. */
  private static BelayView adopted(Place place, Pages pages, String http) {
    var applied =
        place.apply(
            SET.statefulCluster()
                    .replace(
                        "{type: none}",
                        "{type: http, port: %d, address: PodIP, http: {path: /status, %s}}"
                            .formatted(pages.port(), http))
                + QUICKLY.replace("8s", "5m"));
    assertThat(applied.ok()).as(applied.output()).isTrue();
    return place.adopted(SET.name());
  }

  private static Condition error(BelayView belay) {
    return belay.status().orElseThrow().conditions().stream()
        .filter(c -> c.getType().equals("Error"))
        .findFirst()
        .orElseThrow();
  }
}
