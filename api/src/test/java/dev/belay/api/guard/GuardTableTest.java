package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.guard.Guard.Verdict;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The table of cases against core's function; GuardIT runs it against the API server. */
class GuardTableTest {

  @TestFactory
  Stream<DynamicTest> the_function_answers_as_the_table_says() {
    return GuardCase.all().stream().map(c -> DynamicTest.dynamicTest(c.name(), () -> check(c)));
  }

  private static void check(GuardCase c) {
    Verdict verdict = c.judged("ns", c.claimsIn("ns"));
    if (c.stored().isPresent()) {
      assertThat(verdict).isEqualTo(new Verdict.Admitted(c.stored().get().in("ns")));
    } else {
      assertThat(verdict)
          .isInstanceOfSatisfying(
              Verdict.Refused.class,
              r -> assertThat(r.message()).contains("StatefulCluster ").contains("Cure: "));
    }
  }

  @Test
  void names_of_cases_are_unlike_each_other() {
    assertThat(GuardCase.all()).extracting(GuardCase::name).doesNotHaveDuplicates();
  }

  @Test
  void both_guards_refuse_by_the_same_policy() throws IOException {
    List<String> full = refusing("../deploy/guard.yaml");
    assertThat(full).hasSize(4).isEqualTo(refusing("../deploy/guard-parked.yaml"));
  }

  private static List<String> refusing(String file) throws IOException {
    return documents(file).stream()
        .filter(d ->
            d.contains("\"name\":\"belay-guard-release\"")
                || d.contains("\"name\":\"belay-guard-unpause\""))
        .toList();
  }

  /** Compared as data: comments may differ. */
  private static List<String> documents(String file) throws IOException {
    var documents = new ArrayList<String>();
    for (String text : Files.readString(Path.of(file)).split("(?m)^---$", -1)) {
      documents.add(Serialization.asJson(Serialization.unmarshal(text, Object.class)));
    }
    return documents;
  }
}
