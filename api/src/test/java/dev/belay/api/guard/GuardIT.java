package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.guard.GuardCase.Shape;
import dev.belay.api.guard.Plane.Answer;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.guard.Guard.Claim;
import dev.belay.core.guard.Guard.Verdict;
import dev.belay.sandbox.ControlPlane;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The table of cases against the policies of deploy/ on a real API server, by real accounts. */
class GuardIT {

  private static final List<GuardCase> CASES = GuardCase.all();
  private static final Map<String, Path> KUBECONFIGS = new HashMap<>();
  private static final Map<String, KubernetesClient> CLIENTS = new HashMap<>();

  /** Sets first and claims after, so that each set is as its line says before it is guarded. */
  @BeforeAll
  static void world() {
    Plane.installed();
    accounts();
    for (int i = 0; i < CASES.size(); i++) {
      before(namespace(i), CASES.get(i));
    }
    for (int i = 0; i < CASES.size(); i++) {
      boolean force = CASES.get(i).claims().equals("force");
      CASES.get(i).claimsIn(namespace(i)).forEach(claim -> claim(claim, force));
    }
    guarded();
  }

  @AfterAll
  static void close() {
    CLIENTS.values().forEach(KubernetesClient::close);
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
      assertThat(live(namespace)).isEqualTo(c.before().orElseThrow());
      return;
    }
    assertThat(answer.exit()).as(answer.all()).isZero();
    if (c.manner().equals("dry run")) {
      assertThat(Sets.shape(Serialization.unmarshal(answer.out(), StatefulSet.class)))
          .isEqualTo(c.stored().get());
      assertThat(live(namespace)).isEqualTo(c.before().orElseThrow());
    } else {
      assertThat(live(namespace)).isEqualTo(c.stored().get());
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
    String manifest = Sets.manifest(namespace, c.asked(), c.manner());
    return switch (c.verb()) {
      case "edit" -> edit(namespace, c);
      case "create" -> kubectl(c, namespace, manifest, "create", "-f", "-");
      case "recreate" -> {
        var gone = kubectl(c, namespace, "", "delete", "sts/" + GuardCase.SET, "--cascade=orphan");
        assertThat(gone.exit()).as(gone.all()).isZero();
        yield kubectl(c, namespace, manifest, "create", "-f", "-");
      }
      case "replace" -> kubectl(c, namespace, manifest, "replace", "-f", "-");
      case "apply" -> kubectl(c, namespace, manifest, "apply", "-f", "-");
      case "apply --server-side" ->
          kubectl(c, namespace, manifest, "apply", "--server-side", "--force-conflicts", "-f", "-");
      case "set image" ->
          kubectl(
              c,
              namespace,
              "",
              "set",
              "image",
              "sts/" + GuardCase.SET,
              "db=db:" + c.asked().template());
      case "scale" ->
          kubectl(
              c,
              namespace,
              "",
              "scale",
              "sts/" + GuardCase.SET,
              "--replicas=" + c.asked().replicas());
      case "rollout restart" ->
          kubectl(c, namespace, "", "rollout", "restart", "sts/" + GuardCase.SET);
      case "rollout undo" -> kubectl(c, namespace, "", "rollout", "undo", "sts/" + GuardCase.SET);
      default -> throw new IllegalArgumentException("how does one " + c.verb() + "?");
    };
  }

  private static Answer edit(String namespace, GuardCase c) {
    String patch = Sets.patch(c.before().orElseThrow(), c.asked(), c.manner());
    var context = new PatchContext.Builder().withPatchType(PatchType.JSON_MERGE);
    if (c.manner().equals("dry run")) {
      context.withDryRun(List.of("All"));
    }
    try {
      StatefulSet result =
          CLIENTS
              .get(c.who())
              .apps()
              .statefulSets()
              .inNamespace(namespace)
              .withName(GuardCase.SET)
              .patch(context.build(), patch);
      return new Answer(0, Serialization.asJson(result), "");
    } catch (KubernetesClientException e) {
      return new Answer(1, "", e.getMessage());
    }
  }

  private static Answer kubectl(GuardCase c, String namespace, String stdin, String... arguments) {
    var all = new ArrayList<>(List.of("--namespace=" + namespace));
    all.addAll(List.of(arguments));
    return Plane.kubectl(KUBECONFIGS.get(c.who()), stdin, all.toArray(String[]::new));
  }

  private static void accounts() {
    Plane.admin()
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName("dev-edits")
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "edit")
                .addNewSubject("rbac.authorization.k8s.io", "User", "dev", null)
                .build())
        .create();
    KUBECONFIGS.put("dev", Plane.user("dev"));
    KUBECONFIGS.put("admin", Plane.user("root-of-all", "system:masters"));
    KUBECONFIGS.put("owner", Plane.account("belay-system", "belay-operator"));
    KUBECONFIGS.forEach((who, file) -> CLIENTS.put(who, ControlPlane.client(file)));
  }

  private static void before(String namespace, GuardCase c) {
    namespace(namespace);
    if (c.before().isEmpty()) {
      return;
    }
    Shape shape = c.before().get();
    switch (c.verb()) {
      case "rollout undo" -> {
        create(Sets.manifest(namespace, Shape.of("A/0"), ""));
        revisions(namespace, 1);
        patch(namespace, Shape.of("A/0"), shape);
        revisions(namespace, 2);
      }
      case "apply", "apply --server-side" -> {
        // What was applied before is the same manifest with the old template.
        Shape applied = shape.at(c.manner().equals("partition absent") ? 0 : c.asked().partition());
        List<String> arguments = new ArrayList<>(List.of(c.verb().split(" ")));
        arguments.addAll(List.of("-f", "-"));
        Plane.must(Sets.manifest(namespace, applied, c.manner()), arguments.toArray(String[]::new));
        patch(namespace, applied, shape);
      }
      default -> create(Sets.manifest(namespace, shape, ""));
    }
    assertThat(live(namespace)).as(c.name()).isEqualTo(shape);
  }

  private static void namespace(String name) {
    Plane.admin()
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
  }

  private static void create(String manifest) {
    Plane.admin().resource(manifest).create();
  }

  private static void patch(String namespace, Shape from, Shape to) {
    if (!from.equals(to)) {
      Plane.admin()
          .apps()
          .statefulSets()
          .inNamespace(namespace)
          .withName(GuardCase.SET)
          .patch(PatchContext.of(PatchType.JSON_MERGE), Sets.patch(from, to, ""));
    }
  }

  private static void revisions(String namespace, int wanted) {
    Plane.eventually(
        wanted + " revisions in " + namespace,
        () ->
            Plane.admin()
                    .apps()
                    .controllerRevisions()
                    .inNamespace(namespace)
                    .list()
                    .getItems()
                    .size()
                >= wanted);
  }

  private static void claim(Claim claim, boolean force) {
    if (Plane.admin().namespaces().withName(claim.namespace()).get() == null) {
      namespace(claim.namespace());
    }
    create(Sets.claim(claim, force));
    claim.owner().ifPresent(owner -> own(claim, owner));
  }

  private static void own(Claim claim, String owner) {
    Plane.admin()
        .resources(StatefulCluster.class)
        .inNamespace(claim.namespace())
        .withName(claim.cluster())
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"status\": {\"owner\": {\"id\": \"test@1\", \"epoch\": 1, \"account\": \""
                + owner
                + "\"}}}");
  }

  /**
   * Both policies see the StatefulCluster that was made last, and therefore every other: the API
   * server learns of them in order.
   */
  private static void guarded() {
    namespace("canary");
    create(Sets.manifest("canary", Shape.of("A/5"), ""));
    claim(new Claim("canary", "one", List.of(GuardCase.SET), Optional.of(GuardCase.OWNER)), false);
    Plane.eventually(
        "the guard holds", () -> probe("A/5", "B/5", "B/frozen") && probe("A/5", "A/4", "refused"));
  }

  private static boolean probe(String before, String asked, String stored) {
    GuardCase c =
        GuardCase.of(
            String.join(" | ", "probe", "owned", before, "dev", "edit, dry run", asked, stored));
    Answer answer = edit("canary", c);
    return c.stored()
        .map(s ->
            answer.exit() == 0
                && Sets.shape(Serialization.unmarshal(answer.out(), StatefulSet.class)).equals(s))
        .orElse(answer.exit() != 0);
  }

  private static Shape live(String namespace) {
    return Sets.shape(
        Plane.admin()
            .apps()
            .statefulSets()
            .inNamespace(namespace)
            .withName(GuardCase.SET)
            .require());
  }

  private static String namespace(int i) {
    return "case-" + (i + 1);
  }
}
