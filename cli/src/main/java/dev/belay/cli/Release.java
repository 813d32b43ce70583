package dev.belay.cli;

import dev.belay.core.guard.Mark;
import dev.belay.core.guard.Mark.Stamp;
import java.util.Optional;

/**
 * Removes the mark of the guard from a workload. The guard lets only the owner remove a mark, and
 * lets an account with the verb own become the owner with a higher epoch.
 *
 * @param force whether the mark goes although a StatefulCluster may still name the workload
 */
record Release(Server server, String namespace, Commands commands, boolean force) {

  private static final int TRIES = 3;

  /** The policies read no epoch of more digits. */
  private static final long HIGHEST_EPOCH = 999_999_999_999_999L;

  /** What a release asks of the API server. */
  interface Server {

    Marked get(WorkloadRef workload);

    /** Writes both parts of the mark, on the basis of what was read. */
    Written write(Marked basis, Mark mark);

    Naming naming(String cluster, WorkloadRef workload);

    /** The user name of the account that asks. */
    String account();

    /** Whether this account has the verb own on a StatefulCluster of this name. */
    boolean mayOwn(String cluster);
  }

  /**
   * A workload as it is stored.
   *
   * @param partition 0 for a Deployment
   * @param paused false for a StatefulSet
   */
  record Marked(
      WorkloadRef ref,
      String uid,
      String resourceVersion,
      Mark mark,
      int partition,
      boolean paused) {}

  /** How a write ended. */
  sealed interface Written {

    /** Stored, as the policies changed the write. */
    record Stored(Marked now) implements Written {}

    /** The workload is another one than was read. */
    record Conflict() implements Written {}

    /** RBAC or a policy refused the write. */
    record Forbidden(Trouble why) implements Written {}
  }

  /** Whether a StatefulCluster exists that names a workload. */
  enum Naming {
    NAMED,
    NOT_NAMED,
    /** The account may not read StatefulClusters. */
    UNREADABLE
  }

  /** The sentence that says what is true afterwards. */
  String run(WorkloadRef workload) {
    for (int i = 0; i < TRIES; i++) {
      Optional<String> done = attempt(server.get(workload));
      if (done.isPresent()) {
        return done.get();
      }
    }
    throw new Trouble(
        "%s was changed by others %d times during the release".formatted(in(workload), TRIES),
        "run the command again");
  }

  /** Empty on a conflict. */
  private Optional<String> attempt(Marked found) {
    if (found.mark().equals(Mark.NONE)) {
      return Optional.of(
          "%s is not guarded: the label %s is not set".formatted(in(found.ref()), Mark.LABEL));
    }
    if (!force) {
      found.mark().cluster().ifPresent(cluster -> mustBeOrphaned(cluster, found.ref()));
    }
    return claimed(found).flatMap(this::removed).map(this::says);
  }

  private void mustBeOrphaned(String cluster, WorkloadRef workload) {
    String forced = commands.release(workload, namespace, "--force");
    switch (server.naming(cluster, workload)) {
      case NOT_NAMED -> {}
      case NAMED ->
          throw new Trouble(
              "StatefulCluster %s still names %s: a running operator would mark it again"
                  .formatted(cluster, in(workload)),
              "kubectl delete stc %s -n %s (that restarts nothing); or, if no operator runs: %s"
                  .formatted(cluster, namespace, forced));
      case UNREADABLE ->
          throw new Trouble(
              "this account may not read StatefulCluster %s, which may still name %s"
                  .formatted(cluster, in(workload)),
              "ask for the right to get statefulclusters.belay.dev in namespace %s; or, if the"
                      .formatted(namespace)
                  + " StatefulCluster is gone or no operator runs: "
                  + forced);
    }
  }

  /** The workload with this account as its owner; empty on a conflict. */
  private Optional<Marked> claimed(Marked found) {
    Mark mark = found.mark();
    if (mark.cluster().isEmpty() || mark.owner().isEmpty()) {
      return Optional.of(found);
    }
    String account = server.account();
    if (mark.heldBy(account)) {
      return Optional.of(found);
    }
    String cluster = mark.cluster().get();
    Mark claim = Mark.of(cluster, new Stamp(nextEpoch(found), account));
    return switch (server.write(found, claim)) {
      case Written.Conflict _ -> Optional.empty();
      case Written.Stored(Marked now) when now.mark().equals(claim) -> Optional.of(now);
      case Written.Stored _ -> {
        throw server.mayOwn(cluster) ? changedBack(found.ref()) : lacksOwn(found.ref(), account);
      }
      case Written.Forbidden(Trouble why) -> {
        throw server.mayOwn(cluster) ? why : lacksOwn(found.ref(), account);
      }
    };
  }

  /** The policies take an owner that cannot be read for one of epoch -1. */
  private long nextEpoch(Marked found) {
    Optional<Stamp> stamp = found.mark().stamp();
    stamp
        .filter(s -> s.epoch() >= HIGHEST_EPOCH)
        .ifPresent(s -> {
          throw new Trouble(
              "the owner of %s has the epoch %d, and none is higher"
                  .formatted(in(found.ref()), s.epoch()),
              "run the command as the owner, " + s.account());
        });
    return stamp.map(s -> s.epoch() + 1).orElse(1L);
  }

  private Optional<Marked> removed(Marked owned) {
    return switch (server.write(owned, Mark.NONE)) {
      case Written.Conflict _ -> Optional.empty();
      case Written.Stored(Marked now) when now.mark().equals(Mark.NONE) -> Optional.of(now);
      case Written.Stored _ -> {
        throw changedBack(owned.ref());
      }
      case Written.Forbidden(Trouble why) -> {
        throw why;
      }
    };
  }

  private String says(Marked now) {
    String released = in(now.ref()) + " is no longer guarded";
    if (now.partition() != 0) {
      return released
          + "; its partition stays at %d. To continue without Belay: kubectl patch %s -n %s"
              .formatted(now.partition(), now.ref(), namespace)
          + " --type=merge -p"
          + " '{\"spec\":{\"updateStrategy\":{\"rollingUpdate\":{\"partition\":0}}}}'";
    }
    return now.paused()
        ? released
            + "; it stays paused. To continue without Belay: kubectl rollout resume %s -n %s"
                .formatted(now.ref(), namespace)
        : released;
  }

  private Trouble lacksOwn(WorkloadRef workload, String account) {
    return new Trouble(
        "%s stays guarded: account %s lacks the verb own on statefulclusters.belay.dev in namespace"
                .formatted(in(workload), account)
            + " "
            + namespace,
        "ask a namespace admin to release it, or to run: kubectl create rolebinding belay-release"
            + " -n %s --clusterrole=belay-admin %s"
                .formatted(namespace, Commands.quoted("--user=" + account)));
  }

  private Trouble changedBack(WorkloadRef workload) {
    return new Trouble(
        "%s stays guarded: an admission webhook or policy changed the mark back"
            .formatted(in(workload)),
        "find the webhook or policy that writes the label %s or the annotation %s, and exclude %s"
            .formatted(Mark.LABEL, Mark.ANNOTATION, workload));
  }

  private String in(WorkloadRef workload) {
    return "%s in %s".formatted(workload, namespace);
  }
}
