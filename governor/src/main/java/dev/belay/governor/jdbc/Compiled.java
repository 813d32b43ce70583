package dev.belay.governor.jdbc;

import dev.belay.governor.files.Checksum;
import dev.belay.governor.files.Script;
import dev.belay.governor.files.Script.Statement;
import dev.belay.governor.queue.Operation;
import dev.belay.governor.queue.Operation.Way;
import java.util.List;
import java.util.Optional;

/** A row with its text taken apart, or with the reason why it can never run as it is. */
record Compiled(Row row, Operation operation, List<Statement> statements, Optional<String> flaw) {

  static Compiled of(Row row, Dialect dialect) {
    Script script = Script.parse(row.op(), dialect.syntax());
    Way way = row.transactional() ? dialect.way() : Way.STEPS;
    Operation op =
        new Operation(
            row.id(),
            row.attempt(),
            way,
            script.statements().size(),
            row.tries(),
            row.started().isPresent());
    return new Compiled(row, op, script.statements(), flaw(row, script));
  }

  private static Optional<String> flaw(Row row, Script script) {
    if (row.checksum().isPresent() && !row.checksum().get().equals(Checksum.of(row.op()))) {
      return Optional.of(
          "its text is not the one that was queued: op does not match checksum; put the text back,"
              + " or set checksum to NULL and retry if the change is meant");
    }
    if (!row.format().equals(Row.SQL) && !row.format().equals(Row.SQL_SCRIPT)) {
      return Optional.of("op_format \"" + row.format() + "\" is not known; use sql or sql_script");
    }
    if (!script.problems().isEmpty()) {
      return Optional.of(script.problems().getFirst().toString());
    }
    int n = script.statements().size();
    if (n == 0) {
      return Optional.of("there is no statement in op");
    }
    return row.format().equals(Row.SQL) && n > 1
        ? Optional.of("op_format sql takes one statement and op has " + n + "; use sql_script")
        : Optional.empty();
  }

  /** The query that says whether a statement took place. */
  Optional<String> verify(int statement) {
    Optional<String> own = statements.get(statement).verify();
    boolean last = statement == statements.size() - 1;
    return own.isPresent() || !last ? own : row.verify();
  }

  /** A statement by number and line, for messages. */
  String where(int statement) {
    return statements.size() == 1
        ? ""
        : "statement "
            + (statement + 1)
            + " of "
            + statements.size()
            + " (line "
            + statements.get(statement).line()
            + "): ";
  }
}
