package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.guard.GuardCase.Shape;
import dev.belay.api.guard.Plane.Answer;
import dev.belay.core.model.Workload.Kind;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Other admission that changes the same set. The API server draws the order of mutating policies
 * anew whenever one of them changes, so that each test sees several orders.
 */
class UndoingWebhookIT {

  private static final int DRAWS = 12;

  /** Writes the number of the draw as well, so that a test knows when the policy is in effect. */
  private static final String POLICY =
      """
      apiVersion: admissionregistration.k8s.io/v1
      kind: MutatingAdmissionPolicy
      metadata: {name: undoing}
      spec:
        failurePolicy: Fail
        reinvocationPolicy: IfNeeded
        matchConstraints:
          namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %1$s}}
          resourceRules:
          - {apiGroups: [apps], apiVersions: [v1], resources: [statefulsets], operations: [UPDATE]}
        mutations:
        - patchType: JSONPatch
          jsonPatch:
            expression: >-
              [JSONPatch{op: 'add', path: '/metadata/annotations/draw', value: '%2$d'},
              JSONPatch{op: 'add', path: '/spec/%3$s', value: %4$s}]
      ---
      apiVersion: admissionregistration.k8s.io/v1
      kind: MutatingAdmissionPolicyBinding
      metadata: {name: undoing}
      spec: {policyName: undoing}
      """;

  @BeforeAll
  static void guarded() {
    Plane.installed();
    World.accounts();
    World.guarded("undone");
  }

  @AfterEach
  void gone() {
    Plane.must(
        "", "delete", "mutatingadmissionpolicy/undoing", "mutatingadmissionpolicybinding/undoing");
  }

  @Test
  void a_freeze_that_is_undone_is_refused_and_nothing_is_stored() {
    set("undone-freeze");
    GuardCase change = write("B/0", "merge");
    Set<String> answers = new HashSet<>();
    for (int draw = 1; draw <= DRAWS && answers.size() < 2; draw++) {
      draw("undone-freeze", draw, "updateStrategy/rollingUpdate/partition", "0");
      Answer answer = World.merge("undone-freeze", write("B/0", "merge, dry run"));
      if (answer.exit() == 0) {
        assertThat(shape(answer)).isEqualTo(marked("B/frozen"));
        answers.add("frozen");
        continue;
      }
      String before = version("undone-freeze");
      assertThat(World.merge("undone-freeze", change).err())
          .contains("StatefulCluster one guards this StatefulSet: a new template must be stored")
          .contains("with partition 2147483647, and another admission webhook or policy changed it")
          .contains(
              "fix: find the webhook that writes spec.updateStrategy.rollingUpdate.partition");
      assertThat(World.live("undone-freeze")).isEqualTo(marked("A/0"));
      assertThat(version("undone-freeze")).isEqualTo(before);
      answers.add("refused");
    }
    assertThat(answers).contains("refused");
  }

  @Test
  void a_template_that_only_other_admission_changes_is_frozen() {
    set("sidecar");
    for (int draw = 1; draw <= DRAWS / 2; draw++) {
      draw("sidecar", draw, "template/spec/containers/0/image", "'db:S'");
      Answer answer = World.merge("sidecar", write("A/0 +label", "merge, dry run"));
      assertThat(answer.exit()).as(answer.all()).isZero();
      assertThat(shape(answer)).isEqualTo(marked("S/frozen +label"));
    }
    World.merge("sidecar", write("A/0 +label", "merge"));
    assertThat(World.live("sidecar")).isEqualTo(marked("S/frozen +label"));
  }

  private static void set(String namespace) {
    GuardCase c = write("A/0", "merge");
    World.before(namespace, c);
    World.claim(World.owned(namespace), false);
    World.mark(namespace, c);
  }

  private static void draw(String namespace, int draw, String path, String value) {
    Plane.must(POLICY.formatted(namespace, draw, path, value), "apply", "-f", "-");
    Plane.eventually(
        "draw " + draw + " is in effect",
        () -> {
          Answer answer = World.merge(namespace, write("A/0 +label", "merge, dry run"));
          return answer.exit() == 0
              && String.valueOf(draw)
                  .equals(object(answer).getMetadata().getAnnotations().get("draw"));
        });
  }

  private static GuardCase write(String asked, String does) {
    return GuardCase.of(String.join(" | ", "write", "owned", "A/0", "dev", does, asked, "A/0"));
  }

  private static Shape marked(String shape) {
    return Shape.of(shape + " @one=1:owner");
  }

  private static HasMetadata object(Answer answer) {
    return Serialization.unmarshal(answer.out());
  }

  private static Shape shape(Answer answer) {
    return Sets.shape(object(answer));
  }

  private static String version(String namespace) {
    return World.workload(Plane.admin(), namespace, Kind.STATEFUL_SET)
        .require()
        .getMetadata()
        .getResourceVersion();
  }
}
