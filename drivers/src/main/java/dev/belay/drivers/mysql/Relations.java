package dev.belay.drivers.mysql;

import dev.belay.core.model.Fact;
import dev.belay.drivers.mysql.Server.Channel;
import dev.belay.drivers.wire.Hosts;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Who replicates from whom, among the servers that were asked. */
record Relations(List<SeatReport> reports) {

  /** The seats whose servers answer. */
  List<SeatReport> heard() {
    return reports.stream().filter(r -> r.server() instanceof Fact.Known<Server>).toList();
  }

  Server server(SeatReport report) {
    return report.server().asOptional().orElseThrow();
  }

  /** The seat a server replicates from: by the id of the server behind it, else by its host. */
  Optional<SeatReport> source(SeatReport of) {
    return of.server().asOptional().flatMap(Server::channel).flatMap(this::source);
  }

  private Optional<SeatReport> source(Channel channel) {
    return reports.stream()
        .filter(r -> sameHost(channel.host(), Hosts.of(r.seat())))
        .findFirst()
        .or(() ->
            heard().stream().filter(r -> server(r).id().equals(channel.sourceId())).findFirst());
  }

  /** One may be written shorter than the other: mysql-0.mysql is mysql-0.mysql.default.svc. */
  static boolean sameHost(String a, String b) {
    String one = a.toLowerCase(Locale.ROOT);
    String two = b.toLowerCase(Locale.ROOT);
    boolean address = (one + two).matches("[0-9.:\\[\\]]*");
    return !one.isEmpty()
        && (one.equals(two)
            || (!address && (one.startsWith(two + ".") || two.startsWith(one + "."))));
  }

  /** Where replication ends that begins here: at a server that replicates from no seat. */
  Optional<SeatReport> root(SeatReport from) {
    var passed = new HashSet<String>();
    SeatReport at = from;
    while (passed.add(at.name())) {
      Optional<SeatReport> next =
          at.server().asOptional().filter(Server::open).isPresent() ? Optional.empty() : source(at);
      if (next.isEmpty()) {
        return Optional.of(at);
      }
      at = next.get();
    }
    return Optional.empty();
  }

  /** Who is what, as text: two looks at the same roles give the same. */
  String roles() {
    return reports.stream()
        .sorted(Comparator.comparing(SeatReport::name))
        .map(this::role)
        .collect(Collectors.joining(" "));
  }

  private String role(SeatReport report) {
    return switch (report.server()) {
      case Fact.Unknown<Server> silent -> report.name() + "=?";
      case Fact.Known<Server>(Server s) ->
          "%s=%s%s%s"
              .formatted(
                  report.name(),
                  s.id(),
                  s.readOnly() ? ":r" : ":w",
                  s.channels().stream()
                      .map(c -> "<" + source(c).map(SeatReport::name).orElse(c.host()))
                      .collect(Collectors.joining()));
    };
  }
}
