package dev.belay.api.v1alpha1;

import static dev.belay.api.v1alpha1.Mapping.word;
import static dev.belay.api.v1alpha1.StatusMapping.text;

import dev.belay.core.model.Ledger;
import dev.belay.core.model.Version;
import dev.belay.core.state.Memory.Observed;
import dev.belay.core.state.Memory.Pause;
import dev.belay.core.state.Memory.Ran;
import dev.belay.core.state.Note;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What was observed of a component once, and the notes of its driver, both ways. */
final class Observations {

  static ComponentStatus.@Nullable Observed written(Observed observed) {
    return observed.equals(Observed.NOTHING)
        ? null
        : new ComponentStatus.Observed(
            observed
                .ran()
                .map(r -> new ComponentStatus.Ran(r.version().text(), text(r.doubted())))
                .orElse(null),
            observed
                .closed()
                .map(c -> new ComponentStatus.Closed(text(c.version()), text(c.title())))
                .orElse(null),
            observed.pause().map(Observations::pause).orElse(null),
            observed.unmoved().stream().sorted().toList());
  }

  static Observed read(String field, ComponentStatus.@Nullable Observed observed) {
    return observed == null
        ? Observed.NOTHING
        : new Observed(
            Optional.ofNullable(observed.ran()).map(r -> ran(field + ".ran", r)),
            Optional.ofNullable(observed.closed())
                .map(c -> new Ledger.Closed(word(c.version()), word(c.title()))),
            Optional.ofNullable(observed.pause()).map(Observations::pause),
            Set.copyOf(observed.unmoved()));
  }

  private static Ran ran(String field, ComponentStatus.Ran ran) {
    Version version =
        Version.parse(word(ran.version()))
            .orElseThrow(() ->
                UnreadableStatus.edited(
                    field + ".version", word(ran.version()), "is not a version"));
    return new Ran(version, word(ran.doubted()));
  }

  private static ComponentStatus.Pause pause(Pause pause) {
    return switch (pause) {
      case Pause.Free free ->
          new ComponentStatus.Pause(null, text(free.revision()), free.generation());
      case Pause.ByPerson person -> new ComponentStatus.Pause(true, null, person.generation());
    };
  }

  private static Pause pause(ComponentStatus.Pause pause) {
    long generation = Optional.ofNullable(pause.generation()).orElse(0L);
    return Boolean.TRUE.equals(pause.byPerson())
        ? new Pause.ByPerson(generation)
        : new Pause.Free(word(pause.revision()), generation);
  }

  static ComponentStatus.Note written(Note note) {
    return new ComponentStatus.Note(text(note.kind()), text(note.about()), note.values());
  }

  static Note read(ComponentStatus.Note note) {
    return new Note(word(note.kind()), word(note.about()), note.values());
  }

  private Observations() {}
}
