package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import dev.belay.demo.Kubectl;
import dev.belay.e2e.Pages.Said;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What users ask of their own members, before and after these move. */
@ExtendWith(Arena.Provider.class)
@Execution(ExecutionMode.CONCURRENT)
class ChecksE2E {

  private static final TinySet SET = TinySet.of(3);
  private static final String OFTEN = "interval: 1s, timeout: 10s, tries: 2";

  @Test
  void a_check_that_fails_after_a_member_fails_the_upgrade_and_reverting_heals_it(Arena arena) {
    try (Place place = placed(arena, "check-after");
        var pages = new Pages(place)) {
      pages.script((_, image, _) -> image.equals("tiny:2.0") ? Pages.DOWN : Pages.OK);
      BelayView belay =
          adopted(place, pages, "afterMember: [{http: {port: %d, path: /ready}, %s}]");
      Map<String, String> before = place.uids();

      upgrade(place);

      place.await("the upgrade fails", () -> belay.phase().equals("Failed"));
      assertThat(belay.rule()).isEqualTo("ChecksPass");
      assertThat(belay.sentence())
          .startsWith("tiny-2 waits")
          .contains("CheckFailed: GET :" + pages.port() + "/ready = 200, answered 503");
      assertThat(belay.is("Error")).isTrue();
      onlyTheLastMoved(place, before);
      assertThat(pages.asked("tiny-0", "/ready")).as("a member that did not move").isFalse();

      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:1.0");

      place.await("it heals", () -> idleOn(place, belay, "tiny:1.0"));
      onlyTheLastMoved(place, before);
    }
  }

  @Test
  void a_check_before_a_member_is_waited_for_and_belay_goes_on_by_itself(Arena arena) {
    try (Place place = placed(arena, "check-before");
        var pages = new Pages(place)) {
      pages.script((pod, _, _) -> new Said(200, pod.equals("tiny-0") ? "false" : "true"));
      BelayView belay =
          adopted(
              place,
              pages,
              "beforeMember: [{http: {port: %d, path: /ready, expect: {body: \"true\"}}, ask: each,"
                  + " %s}]");
      Map<String, String> before = place.uids();

      upgrade(place);

      place.await("Belay waits", () -> belay.sentence().contains("CheckFailed") && waits(belay));
      assertThat(belay.rule()).isEqualTo("ChecksPass");
      assertThat(belay.sentence())
          .startsWith("tiny-0 waits")
          .contains("with body \"true\", answered \"false\"")
          .contains("goes on by itself");
      assertThat(place.uids()).isEqualTo(before);

      pages.script((_, _, _) -> new Said(200, "true\n"));

      place.await("it goes on", () -> idleOn(place, belay, "tiny:2.0"));
    }
  }

  @Test
  void the_whole_upgrade_is_checked_at_its_service_and_at_each_member(Arena arena) {
    try (Place place = placed(arena, "check-whole");
        var pages = new Pages(place)) {
      pages.script((_, _, path) -> path.equals("/front") ? Pages.DOWN : status("STARTING"));
      BelayView belay =
          adopted(
              place,
              pages,
              """
              beforeUpgrade: [{http: {port: %1$d, path: /front}, ask: service, %2$s}, {tcp: {port: %1$d}}],
              afterUpgrade: [{http: {port: %1$d, path: /state, expect: {pointer: /status, value: UP}}, %2$s}]\
              """);
      Map<String, String> before = place.uids();

      upgrade(place);

      place.await("Belay waits", () -> belay.sentence().contains("CheckFailed") && waits(belay));
      assertThat(belay.sentence()).startsWith("tiny waits").contains("/front = 200, answered 503");
      assertThat(place.uids()).isEqualTo(before);

      pages.script((_, _, path) -> path.equals("/front") ? Pages.OK : status("STARTING"));

      place.await("the end fails", () -> belay.phase().equals("Failed"));
      assertThat(belay.sentence()).contains("CheckFailed").contains("/status is \"STARTING\"");
      assertThat(place.images()).isEqualTo(Set.of("tiny:2.0"));

      pages.script((_, _, _) -> status("UP"));
      retry(place);

      place.await("it is finished", () -> idleOn(place, belay, "tiny:2.0"));
    }
  }

  @Test
  void a_component_that_does_not_move_is_asked_before_and_after_the_whole_upgrade(Arena arena) {
    var store = new TinySet("store", 1, 0, "Parallel");
    try (Place place = placed(arena, "check-others", store);
        var pages = new Pages(place)) {
      pages.script((_, _, _) -> Pages.DOWN);
      String asked = "[{http: {port: %1$d, path: /%3$s}, %2$s}]";
      BelayView belay =
          adopted(
              place,
              SET.statefulCluster()
                  + "  - {name: store, workload: {name: store}, driver: {type: none},\n",
              "    checks: {beforeUpgrade: %s, afterUpgrade: %s}}"
                  .formatted(
                      asked.formatted(pages.port(), OFTEN, "before"),
                      asked.formatted(pages.port(), OFTEN, "after")));
      Map<String, String> before = place.uids();

      upgrade(place);

      place.await("Belay waits", () -> belay.sentence().contains("CheckFailed") && waits(belay));
      assertThat(belay.sentence()).startsWith("tiny waits").contains("(asked of store-0)");
      assertThat(place.uids()).isEqualTo(before);

      pages.script((_, _, path) -> path.equals("/before") ? Pages.OK : Pages.DOWN);

      place.await("the end fails", () -> belay.phase().equals("Failed"));
      assertThat(belay.sentence()).contains("CheckFailed", "/after", "(asked of store-0)");
      assertThat(place.uids())
          .containsEntry("store-0", Objects.requireNonNull(before.get("store-0")));

      pages.script((_, _, _) -> Pages.OK);

      place.await("it is finished", () -> belay.phase().equals("Idle"));
    }
  }

  @Test
  void checks_do_not_keep_a_broken_member_from_being_healed(Arena arena) {
    try (Place place = placed(arena, "check-heals");
        var pages = new Pages(place)) {
      String check = "[{http: {port: %1$d, path: /ready}, ask: each, %2$s}]";
      BelayView belay = adopted(place, pages, "beforeMember: " + check + ", afterMember: " + check);
      Map<String, String> before = place.uids();

      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:9.9");
      place.await("the upgrade fails", () -> belay.phase().equals("Failed"));
      place.kubectl("set", "image", "sts/tiny", "tiny=tiny:1.0");

      place.await("it heals", () -> idleOn(place, belay, "tiny:1.0"));
      onlyTheLastMoved(place, before);
    }
  }

  private static void retry(Place place) {
    place.kubectl(
        "patch",
        "stc",
        "tiny",
        "--type=merge",
        "-p",
        "{\"spec\":{\"requests\":{\"retry\":\"1\"}}}");
  }

  private static Said status(String status) {
    return new Said(200, "{\"status\": \"" + status + "\"}");
  }

  private static boolean waits(BelayView belay) {
    return belay.phase().equals("Waiting");
  }

  private static boolean idleOn(Place place, BelayView belay, String image) {
    return belay.phase().equals("Idle")
        && place.ready() == SET.replicas()
        && place.images().equals(Set.of(image));
  }

  private static void onlyTheLastMoved(Place place, Map<String, String> before) {
    assertThat(place.uids())
        .containsEntry("tiny-0", Objects.requireNonNull(before.get("tiny-0")))
        .containsEntry("tiny-1", Objects.requireNonNull(before.get("tiny-1")))
        .doesNotContainEntry("tiny-2", Objects.requireNonNull(before.get("tiny-2")));
  }

  private static void upgrade(Place place) {
    place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
  }

  /** Three members and the service in front of them; and other sets. */
  private static Place placed(Arena arena, String namespace, TinySet... others) {
    Place place = arena.place(namespace);
    assertThat(place.apply(SET.statefulSet()).ok()).isTrue();
    int members = SET.replicas();
    for (TinySet other : others) {
      assertThat(place.apply(other.statefulSet()).ok()).isTrue();
      members += other.replicas();
    }
    int all = members;
    String service =
        """
        apiVersion: v1
        kind: Service
        metadata: {name: tiny}
        spec: {clusterIP: None, selector: {app: tiny}}
        """;
    assertThat(place.apply(service).ok()).isTrue();
    place.await("all members", () -> place.ready() == all);
    return place;
  }

  private static BelayView adopted(Place place, Pages pages, String checks) {
    String indented = checks.formatted(pages.port(), OFTEN).replace("\n", "\n      ");
    return adopted(place, SET.statefulCluster(), "    checks: {" + indented + "}");
  }

  private static BelayView adopted(Place place, String cluster, String lines) {
    Kubectl.Result result = place.apply(cluster + lines + "\n");
    assertThat(result.ok()).as(result.output()).isTrue();
    return place.adopted(SET.name());
  }
}
