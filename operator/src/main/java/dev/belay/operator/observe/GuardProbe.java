package dev.belay.operator.observe;

import dev.belay.api.v1alpha1.ComponentStatus;
import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.guard.Mark;
import dev.belay.core.guard.Mark.Stamp;
import dev.belay.core.model.Component.Guarding;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Fence;
import dev.belay.operator.PatchRequest;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Asks the API server, by a dry run on a marked workload, whether the policies freeze a template
 * change. The policies are the same for every marked workload, so one answer counts for all those
 * of which nothing else is believed. Where another answer is, the workload itself is asked: a
 * webhook may treat it differently.
 */
public final class GuardProbe {

  /** The oldest policies that this operator works with; policies answer it in a dry run. */
  private static final int VERSION = 1;

  private static final String POLICY = "belay-guard'";

  private static final String VERSION_ANNOTATION = "belay.dev/guard-version";

  private static final String SET_ROLLS =
      "\"updateStrategy\":{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"partition\":0}}";

  private static final String DEPLOYMENT_ROLLS = "\"paused\":false";

  private static final Duration KEPT = Duration.ofSeconds(15);

  /**
   * How long nothing must have frozen a change before that is believed. An API server takes a
   * second or two to act on new policies; a set must not be parked, and un-parked, because of it.
   */
  private static final Duration CONFIRMED = Duration.ofSeconds(4);

  /** The last answer that was believed, and since when another one contradicts it. */
  private record Belief(Optional<Guarding> guarding, Instant at, Optional<Instant> doubtedSince) {

    boolean freshAt(Instant now) {
      return guarding.isPresent() && doubtedSince.isEmpty() && at.plus(KEPT).isAfter(now);
    }

    Belief outdated() {
      return new Belief(guarding, Instant.EPOCH, doubtedSince);
    }

    /** Whether the answer of another workload, if it is this one, counts here. */
    boolean agrees(Guarding other) {
      return doubtedSince.isEmpty() && guarding.filter(g -> g != other).isEmpty();
    }
  }

  /** The last answer of any workload. */
  private record Answer(Guarding guarding, Instant at) {}

  private final KubernetesClient client;
  private final Map<String, Belief> beliefs = new ConcurrentHashMap<>();
  private volatile Optional<Answer> last = Optional.empty();

  public GuardProbe(KubernetesClient client) {
    this.client = client;
  }

  /** A policy has changed: the next observation asks again. */
  public void policiesChanged() {
    last = Optional.empty();
    beliefs.replaceAll((_, belief) -> belief.outdated());
  }

  /** Forgets the workloads of a StatefulCluster that is gone. */
  public void forget(String uid) {
    beliefs.keySet().removeIf(key -> key.startsWith(uid + "/"));
  }

  /**
   * The guard of a workload. Unknown while the workload does not carry the mark of the recorded
   * owner, and while no answer is believed yet. The strategy OnDelete needs no guard.
   */
  Fact<Guarding> probe(StatefulCluster cluster, String component, Live workload, Instant now) {
    Optional<String> unmarked = unmarked(cluster, workload);
    if (unmarked.isPresent()) {
      return Fact.unknown(unmarked.get());
    }
    if (workload instanceof Live.Set set && set.onDelete()) {
      return Fact.known(Guarding.ON_DELETE);
    }
    String key = cluster.getMetadata().getUid() + "/" + workload.metadata().getUid();
    // A new process believes what the status says.
    Belief before =
        beliefs.computeIfAbsent(
            key, _ -> new Belief(recorded(cluster, component), Instant.EPOCH, Optional.empty()));
    return believed(key, before, workload, now);
  }

  private Fact<Guarding> believed(String key, Belief before, Live workload, Instant now) {
    Optional<Answer> shared =
        last.filter(a -> a.at().plus(KEPT).isAfter(now)).filter(a -> before.agrees(a.guarding()));
    Belief after;
    if (before.freshAt(now)) {
      after = before;
    } else if (shared.isPresent()) {
      after = new Belief(Optional.of(shared.get().guarding()), shared.get().at(), Optional.empty());
    } else {
      Fact<Guarding> answer = ask(workload, now);
      if (!(answer instanceof Fact.Known<Guarding>(Guarding guarding))) {
        return answer;
      }
      after = weigh(before, guarding, now);
      last = after.freshAt(now) ? Optional.of(new Answer(guarding, now)) : last;
    }
    beliefs.put(key, after);
    return after
        .guarding()
        .<Fact<Guarding>>map(Fact::known)
        .orElseGet(
            () -> Fact.unknown("no policy froze a trial change yet; new policies take a moment"));
  }

  /** Why the policies do not guard the workload for its recorded owner, if so. */
  private static Optional<String> unmarked(StatefulCluster cluster, Live workload) {
    Mark mark = workload.mark();
    String name = cluster.getMetadata().getName();
    Optional<Mark> wanted =
        Mapping.memory(cluster).owner().map(o -> Mark.of(name, new Stamp(o.epoch(), o.account())));
    if (wanted.filter(mark::equals).isPresent()) {
      return Optional.empty();
    }
    return Optional.of(
        mark.cluster()
            .filter(c -> !c.equals(name))
            .map(c ->
                "it has the mark of StatefulCluster %s; fix: name it in one StatefulCluster only,"
                        .formatted(c)
                    + " or run belay release if that one is gone")
            .orElse("the operator has not marked it yet"));
  }

  /** Frozen is proof; not frozen is believed when it was so for a while. */
  private static Belief weigh(Belief before, Guarding answer, Instant now) {
    boolean believed =
        answer == Guarding.POLICY
            || before.guarding().filter(answer::equals).isPresent()
            || before.doubtedSince().filter(d -> !d.plus(CONFIRMED).isAfter(now)).isPresent();
    return believed
        ? new Belief(Optional.of(answer), now, Optional.empty())
        : new Belief(
            before.guarding(), before.at(), before.doubtedSince().or(() -> Optional.of(now)));
  }

  private Fact<Guarding> ask(Live workload, Instant now) {
    try {
      return Fact.known(answer(workload, now));
    } catch (KubernetesClientException e) {
      // The validating policy refuses what the mutating one would have frozen.
      boolean validated =
          e.getCode() == HttpURLConnection.HTTP_FORBIDDEN
              && String.valueOf(e.getMessage()).contains("ValidatingAdmissionPolicy '" + POLICY);
      return validated
          ? Fact.known(Guarding.PARKED)
          : Fact.unknown("a trial change (dry run) was refused: " + e.getMessage());
    }
  }

  private Guarding answer(Live workload, Instant now) {
    var meta = workload.metadata();
    String rolls =
        switch (workload) {
          case Live.Set _ -> SET_ROLLS;
          case Live.Deployed _ -> DEPLOYMENT_ROLLS;
        };
    String answer =
        PatchRequest.to(client, meta.getNamespace(), Fence.Kind.of(workload.kind()), meta.getName())
            .dryRun()
            .send(PatchType.JSON_MERGE, change(now, rolls));
    Live stored =
        switch (workload) {
          case Live.Set _ -> new Live.Set(Serialization.unmarshal(answer, StatefulSet.class));
          case Live.Deployed _ ->
              new Live.Deployed(Serialization.unmarshal(answer, Deployment.class));
        };
    return version(stored) >= VERSION && frozen(stored) ? Guarding.POLICY : Guarding.PARKED;
  }

  /** 0 without an answer. */
  private static int version(Live stored) {
    return Optional.ofNullable(stored.metadata().getAnnotations())
        .map(a -> a.get(VERSION_ANNOTATION))
        .filter(v -> v.matches("[0-9]{1,9}"))
        .map(Integer::parseInt)
        .orElse(0);
  }

  private static boolean frozen(Live workload) {
    return switch (workload) {
      case Live.Set set -> Workloads.partition(set.object()) == Workload.FROZEN;
      case Live.Deployed deployment -> deployment.paused();
    };
  }

  private static Optional<Guarding> recorded(StatefulCluster cluster, String component) {
    return Stream.ofNullable(cluster.getStatus())
        .flatMap(s -> s.components().stream())
        .filter(c -> c.name().equals(component))
        .map(ComponentStatus::guard)
        .flatMap(g ->
            "Policy".equals(g)
                ? Stream.of(Guarding.POLICY)
                : "Parked".equals(g) ? Stream.of(Guarding.PARKED) : Stream.empty())
        .findFirst();
  }

  /** A new template, and everything released in the same write. */
  private static String change(Instant now, String rolls) {
    return """
    {"metadata":{"annotations":{"%s":"?"}},\
    "spec":{"template":{"metadata":{"annotations":{"belay.dev/guard-probe":"%s"}}},%s}}\
    """
        .formatted(VERSION_ANNOTATION, now, rolls);
  }
}
