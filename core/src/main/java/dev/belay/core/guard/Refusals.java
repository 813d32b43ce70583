package dev.belay.core.guard;

import dev.belay.core.model.Workload;
import dev.belay.core.model.Workload.Kind;
import dev.belay.core.model.Workload.Update;
import java.util.Optional;

/**
 * The validating policy: which writes are refused as they would be stored, and with which message.
 */
final class Refusals {

  static Optional<String> of(Optional<GuardedSet> before, GuardedSet after, Author author) {
    Mark was = before.map(GuardedSet::mark).orElse(Mark.NONE);
    String cluster = was.cluster().or(() -> after.mark().cluster()).orElse("");
    if (!Marks.permitted(before.isEmpty(), was, after.mark(), author)) {
      return Optional.of(ofMark(cluster, was, after, author));
    }
    if (after.startsRollout(before) && after.partition() != Workload.FROZEN) {
      return Optional.of(
          guards(cluster, after)
              + "a new template must be stored with "
              + frozen(after)
              + ", and another admission webhook or policy changed it back. fix: find the webhook"
              + " that writes "
              + field(after)
              + ", and exclude this "
              + after.kind()
              + " from it");
    }
    if (before.isEmpty() || !was.held() || was.heldBy(author.account())) {
      return Optional.empty();
    }
    return ofField(cluster, before.get(), after, author);
  }

  private static String guards(String cluster, GuardedSet set) {
    return "StatefulCluster " + cluster + " guards this " + set.kind() + ": ";
  }

  private static String ofMark(String cluster, Mark was, GuardedSet after, Author author) {
    return guards(cluster, after)
        + "only its owner, "
        + was.stamp().map(Mark.Stamp::account).orElse("no operator")
        + ", removes the label belay.dev/cluster and the annotation belay.dev/owner, not "
        + author.account()
        + ". fix: delete the StatefulCluster (that restarts nothing), or run belay release if its"
        + " operator is gone";
  }

  private static Optional<String> ofField(
      String cluster, GuardedSet before, GuardedSet after, Author author) {
    String onlyOwner =
        guards(cluster, after)
            + "only "
            + before.mark().stamp().map(Mark.Stamp::account).orElse("its owner");
    // Back to RollingUpdate and frozen in the same write lets nothing through.
    boolean frozenReturn =
        after.update() == Update.ROLLING_UPDATE && after.partition() == Workload.FROZEN;
    if (after.kind() == Kind.STATEFUL_SET && before.update() != after.update() && !frozenReturn) {
      return Optional.of(
          onlyOwner
              + " changes spec.updateStrategy.type ("
              + word(before.update())
              + " to "
              + word(after.update())
              + "), not "
              + author.account()
              + ". fix: leave the type as it is, or delete the StatefulCluster first (that restarts"
              + " nothing)");
    }
    if (after.partition() >= before.partition()) {
      return Optional.empty();
    }
    String lowers =
        after.kind() == Kind.DEPLOYMENT
            ? " sets spec.paused from true to false, not "
            : " lowers spec.updateStrategy.rollingUpdate.partition ("
                + before.partition()
                + " to "
                + after.partition()
                + "), not ";
    return Optional.of(
        onlyOwner
            + lowers
            + author.account()
            + ". fix: wait for Belay, kubectl get stc "
            + cluster
            + " says for what; or delete the StatefulCluster first (that restarts nothing)");
  }

  private static String frozen(GuardedSet set) {
    return set.kind() == Kind.DEPLOYMENT ? "spec.paused true" : "partition " + Workload.FROZEN;
  }

  private static String field(GuardedSet set) {
    return set.kind() == Kind.DEPLOYMENT
        ? "spec.paused"
        : "spec.updateStrategy.rollingUpdate.partition";
  }

  private static String word(Update update) {
    return switch (update) {
      case ROLLING_UPDATE -> "RollingUpdate";
      case ON_DELETE -> "OnDelete";
      case RECREATE -> "Recreate";
    };
  }

  private Refusals() {}
}
