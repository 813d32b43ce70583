package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A StatefulSet of members that do nothing but live: for what has to do with pods alone. */
record TinySet(String name, int replicas, int firstOrdinal, String order) {

  static TinySet of(int replicas) {
    return new TinySet("tiny", replicas, 0, "Parallel");
  }

  /** What does not start. */
  static final String CRASHES = "2.1-crashes";

  /** What starts and is never ready. */
  static final String HANGS = "2.2-hangs";

  /** What is ready for a moment between two crashes. */
  static final String FLICKERS = "2.3-flickers";

  /** What is ready until a file called down appears next to it. */
  static final String FAILS_LATER = "1.5-fails-later";

  /** What starts, and is ready only once a file called up appears next to it. */
  static final String LATE = "2.4-late";

  /** What is ready until a file called down- and the name of the pod appears next to it. */
  static final String ONE_FAILS_LATER = "1.6-one-fails-later";

  /** What works on every member but the one with the ordinal 1. */
  static final String SECOND_FAILS = "2.5-second-fails";

  /** What starts, and is ready only once a file called up- and the name of the pod appears. */
  static final String EACH_LATE = "2.0-each-late";

  /** Image folders: a program that waits, one that says it is ready, and those that do neither. */
  static void images(Path images) throws IOException {
    for (String tag :
        new String[] {"1.0", "2.0", "3.0", "2.1", "1.0-store", "2.0-store", "3.0-store"}) {
      image(images, tag, "exec sleep 1000000", "exit 0");
    }
    image(images, FAILS_LATER, "exec sleep 1000000", "[ ! -e /image/down ]");
    image(images, CRASHES, "exit 1", "exit 1");
    image(images, "2.1-store", "exit 1", "exit 1");
    image(images, HANGS, "exec sleep 1000000", "exit 1");
    image(images, ONE_FAILS_LATER, "exec sleep 1000000", "[ ! -e /image/down-$HOSTNAME ]");
    image(images, LATE, "exec sleep 1000000", "[ -e /image/up ]");
    image(images, EACH_LATE, "exec sleep 1000000", "[ -e /image/up-$HOSTNAME ]");
    image(
        images,
        SECOND_FAILS,
        "case $HOSTNAME in *-1) exit 1 ;; esac; exec sleep 1000000",
        "exit 0");
    image(images, FLICKERS, "sleep 2; exit 1", "exit 0");
  }

  private static void image(Path images, String tag, String program, String ready)
      throws IOException {
    Path folder = Files.createDirectories(images.resolve("tiny").resolve(tag));
    script(folder.resolve("entrypoint"), program);
    script(folder.resolve("ready"), ready);
  }

  private static void script(Path file, String text) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  String statefulSet() {
    return """
    apiVersion: apps/v1
    kind: StatefulSet
    metadata: {name: %1$s}
    spec:
      serviceName: %1$s
      replicas: %2$d
      podManagementPolicy: %4$s
      ordinals: {start: %3$d}
      selector: {matchLabels: {app: %1$s}}
      template:
        metadata: {labels: {app: %1$s}}
        spec:
          terminationGracePeriodSeconds: 1
          containers:
          - name: tiny
            image: tiny:1.0
            readinessProbe:
              exec: {command: [/image/ready]}
              periodSeconds: 1
    """
        .formatted(name, replicas, firstOrdinal, order);
  }

  /** Applied, ready, and adopted with these lines of spec besides. */
  BelayView in(Place place, String... spec) {
    assertThat(place.apply(statefulSet()).ok()).isTrue();
    place.await("all members", () -> place.ready() == replicas);
    var applied = place.apply(statefulCluster() + String.join("\n", spec).indent(2));
    assertThat(applied.ok()).as(applied.output()).isTrue();
    return place.adopted(name);
  }

  String statefulCluster() {
    return """
    apiVersion: belay.dev/v1alpha1
    kind: StatefulCluster
    metadata: {name: %1$s}
    spec:
      components:
      - name: %1$s
        workload: {name: %1$s}
        driver: {type: none}
    """
        .formatted(name);
  }
}
