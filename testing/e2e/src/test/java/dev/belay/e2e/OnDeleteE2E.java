package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A set whose own strategy is OnDelete is adopted as it is; Belay evicts, by role and by budget.
 */
@ExtendWith(Arena.Provider.class)
@Execution(ExecutionMode.CONCURRENT)
class OnDeleteE2E {

  private static final String ON_DELETE = "updateStrategy: {type: OnDelete}";

  private static BelayView adopted(Place place, int replicas, String rollout) {
    var tiny = TinySet.of(replicas);
    var set =
        place.apply(
            tiny.statefulSet().replace("  serviceName", "  " + ON_DELETE + "\n  serviceName"));
    assertThat(set.ok()).as(set.output()).isTrue();
    place.await("all members", () -> place.ready() == replicas);
    var cluster = place.apply(tiny.statefulCluster() + "    rollout: {" + rollout + "}\n");
    assertThat(cluster.ok()).as(cluster.output()).isTrue();
    return place.adopted("tiny");
  }

  @Test
  void an_adopted_set_is_not_changed_and_rolled_one_by_one(Arena arena) {
    try (Place place = arena.place("on-delete")) {
      BelayView belay = adopted(place, 3, "soak: 0s");
      String before = place.kubectl("get", "sts", "tiny", "-o", "jsonpath={.spec.updateStrategy}");
      try (var pods = new PodHistory(arena.client(), place.namespace())) {
        place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
        place.await(
            "all is new",
            () -> belay.phase().equals("Idle") && place.images().equals(Set.of("tiny:2.0")));

        assertThat(pods.lives().values()).containsOnly(2);
      }
      assertThat(place.kubectl("get", "sts", "tiny", "-o", "jsonpath={.spec.updateStrategy}"))
          .isEqualTo(before);
    }
  }

  @Test
  void a_budget_of_others_is_kept_and_said(Arena arena) {
    try (Place place = arena.place("on-delete-budget")) {
      BelayView belay = adopted(place, 3, "soak: 0s");
      place.kubectl("create", "pdb", "tiny", "--selector=app=tiny", "--min-available=3");
      place.await(
          "the budget is counted",
          () ->
              place
                  .kubectl("get", "pdb", "tiny", "-o", "jsonpath={.status.currentHealthy}")
                  .equals("3"));
      var uids = place.uids();
      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");

      place.await("it waits", () -> belay.rule().equals("DisruptionBudgetAllows"));

      assertThat(place.uids()).isEqualTo(uids);
      place.kubectl("delete", "pdb", "tiny");
      place.await("it goes on", () -> place.images().equals(Set.of("tiny:2.0")));
    }
  }

  @Test
  void two_at_a_time_are_never_three(Arena arena) throws IOException {
    try (Place place = arena.place("on-delete-batch")) {
      BelayView belay = adopted(place, 5, "strategy: OnDelete, maxUnavailable: 2");
      try (var pods = new PodHistory(arena.client(), place.namespace())) {
        // Whoever is new is not up before it is told to: a third would have all the time to go.
        Path up = arena.tinyImage(TinySet.LATE).resolve("up");
        Files.deleteIfExists(up);
        place.kubectl("set", "image", "sts/tiny", "tiny=tiny:" + TinySet.LATE);
        place.await(
            "the third waits for the first two",
            () ->
                place.ready() == 3
                    && "2/5".equals(belay.status().orElseThrow().updated())
                    && belay.rule().equals("UpdatedMembersServe"));
        assertThat(pods.lives().values().stream().filter(lives -> lives == 2)).hasSize(2);

        Files.createFile(up);
        place.await(
            "all is new",
            () ->
                belay.phase().equals("Idle")
                    && place.images().equals(Set.of("tiny:" + TinySet.LATE)));
        assertThat(pods.mostTakenDown()).isEqualTo(2);
        assertThat(pods.lives().values()).containsOnly(2);
      }
    }
  }

  @Test
  void it_acts_before_a_member_goes_and_when_it_serves_again(Arena arena) {
    try (Place place = arena.place("on-delete-acts")) {
      BelayView belay = adopted(place, 2, "soak: 0s");
      try (var pages = new Pages(place)) {
        place.kubectl(
            "patch",
            "stc",
            "tiny",
            "--type=json",
            "-p",
            """
            [{"op": "add", "path": "/spec/components/0/actions", "value": {
              "beforeMember": [{"http": {"method": "PUT", "path": "/drain", "port": %1$d},
                "undo": {"method": "PUT", "path": "/undrain"}}],
              "afterMember": [{"http": {"method": "PUT", "path": "/warm", "port": %1$d}}]}}]
            """
                .formatted(pages.port()));
        place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
        place.await(
            "all is new",
            () -> belay.phase().equals("Idle") && place.images().equals(Set.of("tiny:2.0")));

        assertThat(pages.log())
            .containsExactly(
                "PUT tiny-1/drain",
                "PUT tiny-1/undrain",
                "PUT tiny-1/warm",
                "PUT tiny-0/drain",
                "PUT tiny-0/undrain",
                "PUT tiny-0/warm");
      }
    }
  }
}
