package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One StatefulCluster, three components: each in its own way, one after the other. */
@ExtendWith(Arena.Provider.class)
@Execution(ExecutionMode.CONCURRENT)
class ComponentsE2E {

  private static final int PODS = TinySystem.PODS;
  private static final List<String> ONE_AFTER_THE_OTHER =
      List.of(
          "bookie tiny:2.0",
          "bookie tiny:2.0",
          "bookie tiny:2.0",
          "store tiny:2.0-store",
          "store tiny:2.0-store",
          "control tiny:2.0",
          "control tiny:2.0");

  @Test
  void templates_that_change_all_at_once_are_rolled_in_order_each_pod_when_the_last_one_serves(
      Arena arena) throws IOException {
    try (Place place = arena.place("in-order")) {
      BelayView belay = TinySystem.in(place, "");
      try (var arrivals = new Arrivals(arena.client(), place.namespace())) {
        TinySystem.upgrade(place, TinySet.EACH_LATE, TinySet.EACH_LATE, "2.0");

        for (int made = 1; made <= 5; made++) {
          String late = waitedFor(place, belay);
          assertThat(late).startsWith(made <= 3 ? "bookie-" : "store-");
          assertThat(arrivals.made()).hasSize(made);
          Files.createFile(arena.tinyImage(TinySet.EACH_LATE).resolve("up-" + late));
          place.await("it serves", () -> place.isReady(late));
        }
        place.await("all is new", () -> isDone(place, belay, "2.0"));

        assertThat(arrivals.made().stream().map(made -> made.substring(0, made.indexOf(' '))))
            .containsExactly("bookie", "bookie", "bookie", "store", "store", "control", "control");
        assertThat(arrivals.early()).isEmpty();
      }
    }
  }

  /** The one new pod that is not ready, once Belay says that it waits for it. */
  private static String waitedFor(Place place, BelayView belay) {
    var late = new AtomicReference<>("");
    place.await(
        "the next one is waited for",
        () -> {
          place.pods().values().stream()
              .filter(p -> !PodHistory.serves(p))
              .filter(p -> imageOf(p).equals("tiny:" + TinySet.EACH_LATE))
              .forEach(p -> late.set(p.getMetadata().getName()));
          return !late.get().isEmpty() && belay.sentence().startsWith(late + " waits");
        });
    return late.get();
  }

  @Test
  void one_version_drives_all_of_them(Arena arena) {
    try (Place place = arena.place("by-version")) {
      BelayView belay = TinySystem.in(place, "1.0");
      try (var arrivals = new Arrivals(arena.client(), place.namespace())) {
        place.kubectl("annotate", "pod", "store-1", "belay.dev/hold=true");
        place.patch("system", "\"version\":\"2.0\"");

        place.await("the second is held", () -> belay.rule().equals("PodIsNotHeld"));
        var midway = belay.status().orElseThrow();
        assertThat(imagesOf(place, "bookie")).hasSize(3).containsOnly("tiny:2.0");
        assertThat(midway.currentVersion()).as("as long as one of them is old").isEqualTo("1.0");
        assertThat(midway.targetVersion()).isEqualTo("2.0");
        assertThat(belay.is("Upgrading")).isTrue();

        place.kubectl("annotate", "pod", "store-1", "belay.dev/hold-");
        place.await("all is new", () -> isDone(place, belay, "2.0"));

        assertThat(arrivals.made()).containsExactlyElementsOf(ONE_AFTER_THE_OTHER);
        assertThat(arrivals.early()).isEmpty();
        assertThat(belay.is("Upgrading")).isFalse();
        assertThat(belay.status().orElseThrow().currentVersion()).isEqualTo("2.0");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "bookie, 2.1-crashes, 2.0-store, 2.0",
    "store, 2.0, 2.1-store, 2.0",
    "control, 2.0, 2.0-store, 2.1-crashes",
  })
  void a_failure_stops_the_line_at_one_pod_and_is_healed_by_another_template(
      String fails, String bookie, String store, String control, Arena arena) {
    try (Place place = arena.place("component-fails-" + fails)) {
      BelayView belay = TinySystem.in(place, "");
      Map<String, String> before = place.uids();
      TinySystem.upgrade(place, bookie, store, control);

      place.await("the failure is named", () -> belay.is("Error"));
      place.await("the controller is stopped", () -> !fails.equals("control") || paused(place));

      assertThat(error(belay)).contains(fails + "-").contains("CrashLoopBackOff");
      Map<String, String> failed = place.uids();
      int at = TinySystem.ORDER.indexOf(fails);
      for (String former : TinySystem.ORDER.subList(0, at)) {
        assertThat(uidsOf(former, failed).values())
            .as("through")
            .isNotEmpty()
            .doesNotContainAnyElementsOf(uidsOf(former, before).values());
      }
      // A Deployment takes none of its old ones down before a new one serves.
      int left = uidsOf(fails, before).size() - (fails.equals("control") ? 0 : 1);
      assertThat(uidsOf(fails, failed).values())
          .hasSize(left + 1)
          .filteredOn(uidsOf(fails, before)::containsValue)
          .as("those that never met it")
          .hasSize(left);
      for (String later : TinySystem.ORDER.subList(at + 1, TinySystem.ORDER.size())) {
        assertThat(uidsOf(later, failed)).isNotEmpty().isEqualTo(uidsOf(later, before));
      }
      assertThat(failed.size() - place.ready()).as("away").isLessThanOrEqualTo(1);

      TinySystem.upgrade(place, "2.0", "2.0-store", "2.0");
      place.await("all is new", () -> isDone(place, belay, "2.0"));
      for (String former : TinySystem.ORDER.subList(0, at)) {
        assertThat(uidsOf(former, place.uids())).isEqualTo(uidsOf(former, failed));
      }
    }
  }

  @Test
  void a_rollback_from_the_second_takes_the_first_back_too(Arena arena) {
    try (Place place = arena.place("back")) {
      BelayView belay = TinySystem.in(place, "1.0");
      // 2.1 is one that the stores cannot run.
      place.patch("system", "\"version\":\"2.1\"");
      place.await("the failure is named", () -> belay.is("Error"));
      assertThat(imagesOf(place, "bookie")).containsOnly("tiny:2.1");
      assertThat(imagesOf(place, "control")).containsOnly("tiny:1.0");

      try (var arrivals = new Arrivals(arena.client(), place.namespace())) {
        place.patch("system", "\"requests\":{\"rollback\":\"now\"}");
        place.await(
            "everyone is back",
            () ->
                place.ready() == PODS
                    && belay.rule().equals("RevisionIsNotRefused")
                    && imagesOf(place, "bookie").stream().allMatch("tiny:1.0"::equals));

        assertThat(arrivals.made())
            .containsExactly(
                "store tiny:1.0-store", "bookie tiny:1.0", "bookie tiny:1.0", "bookie tiny:1.0");
        assertThat(arrivals.early()).isEmpty();
        assertThat(imagesOf(place, "control")).containsOnly("tiny:1.0");
      }
      place.patch("system", "\"version\":\"2.0\"");
      place.await("another version is a way out", () -> isDone(place, belay, "2.0"));
    }
  }

  @Test
  void another_version_while_the_second_rolls_goes_through_all_again(Arena arena) {
    try (Place place = arena.place("retarget")) {
      BelayView belay = TinySystem.in(place, "1.0");
      try (var arrivals = new Arrivals(arena.client(), place.namespace())) {
        place.patch("system", "\"version\":\"2.0\"");
        place.await("the second rolls", () -> arrivals.made().contains("store tiny:2.0-store"));

        place.patch("system", "\"version\":\"3.0\"");
        place.await("all is new", () -> isDone(place, belay, "3.0"));

        assertThat(arrivals.made()).doesNotContain("control tiny:2.0");
        assertThat(arrivals.early()).isEmpty();
        assertThat(arrivals.made().lastIndexOf("bookie tiny:3.0"))
            .isLessThan(arrivals.made().indexOf("store tiny:3.0-store"));
      }
    }
  }

  @Test
  void a_deployment_that_never_becomes_available_is_stopped_and_said(Arena arena) {
    try (Place place = arena.place("hangs")) {
      BelayView belay = TinySystem.in(place, "");
      place.kubectl(
          "patch",
          "stc",
          "system",
          "--type=json",
          "-p",
          "[{\"op\": \"replace\", \"path\": \"/spec/components/2/rollout/readyTimeout\", \"value\":"
              + " \"8s\"}]");
      place.kubectl("set", "image", "deploy/control", "tiny=tiny:" + TinySet.HANGS);

      place.await("the failure is named", () -> belay.is("Error"));
      place.await("it is stopped", () -> paused(place));

      assertThat(error(belay)).contains("ReadyTimeout");
      place.kubectl("set", "image", "deploy/control", "tiny=tiny:1.0");
      place.await(
          "reverting heals it", () -> belay.phase().equals("Idle") && place.ready() == PODS);
      assertThat(paused(place)).isFalse();
    }
  }

  @Test
  void components_added_removed_and_reordered_midway_restart_nobody_twice(Arena arena) {
    try (Place place = arena.place("reordered")) {
      BelayView belay = TinySystem.in(place, "");
      try (var arrivals = new Arrivals(arena.client(), place.namespace())) {
        TinySystem.upgrade(place, "2.0", "2.0-store", "2.0");
        place.await("it has begun", () -> !arrivals.made().isEmpty());
        String two =
            """
            [{"op": "test", "path": "/spec/components/1/name", "value": "store"},
             {"op": "move", "from": "/spec/components/1", "path": "/spec/components/0"},
             {"op": "remove", "path": "/spec/components/2"}]
            """;
        place.kubectl("patch", "stc", "system", "--type=json", "-p", two);
        place.await(
            "both that are left are new",
            () ->
                belay.phase().equals("Idle")
                    && imagesOf(place, "store").stream().allMatch("tiny:2.0-store"::equals)
                    && imagesOf(place, "bookie").stream().allMatch("tiny:2.0"::equals));
        // Whoever is named no more is left as it stands: frozen, and not rolled by anybody.
        assertThat(imagesOf(place, "control")).containsOnly("tiny:1.0");
        assertThat(belay.events())
            .anyMatch(e ->
                e.getReason().equals("LeftMidway") && e.getMessage().contains("component control"));

        String three =
            """
            [{"op": "add", "path": "/spec/components/-", "value": {"name": "control",
              "workload": {"kind": "Deployment", "name": "control"}, "driver": {"type": "none"}}}]
            """;
        place.kubectl("patch", "stc", "system", "--type=json", "-p", three);
        place.await("it is shown first", () -> belay.rule().equals("AdoptedMidway"));
        place.kubectl(
            "patch",
            "stc",
            "system",
            "--type=merge",
            "-p",
            "{\"spec\":{\"requests\":{\"approve\":\"%s\"}}}"
                .formatted(belay.status().orElseThrow().waitingFor()));
        place.await("all is new", () -> isDone(place, belay, "2.0"));

        Map<String, Long> count =
            arrivals.made().stream()
                .collect(Collectors.groupingBy(m -> m, TreeMap::new, Collectors.counting()));
        assertThat(count)
            .containsExactly(
                Map.entry("bookie tiny:2.0", 3L),
                Map.entry("control tiny:2.0", 2L),
                Map.entry("store tiny:2.0-store", 2L));
      }
    }
  }

  private static boolean isDone(Place place, BelayView belay, String version) {
    return belay.phase().equals("Idle")
        && place.ready() == PODS
        && place.images().stream().allMatch(image -> image.startsWith("tiny:" + version))
        && place.pods().size() == PODS;
  }

  private static boolean paused(Place place) {
    var deployments = place.arena().client().apps().deployments();
    return Boolean.TRUE.equals(
        deployments.inNamespace(place.namespace()).withName("control").get().getSpec().getPaused());
  }

  private static String error(BelayView belay) {
    return belay.status().orElseThrow().conditions().stream()
        .filter(c -> c.getType().equals("Error"))
        .map(Condition::getMessage)
        .findFirst()
        .orElseThrow();
  }

  private static Map<String, String> uidsOf(String component, Map<String, String> uids) {
    var own = new TreeMap<>(uids);
    own.keySet().removeIf(pod -> !pod.startsWith(component + "-"));
    return own;
  }

  private static List<String> imagesOf(Place place, String app) {
    return place.pods().values().stream()
        .filter(p -> app.equals(p.getMetadata().getLabels().get("app")))
        .filter(p -> p.getMetadata().getDeletionTimestamp() == null)
        .map(ComponentsE2E::imageOf)
        .toList();
  }

  private static String imageOf(Pod pod) {
    return pod.getSpec().getContainers().getFirst().getImage();
  }
}
