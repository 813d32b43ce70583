package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.guard.GuardCase.Shape;
import dev.belay.api.guard.Plane.Answer;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.guard.Guard.Claim;
import dev.belay.core.guard.Guard.Named;
import dev.belay.core.guard.Mark;
import dev.belay.core.model.Workload.Kind;
import dev.belay.sandbox.ControlPlane;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.net.HttpURLConnection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Accounts, sets and StatefulClusters on the plane, and what is done to them. */
final class World {

  private static final Map<String, Path> KUBECONFIGS = new HashMap<>();
  private static final Map<String, KubernetesClient> CLIENTS = new HashMap<>();

  /**
   * dev edits everywhere, boss administers namespaces, admin may everything; owner is the operator
   * with its least rights, another is the operator of a second install.
   */
  static synchronized void accounts() {
    if (!CLIENTS.isEmpty()) {
      return;
    }
    bind("edit", "--user=dev");
    bind("admin", "--user=boss");
    Plane.must("", "create", "namespace", "belay-canary");
    Plane.must("", "--namespace=belay-canary", "create", "serviceaccount", "belay-operator");
    bind("belay-operator", "--serviceaccount=belay-canary:belay-operator");
    KUBECONFIGS.put("dev", Plane.user("dev"));
    KUBECONFIGS.put("boss", Plane.user("boss"));
    KUBECONFIGS.put("another", Plane.account("belay-canary", "belay-operator"));
    KUBECONFIGS.put("admin", Plane.user("root-of-all", "system:masters"));
    KUBECONFIGS.put("owner", Plane.account("belay-system", "belay-operator"));
    KUBECONFIGS.forEach((who, file) -> CLIENTS.put(who, ControlPlane.client(file)));
  }

  private static void bind(String role, String subject) {
    Plane.must(
        "", "create", "clusterrolebinding", "test-" + role, "--clusterrole=" + role, subject);
  }

  static KubernetesClient client(String who) {
    return CLIENTS.get(who);
  }

  static Path kubeconfig(String who) {
    return KUBECONFIGS.get(who);
  }

  static void namespace(String name) {
    Plane.admin()
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
  }

  static void claim(Claim claim, boolean force) {
    if (Plane.admin().namespaces().withName(claim.namespace()).get() == null) {
      namespace(claim.namespace());
    }
    Plane.eventually("a StatefulCluster is taken", () -> taken(Sets.claim(claim, force)));
    claim.owner().ifPresent(owner -> own(claim, owner));
  }

  /** For some moments after its kind is new, the API server now takes one and now does not. */
  private static boolean taken(String manifest) {
    try {
      create(manifest);
      return true;
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_UNAVAILABLE) {
        return false;
      }
      throw e;
    }
  }

  static void before(String namespace, GuardCase c) {
    namespace(namespace);
    if (c.before().isEmpty()) {
      return;
    }
    Shape shape = c.before().get().marked(Mark.NONE);
    switch (c.verb()) {
      case "rollout undo" -> {
        create(Sets.manifest(namespace, Shape.of("A/0"), ""));
        revisions(namespace, 1);
        patch(namespace, Shape.of("A/0"), shape);
        revisions(namespace, 2);
      }
      case "apply", "apply --server-side" -> {
        // What was applied before is the same manifest with the old template.
        Shape applied = shape.at(c.manner().endsWith(" absent") ? 0 : c.asked().partition());
        List<String> arguments = new ArrayList<>(List.of(c.verb().split(" ")));
        arguments.addAll(List.of("-f", "-"));
        Plane.must(Sets.manifest(namespace, applied, c.manner()), arguments.toArray(String[]::new));
        patch(namespace, applied, shape);
      }
      default -> create(Sets.manifest(namespace, shape, ""));
    }
    assertThat(live(namespace, shape.kind())).as(c.name()).isEqualTo(shape);
  }

  /** Marks the workload as its line says, by the account that may. */
  static void mark(String namespace, GuardCase c) {
    c.before()
        .ifPresent(shape -> {
          Mark mark = shape.mark().orElse(Mark.NONE);
          String by =
              CLIENTS.keySet().stream()
                  .filter(who -> mark.heldBy(GuardCase.account(who)))
                  .findFirst()
                  .orElse("admin");
          if (!mark.equals(Mark.NONE)) {
            workload(CLIENTS.get(by), namespace, shape.kind())
                .patch(
                    PatchContext.of(PatchType.JSON_MERGE),
                    Sets.marks(shape.marked(Mark.NONE), shape));
          }
          assertThat(live(namespace, shape.kind())).as(c.name()).isEqualTo(shape);
        });
  }

  static void create(String manifest) {
    Plane.admin().resource(manifest).create();
  }

  static void patch(String namespace, Shape from, Shape to) {
    if (!from.equals(to)) {
      workload(Plane.admin(), namespace, from.kind())
          .patch(PatchContext.of(PatchType.JSON_MERGE), Sets.patch(from, to, ""));
    }
  }

  static Resource<? extends HasMetadata> workload(
      KubernetesClient client, String namespace, Kind kind) {
    return switch (kind) {
      case STATEFUL_SET ->
          client.apps().statefulSets().inNamespace(namespace).withName(GuardCase.SET);
      case DEPLOYMENT -> client.apps().deployments().inNamespace(namespace).withName(GuardCase.SET);
    };
  }

  static void revisions(String namespace, int wanted) {
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

  static void own(Claim claim, String owner) {
    Plane.admin()
        .resources(StatefulCluster.class)
        .inNamespace(claim.namespace())
        .withName(claim.cluster())
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"status": {"owner": {"install": "test/belay", "instance": "1", "epoch": 1,
             "account": "%s", "lease": "test/belay-operator", "released": %s}}}
            """
                .formatted(owner, claim.released()));
  }

  /**
   * The policies hold, and the one that marks new workloads sees the StatefulCluster that was made
   * last, and therefore every other: the API server learns of them in order.
   */
  static void guarded(String canary) {
    canary(canary);
    namespace(canary + "-new");
    claim(owned(canary + "-new"), false);
    Plane.eventually(
        "the guard holds",
        () ->
            created(canary + "-new").equals(Optional.of(Shape.of("A/frozen @one=0:owner")))
                && probe(canary, "A/5", "B/5", "B/frozen")
                && probe(canary, "A/5", "A/4", "refused")
                && probe(canary, "A/paused", "B/rolls", "B/paused")
                && probe(canary, "A/paused", "A/rolls", "refused"));
  }

  /** As what a set would be created, by a dry run; empty when it is refused. */
  static Optional<Shape> created(String namespace) {
    String manifest = Sets.manifest(namespace, Shape.of("A/0"), "");
    Answer answer =
        Plane.kubectl(
            KUBECONFIGS.get("dev"),
            manifest,
            "create",
            "--dry-run=server",
            "-o",
            "json",
            "-f",
            "-");
    return answer.exit() == 0
        ? Optional.of(Sets.shape(Serialization.unmarshal(answer.out())))
        : Optional.empty();
  }

  /** A claimed set and a claimed Deployment that nobody touches. */
  static void canary(String namespace) {
    namespace(namespace);
    create(Sets.manifest(namespace, Shape.of("A/5"), ""));
    create(Sets.manifest(namespace, Shape.of("A/paused"), ""));
    claim(owned(namespace), false);
    var deployment = List.of(new Named(Kind.DEPLOYMENT, GuardCase.SET));
    claim(new Claim(namespace, "two", deployment, Optional.of(GuardCase.OWNER), false), false);
    mark(namespace, probing("A/5", "A/5", "A/5"));
    mark(namespace, probing("A/paused", "A/paused", "A/paused"));
  }

  private static GuardCase probing(String before, String asked, String stored) {
    return GuardCase.of(
        String.join(" | ", "probe", "owned", before, "dev", "edit, dry run", asked, stored));
  }

  static Claim owned(String namespace) {
    return new Claim(
        namespace, "one", Named.sets(GuardCase.SET), Optional.of(GuardCase.OWNER), false);
  }

  /** Whether a dry run is answered so. */
  static boolean probe(String canary, String before, String asked, String stored) {
    GuardCase c = probing(before, asked, stored);
    Answer answer = edit(canary, c);
    return c.stored()
        .map(s -> answer.exit() == 0 && Sets.shape(Serialization.unmarshal(answer.out())).equals(s))
        .orElse(answer.exit() != 0);
  }

  /** The set. */
  static Shape live(String namespace) {
    return live(namespace, Kind.STATEFUL_SET);
  }

  static Shape live(String namespace, Kind kind) {
    return Sets.shape(workload(Plane.admin(), namespace, kind).require());
  }

  /** As a person does it. */
  static Answer edit(String namespace, GuardCase c) {
    return patch(namespace, c, "kubectl-edit");
  }

  /** As a controller does it that sends what differs. */
  static Answer merge(String namespace, GuardCase c) {
    return patch(namespace, c, "helm");
  }

  /** As a controller does it that sends the whole object. */
  static Answer update(String namespace, GuardCase c) {
    var workload = workload(CLIENTS.get(c.who()), namespace, c.asked().kind());
    return answered(
        () -> CLIENTS.get(c.who()).resource(Sets.changed(workload.require(), c.asked())).update());
  }

  /** As a write of the status, which can carry labels and annotations as well. */
  static Answer status(String namespace, GuardCase c) {
    String body = Sets.marks(c.before().orElseThrow(), c.asked());
    return answered(() ->
        workload(CLIENTS.get(c.who()), namespace, c.asked().kind())
            .subresource("status")
            .patch(PatchContext.of(PatchType.JSON_MERGE), body));
  }

  static Answer patch(String namespace, GuardCase c, String manager) {
    String patch = Sets.patch(c.before().orElseThrow(), c.asked(), c.manner());
    var context =
        new PatchContext.Builder().withPatchType(PatchType.JSON_MERGE).withFieldManager(manager);
    if (c.manner().equals("dry run")) {
      context.withDryRun(List.of("All"));
    }
    return answered(() ->
        workload(CLIENTS.get(c.who()), namespace, c.asked().kind()).patch(context.build(), patch));
  }

  static Answer answered(Supplier<? extends HasMetadata> write) {
    try {
      return new Answer(0, Serialization.asJson(write.get()), "");
    } catch (KubernetesClientException e) {
      return new Answer(1, "", e.getMessage());
    }
  }

  static Answer kubectl(GuardCase c, String namespace, String stdin, String... arguments) {
    var all = new ArrayList<>(List.of("--namespace=" + namespace));
    all.addAll(List.of(arguments));
    return Plane.kubectl(KUBECONFIGS.get(c.who()), stdin, all.toArray(String[]::new));
  }

  private World() {}
}
