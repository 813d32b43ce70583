package dev.belay.core.guard;

import dev.belay.core.snapshot.Workload;
import dev.belay.core.snapshot.Workload.Update;
import java.util.List;
import java.util.Optional;

/**
 * What admission makes of a write to a StatefulSet: the policies of deploy/guard.yaml as a pure
 * function. One table of cases runs against both.
 */
public final class Guard {

  /**
   * What the guard looks at in a set, after the API server's own defaulting.
   *
   * @param template any text that is equal for equal pod templates
   * @param partition 0 where the strategy has none
   */
  public record GuardedSet(
      String namespace, String name, String template, Update update, int partition) {

    GuardedSet at(int other) {
      return new GuardedSet(namespace, name, template, update, other);
    }
  }

  /** A write as admission sees it; nothing is before a set that is created. */
  public record Write(Optional<GuardedSet> before, GuardedSet after, String user) {}

  /**
   * A StatefulCluster: the sets it names in its own namespace, and the account of the operator that
   * owns it, once there is one.
   */
  public record Claim(
      String namespace, String cluster, List<String> workloads, Optional<String> owner) {

    public Claim {
      workloads = List.copyOf(workloads);
    }

    boolean covers(GuardedSet set) {
      return namespace.equals(set.namespace) && workloads.contains(set.name);
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

  /** Whether the controller could replace pods on its own account because of this write. */
  private static boolean startsRollout(Write write) {
    return write.after.update == Update.ROLLING_UPDATE
        && write
            .before
            .map(b -> b.update != Update.ROLLING_UPDATE || !b.template.equals(write.after.template))
            .orElse(true);
  }

  private static Optional<String> refusal(
      Claim claim, GuardedSet before, GuardedSet after, String user) {
    String owner = claim.owner.orElse("");
    if (owner.isEmpty() || owner.equals(user)) {
      return Optional.empty();
    }
    String guards = "StatefulCluster " + claim.cluster + " guards this set: only " + owner;
    // Back to RollingUpdate and frozen in the same write lets nothing through: it is the cure.
    boolean frozenReturn =
        after.update == Update.ROLLING_UPDATE && after.partition == Workload.FROZEN;
    if (before.update != after.update && !frozenReturn) {
      return Optional.of(
          guards
              + " changes spec.updateStrategy.type (%s to %s), not %s. Cure: leave the type out of"
                  .formatted(word(before.update), word(after.update), user)
              + " what you apply, or delete the StatefulCluster to take the set back (that restarts"
              + " nothing), then change it");
    }
    if (after.partition < before.partition) {
      return Optional.of(
          guards
              + " lowers spec.updateStrategy.rollingUpdate.partition (%d to %d), not %s. Cure: leave"
                  .formatted(before.partition, after.partition, user)
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
    };
  }

  private Guard() {}
}
