package dev.belay.operator;

import dev.belay.api.v1alpha1.DriverSpec;
import dev.belay.api.v1alpha1.Durations;
import dev.belay.drivers.DriverConfig.PlacementDriver;
import java.net.URI;
import java.util.Optional;
import java.util.regex.Pattern;

/** From driver.tikv of the resource to where its driver asks. */
final class PlacementDrivers {

  private static final int PORT = 2379;
  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|\\[.*]");

  private PlacementDrivers() {}

  /**
   * @param field where all this is written
   * @throws IllegalArgumentException when it cannot be, naming the field, the value and the cure
   */
  static PlacementDriver of(DriverSpec.Tikv tikv, String namespace, boolean tls, String field) {
    return new PlacementDriver(
        tikv.pd().stream().map(entry -> address(entry, namespace, tls, field + ".pd")).toList(),
        Optional.ofNullable(tikv.evictLeaderTimeout())
            .map(text -> Durations.parse(field + ".evictLeaderTimeout", text)));
  }

  private static URI address(String entry, String namespace, boolean tls, String field) {
    int colon = entry.endsWith("]") ? -1 : entry.lastIndexOf(':');
    String host = colon < 0 ? entry : entry.substring(0, colon);
    String port = colon < 0 ? Integer.toString(PORT) : entry.substring(colon + 1);
    long dots = host.chars().filter(c -> c == '.').count();
    String whole =
        ADDRESS.matcher(host).matches() || dots > 1 ? host : host + "." + namespace + ".svc";
    var uri = URI.create((tls ? "https" : "http") + "://" + whole + ":" + port);
    // Names that Java takes for none, and ports beyond the last, are let through by the schema.
    if (uri.getHost() == null || uri.getPort() < 1 || uri.getPort() > 65_535) {
      throw new IllegalArgumentException(
          field + ": \"" + entry + "\" is no host and port; write it like pd-0.pd:2379");
    }
    return uri;
  }
}
