package dev.belay.operator.act;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.driver.Driver;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Step;
import dev.belay.operator.DriverPool;
import dev.belay.operator.PatchRequest;
import dev.belay.operator.actions.UserActions;
import dev.belay.operator.migrations.UserMigrations;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import dev.belay.operator.observe.Live;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Carries out one step. Every write carries the uid and resourceVersion it was decided on. */
public final class KubernetesActor implements AutoCloseable {

  /** A process that was stopped for longer than this between looking and acting lets it be. */
  static final Duration STALE = Duration.ofSeconds(8);

  /** The same for what may take a member down: the members' health is only as fresh as the look. */
  private static final Duration STALE_FOR_DISRUPTION = Duration.ofSeconds(3);

  /** What a system is told takes no longer than this. */
  private static final Duration COMMAND_DEADLINE = Duration.ofSeconds(5);

  /** What is sent is on its way a moment longer than the one who sent it can tell. */
  private static final Duration ON_ITS_WAY = Duration.ofSeconds(1);

  private static final Acted TOO_LATE =
      new Acted(false, "too much time has passed since it was decided");

  private final KubernetesClient client;
  private final DriverPool drivers;
  private final UserActions actions;
  private final UserMigrations migrations;
  private final Clock clock;

  public KubernetesActor(
      KubernetesClient client,
      DriverPool drivers,
      UserActions actions,
      UserMigrations migrations,
      Clock clock) {
    // A write that is retried behind our back lands on another world than the one it was decided
    // on.
    this.client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(client.getConfiguration())
                    .withRequestRetryBackoffLimit(0)
                    .withRequestTimeout(2_000)
                    .build())
            .build();
    this.drivers = drivers;
    this.actions = actions;
    this.migrations = migrations;
    this.clock = clock;
  }

  public Acted act(Sight basis, Step step) {
    Duration limit = step instanceof Step.Disruptive ? STALE_FOR_DISRUPTION : STALE;
    if (age(basis).compareTo(limit) > 0) {
      return TOO_LATE;
    }
    try {
      return switch (step) {
        case Step.PartitionWrite write ->
            patch(
                basis,
                write.fence(),
                PatchType.JSON_MERGE,
                Patches.partition(live(basis, write), write));
        case Step.SetTemplate set ->
            patch(
                basis,
                set.fence(),
                PatchType.STRATEGIC_MERGE,
                Patches.template(live(basis, set), set));
        case Step.Revoke revoke ->
            patch(basis, revoke.fence(), PatchType.JSON_MERGE, Patches.revocation(revoke));
        case Step.RecreatePod recreate -> delete(basis, recreate);
        case Step.TransferLeader transfer -> transfer(basis, transfer);
        case Step.Evict evict -> evict(basis, evict);
        case Step.Tell tell -> tell(basis, tell);
        case Step.Act act -> actions.send(basis, act);
        case Step.Undo undo -> actions.undo(basis, undo);
        case Step.Migrate migrate -> migrations.migrate(basis, migrate);
        case Step.Settle settle -> migrations.settle(basis, settle);
        case Step.Unforce _ -> unforce(basis);
        case Step.Recorded recorded -> new Acted(true, recorded.what());
      };
    } catch (KubernetesClientException e) {
      return new Acted(false, words(e));
    }
  }

  private Acted patch(Sight basis, Fence.ObjectVersion object, PatchType type, String body) {
    String namespace = basis.snapshot().subject().namespace();
    PatchRequest.to(client, namespace, object.kind(), object.name()).send(type, body);
    return new Acted(true, "");
  }

  /** Unlike a delete it is refused when a budget of somebody's does not allow it. */
  private Acted evict(Sight basis, Step.Evict step) {
    String namespace = basis.snapshot().subject().namespace();
    String path = "/api/v1/namespaces/%s/pods/%s/eviction".formatted(namespace, step.pod());
    client.raw(path, "POST", Patches.eviction(namespace, step));
    return new Acted(true, "");
  }

  /** In the API server's words; a budget that refuses is named only among the causes. */
  private static String words(KubernetesClientException refusal) {
    Status status = refusal.getStatus();
    if (status == null || status.getMessage() == null) {
      return refusal.getCode() + " " + refusal.getMessage();
    }
    String causes =
        Stream.ofNullable(status.getDetails())
            .flatMap(d -> Stream.ofNullable(d.getCauses()).flatMap(List::stream))
            .filter(c -> "DisruptionBudget".equals(c.getReason()))
            .map(c -> " " + c.getMessage())
            .collect(Collectors.joining());
    return refusal.getCode() + " " + status.getMessage() + causes;
  }

  private Acted delete(Sight basis, Step.RecreatePod step) {
    String path =
        "/api/v1/namespaces/%s/pods/%s"
            .formatted(basis.snapshot().subject().namespace(), step.pod());
    client.raw(path, "DELETE", Patches.onlyIf(step.fence(), step.uid()));
    return new Acted(true, "");
  }

  /** The status moves all the time: what counts is that the annotation is still what was seen. */
  private Acted unforce(Sight basis) {
    client
        .resources(StatefulCluster.class)
        .inNamespace(basis.snapshot().subject().namespace())
        .withName(basis.snapshot().subject().name())
        .patch(
            PatchContext.of(PatchType.JSON),
            Patches.withoutForce(basis.cluster().getMetadata().getUid()));
    return new Acted(true, "");
  }

  private Acted transfer(Sight basis, Step.TransferLeader step) {
    int index = index(basis, step);
    Driver driver = drivers.driver(basis.cluster(), index);
    var behind = Objects.requireNonNull(basis.behind().get(step.component()));
    var leader = new Topology.Leader(step.fromId(), step.fence().term());
    return command(basis, time -> driver.transferLeader(behind.seats(), leader, step.toId(), time));
  }

  private Acted tell(Sight basis, Step.Tell step) {
    Driver driver = drivers.driver(basis.cluster(), index(basis, step));
    var behind = Objects.requireNonNull(basis.behind().get(step.component()));
    return command(basis, time -> driver.tell(behind.seats(), step.command(), time));
  }

  private Acted command(Sight basis, Function<Duration, Driver.Outcome> send) {
    Duration time = commandTime(age(basis));
    return time.isPositive() ? acted(send.apply(time)) : TOO_LATE;
  }

  private Duration age(Sight basis) {
    return Duration.between(basis.snapshot().at(), clock.instant());
  }

  /** So that it is over before anybody takes it for dead, however old the look is by now. */
  static Duration commandTime(Duration age) {
    Duration left = Command.LIFE.minus(ON_ITS_WAY).minus(age);
    return left.compareTo(COMMAND_DEADLINE) < 0 ? left : COMMAND_DEADLINE;
  }

  private static Acted acted(Driver.Outcome outcome) {
    return switch (outcome) {
      case Driver.Outcome.Accepted _ -> new Acted(true, "");
      case Driver.Outcome.Refused(String why) -> new Acted(false, why);
    };
  }

  @Override
  public void close() {
    client.close();
  }

  private static int index(Sight basis, Step step) {
    var components = basis.snapshot().components();
    for (int i = 0; i < components.size(); i++) {
      if (components.get(i).name().equals(step.component())) {
        return i;
      }
    }
    throw new IllegalStateException("no component " + step.component());
  }

  private static Live live(Sight basis, Step step) {
    return Objects.requireNonNull(basis.behind().get(step.component()))
        .workload()
        .asOptional()
        .orElseThrow();
  }
}
