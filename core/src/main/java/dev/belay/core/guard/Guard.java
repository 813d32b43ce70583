package dev.belay.core.guard;

import dev.belay.core.model.Workload;
import dev.belay.core.model.Workload.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The policies of deploy/shared/guard.yaml as a pure function: what the API server stores of a
 * write to a StatefulSet or a Deployment. One table of cases runs against both.
 */
public final class Guard {

  /** A write as admission sees it; nothing is before a workload that is created. */
  public record Write(Optional<GuardedSet> before, GuardedSet after, Author author) {}

  /** A workload by what a StatefulCluster calls it: the kind belongs to the name. */
  public record Named(Kind kind, String name) {

    /** StatefulSets of these names. */
    public static List<Named> sets(String... names) {
      return Arrays.stream(names).map(n -> new Named(Kind.STATEFUL_SET, n)).toList();
    }
  }

  /**
   * A StatefulCluster: the workloads that it names in its own namespace, and the account of the
   * operator that owns it, once there is one.
   *
   * @param released whether the owner has stopped for good: no operator would ever release a new
   *     workload that is frozen
   */
  public record Claim(
      String namespace,
      String cluster,
      List<Named> workloads,
      Optional<String> owner,
      boolean released) {

    public Claim {
      workloads = List.copyOf(workloads);
    }

    boolean covers(GuardedSet set) {
      return !released
          && namespace.equals(set.namespace())
          && workloads.contains(new Named(set.kind(), set.name()))
          && set.mark().cluster().filter(c -> !c.equals(cluster)).isEmpty();
    }

    Mark provisional() {
      return new Mark(Optional.of(cluster), owner.map(a -> new Mark.Stamp(0, a).toString()));
    }
  }

  /** What becomes of a write. */
  public sealed interface Verdict {

    /** The write is stored, in this form. */
    record Admitted(GuardedSet stored) implements Verdict {}

    /** The write is refused, with a message that names the StatefulCluster and the fix. */
    record Refused(String message) implements Verdict {}
  }

  /**
   * Mutation precedes validation. The claims matter only for a workload that is created: the first
   * that names it marks it.
   */
  public static Verdict judge(Write write, List<Claim> claims) {
    GuardedSet asked =
        write.before.isPresent()
            ? write.after
            : claims.stream()
                .filter(c -> c.covers(write.after))
                .findFirst()
                .map(c -> write.after.with(c.provisional()))
                .orElse(write.after);
    boolean guarded =
        asked.mark().present() || write.before.filter(b -> b.mark().present()).isPresent();
    if (!guarded) {
      return new Verdict.Admitted(asked);
    }
    GuardedSet stored = mutated(write.before, asked, write.author);
    return Refusals.of(write.before, stored, write.author)
        .<Verdict>map(Verdict.Refused::new)
        .orElseGet(() -> new Verdict.Admitted(stored));
  }

  private static GuardedSet mutated(Optional<GuardedSet> before, GuardedSet asked, Author author) {
    Mark was = before.map(GuardedSet::mark).orElse(Mark.NONE);
    boolean told = was.held() && author.byHand();
    GuardedSet marked =
        told || Marks.permitted(before.isEmpty(), was, asked.mark(), author)
            ? asked
            : asked.with(Marks.restored(was, asked.mark()));
    if (marked.startsRollout(before)) {
      return marked.at(Workload.FROZEN);
    }
    boolean kept =
        before.isPresent()
            && was.held()
            && !was.heldBy(author.account())
            && !author.byHand()
            && comparable(before.get(), marked);
    return kept ? marked.at(Math.max(before.get().partition(), marked.partition())) : marked;
  }

  /** A partition means nothing under another strategy; paused holds under any. */
  private static boolean comparable(GuardedSet before, GuardedSet after) {
    return after.kind() == Kind.DEPLOYMENT || before.update() == after.update();
  }

  private Guard() {}
}
