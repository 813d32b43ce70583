package dev.belay.operator.checks;

import dev.belay.api.v1alpha1.Question;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.model.Component;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Snapshot;
import dev.belay.operator.observe.KubernetesObserver.Sight;
import java.time.Clock;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** The checks that StatefulClusters declare: what to ask because of a look, and what is known. */
public final class UserChecks implements AutoCloseable {

  private final CheckProber prober;
  private final Consumer<StatefulCluster> wake;

  /**
   * @param wake called when an answer about a cluster changes
   */
  public UserChecks(Clock clock, Consumer<StatefulCluster> wake) {
    this.prober = new CheckProber(new Asker()::ask, clock);
    this.wake = wake;
  }

  /** A look with the answers that are there; asks nobody. */
  public Sight answered(Sight sight) {
    Snapshot seen = sight.snapshot();
    String cluster = sight.cluster().getMetadata().getUid();
    List<Component> components =
        IntStream.range(0, seen.components().size())
            .mapToObj(i -> {
              List<Due> due = due(sight, seen, i);
              return seen.components().get(i).withChecks(prober.results(cluster, due, seen.at()));
            })
            .toList();
    return new Sight(seen.seeing(components), sight.cluster(), sight.behind());
  }

  /** From now on asks what matters after a turn that ended with this memory. */
  public void follow(Sight sight, Memory memory) {
    Snapshot after = sight.snapshot().remembering(memory);
    List<Due> due =
        IntStream.range(0, after.components().size())
            .boxed()
            .flatMap(i -> due(sight, after, i).stream())
            .toList();
    prober.follow(sight.cluster().getMetadata().getUid(), due, () -> wake.accept(sight.cluster()));
  }

  /** Asks nothing more for a StatefulCluster that is gone, or another's. */
  public void forget(String uid) {
    prober.forget(uid);
  }

  private static List<Due> due(Sight sight, Snapshot snapshot, int i) {
    Component component = snapshot.components().get(i);
    var checks = sight.cluster().getSpec().components().get(i).checks();
    return sight
        .addresses(i)
        .map(addresses ->
            Due.in(
                snapshot,
                component,
                Question.of("spec.components[" + i + "].checks", checks),
                addresses))
        .orElse(List.of());
  }

  @Override
  public void close() {
    prober.close();
  }
}
