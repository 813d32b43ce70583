package dev.belay.sandbox.node;

import java.util.Map;

/** Kubernetes' $(VAR) in command, args and env: unknown names stay as they are, $$ is a dollar. */
final class Expansion {
  private Expansion() {}

  static String expand(String text, Map<String, String> values) {
    StringBuilder out = new StringBuilder();
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c != '$' || at + 1 == text.length()) {
        out.append(c);
        at++;
        continue;
      }
      char next = text.charAt(at + 1);
      int close = next == '(' ? text.indexOf(')', at + 2) : -1;
      if (next == '$') {
        out.append('$');
        at += 2;
      } else if (close >= 0) {
        String reference = text.substring(at, close + 1);
        String value = values.get(text.substring(at + 2, close));
        out.append(value == null ? reference : value);
        at = close + 1;
      } else {
        out.append(c);
        at++;
      }
    }
    return out.toString();
  }
}
