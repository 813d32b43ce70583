package dev.belay.operator.observe;

import dev.belay.api.v1alpha1.DriverSpec;
import dev.belay.core.driver.Driver.Seat;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/** Where each member should answer. */
final class Seats {

  private Seats() {}

  static List<Seat> of(DriverSpec driver, StatefulSet set, List<Pod> pods) {
    return pods.stream().flatMap(p -> seat(driver, set, p).stream()).toList();
  }

  private static Optional<Seat> seat(DriverSpec driver, StatefulSet set, Pod pod) {
    String name = pod.getMetadata().getName();
    return host(driver, set, pod)
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
  private static Optional<String> host(DriverSpec driver, StatefulSet set, Pod pod) {
    if (driver.addressOrDefault() == DriverSpec.Address.POD_IP) {
      return Optional.ofNullable(pod.getStatus())
          .map(s -> s.getPodIP())
          .map(ip -> ip.contains(":") ? "[" + ip + "]" : ip);
    }
    return Optional.of(
        "%s.%s.%s.svc"
            .formatted(
                pod.getMetadata().getName(),
                set.getSpec().getServiceName(),
                pod.getMetadata().getNamespace()));
  }
}
