package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.belay.api.guard.Deployer.Tool;
import dev.belay.api.guard.GuardCase.Shape;
import dev.belay.api.guard.Plane.Answer;
import dev.belay.core.guard.Guard.Claim;
import dev.belay.core.guard.Guard.Named;
import dev.belay.core.guard.Mark;
import dev.belay.core.guard.Mark.Stamp;
import dev.belay.core.model.Workload.Kind;
import dev.belay.sandbox.ControlPlane;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Programs that write whole objects, with partition 0 or paused false in them, keep working; what
 * is stored stays frozen and marked.
 */
class ChartsIT {

  private static final Mark MARK = Mark.of("one", new Stamp(1, GuardCase.OWNER));
  private static final int ROUNDS = 20;

  @BeforeAll
  static void guarded() {
    Plane.installed();
    World.accounts();
    World.guarded("charts");
  }

  static Stream<Arguments> toolsAndKinds() {
    return Stream.of(Tool.values())
        .flatMap(tool -> Stream.of(Kind.values()).map(kind -> Arguments.of(tool, kind)));
  }

  @ParameterizedTest
  @MethodSource("toolsAndKinds")
  void every_release_is_stored_frozen_and_marked(Tool tool, Kind kind) {
    Deployer dev = deployer(tool.name().toLowerCase(Locale.ROOT).replace('_', '-') + "-" + kind);
    done(dev.install(tool, rest(kind, "A")));
    mark(dev, kind);

    done(dev.upgrade(tool, rest(kind, "A"), rest(kind, "B")));
    assertThat(live(dev, kind)).isEqualTo(frozen(kind, "B"));
    done(dev.upgrade(tool, rest(kind, "B"), rest(kind, "B")));
    assertThat(live(dev, kind)).isEqualTo(frozen(kind, "B"));

    // The operator lets members through.
    Shape midway = Shape.of(kind == Kind.DEPLOYMENT ? "B/rolls" : "B/2").marked(MARK);
    operator(dev, frozen(kind, "B"), midway);
    done(dev.upgrade(tool, rest(kind, "B"), rest(kind, "B")));
    assertThat(live(dev, kind)).isEqualTo(midway);
    done(dev.upgrade(tool, rest(kind, "B"), rest(kind, "C")));
    assertThat(live(dev, kind)).isEqualTo(frozen(kind, "C"));
  }

  /** Admission writes as the manager of the request, so only the operator's own write conflicts. */
  @Test
  void server_side_apply_without_force_conflicts_where_the_operator_wrote() {
    Deployer dev = deployer("without-force");
    Kind kind = Kind.STATEFUL_SET;
    done(dev.kubectl(Shape.of("A/0"), "apply", "--server-side"));
    mark(dev, kind);

    done(dev.kubectl(Shape.of("B/0"), "apply", "--server-side"));
    assertThat(live(dev, kind)).isEqualTo(frozen(kind, "B"));
    Shape midway = Shape.of("B/2").marked(MARK);
    operator(dev, frozen(kind, "B"), midway);
    Answer refused = dev.kubectl(Shape.of("C/0"), "apply", "--server-side");
    assertThat(refused.exit()).as(refused.all()).isNotZero();
    assertThat(refused.err())
        .contains("conflict with \"belay\"")
        .contains(".spec.updateStrategy.rollingUpdate.partition");
    assertThat(live(dev, kind)).isEqualTo(midway);

    done(dev.kubectl(Shape.of("C/0"), "apply", "--server-side", "--force-conflicts"));
    assertThat(live(dev, kind)).isEqualTo(frozen(kind, "C"));
    done(dev.kubectl(Shape.of("D/0"), "apply", "--server-side"));
    assertThat(live(dev, kind)).isEqualTo(frozen(kind, "D"));
  }

  /**
   * As RabbitMQ's operator does: its own labels, its own strategy, on every reconcile. The first
   * write changes the template. By the second at the latest, the controller is noted as the manager
   * of the partition, which is one more resourceVersion. The others change nothing.
   */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void a_controller_that_updates_the_whole_object_settles(Kind kind) {
    Deployer controller = deployer("controller-" + kind);
    done(controller.install(Tool.REPLACE, rest(kind, "A")));
    mark(controller, kind);
    Shape wanted = rest(kind, "B");

    done(controller.update(wanted));
    settled(controller, kind);
    String first = withoutManagers(controller, kind);
    done(controller.update(wanted));
    assertThat(withoutManagers(controller, kind)).isEqualTo(first);
    String settled = version(controller, kind);
    Set<String> versions = new HashSet<>();
    for (int round = 2; round < ROUNDS; round++) {
      done(controller.update(wanted));
      versions.add(version(controller, kind));
    }
    assertThat(versions).containsExactly(settled);
    assertThat(live(controller, kind)).isEqualTo(frozen(kind, "B"));
  }

  private static String withoutManagers(Deployer dev, Kind kind) {
    var workload = World.workload(Plane.admin(), dev.namespace(), kind).require();
    workload.getMetadata().setManagedFields(List.of());
    workload.getMetadata().setResourceVersion("");
    return Serialization.asJson(workload);
  }

  /** Compared after every step, without what differs between any two servers. */
  @Test
  void an_unlabelled_workload_is_stored_as_without_policies(@TempDir Path folder) {
    try (ControlPlane bare = ControlPlane.start(folder)) {
      List<String> without = history(bare.adminKubeconfig(), bare.client());
      assertThat(history(Plane.adminKubeconfig(), Plane.admin())).isEqualTo(without);
      assertThat(without).hasSize(40).allMatch(text -> text.contains("managedFields"));
    }
  }

  private static List<String> history(Path kubeconfig, KubernetesClient client) {
    var admin = new Deployer(kubeconfig, client, "unlabelled-charts");
    done(Plane.kubectl(kubeconfig, "", "create", "namespace", admin.namespace()));
    List<String> stored = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      for (Tool tool : Tool.values()) {
        done(admin.install(tool, unlabelled(kind, "A")));
        stored.add(stored(admin, kind));
        for (String template : List.of("B", "B", "C")) {
          done(admin.upgrade(tool, unlabelled(kind, "A"), unlabelled(kind, template)));
          stored.add(stored(admin, kind));
        }
        done(admin.update(unlabelled(kind, "D")));
        stored.add(stored(admin, kind));
        var gone = World.workload(client, admin.namespace(), kind);
        gone.delete();
        Plane.eventually("the workload is gone", () -> gone.get() == null);
      }
    }
    return stored;
  }

  private static Shape unlabelled(Kind kind, String template) {
    return Shape.of(template + (kind == Kind.DEPLOYMENT ? "/rolls x0" : "/0 x0")).marked(Mark.NONE);
  }

  private static String stored(Deployer admin, Kind kind) {
    String path =
        "/apis/apps/v1/namespaces/%s/%ss/%s"
            .formatted(admin.namespace(), kind.toString().toLowerCase(Locale.ROOT), GuardCase.SET);
    return comparable(Serialization.unmarshal(admin.client().raw(path), ObjectNode.class));
  }

  /** Without what is random, and what the controllers of Kubernetes write in their own time. */
  private static String comparable(ObjectNode workload) {
    workload.remove("status");
    var metadata = (ObjectNode) workload.get("metadata");
    metadata.remove(List.of("uid", "resourceVersion", "creationTimestamp"));
    if (metadata.get("annotations") instanceof ObjectNode annotations) {
      annotations.remove("deployment.kubernetes.io/revision");
      if (annotations.isEmpty()) {
        metadata.remove("annotations");
      }
    }
    List<String> managers = new ArrayList<>();
    for (JsonNode manager : metadata.remove("managedFields")) {
      if (!manager.path("manager").asText().equals("kube-controller-manager")) {
        // The revision, which the controller writes, makes the map of annotations.
        managers.add(
            ((ObjectNode) manager).without("time").toString().replace("\"f:annotations\":{},", ""));
      }
    }
    return workload.toPrettyString() + "managedFields: " + managers.stream().sorted().toList();
  }

  private static Deployer deployer(String name) {
    String namespace = "chart-" + name.toLowerCase(Locale.ROOT);
    World.namespace(namespace);
    return new Deployer(World.kubeconfig("dev"), World.client("dev"), namespace);
  }

  /** As the operator adopts it. */
  private static void mark(Deployer dev, Kind kind) {
    var names = List.of(new Named(kind, GuardCase.SET));
    World.claim(
        new Claim(dev.namespace(), "one", names, Optional.of(GuardCase.OWNER), false), false);
    World.mark(dev.namespace(), step(rest(kind, "A").marked(MARK), rest(kind, "A").marked(MARK)));
  }

  private static void operator(Deployer dev, Shape from, Shape to) {
    done(World.patch(dev.namespace(), step(from, to), "belay"));
    assertThat(live(dev, to.kind())).isEqualTo(to);
  }

  private static GuardCase step(Shape from, Shape to) {
    return new GuardCase(
        "step", "owned", Optional.of(from), "owner", "merge", "", to, Optional.of(to));
  }

  private static Shape rest(Kind kind, String template) {
    return Shape.of(template + (kind == Kind.DEPLOYMENT ? "/rolls" : "/0")).marked(Mark.NONE);
  }

  private static Shape frozen(Kind kind, String template) {
    return Shape.of(template + (kind == Kind.DEPLOYMENT ? "/paused" : "/frozen")).marked(MARK);
  }

  private static Shape live(Deployer dev, Kind kind) {
    return World.live(dev.namespace(), kind);
  }

  private static void done(Answer answer) {
    assertThat(answer.exit()).as(answer.all()).isZero();
  }

  /** The controllers of Kubernetes have seen the last change, and write nothing more. */
  private static void settled(Deployer dev, Kind kind) {
    Plane.eventually(
        "the status is up to date",
        () -> {
          var workload = World.workload(Plane.admin(), dev.namespace(), kind).require();
          return observed(workload) == workload.getMetadata().getGeneration();
        });
    List<String> seen = new ArrayList<>(List.of("", version(dev, kind)));
    Plane.eventually(
        "nothing is written for a second",
        () -> {
          pause();
          seen.add(version(dev, kind));
          return seen.getLast().equals(seen.get(seen.size() - 2));
        });
  }

  private static void pause() {
    try {
      Thread.sleep(1000);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static long observed(HasMetadata workload) {
    return switch (workload) {
      case StatefulSet set ->
          Optional.ofNullable(set.getStatus().getObservedGeneration()).orElse(0L);
      case Deployment deployment ->
          Optional.ofNullable(deployment.getStatus().getObservedGeneration()).orElse(0L);
      default -> throw new IllegalArgumentException("what is a " + workload.getKind() + "?");
    };
  }

  private static String version(Deployer dev, Kind kind) {
    return World.workload(Plane.admin(), dev.namespace(), kind)
        .require()
        .getMetadata()
        .getResourceVersion();
  }
}
