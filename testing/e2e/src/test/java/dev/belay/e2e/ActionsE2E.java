package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is done to a member for the upgrade is taken back on every way out of it. */
@ExtendWith(Arena.Provider.class)
class ActionsE2E {

  /** A member is drained before it goes, and taken back when it is up again. */
  private static void drains(Place place, int port) {
    actions(
        place,
        """
        {"http": {"method": "PUT", "path": "/drain", "port": %1$d}, "timeout": "2s",
         "undo": {"method": "PUT", "path": "/undrain"}}
        """
            .formatted(port));
  }

  private static void actions(Place place, String beforeMember) {
    place.kubectl(
        "patch",
        "stc",
        "tiny",
        "--type=json",
        "-p",
        """
        [{"op": "add", "path": "/spec/components/0/actions", "value": {"beforeMember": [%s]}}]
        """
            .formatted(beforeMember));
  }

  @Test
  void every_member_is_drained_before_it_goes_and_taken_back_after(Arena arena) {
    try (Place place = arena.place("drained-each")) {
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
        drainedAndNotYetGone(place, belay, pages);
        pages.script((_, _, _) -> Pages.OK);

        arena.killOperator();

        place.await(
            "all is new",
            () -> belay.phase().equals("Idle") && place.images().equals(Set.of("tiny:2.0")));
        assertThat(drains(pages))
            .containsExactly(
                "PUT tiny-1/drain", "PUT tiny-1/undrain", "PUT tiny-0/drain", "PUT tiny-0/undrain");
        assertThat(belay.status().orElseThrow().obligations()).isEmpty();
      }
    }
  }

  @Test
  void an_abort_takes_it_back_and_touches_nobody(Arena arena) {
    try (Place place = arena.place("drain-aborted")) {
      BelayView belay = TinySet.of(2).in(place);
      try (var pages = new Pages(place)) {
        drainedAndNotYetGone(place, belay, pages);
        var uids = place.uids();

        place.patch("tiny", "\"requests\":{\"abort\":\"now\"}");

        place.await(
            "nothing is owed",
            () ->
                belay.status().orElseThrow().obligations().stream()
                    .allMatch(o -> o.undo() == null));
        place.await(
            "it is held",
            () -> belay.phase().equals("Held") && belay.rule().equals("RevisionIsNotRefused"));
        assertThat(drains(pages)).containsExactly("PUT tiny-1/drain", "PUT tiny-1/undrain");
        assertThat(place.uids()).isEqualTo(uids);

        place.kubectl("set", "image", "sts/tiny", "tiny=tiny:1.0");
        place.await("reverted, it rests", () -> belay.phase().equals("Idle"));
        assertThat(place.uids()).isEqualTo(uids);
      }
    }
  }

  @Test
  void a_deleted_cluster_takes_it_back_before_it_goes(Arena arena) {
    try (Place place = arena.place("drain-deleted")) {
      BelayView belay = TinySet.of(2).in(place);
      try (var pages = new Pages(place)) {
        drainedAndNotYetGone(place, belay, pages);
        var uids = place.uids();

        place.kubectl("delete", "stc", "tiny", "--timeout=60s");

        assertThat(drains(pages)).containsExactly("PUT tiny-1/drain", "PUT tiny-1/undrain");
        assertThat(place.uids()).isEqualTo(uids);
      }
    }
  }

  /**
   * The first member is drained, that it is to be taken back is on record, and what comes next is
   * refused: it is asked again only after a minute, so that nothing else happens meanwhile.
   */
  private static void drainedAndNotYetGone(Place place, BelayView belay, Pages pages) {
    pages.script((_, _, path) -> path.equals("/leave") ? Pages.DOWN : Pages.OK);
    actions(
        place,
        """
        {"http": {"method": "PUT", "path": "/drain", "port": %1$d}, "timeout": "2s",
         "undo": {"method": "PUT", "path": "/undrain"}},
        {"http": {"method": "PUT", "path": "/leave", "port": %1$d}, "interval": "1m"}
        """
            .formatted(pages.port()));
    place.kubectl("set", "image", "sts/tiny", "tiny=tiny:2.0");
    place.await("the next one is refused", () -> pages.log().contains("PUT tiny-1/leave"));
    place.await(
        "the undo is due",
        () ->
            belay.status().orElseThrow().obligations().stream()
                .anyMatch(o ->
                    "tiny-1".equals(o.object())
                        && "Done".equals(o.progress())
                        && o.undo() != null
                        && o.undo().contains("/undrain")));
  }

  private static List<String> drains(Pages pages) {
    return pages.log().stream().filter(line -> line.endsWith("drain")).toList();
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
