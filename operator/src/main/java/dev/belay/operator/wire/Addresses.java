package dev.belay.operator.wire;

import dev.belay.api.v1alpha1.DriverSpec;
import dev.belay.core.model.Pod;
import java.util.Optional;

/**
 * Where the members of a component, and the service in front of them, are asked.
 *
 * @param service the governing service of the set, under which its pods have names; empty when it
 *     has none
 * @param front the service that is asked in place of a member; empty when there is none
 */
public record Addresses(DriverSpec driver, String namespace, String service, String front) {

  /** Empty as long as the pod has no address. */
  public Optional<String> of(Pod pod) {
    String name = pod.name() + "." + service + "." + namespace + ".svc";
    return byName()
        ? Optional.of(name)
        : pod.hosts().stream()
            .filter(h -> !h.equals(pod.name()) && !h.startsWith(pod.name() + "."))
            .findFirst()
            .map(ip -> ip.contains(":") ? "[" + ip + "]" : ip);
  }

  /** Driver none has no address to choose, and no certificate wants a name: it is the pod's IP. */
  private boolean byName() {
    return driver.type() != DriverSpec.Type.NONE
        && driver.addressOrDefault() == DriverSpec.Address.POD_DNS
        && !service.isEmpty();
  }

  public Optional<String> ofService() {
    return front.isEmpty() ? Optional.empty() : Optional.of(front + "." + namespace + ".svc");
  }
}
