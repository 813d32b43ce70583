package dev.belay.operator.record;

import dev.belay.api.v1alpha1.ComponentStatus;
import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.loop.Loop.Turn;
import dev.belay.core.model.Component;
import dev.belay.core.model.Workload;
import dev.belay.core.report.Report;
import dev.belay.core.report.Report.ComponentReport;
import dev.belay.core.rules.Course;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Obligation;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says what happens, once per change: a log line and an event for each step and each new reason.
 */
public final class Announcer {

  private static final Logger LOG = LoggerFactory.getLogger("belay");

  /** Event times have exactly six digits after the point; anything else is refused. */
  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss'Z'").withZone(ZoneOffset.UTC);

  private static final int EXISTS = 409;

  private final Consumer<Event> write;
  private final String instance;
  private final Map<String, Told> told = new ConcurrentHashMap<>();
  private final Map<String, List<String>> lastWarnings = new ConcurrentHashMap<>();

  public Announcer(KubernetesClient client, String instance) {
    this(event -> client.resource(event).create(), instance);
  }

  Announcer(Consumer<Event> write, String instance) {
    this.write = write;
    this.instance = instance;
  }

  public void announce(StatefulCluster cluster, Turn turn) {
    String name = cluster.getMetadata().getNamespace() + "/" + cluster.getMetadata().getName();
    String uid = cluster.getMetadata().getUid();
    Told before = told.computeIfAbsent(uid, _ -> Told.by(cluster)).about(cluster, turn.report());
    if (turn.decision() instanceof Perform(Step step)) {
      String kind = step.getClass().getSimpleName();
      // What stood in the way before a process took over may well stand there after it.
      told.put(
          uid, turn.acted().accepted() && !(step instanceof Step.Claim) ? before.moved() : before);
      if (turn.acted().accepted()) {
        LOG.info("{} {} ({})", name, step.what(), progress(turn));
        String type = step instanceof Step.GiveUp ? "Warning" : "Normal";
        tell(cluster, type, kind, step.what() + " (" + progress(turn) + ")");
      } else if (!turn.acted().detail().isEmpty()) {
        LOG.warn("{} {}: not carried out: {}", name, step.what(), turn.acted().detail());
      }
      return;
    }
    Optional<Objection> first = turn.decision().objections().stream().findFirst();
    String reason =
        Told.reason(
            turn.report().phase().toString(),
            first.map(o -> o.reason().name() + " " + o.object()).orElse(""));
    told.put(uid, before.with(reason));
    if (before.reasons().contains(reason)) {
      return;
    }
    if (first.isEmpty()) {
      LOG.info("{} is {} ({})", name, turn.report().phase(), progress(turn));
      tell(cluster, "Normal", turn.report().phase().toString(), progress(turn));
      return;
    }
    String sentence = first.get().object() + " waits: " + first.get().sentence();
    LOG.info("{} {} ({})", name, sentence, progress(turn));
    if (first.get().weight() != Objection.Weight.PROGRESS) {
      tell(cluster, "Warning", first.get().reason().name(), sentence);
    }
  }

  /** What is written in the resource and does nothing: said when it is new. */
  public void warn(StatefulCluster cluster) {
    List<String> warnings = Mapping.warnings(cluster);
    List<String> before =
        warnings.isEmpty()
            ? lastWarnings.remove(cluster.getMetadata().getUid())
            : lastWarnings.put(cluster.getMetadata().getUid(), warnings);
    for (String warning : warnings) {
      if (before == null || !before.contains(warning)) {
        LOG.warn("{} {}", cluster.getMetadata().getName(), warning);
        // Named by what it says: whoever comes after a restart finds it said.
        var named = event(cluster, "Warning", "Ignored", warning);
        named.getMetadata().setGenerateName(null);
        named.getMetadata().setName("belay." + fingerprint(cluster, warning));
        write(named);
      }
    }
  }

  /** The last word on workloads that are no longer named, and were left as something had them. */
  public void parting(StatefulCluster cluster, Snapshot seen, Turn turn) {
    boolean written = turn.acted().accepted() || !turn.acted().detail().isEmpty();
    if (!written) {
      return;
    }
    Memory now = turn.report().memory();
    new TreeMap<>(seen.memory().components())
        .forEach((name, memory) -> {
          boolean stays =
              now.components().containsKey(name)
                  && (memory.workload().isEmpty()
                      || memory.workload().equals(now.component(name).workload()));
          if (!stays) {
            owed(cluster, name, memory);
            known(cluster, name)
                .flatMap(c -> c.owes().stream())
                .forEach(owed -> owed(cluster, name, owed));
            left(cluster, name, memory);
          } else if (!isNamed(cluster, name)) {
            // It stays in the record for what it owes by actions; the driver's part nobody knows
            // now.
            known(cluster, name)
                .flatMap(c -> c.owes().stream())
                .forEach(owed -> owed(cluster, name, owed));
          }
        });
  }

  private static boolean isNamed(StatefulCluster cluster, String component) {
    return cluster.getSpec().components().stream().anyMatch(c -> c.name().equals(component));
  }

  private static Stream<ComponentStatus> known(StatefulCluster cluster, String component) {
    return Stream.ofNullable(cluster.getStatus())
        .flatMap(s -> s.components().stream())
        .filter(c -> c.name().equals(component));
  }

  private void left(StatefulCluster cluster, String component, ComponentMemory memory) {
    Optional<String> guard =
        known(cluster, component).flatMap(c -> Stream.ofNullable(c.guard())).findFirst();
    String workload = memory.workload().isEmpty() ? "its workload" : memory.workload();
    String on = goOn(workload, guard.filter("OnDelete"::equals).isPresent());
    if (memory.target().isPresent()) {
      say(
          cluster,
          "LeftMidway",
          "component %s is no longer in spec.components with %s, which was in the middle of its"
                  .formatted(component, workload)
              + " roll-out: its members stay where they are, and nobody guards it any more"
              + on);
    } else if (guard.filter("Parked"::equals).isPresent()) {
      say(
          cluster,
          "LeftParked",
          "component %s is no longer in spec.components with %s, which is left as it was parked: no"
                  .formatted(component, workload)
              + " new template of it is rolled"
              + on);
    }
  }

  private static String goOn(String workload, boolean onDelete) {
    String[] words = workload.split("/", 2);
    if (words.length < 2) {
      return "";
    }
    if (onDelete) {
      return ". To go on without Belay: delete its pods, one after the other";
    }
    return ". To go on without Belay: "
        + command(
            words[0].equals(Workload.Kind.DEPLOYMENT.toString())
                ? Workload.Kind.DEPLOYMENT
                : Workload.Kind.STATEFUL_SET,
            words[1]);
  }

  private static String command(Workload.Kind kind, String workload) {
    return switch (kind) {
      case STATEFUL_SET ->
          "kubectl patch statefulset "
              + workload
              + " --type=merge -p"
              + " '{\"spec\":{\"updateStrategy\":{\"rollingUpdate\":{\"partition\":0}}}}'";
      case DEPLOYMENT -> "kubectl rollout resume deployment/" + workload;
    };
  }

  private void say(StatefulCluster cluster, String reason, String message) {
    LOG.warn("{} {}", cluster.getMetadata().getName(), message);
    tell(cluster, "Warning", reason, message);
  }

  /** What was done for the upgrade, and nobody takes back any more. */
  private void owed(StatefulCluster cluster, String component, ComponentMemory memory) {
    for (Obligation obligation : memory.obligations()) {
      if (obligation.open()) {
        String message =
            "%s of %s is not taken back by anybody any more: send it yourself, to %s"
                .formatted(obligation.undo(), component, obligation.object());
        say(cluster, "LeftOwing", message);
      }
    }
  }

  /** The last word on a StatefulCluster that goes while members still wait for the new revision. */
  public void farewell(StatefulCluster cluster, Snapshot seen, Report report) {
    for (Component component : seen.components()) {
      component.workload().asOptional().ifPresent(w -> farewell(cluster, seen, component, w));
      owed(cluster, component.name(), seen.memory().component(component.name()));
    }
    seen.memory()
        .components()
        .forEach((name, memory) -> {
          if (!isNamed(cluster, name)) {
            owed(cluster, name, memory);
          }
        });
    for (ComponentReport component : report.components()) {
      component.owes().forEach(owed -> owed(cluster, component.name(), owed));
    }
  }

  /** What a driver changed for the upgrade. */
  private void owed(StatefulCluster cluster, String component, String owed) {
    say(cluster, "LeftOwing", "%s, of %s: nobody sees to it any more".formatted(owed, component));
  }

  private void farewell(
      StatefulCluster cluster, Snapshot seen, Component component, Workload workload) {
    long outdated =
        component.podList().stream()
            .filter(p -> !p.revision().equals(workload.updateRevision()))
            .count();
    Optional<Refused> refused = new Course(seen, component).refused();
    Optional<String> left =
        leftAt(workload)
            .map(how -> "stay so: " + refused.map(r -> refusal(r) + "; ").orElse("") + how);
    Optional<String> goesOn = refused.map(r -> "go to it by themselves: " + refusal(r));
    left.or(() -> goesOn)
        .filter(_ -> outdated > 0)
        .ifPresent(how -> {
          String message =
              "%d of %d members of %s %s are not at the newest revision, and %s"
                  .formatted(outdated, workload.replicas(), workload.kind(), workload.name(), how);
          say(cluster, "LeftMidway", message);
        });
  }

  /** Whoever goes on with what was found bad does so knowingly. */
  private static String refusal(Refused refused) {
    String what = refused.version().isEmpty() ? refused.revision() : refused.version();
    return "%s is refused (%s): revert the template before anything else"
        .formatted(what, refused.reason());
  }

  /**
   * How it is left, and how to go on without Belay; empty when its controller goes on by itself.
   */
  private static Optional<String> leftAt(Workload workload) {
    if (workload.update() == Workload.Update.ON_DELETE) {
      return Optional.of(
          "its updateStrategy is OnDelete. To go on without Belay: delete its pods, one after the"
              + " other");
    }
    if (workload.partition() == 0) {
      return Optional.empty();
    }
    String left =
        switch (workload.kind()) {
          case STATEFUL_SET -> "its partition is left at " + workload.partition();
          case DEPLOYMENT -> "it is left paused";
        };
    return Optional.of(
        left + ". To go on without Belay: " + command(workload.kind(), workload.name()));
  }

  private static String fingerprint(StatefulCluster cluster, String warning) {
    return UUID.nameUUIDFromBytes(
            (cluster.getMetadata().getUid() + warning).getBytes(StandardCharsets.UTF_8))
        .toString();
  }

  public void forget(String uid) {
    told.remove(uid);
    lastWarnings.remove(uid);
  }

  private static String progress(Turn turn) {
    var report = turn.report();
    String target = report.targetVersion().isEmpty() ? "" : ", target " + report.targetVersion();
    return "updated %d/%d, ready %d/%d%s"
        .formatted(report.updated(), report.replicas(), report.ready(), report.replicas(), target);
  }

  private void tell(StatefulCluster cluster, String type, String reason, String message) {
    write(event(cluster, type, reason, message));
  }

  /** Events help people; losing one loses nothing else. */
  private void write(Event event) {
    try {
      write.accept(event);
    } catch (KubernetesClientException e) {
      if (e.getCode() != EXISTS) {
        LOG.warn("event {} was not written: {}", event.getReason(), e.getMessage());
      }
    }
  }

  private Event event(StatefulCluster cluster, String type, String reason, String message) {
    Instant now = Instant.now();
    var meta = cluster.getMetadata();
    return new EventBuilder()
        .withNewMetadata()
        .withGenerateName(meta.getName() + ".")
        .withNamespace(meta.getNamespace())
        .endMetadata()
        .withNewInvolvedObject()
        .withApiVersion(cluster.getApiVersion())
        .withKind(cluster.getKind())
        .withName(meta.getName())
        .withNamespace(meta.getNamespace())
        .withUid(meta.getUid())
        .endInvolvedObject()
        .withType(type)
        .withReason(reason)
        .withAction(reason)
        .withMessage(message.length() > 1000 ? message.substring(0, 1000) : message)
        .withFirstTimestamp(SECONDS.format(now))
        .withLastTimestamp(SECONDS.format(now))
        .withEventTime(new MicroTime(MICROS.format(now)))
        .withCount(1)
        .withReportingComponent("belay.dev/operator")
        .withReportingInstance(instance)
        .build();
  }
}
