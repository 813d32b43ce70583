package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
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
              r -> assertThat(r.message()).contains("StatefulCluster ").contains("fix: "));
    }
  }

  @Test
  void names_of_cases_are_unlike_each_other() {
    assertThat(GuardCase.all()).extracting(GuardCase::name).doesNotHaveDuplicates();
  }

  /** Nothing freezes a template where there are no mutating policies, so it need not be frozen. */
  @Test
  void the_guard_of_parked_workloads_refuses_the_same_but_what_is_not_frozen() throws IOException {
    JsonNode full = policy("../deploy/shared/guard.yaml");
    JsonNode parked = policy("../deploy/shared/guard-parked.yaml");
    assertThat(parked.get("matchConstraints")).isEqualTo(full.get("matchConstraints"));
    assertThat(parked.get("failurePolicy")).isEqualTo(full.get("failurePolicy"));
    assertThat(missing(full, parked, "variables"))
        .singleElement()
        .asString()
        .contains("startsRollout");
    assertThat(missing(full, parked, "validations"))
        .singleElement()
        .asString()
        .contains("startsRollout");
    assertThat(missing(parked, full, "variables")).isEmpty();
    assertThat(missing(parked, full, "validations")).isEmpty();
  }

  private static List<JsonNode> missing(JsonNode all, JsonNode some, String list) {
    var kept = new ArrayList<JsonNode>();
    some.get(list).forEach(kept::add);
    var missing = new ArrayList<JsonNode>();
    all.get(list).forEach(missing::add);
    missing.removeAll(kept);
    return missing;
  }

  /** Compared as data: comments may differ. */
  private static JsonNode policy(String file) throws IOException {
    for (String text : Files.readString(Path.of(file)).split("(?m)^---$", -1)) {
      JsonNode document = Serialization.unmarshal(text, JsonNode.class);
      if (document.path("kind").asText().equals("ValidatingAdmissionPolicy")
          && document.path("metadata").path("name").asText().equals("belay-guard")) {
        return document.get("spec");
      }
    }
    throw new AssertionError(file + " has no ValidatingAdmissionPolicy belay-guard");
  }
}
