package dev.belay.operator.select;

import dev.belay.operator.select.LabelSyntax.Mistake;
import dev.belay.operator.select.Requirement.Operator;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Parses a selector as Kubernetes does, token by token: a selector that the API server refuses is
 * refused here, and no other one.
 */
final class SelectorParser {

  private enum Kind {
    WORD,
    SYMBOL,
    END
  }

  /**
   * @param at the index of the first character
   */
  private record Token(Kind kind, String text, int at) {
    boolean is(String symbol) {
      return kind == Kind.SYMBOL && text.equals(symbol);
    }

    /** The end of one requirement. */
    boolean ends() {
      return kind == Kind.END || is(",");
    }

    @Override
    public String toString() {
      return kind == Kind.END ? "the end" : "'" + text + "'";
    }
  }

  private static final String SYMBOLS = "=!(),<>";
  private static final String SPACES = " \t\r\n";

  private final String text;
  private final List<Token> tokens;
  private int next;

  SelectorParser(String text) {
    this.text = text;
    this.tokens = tokens(text);
  }

  private static List<Token> tokens(String text) {
    var tokens = new ArrayList<Token>();
    int at = 0;
    while (at < text.length()) {
      if (SPACES.indexOf(text.charAt(at)) >= 0) {
        at++;
      } else if (SYMBOLS.indexOf(text.charAt(at)) >= 0) {
        int length = text.startsWith("==", at) || text.startsWith("!=", at) ? 2 : 1;
        tokens.add(new Token(Kind.SYMBOL, text.substring(at, at + length), at));
        at += length;
      } else {
        int end = at;
        while (end < text.length() && (SYMBOLS + SPACES).indexOf(text.charAt(end)) < 0) {
          end++;
        }
        tokens.add(new Token(Kind.WORD, text.substring(at, end), at));
        at = end;
      }
    }
    tokens.add(new Token(Kind.END, "", text.length()));
    return tokens;
  }

  List<Requirement> parse() {
    var requirements = new ArrayList<Requirement>();
    if (peek().kind() == Kind.END) {
      return requirements;
    }
    do {
      requirements.add(requirement());
    } while (comma());
    return requirements;
  }

  /** Whether another requirement follows. */
  private boolean comma() {
    Token token = take();
    if (!token.ends()) {
      throw unexpected(token, "',' or the end", "separate requirements with ','");
    }
    return token.is(",");
  }

  private Requirement requirement() {
    boolean absent = peek().is("!");
    if (absent) {
      take();
    }
    Token key = take();
    if (key.kind() != Kind.WORD) {
      throw unexpected(
          key, "a label key", "write a label key, as in tier=gold, or remove the rest");
    }
    reject(LabelSyntax.inKey(key.text()), key);
    if (absent) {
      return new Requirement(key.text(), Operator.DOES_NOT_EXIST, Set.of());
    }
    if (peek().ends()) {
      return new Requirement(key.text(), Operator.EXISTS, Set.of());
    }
    return compared(key.text(), take());
  }

  private Requirement compared(String key, Token operator) {
    return switch (operator.text()) {
      case "=", "==" -> new Requirement(key, Operator.IN, Set.of(value()));
      case "!=" -> new Requirement(key, Operator.NOT_IN, Set.of(value()));
      case "in" -> new Requirement(key, Operator.IN, values());
      case "notin" -> new Requirement(key, Operator.NOT_IN, values());
      case ">" -> new Requirement(key, Operator.GREATER, Set.of(number()));
      case "<" -> new Requirement(key, Operator.LESS, Set.of(number()));
      default ->
          throw unexpected(
              operator, "=, ==, !=, in, notin, > or <", "write one of these after '" + key + "'");
    };
  }

  private String value() {
    if (peek().ends()) {
      return "";
    }
    Token value = take();
    if (value.kind() != Kind.WORD) {
      throw unexpected(value, "a label value", "write a label value, as in tier=gold");
    }
    reject(LabelSyntax.inValue(value.text()), value);
    return value.text();
  }

  private String number() {
    Token first = peek();
    String value = value();
    if (LabelSyntax.number(value).isEmpty()) {
      throw mistake(
          "'%s' is not a whole number".formatted(value), first, "write one, as in disks>4");
    }
    return value;
  }

  private Set<String> values() {
    Token open = take();
    if (!open.is("(")) {
      throw unexpected(open, "'('", "put the values in parentheses, as in tier in (gold,silver)");
    }
    var values = new TreeSet<String>();
    do {
      values.add(listed());
    } while (!take().is(")"));
    return values;
  }

  /** Kubernetes reads nothing before or after a comma as the empty value. */
  private String listed() {
    String value = peek().kind() == Kind.WORD ? take().text() : "";
    Token end = peek();
    if (!end.is(",") && !end.is(")")) {
      throw unexpected(end, "',' or ')'", "separate values with ',' and end them with ')'");
    }
    reject(LabelSyntax.inValue(value), end);
    return value;
  }

  private Token peek() {
    return tokens.get(next);
  }

  private Token take() {
    Token token = tokens.get(next);
    if (token.kind() != Kind.END) {
      next++;
    }
    return token;
  }

  private void reject(Optional<Mistake> mistake, Token at) {
    mistake.ifPresent(m -> {
      throw mistake(m.what(), at, m.fix());
    });
  }

  private IllegalArgumentException unexpected(Token found, String expected, String fix) {
    return mistake("found %s, expected %s".formatted(found, expected), found, fix);
  }

  private IllegalArgumentException mistake(String what, Token at, String fix) {
    return new IllegalArgumentException(
        "selector '%s': %s at character %d; fix: %s".formatted(text, what, at.at() + 1, fix));
  }
}
