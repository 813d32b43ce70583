package dev.belay.operator.migrations;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Ledger;
import dev.belay.core.state.Step;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The migrations that StatefulClusters declare: where they stand, and one when a step says so. */
public final class UserMigrations {

  private final KubernetesClient client;
  private final String owner;
  private final Clock clock;
  private final Consumer<StatefulCluster> wake;
  private final Map<String, Workbench> benches = new ConcurrentHashMap<>();

  /**
   * @param instance this process; names its sessions in the database
   * @param wake called when an operation of a cluster is over
   */
  public UserMigrations(
      KubernetesClient client, String instance, Clock clock, Consumer<StatefulCluster> wake) {
    this.client = client;
    this.owner = "belay-operator " + instance.substring(0, Math.min(8, instance.length()));
    this.clock = clock;
    this.wake = wake;
  }

  /** A look with what the database says about its migrations, read after all else was. */
  public Sight answered(Sight sight) {
    var declared = sight.cluster().getSpec().migrations();
    String uid = sight.cluster().getMetadata().getUid();
    if (declared == null) {
      benches.remove(uid);
      return sight;
    }
    Workbench bench = benches.computeIfAbsent(uid, _ -> new Workbench(client, owner, clock));
    Fact<Ledger> ledger = bench.look(sight.snapshot().subject().namespace(), declared);
    return new Sight(sight.snapshot().knowing(ledger), sight.cluster(), sight.behind());
  }

  public Acted migrate(Sight basis, Step.Migrate step) {
    return bench(basis)
        .map(b -> b.migrate(step, basis.snapshot().at(), () -> wake.accept(basis.cluster())))
        .orElse(new Acted(false, "its database was not looked at"));
  }

  public Acted settle(Sight basis, Step.Settle step) {
    return bench(basis)
        .map(b -> b.settle(step, () -> wake.accept(basis.cluster())))
        .orElse(new Acted(false, "its database was not looked at"));
  }

  private Optional<Workbench> bench(Sight basis) {
    return Optional.ofNullable(benches.get(basis.cluster().getMetadata().getUid()));
  }

  /** Lets go of a StatefulCluster; what runs in its database comes to an end there. */
  public void forget(String uid) {
    benches.remove(uid);
  }
}
