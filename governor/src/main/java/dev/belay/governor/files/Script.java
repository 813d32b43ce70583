package dev.belay.governor.files;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * A text taken apart: its statements and what its {@code -- belay:} comments say.
 *
 * @param header directives before the first statement, in order
 * @param problems what is wrong with it, each with its line
 */
public record Script(List<Directive> header, List<Statement> statements, List<Problem> problems) {

  /** They would end the transaction in which the governor keeps status and operation together. */
  private static final Set<String> TRANSACTION_CONTROL =
      Set.of("BEGIN", "START", "COMMIT", "ROLLBACK", "END", "ABORT", "SAVEPOINT", "RELEASE", "XA");

  /**
   * H2 compiles a forced view as an administrator when it opens the database again: CSVREAD in it
   * shows the first line of a file. EXECUTE IMMEDIATE would hide such a view in a string.
   */
  static final Set<String> FORCED = Set.of("FORCE VIEW", "FORCE MATERIALIZED", "EXECUTE IMMEDIATE");

  public Script {
    header = List.copyOf(header);
    statements = List.copyOf(statements);
    problems = List.copyOf(problems);
  }

  /** A comment of the form {@code -- belay:word value}. */
  public record Directive(String word, String value, int line) {}

  /**
   * One statement.
   *
   * @param line where it begins
   * @param verify the query that says whether it took place, if one stands right above it
   */
  public record Statement(String sql, int line, Optional<String> verify) {

    /** Its first words in capitals, which say what kind of statement it is. */
    public String keyword() {
      int end = 0;
      while (end < sql.length() && Character.isLetter(sql.charAt(end))) {
        end++;
      }
      return sql.substring(0, end).toUpperCase(Locale.ROOT);
    }
  }

  /** Something that is wrong, and where. */
  public record Problem(int line, String what) {
    @Override
    public String toString() {
      return "line " + line + ": " + what;
    }
  }

  public static Script parse(String text, Syntax syntax) {
    return new ScriptReader(Checksum.normal(text), syntax).read();
  }

  /**
   * Why a statement cannot run.
   *
   * @param word its first word, also where it stands in a comment that the database executes
   * @param reach the words by which it may use a file of the governor's machine; or empty
   */
  static Optional<Problem> objection(Statement s, String word, String reach) {
    boolean prepares =
        word.equals("PREPARE")
            && s.sql().toUpperCase(Locale.ROOT).matches("(?s)PREPARE\\s+TRANS.*");
    boolean autocommit =
        word.equals("SET") && s.sql().toUpperCase(Locale.ROOT).matches("(?s)SET\\s.*AUTOCOMMIT.*");
    if (TRANSACTION_CONTROL.contains(word) || prepares || autocommit) {
      return Optional.of(
          new Problem(
              s.line(),
              word
                  + " would end the governor's own transaction; remove it, every operation is one"
                  + " transaction where the database can do that"));
    }
    if (reach.endsWith(" LOCAL")) {
      return Optional.of(
          new Problem(
              s.line(),
              reach
                  + " would read a file of the machine that runs the governor; fix: write the rows as"
                  + " INSERT, or put the file on the database server and leave LOCAL out"));
    }
    if (FORCED.contains(reach)) {
      return Optional.of(
          new Problem(
              s.line(),
              reach
                  + " could read a file of the machine that runs the governor; fix: write the"
                  + " statement itself, a view without FORCE"));
    }
    return s.sql().startsWith("\\")
        ? Optional.of(
            new Problem(
                s.line(), "a psql command is not SQL; fix: write the statement it stands for"))
        : Optional.empty();
  }
}
