package dev.belay.operator.marks;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the label keys that a selector names, in the syntax of kubectl. */
public final class SelectorKeys {

  /** A comma inside of parentheses separates values, not requirements. */
  private static final Pattern REQUIREMENT = Pattern.compile("[^,(]+(?:\\([^)]*\\))?");

  private static final Pattern KEY = Pattern.compile("\\s*!?\\s*([^\\s=!,()]+).*", Pattern.DOTALL);

  public static List<String> of(String selector) {
    Set<String> keys = new TreeSet<>();
    for (Matcher part = REQUIREMENT.matcher(selector); part.find(); ) {
      Matcher key = KEY.matcher(part.group());
      if (key.matches()) {
        keys.add(key.group(1));
      }
    }
    return List.copyOf(keys);
  }

  private SelectorKeys() {}
}
