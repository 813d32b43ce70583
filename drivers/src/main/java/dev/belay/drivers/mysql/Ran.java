package dev.belay.drivers.mysql;

import dev.belay.core.model.Component;
import dev.belay.core.model.Sorted;
import dev.belay.core.model.Version;
import dev.belay.core.state.Note;
import dev.belay.drivers.RecordedState;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The series that each server was last seen to run, by member. One that is down tells nothing, and
 * what it has run on its data is there all the same.
 */
record Ran(Map<String, Series> series) {

  private static final String RAN = "ran";
  private static final String SERIES = "series";

  Ran {
    series = Sorted.copyOf(series);
  }

  /** By what is noted, and by what those say that answer now. */
  static Ran of(Component component, List<Note> notes) {
    var series = new TreeMap<String, Series>();
    RecordedState.notes(notes, RAN)
        .forEach(n ->
            Version.parse(n.value(SERIES)).ifPresent(v -> series.put(n.about(), Series.of(v))));
    component.topology().asOptional().stream()
        .flatMap(t -> t.members().stream())
        .forEach(m -> Series.of(m).asOptional().ifPresent(s -> series.put(m.name(), s)));
    return new Ran(series);
  }

  List<Note> notes() {
    return series.entrySet().stream()
        .map(e -> new Note(RAN, e.getKey(), Map.of(SERIES, e.getValue().toString())))
        .toList();
  }

  Optional<Series> on(Component component, String pod) {
    return Optional.ofNullable(series.get(component.spec().memberName().replace("{pod}", pod)));
  }

  /** Of those that belong to the set, whether their pods are there at the moment or not. */
  Optional<Series> highest(Component component) {
    return component.workload().asOptional().stream()
        .flatMap(w ->
            IntStream.range(0, w.replicas()).mapToObj(i -> w.name() + "-" + (w.firstOrdinal() + i)))
        .flatMap(pod -> on(component, pod).stream())
        .max(Comparator.naturalOrder());
  }
}
