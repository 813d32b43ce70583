package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.demo.BelayView;
import dev.belay.e2e.Pages.Said;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every reason for which an upgrade fails, produced for real, and every way out of it. */
@ExtendWith(Arena.Provider.class)
@Execution(ExecutionMode.CONCURRENT)
class FailureReasonsE2E {

  private static final TinySet SET = TinySet.of(3);
  private static final String QUICKLY = "rollout: {readyTimeout: 8s, progressDeadline: 10s}";

  /** On a busy machine tiny-2 needs up to ten seconds to be ready, and must not be what is late. */
  private static final String SLOWLY = "rollout: {readyTimeout: 20s, progressDeadline: 25s}";

  private static final String AT_LEISURE = "rollout: {readyTimeout: 10s}";
  private static final String OFTEN = "interval: 1s, timeout: 10s, tries: 2";
  private static final String LEADER =
      "healthy: {pointer: /serves}, leader: {role: {pointer: /role, leader: [leader],"
          + " follower: [follower]}, term: {pointer: /term}, transfer: {path:"
          + " \"/lead/{successor}\"}}";
  private static final String NEW = "tiny:2.0";

  /** Whose deletions of pods are not those of a person. */
  private static final Set<String> MACHINES =
      Set.of(
          "system:serviceaccount:belay-system:belay-operator",
          "system:serviceaccount:kube-system:statefulset-controller");

  @ParameterizedTest(name = "{0}, cured by: {1}, {2}")
  @CsvSource({
    "ErrImagePull, revert, Parallel",
    "CrashLoopBackOff, fix, Parallel",
    "Unschedulable, rollback, Parallel",
    "ReadyTimeout, revert, OrderedReady",
    "MemberUnhealthy, fix, OrderedReady",
    "CheckFailed, rollback, OrderedReady",
    "ProgressDeadlineExceeded, revert, Parallel",
    "LeaderTransferFailed, fix, Parallel",
  })
  void every_failure_is_named_touches_one_member_and_can_be_cured(
      String reason, String cure, String order, Arena arena) {
    failsAndIsCured(reason, cure, order, arena);
  }

  @Tag("matrix")
  @ParameterizedTest(name = "{0}, cured by: {1}, {2}")
  @CsvSource({
    "ErrImagePull, fix, OrderedReady",
    "ErrImagePull, rollback, OrderedReady",
    "CrashLoopBackOff, revert, OrderedReady",
    "CrashLoopBackOff, rollback, OrderedReady",
    "Unschedulable, revert, OrderedReady",
    "Unschedulable, fix, Parallel",
    "ReadyTimeout, fix, OrderedReady",
    "ReadyTimeout, rollback, Parallel",
    "MemberUnhealthy, revert, Parallel",
    "MemberUnhealthy, rollback, OrderedReady",
    "CheckFailed, revert, OrderedReady",
    "CheckFailed, fix, Parallel",
    "ProgressDeadlineExceeded, fix, OrderedReady",
    "ProgressDeadlineExceeded, rollback, Parallel",
    "LeaderTransferFailed, revert, OrderedReady",
    "LeaderTransferFailed, rollback, Parallel",
  })
  void every_failure_has_two_more_cures(String reason, String cure, String order, Arena arena) {
    failsAndIsCured(reason, cure, order, arena);
  }

  /** In each of them the highest member is new by then, and no other. */
  private static void failsAndIsCured(String reason, String cure, String order, Arena arena) {
    try (Place place = placed(arena, (reason + "-" + cure).toLowerCase(Locale.ROOT), order);
        var pages = new Pages(place)) {
      pages.script(script(place, reason));
      BelayView belay = adopted(place, spec(reason, pages.port()));
      Map<String, String> before = place.uids();
      template(
          place,
          switch (reason) {
            case "ErrImagePull" -> "9.9";
            case "CrashLoopBackOff" -> TinySet.CRASHES;
            case "ReadyTimeout" -> TinySet.HANGS;
            default -> "2.0";
          },
          reason.equals("Unschedulable") ? "\"none-such\"" : "null");

      boolean next = Set.of("ProgressDeadlineExceeded", "LeaderTransferFailed").contains(reason);
      failed(place, belay, next ? "tiny-1" : "tiny-2", reason);
      boolean ready = next || Set.of("MemberUnhealthy", "CheckFailed").contains(reason);
      assertThat(place.isReady("tiny-2")).as("all that its probe asks is well").isEqualTo(ready);
      onlyTheLastMoved(place, before);
      assertThat(place.deleted()).containsExactly("tiny-2");

      switch (cure) {
        case "revert" -> template(place, "1.0", "null");
        case "fix" -> template(place, "3.0", "null");
        default -> place.patch("tiny", "\"requests\":{\"rollback\":\"now\"}");
      }
      if (cure.equals("fix")) {
        done(place, belay, "tiny:3.0");
        assertThat(place.deleted()).containsExactly("tiny-2", "tiny-2", "tiny-1", "tiny-0");
      } else {
        back(place, belay, cure);
        onlyTheLastMoved(place, before);
        assertThat(place.deleted()).containsExactly("tiny-2", "tiny-2");
      }
      assertThat(MACHINES).as("nobody deletes a pod by hand").containsAll(place.deletedBy());
    }
  }

  /** Lines of the component. */
  private static String spec(String reason, int port) {
    return switch (reason) {
      case "ReadyTimeout" -> AT_LEISURE;
      case "MemberUnhealthy" -> AT_LEISURE + "\n" + http(port, "healthy: {pointer: /serves}");
      case "LeaderTransferFailed" -> http(port, LEADER);
      case "CheckFailed" -> check("afterMember", port);
      case "ProgressDeadlineExceeded" -> SLOWLY + "\n" + check("beforeMember", port);
      default -> "";
    };
  }

  private static String check(String moment, int port) {
    return "checks: {%s: [{http: {port: %d, path: /ready}, %s}]}".formatted(moment, port, OFTEN);
  }

  private static String http(int port, String http) {
    return "driver: {type: http, port: %d, address: PodIP, http: {path: /status, %s}}"
        .formatted(port, http);
  }

  /** What is wrong with the new image, where it starts and is ready. */
  private static Pages.Script script(Place place, String reason) {
    var leader = new AtomicReference<>("tiny-1");
    return switch (reason) {
      case "CheckFailed" -> (_, image, _) -> image.equals(NEW) ? Pages.DOWN : Pages.OK;
      case "MemberUnhealthy" -> (_, image, _) -> serves(!image.equals(NEW));
      // The next one does not bear it beside itself.
      case "ProgressDeadlineExceeded" ->
          (pod, _, _) ->
              pod.equals("tiny-1") && place.images().contains(NEW) ? Pages.DOWN : Pages.OK;
      // As long as it is there nobody is elected.
      default -> (pod, _, path) -> status(pod, lead(leader, path, !place.images().contains(NEW)));
    };
  }

  private static String lead(AtomicReference<String> leader, String path, boolean hears) {
    if (hears && path.startsWith("/lead/")) {
      leader.set(path.substring("/lead/".length()));
    }
    return leader.get();
  }

  @Test
  void a_leader_that_stays_is_not_taken_down_and_once_it_hands_over_another_try_goes_through(
      Arena arena) {
    try (Place place = placed(arena, "leader-stays", SET.order());
        var pages = new Pages(place)) {
      var leader = new AtomicReference<>("tiny-2");
      pages.script((pod, _, _) -> status(pod, leader.get()));
      BelayView belay = adopted(place, http(pages.port(), LEADER));
      template(place, "2.0", "null");

      failed(place, belay, "tiny-2", "LeaderTransferFailed");
      assertThat(pages.log().stream().filter(line -> line.contains("/lead/")))
          .as("asked so often, and no more")
          .hasSize(3);
      assertThat(place.deleted()).isEmpty();

      pages.script((pod, _, path) -> status(pod, lead(leader, path, true)));
      place.patch("tiny", "\"requests\":{\"retry\":\"it-moves-now\"}");
      done(place, belay, NEW);
      assertThat(place.deleted()).containsExactly("tiny-2", "tiny-1", "tiny-0");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"revert", "retry", "rollback"})
  void what_nobody_may_begin_is_called_failed_and_can_be_cured(String cure, Arena arena) {
    try (Place place = placed(arena, "stands-still-" + cure, SET.order())) {
      BelayView belay = adopted(place, QUICKLY);
      place.kubectl("create", "pdb", "tiny", "--selector=app=tiny", "--min-available=3");
      Map<String, String> before = place.uids();
      template(place, "2.0", "null");

      failed(place, belay, "tiny-2", "ProgressDeadlineExceeded");
      assertThat(error(belay).getMessage()).contains("DisruptionBudgetAllows");
      assertThat(place.deleted()).isEmpty();

      switch (cure) {
        case "revert" -> template(place, "1.0", "null");
        case "rollback" -> place.patch("tiny", "\"requests\":{\"rollback\":\"now\"}");
        default -> {
          place.kubectl("delete", "pdb", "tiny");
          place.patch("tiny", "\"requests\":{\"retry\":\"allowed-now\"}");
        }
      }
      if (cure.equals("retry")) {
        done(place, belay, NEW);
      } else {
        back(place, belay, cure);
        assertThat(place.uids()).isEqualTo(before);
        assertThat(place.deleted()).isEmpty();
      }
    }
  }

  private static void failed(Place place, BelayView belay, String member, String reason) {
    place.await("the failure is named", () -> belay.is("Error"));
    assertThat(error(belay).getReason()).isEqualTo("UpgradeFailed");
    assertThat(error(belay).getMessage())
        .contains(member)
        .containsPattern(reason.replace("ErrImagePull", "ErrImagePull|ImagePullBackOff"));
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

  private static void back(Place place, BelayView belay, String cure) {
    place.await(
        "everyone is well again",
        () -> place.ready() == SET.replicas() && place.images().equals(Set.of("tiny:1.0")));
    if (cure.equals("rollback")) {
      place.await(
          "it is withdrawn and stays refused",
          () ->
              belay.rule().equals("RevisionIsNotRefused") && outcomes(belay).equals("RolledBack"));
      assertThat(belay.phase()).as("what failed is not forgotten").isEqualTo("Failed");
    } else {
      place.await("it rests", () -> belay.phase().equals("Idle"));
      assertThat(belay.is("Error")).isFalse();
      assertThat(belay.status().orElseThrow().refused()).isEmpty();
    }
  }

  private static String outcomes(BelayView belay) {
    return belay.status().orElseThrow().history().stream()
        .map(StatefulClusterStatus.Past::outcome)
        .collect(Collectors.joining(" "));
  }

  private static void onlyTheLastMoved(Place place, Map<String, String> before) {
    assertThat(place.uids())
        .containsEntry("tiny-0", Objects.requireNonNull(before.get("tiny-0")))
        .containsEntry("tiny-1", Objects.requireNonNull(before.get("tiny-1")))
        .doesNotContainEntry("tiny-2", Objects.requireNonNull(before.get("tiny-2")));
  }

  /** A merge in which the disk that a node must have is null for any. */
  private static void template(Place place, String tag, String disk) {
    place.kubectl(
        "patch",
        "sts",
        "tiny",
        "-p",
        """
        {"spec": {"template": {"spec": {
          "nodeSelector": {"disk": %s}, "containers": [{"name": "tiny", "image": "tiny:%s"}]}}}}
        """
            .formatted(disk, tag));
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

  private static Place placed(Arena arena, String namespace, String order) {
    Place place = arena.place(namespace);
    var set = new TinySet(SET.name(), SET.replicas(), SET.firstOrdinal(), order);
    assertThat(place.apply(set.statefulSet()).ok()).isTrue();
    place.await("all members", () -> place.ready() == SET.replicas());
    return place;
  }

  private static BelayView adopted(Place place, String component) {
    String cluster = SET.statefulCluster();
    if (component.contains("driver:")) {
      cluster = cluster.replace("    driver: {type: none}\n", "");
    }
    var applied = place.apply(cluster + component.indent(4));
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
