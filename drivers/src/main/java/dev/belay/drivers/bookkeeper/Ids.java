package dev.belay.drivers.bookkeeper;

import dev.belay.core.driver.Driver.Seat;
import dev.belay.drivers.wire.Hosts;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Which of the registered bookies lives at a seat: an id is host:port, or a name of its own. */
final class Ids {

  private Ids() {}

  /**
   * The best kind of match counts: the member's name, the seat's very host, a host that is longer
   * or shorter by whole labels, a host that begins with the member's name.
   */
  static List<String> of(Seat seat, List<String> registered) {
    String host = Hosts.of(seat).toLowerCase(Locale.ROOT);
    String name = seat.memberName();
    return Stream.<Predicate<String>>of(
            id -> id.equals(name),
            id -> host(id).equals(host),
            id -> longer(host(id), host) || longer(host, host(id)),
            id -> longer(host(id), name.toLowerCase(Locale.ROOT)))
        .map(kind -> registered.stream().filter(kind).toList())
        .filter(found -> !found.isEmpty())
        .findFirst()
        .orElse(List.of());
  }

  private static boolean longer(String name, String prefix) {
    return !prefix.isEmpty() && name.startsWith(prefix + ".");
  }

  /** An address of IPv6 is in brackets where it is written with a port. */
  private static String host(String id) {
    int colon = id.lastIndexOf(':');
    return (colon < 0 ? id : id.substring(0, colon)).toLowerCase(Locale.ROOT);
  }
}
