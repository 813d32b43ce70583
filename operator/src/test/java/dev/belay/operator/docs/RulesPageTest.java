package dev.belay.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.rules.Reasons;
import dev.belay.core.rules.Rules;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Rule;
import dev.belay.drivers.Drivers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** docs/rules.md is written from the rules themselves. */
class RulesPageTest {

  private static final Path PAGE = Path.of("../docs/rules.md");

  @Test
  void the_page_says_what_the_code_says() throws IOException {
    String page = page();
    if (Boolean.getBoolean("belay.rewrite")) {
      Files.writeString(PAGE, page);
    }
    assertThat(Files.readString(PAGE))
        .as(
            "regenerate with: build/mvn -pl operator -am test -Dtest=RulesPageTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -DargLine=-Dbelay.rewrite=true")
        .isEqualTo(page);
  }

  @Test
  void no_two_rules_share_a_name() {
    var names = new ArrayList<String>();
    Rules.ALL.forEach(r -> names.add(r.reason().name()));
    for (String type : Drivers.TYPES) {
      Drivers.policy(type).rules().forEach(r -> names.add(r.reason().name()));
    }
    Reasons.ALL.forEach(r -> names.add(r.name()));
    assertThat(names).doesNotHaveDuplicates();
  }

  private static String page() {
    var out = new StringBuilder();
    out.append(
        """
        # Rules

        A step is taken when nobody objects. What objects has a name, and the name is the same word in
        `status.blockedBy.rule`, in conditions and events, in `belay explain` and here. Each says what it protects, the fact or
        the field report behind it (`project#n` is an issue, `PR#n` a pull request on GitHub), and how to cure it. This page is
        generated from the code.

        ## For every system
        """);
    Rules.ALL.forEach(r -> section(out, r.reason()));
    for (String type : Drivers.TYPES) {
      List<Rule> rules = Drivers.policy(type).rules();
      if (!rules.isEmpty()) {
        out.append("\n## For ").append(type).append('\n');
        rules.forEach(r -> section(out, r.reason()));
      }
    }
    out.append("\n## Before and around the rules\n");
    Reasons.ALL.forEach(r -> section(out, r));
    return out.toString();
  }

  private static void section(StringBuilder out, Reason reason) {
    assertThat(reason.because()).as("what is behind " + reason.name()).isNotBlank();
    out.append("\n### ").append(reason.name()).append("\n\n").append(reason.protects());
    out.append("\n\n**Behind it.** ").append(reason.because());
    out.append("\n\n**Cure.** ").append(reason.cure()).append('\n');
  }
}
