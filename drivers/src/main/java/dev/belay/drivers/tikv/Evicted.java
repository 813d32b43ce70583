package dev.belay.drivers.tikv;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import java.util.List;

/** Whether PD moves leaders off a store, also off one that is in no pod of the component. */
final class Evicted {

  private Evicted() {}

  static Fact<String> of(Component component, String store) {
    return component
        .topology()
        .flatMap(t ->
            t.member(store)
                .map(m -> m.reading(Readings.EVICTION))
                .orElseGet(() ->
                    t.members().stream()
                        .map(m -> m.reading(Readings.ALL_EVICTED))
                        .filter(Fact.Known.class::isInstance)
                        .findFirst()
                        .map(all -> all.map(ids -> named(ids, store)))
                        .orElseGet(() -> Fact.unknown("nobody tells of store " + store))));
  }

  private static String named(String ids, String store) {
    return List.of(ids.split(",", -1)).contains(store) ? Readings.ON : Readings.OFF;
  }
}
