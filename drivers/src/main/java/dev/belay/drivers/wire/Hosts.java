package dev.belay.drivers.wire;

import dev.belay.core.driver.Driver.Seat;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
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

  /** The host in host:port, in lower case; an address of IPv6 is in brackets there. */
  public static String ofAddress(String address) {
    int colon = address.lastIndexOf(':');
    return (colon < 0 || address.endsWith("]") ? address : address.substring(0, colon))
        .toLowerCase(Locale.ROOT);
  }

  /** Whether two names are one, of which one may be longer by whole labels: a, a.b and a.b.svc. */
  public static boolean same(String one, String other) {
    String a = one.toLowerCase(Locale.ROOT);
    String b = other.toLowerCase(Locale.ROOT);
    return !a.isEmpty()
        && !b.isEmpty()
        && (a.equals(b) || a.startsWith(b + ".") || b.startsWith(a + "."));
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
