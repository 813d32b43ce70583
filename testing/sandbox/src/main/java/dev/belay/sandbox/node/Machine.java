package dev.belay.sandbox.node;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;

/** What all pods of a sandbox share. */
record Machine(
    KubernetesClient client,
    Images images,
    Launcher launcher,
    Addresses addresses,
    HostsFiles hosts,
    Events events,
    Path dir,
    Duration backoff) {

  Path podFolder(String uid) {
    return dir.resolve("pods").resolve(uid);
  }

  /** The only place that persistent volumes are mounted from. */
  Path claims() {
    return dir.resolve("volumes");
  }

  URI apiServer() {
    return URI.create(client.getConfiguration().getMasterUrl());
  }
}
