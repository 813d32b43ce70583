package dev.belay.drivers.tikv;

import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member.Health;
import dev.belay.drivers.tikv.Answers.Store;
import dev.belay.drivers.wire.Hosts;
import java.util.List;
import java.util.stream.Collectors;

/** Whether one store serves, by what PD heard of it. */
final class MemberHealth {

  private MemberHealth() {}

  /** PD calls a store Disconnected after 20 s of silence, which is no proof of anything. */
  static Fact<Health> of(Seat seat, List<Store> found) {
    if (found.isEmpty()) {
      return Fact.unknown("PD knows no store at " + Hosts.of(seat));
    }
    if (found.size() > 1) {
      return Fact.unknown(
          "PD knows several stores at %s: %s"
              .formatted(
                  Hosts.of(seat),
                  found.stream().map(Store::id).sorted().collect(Collectors.joining(", "))));
    }
    Store store = found.getFirst();
    return switch (store.state()) {
      case "Up" -> Fact.known(new Health(true, "is up as store " + store.id()));
      case "Down" -> Fact.known(Health.down(said(store)));
      case "Offline" ->
          Fact.known(new Health(false, said(store) + ": its regions are being moved away"));
      case "Disconnected" -> Fact.unknown(said(store) + ": PD has not heard of it lately");
      case "" -> Fact.unknown("PD tells no state of store " + store.id());
      default -> Fact.unknown(said(store));
    };
  }

  static String said(Store store) {
    return "PD says that store " + store.id() + " is " + store.state();
  }
}
