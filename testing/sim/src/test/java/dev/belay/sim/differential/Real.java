package dev.belay.sim.differential;

import dev.belay.core.model.Action;
import dev.belay.core.model.Workload.Order;
import dev.belay.core.model.Workload.Update;
import dev.belay.sim.differential.Stage.Event;
import dev.belay.sim.differential.Stage.Kind;
import dev.belay.sim.differential.Stage.PodAtRest;
import dev.belay.sim.differential.Stage.Rest;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.RollableScalableResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Plays a script on the real control plane, in a namespace of its own. */
final class Real {

  private static final String SET = "db";

  /** Nothing happens for so long only when nothing is going to happen. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** A sync of the controller that has not come by then does not come. */
  private static final Duration QUIET = Duration.ofMillis(1500);

  private static final Duration POLL = Duration.ofMillis(250);

  private final KubernetesClient client;
  private final Script script;
  private final List<Event> events = new ArrayList<>();
  private final Set<String> told = new HashSet<>();
  private final Map<String, String> tags = new HashMap<>();
  private Instant lastEvent = Instant.now();

  private Real(KubernetesClient client, Script script) {
    this.client = client;
    this.script = script;
  }

  /**
   * @param expected where each act is expected to come to rest, so that nobody waits longer than
   *     needed where the expectation is right
   */
  static List<Stage> play(KubernetesClient client, Script script, List<Stage> expected) {
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(script.name()).endMetadata().build())
        .create();
    var real = new Real(client, script);
    var stages = new ArrayList<Stage>();
    try (var watch = client.pods().inNamespace(script.name()).watch(real.new Onlooker())) {
      for (Stage stage : expected) {
        real.perform(stage.act());
        stages.add(real.rest(stage));
        if (!stages.getLast().words().equals(stage.words())) {
          break;
        }
      }
    }
    // Nobody looks at it any more, and the others want the machine.
    client.namespaces().withName(script.name()).delete();
    return stages;
  }

  private void perform(Script.Act act) {
    switch (act) {
      case Script.Act.Created() -> create(Script.FIRST, 0);
      case Script.Act.Roll(String tag) ->
          set()
              .patch(
                  PatchContext.of(PatchType.JSON),
                  """
                  [{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "db:%s"}]
                  """
                      .formatted(tag));
      case Script.Act.Partition(int index) ->
          merge("\"updateStrategy\": {\"rollingUpdate\": {\"partition\": " + index + "}}");
      case Script.Act.Scale(int replicas) -> merge("\"replicas\": " + replicas);
      case Script.Act.Strategy(Update update) ->
          merge(
              update == Update.ON_DELETE
                  ? "\"updateStrategy\": {\"type\": \"OnDelete\", \"rollingUpdate\": null}"
                  : "\"updateStrategy\": {\"type\": \"RollingUpdate\"}");
      case Script.Act.MinReady(int seconds) -> merge("\"minReadySeconds\": " + seconds);
      case Script.Act.DeletePod(int ordinal) ->
          client.pods().inNamespace(script.name()).withName(SET + "-" + ordinal).delete();
      case Script.Act.Recreate(String tag, int partition) -> {
        set().withPropagationPolicy(DeletionPropagation.ORPHAN).delete();
        set().waitUntilCondition(s -> s == null, PATIENCE.toSeconds(), TimeUnit.SECONDS);
        create(tag, partition);
      }
    }
  }

  private RollableScalableResource<StatefulSet> set() {
    return client.apps().statefulSets().inNamespace(script.name()).withName(SET);
  }

  private void merge(String spec) {
    set().patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": {" + spec + "}}");
  }

  private void create(String tag, int partition) {
    Script.Start start = script.start();
    String yaml =
        """
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: db, namespace: %s}
        spec:
          serviceName: db
          replicas: %d
          podManagementPolicy: %s
          ordinals: {start: %d}
          minReadySeconds: %d
          updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: %d}}
          selector: {matchLabels: {app: db}}
          template:
            metadata: {labels: {app: db}}
            spec:
              terminationGracePeriodSeconds: 1
              containers:
              - name: db
                image: db:%s
                readinessProbe: {exec: {command: [/image/ready]}, periodSeconds: 5, timeoutSeconds: 15}
        """
            .formatted(
                script.name(),
                start.replicas(),
                start.order() == Order.PARALLEL ? "Parallel" : "OrderedReady",
                start.firstOrdinal(),
                start.minReadySeconds(),
                partition,
                tag);
    client.resource(Serialization.unmarshal(yaml, StatefulSet.class)).create();
  }

  /** Waits until all went as expected and nothing more happens, or until nothing happens. */
  private Stage rest(Stage expected) {
    heard();
    Stage seen;
    do {
      LockSupport.parkNanos(POLL.toNanos());
      while (!silentFor(QUIET)) {
        LockSupport.parkNanos(POLL.toNanos());
      }
      seen = look(expected.act());
    } while (!silentFor(PATIENCE) && !(observed() && seen.words().equals(expected.words())));
    synchronized (this) {
      events.clear();
    }
    return seen;
  }

  private synchronized void heard() {
    lastEvent = Instant.now();
  }

  private synchronized boolean silentFor(Duration time) {
    return Instant.now().isAfter(lastEvent.plus(time));
  }

  private boolean observed() {
    StatefulSet set = set().get();
    Long seen = set.getStatus().getObservedGeneration();
    return seen != null && seen.equals(set.getMetadata().getGeneration());
  }

  private Stage look(Script.Act act) {
    var status = set().get().getStatus();
    var pods =
        client.pods().inNamespace(script.name()).list().getItems().stream()
            .map(p -> new PodAtRest(ordinal(p), tag(p), ready(p)))
            .sorted(Comparator.comparingInt(PodAtRest::ordinal))
            .toList();
    Integer updated = status.getUpdatedReplicas();
    var rest =
        new Rest(
            revision(status.getCurrentRevision()),
            revision(status.getUpdateRevision()),
            updated == null ? 0 : updated,
            pods);
    synchronized (this) {
      return new Stage(act, List.copyOf(events), rest);
    }
  }

  /** The version that a revision stands for. */
  private String revision(@Nullable String name) {
    return name == null || name.isEmpty() ? "none" : tags.computeIfAbsent(name, this::ask);
  }

  private String ask(String revision) {
    var found =
        client.apps().controllerRevisions().inNamespace(script.name()).withName(revision).get();
    return tag(
        Serialization.unmarshal(Serialization.asJson(found.getData()), StatefulSet.class)
            .getSpec()
            .getTemplate()
            .getSpec()
            .getContainers()
            .getFirst()
            .getImage());
  }

  private static String tag(Pod pod) {
    return tag(pod.getSpec().getContainers().getFirst().getImage());
  }

  private static String tag(String image) {
    return image.substring(image.indexOf(':') + 1);
  }

  private static int ordinal(Pod pod) {
    String name = pod.getMetadata().getName();
    return Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
  }

  private static boolean ready(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals("True"));
  }

  /** Writes down what happens to pods, in the order of the watch. */
  private final class Onlooker implements Watcher<Pod> {

    @Override
    public void eventReceived(Action action, Pod pod) {
      tell(Kind.CREATED, pod, true);
      tell(Kind.READY, pod, ready(pod));
      tell(Kind.DELETED, pod, pod.getMetadata().getDeletionTimestamp() != null);
      tell(Kind.GONE, pod, action == Action.DELETED);
    }

    private void tell(Kind kind, Pod pod, boolean happened) {
      synchronized (Real.this) {
        if (happened && told.add(kind + pod.getMetadata().getUid())) {
          events.add(new Event(kind, ordinal(pod), tag(pod)));
          heard();
        }
      }
    }

    @Override
    public void onClose(WatcherException cause) {}
  }
}
