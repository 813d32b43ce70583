package dev.belay.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A StatefulSet of members that do nothing but live: for what has to do with pods alone. */
record TinySet(String name, int replicas, int firstOrdinal, String order) {

  static TinySet of(int replicas) {
    return new TinySet("tiny", replicas, 0, "Parallel");
  }

  /** An image folder: a program that waits, and one that says it is ready. */
  static void image(Path images, String tag) throws IOException {
    Path folder = Files.createDirectories(images.resolve("tiny").resolve(tag));
    script(folder.resolve("entrypoint"), "exec sleep 1000000");
    script(folder.resolve("ready"), "exit 0");
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
