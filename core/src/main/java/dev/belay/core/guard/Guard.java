package dev.belay.core.guard;

import dev.belay.core.snapshot.Workload;
import dev.belay.core.snapshot.Workload.Kind;
import dev.belay.core.snapshot.Workload.Update;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What admission makes of a write to a StatefulSet or a Deployment: the policies of
 * deploy/guard.yaml as a pure function. One table of cases runs against both.
 */
public final class Guard {

  /**
   * What the guard looks at in a workload, after the API server's own defaulting.
   *
   * @param template any text that is equal for equal pod templates
   * @param partition 0 where the strategy has none; frozen stands for a Deployment that is paused
   */
  public record GuardedSet(
      Kind kind, String namespace, String name, String template, Update update, int partition) {

    /** A StatefulSet. */
    public GuardedSet(
        String namespace, String name, String template, Update update, int partition) {
      this(Kind.STATEFUL_SET, namespace, name, template, update, partition);
    }

    GuardedSet at(int other) {
      return new GuardedSet(kind, namespace, name, template, update, other);
    }
  }

  /** A write as admission sees it; nothing is before a set that is created. */
  public record Write(Optional<GuardedSet> before, GuardedSet after, String user) {}

  /** A workload by what a StatefulCluster calls it: the kind belongs to the name. */
  public record Named(Kind kind, String name) {

    /** StatefulSets of these names. */
    public static List<Named> sets(String... names) {
      return Arrays.stream(names).map(n -> new Named(Kind.STATEFUL_SET, n)).toList();
    }
  }

  /**
   * A StatefulCluster: the workloads it names in its own namespace, and the account of the operator
   * that owns it, once there is one.
   */
  public record Claim(
      String namespace, String cluster, List<Named> workloads, Optional<String> owner) {

    public Claim {
      workloads = List.copyOf(workloads);
    }

    boolean covers(GuardedSet set) {
      return namespace.equals(set.namespace) && workloads.contains(new Named(set.kind, set.name));
    }
  }

  /** What becomes of a write. */
  public sealed interface Verdict {

    /** It is stored, in this form. */
    record Admitted(GuardedSet stored) implements Verdict {}

    /** It is refused, with a message that names the StatefulCluster and the cure. */
    record Refused(String message) implements Verdict {}
  }

  /** First every claim may freeze, then every claim may refuse: mutation precedes validation. */
  public static Verdict judge(Write write, List<Claim> claims) {
    List<Claim> asked = claims.stream().filter(c -> c.covers(write.after)).toList();
    GuardedSet stored =
        asked.isEmpty() || !startsRollout(write) ? write.after : write.after.at(Workload.FROZEN);
    return write
        .before
        .flatMap(before ->
            asked.stream()
                .flatMap(claim -> refusal(claim, before, stored, write.user).stream())
                .findFirst())
        .<Verdict>map(Verdict.Refused::new)
        .orElseGet(() -> new Verdict.Admitted(stored));
  }

  /**
   * Whether the controller could replace pods on its own account because of this write. A new
   * Deployment has none to replace, and paused it would never get any.
   */
  private static boolean startsRollout(Write write) {
    return switch (write.after.kind) {
      case STATEFUL_SET ->
          write.after.update == Update.ROLLING_UPDATE
              && write
                  .before
                  .map(b -> b.update != Update.ROLLING_UPDATE || newTemplate(b, write.after))
                  .orElse(true);
      case DEPLOYMENT -> write.before.map(b -> newTemplate(b, write.after)).orElse(false);
    };
  }

  private static boolean newTemplate(GuardedSet before, GuardedSet after) {
    return !before.template.equals(after.template);
  }

  private static Optional<String> refusal(
      Claim claim, GuardedSet before, GuardedSet after, String user) {
    String owner = claim.owner.orElse("");
    if (owner.isEmpty() || owner.equals(user)) {
      return Optional.empty();
    }
    return switch (after.kind) {
      case STATEFUL_SET -> ofSet(claim, owner, before, after, user);
      case DEPLOYMENT -> ofDeployment(claim, owner, before, after, user);
    };
  }

  private static Optional<String> ofDeployment(
      Claim claim, String owner, GuardedSet before, GuardedSet after, String user) {
    if (after.partition >= before.partition) {
      return Optional.empty();
    }
    return Optional.of(
        String.format(
                Locale.ROOT,
                "StatefulCluster %s guards this Deployment: only %s takes spec.paused back (true to false),",
                claim.cluster,
                owner)
            + String.format(
                Locale.ROOT,
                " not %s. Cure: leave spec.paused out of what you apply; Belay takes it back when its",
                user)
            + String.format(
                Locale.ROOT,
                " turn has come, and kubectl get stc %s says what it waits for. Or delete the",
                claim.cluster)
            + " StatefulCluster to take the Deployment back (that restarts nothing)");
  }

  private static Optional<String> ofSet(
      Claim claim, String owner, GuardedSet before, GuardedSet after, String user) {
    String guards = "StatefulCluster " + claim.cluster + " guards this set: only " + owner;
    // Back to RollingUpdate and frozen in the same write lets nothing through: it is the cure.
    boolean frozenReturn =
        after.update == Update.ROLLING_UPDATE && after.partition == Workload.FROZEN;
    if (before.update != after.update && !frozenReturn) {
      return Optional.of(
          guards
              + String.format(
                  Locale.ROOT,
                  " changes spec.updateStrategy.type (%s to %s), not %s. Cure: leave the type out of",
                  word(before.update),
                  word(after.update),
                  user)
              + " what you apply, or delete the StatefulCluster to take the set back (that restarts"
              + " nothing), then change it");
    }
    if (after.partition < before.partition) {
      return Optional.of(
          guards
              + String.format(
                  Locale.ROOT,
                  " lowers spec.updateStrategy.rollingUpdate.partition (%d to %d), not %s. Cure: leave",
                  before.partition,
                  after.partition,
                  user)
              + " the partition out of what you apply; Belay lowers it member by member, and kubectl"
              + " get stc "
              + claim.cluster
              + " says what it waits for. Or delete the StatefulCluster to take the set back (that"
              + " restarts nothing)");
    }
    return Optional.empty();
  }

  private static String word(Update update) {
    return switch (update) {
      case ROLLING_UPDATE -> "RollingUpdate";
      case ON_DELETE -> "OnDelete";
      case RECREATE -> "Recreate";
    };
  }

  private Guard() {}
}
