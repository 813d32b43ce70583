package dev.belay.governor.files;

import dev.belay.governor.files.Script.Directive;
import dev.belay.governor.files.Script.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One file of a folder of migrations.
 *
 * @param reversible whether the version before it can still run on what it leaves
 * @param verify the query that says whether its only, or its last, statement took place
 */
public record Migration(
    Version version,
    String description,
    String file,
    String text,
    Phase phase,
    boolean reversible,
    boolean transactional,
    Optional<String> verify,
    Optional<String> undo,
    int statements) {

  /** When, in a roll-out, it may run. */
  public enum Phase {
    /** Before the first member is upgraded. */
    EXPAND,
    /** When every member runs the new version. */
    FINALIZE,
    /** After the soak. */
    CONTRACT;

    public static Optional<Phase> parse(String text) {
      for (Phase p : values()) {
        if (p.text().equals(text.toLowerCase(Locale.ROOT))) {
          return Optional.of(p);
        }
      }
      return Optional.empty();
    }

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public String checksum() {
    return Checksum.of(text);
  }

  /** Reads the header; whatever is wrong goes to {@code problems}. */
  static Migration of(
      Version version,
      String description,
      String file,
      String raw,
      Syntax syntax,
      List<Problem> problems) {
    String text = Checksum.normal(raw);
    Script script = Script.parse(text, syntax);
    problems.addAll(script.problems());
    if (script.statements().isEmpty()) {
      problems.add(new Problem(1, "no statement in it; write one, or remove the file"));
    }
    Phase phase = Phase.EXPAND;
    Optional<Boolean> reversible = Optional.empty();
    Optional<String> undo = Optional.empty();
    boolean transactional = true;
    List<String> seen = new ArrayList<>();
    for (Directive d : script.header()) {
      if (seen.contains(d.word())) {
        problems.add(new Problem(d.line(), "belay:" + d.word() + " is said twice"));
      }
      seen.add(d.word());
      switch (d.word()) {
        case "phase" ->
            phase =
                Phase.parse(d.value())
                    .orElseGet(
                        () -> bad(d, "expand, finalize or contract", problems, Phase.EXPAND));
        case "reversible" ->
            reversible = yesNo(d).or(() -> Optional.of(bad(d, "yes or no", problems, false)));
        case "undo" ->
            undo =
                d.value().isEmpty()
                    ? bad(d, "the statement that takes it back", problems, undo)
                    : Optional.of(d.value());
        case "no-transaction" ->
            transactional = !d.value().isEmpty() && bad(d, "nothing after it", problems, true);
        default ->
            problems.add(
                new Problem(
                    d.line(),
                    "belay:"
                        + d.word()
                        + " is not known; there are phase, reversible, verify, undo, no-transaction"));
      }
    }
    Optional<String> verify =
        script.statements().isEmpty() ? Optional.empty() : script.statements().getLast().verify();
    return new Migration(
        version,
        description,
        file,
        text,
        phase,
        reversible.orElse(undo.isPresent()),
        transactional,
        verify,
        undo,
        script.statements().size());
  }

  private static Optional<Boolean> yesNo(Directive d) {
    return switch (d.value()) {
      case "yes", "true" -> Optional.of(true);
      case "no", "false" -> Optional.of(false);
      default -> Optional.empty();
    };
  }

  private static <T> T bad(Directive d, String wanted, List<Problem> problems, T instead) {
    problems.add(
        new Problem(d.line(), "belay:" + d.word() + " \"" + d.value() + "\"; write " + wanted));
    return instead;
  }
}
