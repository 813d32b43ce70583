package dev.belay.drivers.wire;

import dev.belay.core.driver.Driver.Seat;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The hosts in addresses that members announce. */
public final class Hosts {

  private Hosts() {}

  public static String of(Seat seat) {
    return Objects.requireNonNullElse(seat.address().getHost(), "");
  }

  public static List<String> of(List<String> urls) {
    return urls.stream().flatMap(url -> host(url).stream()).distinct().toList();
  }

  /** A URL that is none names no host; the member is then found by its name or not at all. */
  private static Optional<String> host(String url) {
    try {
      return Optional.ofNullable(new URI(url).getHost());
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }
}
