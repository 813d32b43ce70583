package dev.belay.operator.observe;

import dev.belay.api.v1alpha1.DriverSpec;
import dev.belay.core.driver.Driver.Seat;
import io.fabric8.kubernetes.api.model.Pod;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/** Where each member should answer. */
final class Seats {

  private Seats() {}

  static List<Seat> of(DriverSpec driver, Live workload, List<Pod> pods) {
    return pods.stream().flatMap(p -> seat(driver, workload, p).stream()).toList();
  }

  private static Optional<Seat> seat(DriverSpec driver, Live workload, Pod pod) {
    String name = pod.getMetadata().getName();
    return host(driver, workload, pod)
        .map(host ->
            new Seat(
                name,
                driver.memberNameOrDefault().replace("{pod}", name),
                URI.create(
                    (driver.tls() == null ? "http" : "https")
                        + "://"
                        + host
                        + ":"
                        + driver.portOrDefault())));
  }

  /** A pod without an address yet has no seat: its member, if there is one, does not answer. */
  private static Optional<String> host(DriverSpec driver, Live workload, Pod pod) {
    Optional<String> byName =
        driver.addressOrDefault() == DriverSpec.Address.POD_IP
            ? Optional.empty()
            : name(workload, pod)
                .map(name -> name + "." + pod.getMetadata().getNamespace() + ".svc");
    return byName.or(() ->
        Optional.ofNullable(pod.getStatus())
            .map(s -> s.getPodIP())
            .map(ip -> ip.contains(":") ? "[" + ip + "]" : ip));
  }

  /**
   * The name under which a pod is known within its namespace. A set gives each pod one; a pod of a
   * Deployment has one only if its template says so.
   */
  static Optional<String> name(Live workload, Pod pod) {
    return switch (workload) {
      case Live.Set set -> Optional.of(pod.getMetadata().getName() + "." + set.service());
      case Live.Deployed _ ->
          Optional.ofNullable(pod.getSpec().getHostname())
              .flatMap(host ->
                  Optional.ofNullable(pod.getSpec().getSubdomain())
                      .map(subdomain -> host + "." + subdomain));
    };
  }
}
