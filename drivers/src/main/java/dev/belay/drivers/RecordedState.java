package dev.belay.drivers;

import dev.belay.core.model.Component;
import dev.belay.core.state.Note;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.Snapshot;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The notes and the step that the status holds of one component, as drivers read them. */
public final class RecordedState {

  private static final Comparator<Note> ORDER =
      Comparator.comparing(Note::kind).thenComparing(Note::about);

  private RecordedState() {}

  /** The recorded step, if it belongs to this component. */
  public static Optional<RecordedStep> step(Snapshot snapshot, Component component) {
    return snapshot.memory().step().filter(s -> s.step().component().equals(component.name()));
  }

  public static List<Note> notes(Snapshot snapshot, Component component) {
    return snapshot.memory().component(component.name()).notes();
  }

  public static Stream<Note> notes(List<Note> notes, String kind) {
    return notes.stream().filter(n -> n.kind().equals(kind));
  }

  public static Optional<Note> note(List<Note> notes, String kind, String about) {
    return notes(notes, kind).filter(n -> n.about().equals(about)).findFirst();
  }

  /** A time in a note; empty when it is not a time. */
  public static Optional<Instant> time(Note note, String value) {
    try {
      return Optional.of(Instant.parse(note.value(value)));
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }

  /** Equal notes in an equal list: the status is written when the list changes. */
  public static List<Note> sorted(Collection<Note> notes) {
    return notes.stream().sorted(ORDER).toList();
  }
}
