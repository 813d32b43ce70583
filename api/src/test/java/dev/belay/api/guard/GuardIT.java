package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.guard.GuardCase.Shape;
import dev.belay.api.guard.Plane.Answer;
import dev.belay.core.guard.Guard.Verdict;
import dev.belay.core.guard.Mark;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The table of cases against the policies of deploy/ on a real API server, by real accounts. */
class GuardIT {

  private static final List<GuardCase> CASES = GuardCase.all();

  /** Sets first and claims after, so that each set is as its line says before it is guarded. */
  @BeforeAll
  static void world() {
    Plane.installed();
    World.accounts();
    for (int i = 0; i < CASES.size(); i++) {
      World.before(namespace(i), CASES.get(i));
    }
    for (int i = 0; i < CASES.size(); i++) {
      boolean force = CASES.get(i).claims().equals("force");
      CASES.get(i).claimsIn(namespace(i)).forEach(claim -> World.claim(claim, force));
    }
    for (int i = 0; i < CASES.size(); i++) {
      World.mark(namespace(i), CASES.get(i));
    }
    World.guarded("canary");
  }

  @TestFactory
  Stream<DynamicTest> the_policies_answer_as_the_function_does() {
    return IntStream.range(0, CASES.size())
        .mapToObj(i ->
            DynamicTest.dynamicTest(CASES.get(i).name(), () -> check(namespace(i), CASES.get(i))));
  }

  private static void check(String namespace, GuardCase c) {
    Answer answer = doIt(namespace, c);
    if (c.stored().isEmpty()) {
      assertThat(answer.exit()).as(answer.all()).isNotZero();
      assertThat(answer.err()).containsAnyOf(messages(namespace, c).toArray(String[]::new));
      assertThat(World.live(namespace, c.asked().kind())).isEqualTo(c.before().orElseThrow());
      return;
    }
    assertThat(answer.exit()).as(answer.all()).isZero();
    if (c.manner().equals("dry run")) {
      assertThat(Sets.shape(Serialization.unmarshal(answer.out()))).isEqualTo(c.stored().get());
      assertThat(World.live(namespace, c.asked().kind())).isEqualTo(c.before().orElseThrow());
    } else {
      assertThat(World.live(namespace, c.asked().kind())).isEqualTo(c.stored().get());
    }
  }

  /** What the function says, whichever StatefulCluster the API server asks first. */
  private static List<String> messages(String namespace, GuardCase c) {
    var claims = c.claimsIn(namespace);
    return Stream.of(claims, claims.reversed())
        .map(order -> ((Verdict.Refused) c.judged(namespace, order)).message())
        .toList();
  }

  private static Answer doIt(String namespace, GuardCase c) {
    // A manifest has no mark, as a chart has none; what is not in it stays.
    Shape sent = c.verb().startsWith("apply") ? c.asked().marked(Mark.NONE) : c.asked();
    String manifest = Sets.manifest(namespace, sent, c.manner());
    return switch (c.verb()) {
      case "edit" -> World.edit(namespace, c);
      case "merge" -> World.merge(namespace, c);
      case "update" -> World.update(namespace, c);
      case "status" -> World.status(namespace, c);
      case "label" -> World.kubectl(c, namespace, "", words(c, "label", Mark.LABEL));
      case "annotate" -> World.kubectl(c, namespace, "", words(c, "annotate", Mark.ANNOTATION));
      case "create" -> World.kubectl(c, namespace, manifest, "create", "-f", "-");
      case "recreate" -> {
        var gone =
            World.kubectl(c, namespace, "", "delete", c.asked().address(), "--cascade=orphan");
        assertThat(gone.exit()).as(gone.all()).isZero();
        yield World.kubectl(c, namespace, manifest, "create", "-f", "-");
      }
      case "replace" -> World.kubectl(c, namespace, manifest, "replace", "-f", "-");
      case "apply" -> World.kubectl(c, namespace, manifest, "apply", "-f", "-");
      case "apply --server-side" ->
          World.kubectl(
              c, namespace, manifest, "apply", "--server-side", "--force-conflicts", "-f", "-");
      case "set image" ->
          World.kubectl(
              c,
              namespace,
              "",
              "set",
              "image",
              c.asked().address(),
              "db=db:" + c.asked().template());
      case "scale" ->
          World.kubectl(
              c, namespace, "", "scale", c.asked().address(), "--replicas=" + c.asked().replicas());
      case "rollout restart" ->
          World.kubectl(c, namespace, "", "rollout", "restart", c.asked().address());
      case "rollout resume" ->
          World.kubectl(c, namespace, "", "rollout", "resume", c.asked().address());
      case "rollout undo" ->
          World.kubectl(c, namespace, "", "rollout", "undo", c.asked().address());
      default -> throw new IllegalArgumentException("how does one " + c.verb() + "?");
    };
  }

  private static String[] words(GuardCase c, String verb, String key) {
    Mark mark = c.asked().mark().orElseThrow();
    String value =
        (verb.equals("label") ? mark.cluster() : mark.owner())
            .map(v -> key + "=" + v)
            .orElse(key + "-");
    return new String[] {verb, "--overwrite", c.asked().address(), value};
  }

  private static String namespace(int i) {
    return "case-" + (i + 1);
  }
}
