package dev.belay.sim;

import dev.belay.core.rules.Rules;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Rule;
import java.util.List;
import java.util.function.UnaryOperator;

/** The rules of core with one of them missing or wrong. */
public final class OtherRules {

  private OtherRules() {}

  public static List<Rule> without(Reason... reasons) {
    List<Reason> missing = List.of(reasons);
    return Rules.ALL.stream().filter(r -> !missing.contains(r.reason())).toList();
  }

  /** With another judge for this reason, made of the real one. */
  public static List<Rule> changed(Reason reason, UnaryOperator<Rule.Judge> judge) {
    return Rules.ALL.stream()
        .map(r -> r.reason().equals(reason) ? new Rule(reason, judge.apply(r.judge())) : r)
        .toList();
  }
}
