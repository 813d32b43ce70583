package dev.belay.drivers.http;

import dev.belay.core.driver.Driver.Seat;
import dev.belay.drivers.wire.Hosts;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** Which seat is meant by a name or an address that a member gives. */
final class Names {

  private Names() {}

  /** The seats that are meant: by the name the member should have, else by its host. */
  static <T> List<T> meant(String text, List<T> among, Function<T, Seat> seat) {
    List<T> byName = among.stream().filter(t -> seat.apply(t).memberName().equals(text)).toList();
    return byName.isEmpty()
        ? among.stream().filter(t -> sameHost(text, Hosts.of(seat.apply(t)))).toList()
        : byName;
  }

  /** A name may be shorter or longer by whole labels: db-0.db and db-0.db.default.svc are one. */
  private static boolean sameHost(String text, String host) {
    String url = text.contains("://") ? text : "//" + text;
    return Hosts.of(List.of(url)).stream()
        .map(h -> h.toLowerCase(Locale.ROOT))
        .anyMatch(h -> h.equals(host) || host.startsWith(h + ".") || h.startsWith(host + "."));
  }
}
