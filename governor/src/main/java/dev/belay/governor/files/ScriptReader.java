package dev.belay.governor.files;

import dev.belay.governor.files.Script.Directive;
import dev.belay.governor.files.Script.Problem;
import dev.belay.governor.files.Script.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Walks once through a text and finds where statements end. */
final class ScriptReader {

  private static final String MARK = "belay:";

  private final String text;
  private final Syntax syntax;
  private final List<Directive> header = new ArrayList<>();
  private final List<Statement> statements = new ArrayList<>();
  private final List<Problem> problems = new ArrayList<>();

  private int at;
  private int line = 1;
  private int start = -1;
  private int startLine;
  private int body;
  private String lastWord = "";
  private String firstWord = "";
  private String reach = "";
  private String delimiter = ";";
  private @Nullable String verify;

  ScriptReader(String text, Syntax syntax) {
    this.text = text;
    this.syntax = syntax;
  }

  Script read() {
    while (at < text.length()) {
      step();
    }
    endStatement(text.length());
    return new Script(header, statements, problems);
  }

  private void step() {
    char c = text.charAt(at);
    if (c == '\0') {
      problems.add(new Problem(line, "a NUL character; remove it"));
      move(1);
    } else if (Character.isWhitespace(c)) {
      move(1);
    } else if (lineComment(c)) {
      comment();
    } else if (executed() > 0) {
      begin();
      move(executed());
    } else if (text.startsWith("/*", at)) {
      blockComment();
    } else if (start < 0 && syntax.backticks() && word().equalsIgnoreCase("DELIMITER")) {
      changeDelimiter();
    } else if (text.startsWith(delimiter, at) && body == 0) {
      endStatement(at);
      move(delimiter.length());
    } else {
      begin();
      code(c);
    }
  }

  private void code(char c) {
    if (c == '\'') {
      boolean escapes = syntax.backslash() || (syntax.dollars() && lastWord.equals("E"));
      quoted(c, escapes);
    } else if (c == '"') {
      quoted(c, syntax.backslash());
    } else if (c == '`' && syntax.backticks()) {
      quoted(c, false);
    } else if (c == '$' && syntax.dollars() && dollarTag() != null) {
      dollarQuoted();
    } else if (Character.isLetter(c) || c == '_') {
      wordOfCode();
      return;
    } else {
      move(1);
    }
    lastWord = "";
  }

  /** BEGIN ATOMIC … END is the one body of PostgreSQL that stands outside of quotes. */
  private void wordOfCode() {
    String word = word().toUpperCase(Locale.ROOT);
    if (syntax.dollars()) {
      if (word.equals("ATOMIC") && lastWord.equals("BEGIN")) {
        body = 1;
      } else if (body > 0 && word.equals("CASE")) {
        body++;
      } else if (body > 0 && word.equals("END")) {
        body--;
      }
    }
    firstWord = firstWord.isEmpty() ? word : firstWord;
    reach = syntax.backticks() ? load(word) : forced(word);
    move(word.length());
    boolean touchesQuote = at < text.length() && text.charAt(at) == '\'';
    lastWord = word.equals("E") && !touchesQuote ? "" : word;
  }

  /** LOAD DATA LOCAL and LOAD XML LOCAL, as far as they have been read. */
  private String load(String word) {
    boolean priority = word.equals("LOW_PRIORITY") || word.equals("CONCURRENT");
    return switch (reach) {
      case "LOAD DATA LOCAL", "LOAD XML LOCAL" -> reach;
      case "LOAD" -> word.equals("DATA") || word.equals("XML") ? "LOAD " + word : "";
      case "LOAD DATA", "LOAD XML" ->
          word.equals("LOCAL") ? reach + " LOCAL" : priority ? reach : "";
      default -> word.equals("LOAD") ? word : "";
    };
  }

  /** A forced view of H2, or SQL in a string that could hold one; PostgreSQL has neither. */
  private String forced(String word) {
    String pair = lastWord + " " + word;
    return Script.FORCED.contains(pair) ? pair : reach;
  }

  /** How long the opening of a comment is that MariaDB or MySQL executes; 0: there is none. */
  private int executed() {
    return !syntax.backticks()
        ? 0
        : text.startsWith("/*!", at) ? 3 : text.startsWith("/*M!", at) ? 4 : 0;
  }

  private String word() {
    int end = at;
    while (end < text.length()
        && (Character.isLetterOrDigit(text.charAt(end)) || text.charAt(end) == '_')) {
      end++;
    }
    return text.substring(at, end);
  }

  private boolean lineComment(char c) {
    if (c == '#') {
      return syntax.backticks();
    }
    if (!text.startsWith("--", at)) {
      return false;
    }
    // MariaDB and MySQL read 5--1 as 5 - (-1).
    return !syntax.backticks()
        || at + 2 >= text.length()
        || Character.isWhitespace(text.charAt(at + 2));
  }

  private void comment() {
    int end = text.indexOf('\n', at);
    end = end < 0 ? text.length() : end;
    String said = text.substring(at, end).replaceFirst("^(--|#)\\s*", "").strip();
    if (said.startsWith(MARK)) {
      directive(said.substring(MARK.length()).strip());
    }
    move(end - at);
  }

  private void directive(String said) {
    int blank = said.indexOf(' ');
    String word = blank < 0 ? said : said.substring(0, blank);
    String value = blank < 0 ? "" : said.substring(blank + 1).strip();
    if (start >= 0) {
      problems.add(
          new Problem(line, MARK + word + " inside a statement; put it above the statement"));
    } else if (word.equals("verify")) {
      if (value.isEmpty()) {
        problems.add(new Problem(line, MARK + "verify without a query"));
      }
      verify = value;
    } else if (statements.isEmpty()) {
      header.add(new Directive(word, value, line));
    } else {
      problems.add(
          new Problem(line, MARK + word + " after the first statement; put it at the top"));
    }
  }

  private void blockComment() {
    int opened = line;
    int depth = 0;
    do {
      if (text.startsWith("/*", at) && (depth == 0 || syntax.nested())) {
        depth++;
        move(2);
      } else if (text.startsWith("*/", at)) {
        depth--;
        move(2);
      } else {
        move(1);
      }
    } while (depth > 0 && at < text.length());
    if (depth > 0) {
      problems.add(new Problem(opened, "a comment that is never closed; add */"));
    }
  }

  private void quoted(char quote, boolean escapes) {
    int opened = line;
    move(1);
    while (at < text.length() && text.charAt(at) != quote) {
      move(escapes && text.charAt(at) == '\\' ? 2 : 1);
    }
    if (at >= text.length()) {
      problems.add(new Problem(opened, "a " + quote + " that is never closed"));
    }
    // A doubled quote simply opens the next part.
    move(1);
  }

  private @Nullable String dollarTag() {
    int end = text.indexOf('$', at + 1);
    if (end < 0 || (at > 0 && Character.isLetterOrDigit(text.charAt(at - 1)))) {
      return null;
    }
    String tag = text.substring(at, end + 1);
    return tag.matches("\\$([A-Za-z_][A-Za-z_0-9]*)?\\$") ? tag : null;
  }

  private void dollarQuoted() {
    int opened = line;
    String tag = dollarTag();
    if (tag == null) {
      return;
    }
    int end = text.indexOf(tag, at + tag.length());
    if (end < 0) {
      problems.add(new Problem(opened, "a " + tag + " that is never closed"));
      end = text.length();
    }
    move(end + tag.length() - at);
  }

  private void changeDelimiter() {
    int end = text.indexOf('\n', at);
    end = end < 0 ? text.length() : end;
    String wanted = text.substring(at + "DELIMITER".length(), end).strip();
    if (wanted.isEmpty()) {
      problems.add(new Problem(line, "DELIMITER without a delimiter"));
    } else {
      delimiter = wanted;
    }
    move(end - at);
  }

  private void begin() {
    if (start < 0) {
      start = at;
      startLine = line;
    }
  }

  private void endStatement(int end) {
    if (start >= 0) {
      Statement s =
          new Statement(text.substring(start, end).strip(), startLine, Optional.ofNullable(verify));
      Script.objection(s, firstWord, reach).ifPresent(problems::add);
      statements.add(s);
      verify = null;
    }
    start = -1;
    body = 0;
    lastWord = "";
    firstWord = "";
    reach = "";
  }

  private void move(int chars) {
    int end = Math.min(text.length(), at + chars);
    for (; at < end; at++) {
      if (text.charAt(at) == '\n') {
        line++;
      }
    }
  }
}
