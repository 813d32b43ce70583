package dev.belay.api.v1alpha1;

import static dev.belay.api.v1alpha1.Mapping.time;
import static dev.belay.api.v1alpha1.Mapping.word;
import static dev.belay.api.v1alpha1.StatusMapping.text;

import dev.belay.core.model.Action;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.Obligation.Progress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What was done around an upgrade and is to be taken back, both ways: one list for all. */
final class Obligations {

  static List<StatefulClusterStatus.Obligation> of(Memory memory) {
    return new TreeMap<>(memory.components())
        .entrySet().stream()
            .flatMap(e -> e.getValue().obligations().stream().map(o -> written(e.getKey(), o)))
            .toList();
  }

  static Map<String, List<Memory.Obligation>> byComponent(
      List<StatefulClusterStatus.Obligation> obligations) {
    return obligations.stream()
        .collect(
            Collectors.groupingBy(
                StatefulClusterStatus.Obligation::component,
                Collectors.mapping(Obligations::remembered, Collectors.toList())));
  }

  private static StatefulClusterStatus.Obligation written(
      String component, Memory.Obligation obligation) {
    return new StatefulClusterStatus.Obligation(
        component,
        text(obligation.id()),
        Chronicles.spell(obligation.moment()),
        text(obligation.object()),
        text(obligation.uid()),
        text(obligation.what()),
        text(obligation.undo()),
        Chronicles.spell(obligation.progress()),
        obligation.since().toString());
  }

  private static Memory.Obligation remembered(StatefulClusterStatus.Obligation obligation) {
    String field = "obligations[" + word(obligation.id()) + "]";
    return new Memory.Obligation(
        word(obligation.id()),
        Chronicles.read(field + ".moment", obligation.moment(), Action.Moment.values()),
        word(obligation.object()),
        word(obligation.uid()),
        word(obligation.what()),
        word(obligation.undo()),
        Chronicles.read(field + ".progress", obligation.progress(), Progress.values()),
        time(field + ".since", obligation.since()));
  }

  private Obligations() {}
}
