package dev.belay.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.Arena.Place;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is done to a member for the upgrade is taken back on every way out of it. */
@ExtendWith(Arena.Provider.class)
class ActionsE2E {

  /** A member is drained before it goes, and taken back when it is up again. */
  private static void drains(Place place, int port) {
    place.kubectl(
        "patch",
        "stc",
        "tiny",
        "--type=json",
        "-p",
        """
        [{"op": "add", "path": "/spec/components/0/actions", "value": {"beforeMember": [
          {"http": {"method": "PUT", "path": "/drain", "port": %1$d}, "timeout": "2s",
           "undo": {"method": "PUT", "path": "/undrain"}}]}}]
        """
            .formatted(port));
  }

  @Test
  void every_member_is_drained_before_it_goes_and_taken_back_after(Arena arena) {
    try (Place place = arena.place("drained")) {
      BelayView belay = TinySet.of(2).in(place);
      try (var pages = new Pages(place)) {
        drains(place, pages.port());
        place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
        place.await(
            "all is new",
            () -> belay.phase().equals("Idle") && place.images().equals(Set.of("tiny:2.0")));

        assertThat(pages.log())
            .containsExactly(
                "PUT tiny-1/drain", "PUT tiny-1/undrain", "PUT tiny-0/drain", "PUT tiny-0/undrain");
        assertThat(belay.status().orElseThrow().obligations()).isNullOrEmpty();
      }
    }
  }

  @Test
  void a_drain_that_fails_stops_the_line_and_touches_nobody(Arena arena) {
    try (Place place = arena.place("drain-fails")) {
      BelayView belay = TinySet.of(2).in(place);
      try (var pages = new Pages(place)) {
        pages.script((_, _, path) -> path.equals("/drain") ? Pages.DOWN : Pages.OK);
        drains(place, pages.port());
        var uids = place.uids();
        place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");

        place.await("the failure is named", () -> belay.is("Error"));
        place.await("it is taken back", () -> pages.log().contains("PUT tiny-1/undrain"));

        place.await(
            "it is said which", () -> belay.sentence().matches(".*ActionFailed: PUT .*/drain.*"));
        assertThat(place.uids()).isEqualTo(uids);
        pages.script((_, _, _) -> Pages.OK);
        place.patch("tiny", "\"requests\":{\"retry\":\"again\"}");
        place.await(
            "tried again, it goes through",
            () -> belay.phase().equals("Idle") && place.images().equals(Set.of("tiny:2.0")));
      }
    }
  }

  @Test
  void an_operator_killed_between_the_two_takes_it_back_when_it_is_there_again(Arena arena) {
    try (Place place = arena.place("drain-killed")) {
      BelayView belay = TinySet.of(2).in(place);
      try (var pages = new Pages(place)) {
        drains(place, pages.port());
        place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
        place.await("drained", () -> pages.log().contains("PUT tiny-1/drain"));

        arena.killOperator();

        place.await(
            "all is new",
            () -> belay.phase().equals("Idle") && place.images().equals(Set.of("tiny:2.0")));
        List<String> log = pages.log();
        assertThat(log.lastIndexOf("PUT tiny-1/undrain"))
            .isGreaterThan(log.lastIndexOf("PUT tiny-1/drain"));
        assertThat(log.lastIndexOf("PUT tiny-0/undrain"))
            .isGreaterThan(log.lastIndexOf("PUT tiny-0/drain"));
      }
    }
  }

  @Test
  void an_abort_takes_it_back(Arena arena) {
    try (Place place = arena.place("drain-aborted")) {
      BelayView belay = TinySet.of(2).in(place);
      try (var pages = new Pages(place)) {
        drains(place, pages.port());
        place.kubectl("set", "image", "sts/tiny", "tiny=tiny:" + TinySet.HANGS);
        place.await("drained", () -> pages.log().contains("PUT tiny-1/drain"));

        place.patch("tiny", "\"requests\":{\"abort\":\"now\"}");
        place.kubectl("set", "image", "sts/tiny", "tiny=tiny:1.0");

        place.await(
            "it is well again",
            () -> place.ready() == 2 && place.images().equals(Set.of("tiny:1.0")));
        place.await("and taken back", () -> pages.log().getLast().equals("PUT tiny-1/undrain"));
        place.await("and nothing is owed", () -> belay.phase().equals("Idle"));
      }
    }
  }

  @Test
  void a_deleted_cluster_takes_it_back_before_it_goes(Arena arena) {
    try (Place place = arena.place("drain-deleted")) {
      TinySet.of(2).in(place);
      try (var pages = new Pages(place)) {
        // Only the drain is answered late: what follows is decided while it is under way.
        drains(place, pages.port());
        place.kubectl("annotate", "pod", "tiny-1", "belay.dev/hold=true");
        place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
        place.kubectl("annotate", "pod", "tiny-1", "belay.dev/hold-");
        place.await("drained", () -> pages.log().contains("PUT tiny-1/drain"));

        place.kubectl("delete", "stc", "tiny", "--timeout=60s");

        assertThat(pages.log().getLast()).isEqualTo("PUT tiny-1/undrain");
      }
    }
  }

  @Test
  void around_a_deployment_they_go_to_the_service_that_was_named(Arena arena) {
    try (Place place = arena.place("fronted")) {
      assertThat(place.apply(TinySet.of(1).statefulSet() + FRONTED).ok()).isTrue();
      place.await("all are there", () -> place.ready() == 2);
      try (var pages = new Pages(place)) {
        place.apply(
            """
            apiVersion: belay.dev/v1alpha1
            kind: StatefulCluster
            metadata: {name: control}
            spec:
              components:
              - name: control
                workload: {kind: Deployment, name: control, service: front}
                driver: {type: none}
                actions:
                  beforeComponent:
                  - http: {method: PUT, path: /quiet, port: %1$d}
                    undo: {method: PUT, path: /loud}
                  afterUpgrade:
                  - http: {method: POST, path: /told, port: %1$d}
            """
                .formatted(pages.port()));
        BelayView belay = place.adopted("control");
        place.kubectl("set", "image", "deploy/control", "tiny=tiny:2.0");
        place.await(
            "it is new", () -> belay.phase().equals("Idle") && place.images().contains("tiny:2.0"));

        assertThat(pages.log())
            .containsExactly("PUT tiny-0/quiet", "PUT tiny-0/loud", "POST tiny-0/told");
      }
    }
  }

  /** A Deployment, and a service that has other pods behind it: theirs are the pages. */
  private static final String FRONTED =
      """
      ---
      apiVersion: v1
      kind: Service
      metadata: {name: front}
      spec: {ports: [{port: 80}], selector: {app: tiny}}
      """
          + TinySystem.workload("Deployment", "control", 1, "progressDeadlineSeconds: 600", "1.0");
}
