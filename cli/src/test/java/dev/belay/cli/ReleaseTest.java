package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.api.v1alpha1.Component.Kind;
import dev.belay.cli.Release.Marked;
import dev.belay.cli.Release.Naming;
import dev.belay.cli.Release.Written;
import dev.belay.core.guard.Mark;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which writes a release sends, in which order, and what it says. */
class ReleaseTest {

  private static final WorkloadRef ETCD = new WorkloadRef(Kind.STATEFUL_SET, "etcd");
  private static final Mark OPERATORS = mark("my-etcd", "7 belay-operator");
  private static final Mark MINE = mark("my-etcd", "8 ann");

  private final FakeServer server = new FakeServer();

  @Test
  void leaves_an_unmarked_workload_alone() {
    server.mark = Mark.NONE;
    assertThat(release())
        .isEqualTo("statefulset/etcd in db is not guarded: the label belay.dev/cluster is not set");
    assertThat(server.writes).isEmpty();
  }

  @Test
  void becomes_the_owner_with_the_next_epoch_then_removes_both_parts() {
    assertThat(release()).isEqualTo("statefulset/etcd in db is no longer guarded");
    assertThat(server.writes).containsExactly(MINE, Mark.NONE);
  }

  @Test
  void claims_an_owner_that_cannot_be_read_with_epoch_1() {
    server.mark = mark("my-etcd", "belay-operator");
    release();
    assertThat(server.writes).containsExactly(mark("my-etcd", "1 ann"), Mark.NONE);
  }

  @Test
  void the_owner_claims_nothing() {
    server.mark = MINE;
    release();
    assertThat(server.writes).containsExactly(Mark.NONE);
  }

  @Test
  void half_a_mark_is_free() {
    server.mark = Mark.of("my-etcd");
    release();
    assertThat(server.writes).containsExactly(Mark.NONE);
    server.writes.clear();
    server.mark = new Mark(Optional.empty(), Optional.of("7 belay-operator"));
    release();
    assertThat(server.writes).containsExactly(Mark.NONE);
  }

  @Test
  void says_what_still_keeps_kubernetes_from_rolling_it() {
    server.partition = 3;
    assertThat(release())
        .isEqualTo(
            "statefulset/etcd in db is no longer guarded; its partition stays at 3. To continue"
                + " without Belay: kubectl patch statefulset/etcd -n db --type=merge -p"
                + " '{\"spec\":{\"updateStrategy\":{\"rollingUpdate\":{\"partition\":0}}}}'");
    server.mark = OPERATORS;
    server.partition = 0;
    server.paused = true;
    assertThat(release())
        .isEqualTo(
            "statefulset/etcd in db is no longer guarded; it stays paused. To continue without"
                + " Belay: kubectl rollout resume statefulset/etcd -n db");
  }

  @Test
  void refuses_while_the_statefulcluster_names_the_workload() {
    server.naming = Naming.NAMED;
    assertThat(refusal())
        .contains("StatefulCluster my-etcd still names statefulset/etcd in db")
        .contains("kubectl delete stc my-etcd -n db")
        .contains("belay release statefulset/etcd -n db --force --context=prod");
    assertThat(server.writes).isEmpty();
    server.force = true;
    assertThat(release()).contains("no longer guarded");
  }

  @Test
  void refuses_when_the_statefulcluster_cannot_be_read() {
    server.naming = Naming.UNREADABLE;
    assertThat(refusal())
        .contains("may not read StatefulCluster my-etcd")
        .contains("--force --context=prod");
    assertThat(server.writes).isEmpty();
    server.force = true;
    assertThat(release()).contains("no longer guarded");
  }

  /** The mutating policy stores the old mark and says nothing. */
  @Test
  void names_the_missing_verb_when_the_claim_is_not_stored() {
    server.owns = false;
    assertThat(refusal())
        .contains("account ann lacks the verb own on statefulclusters.belay.dev in namespace db")
        .contains("-n db --clusterrole=belay-admin --user=ann");
    assertThat(server.mark).isEqualTo(OPERATORS);
  }

  /** Without mutating policies the validating policy refuses the claim. */
  @Test
  void names_the_missing_verb_when_the_claim_is_refused() {
    server.owns = false;
    server.refuses = true;
    assertThat(refusal()).contains("account ann lacks the verb own");
    assertThat(server.mark).isEqualTo(OPERATORS);
  }

  @Test
  void another_refusal_is_reported_as_it_is() {
    server.refuses = true;
    assertThat(refusal()).contains("ann may not patch").doesNotContain("lacks the verb own");
    server.mark = MINE;
    assertThat(refusal()).contains("ann may not patch");
  }

  @Test
  void does_not_believe_that_a_mark_is_removed_which_is_still_there() {
    server.mark = MINE;
    server.keeps = true;
    assertThat(refusal()).contains("changed the mark back");
    server.mark = OPERATORS;
    assertThat(refusal()).contains("changed the mark back").doesNotContain("lacks the verb own");
  }

  @Test
  void reads_again_after_a_conflict() {
    server.conflicts = 2;
    assertThat(release()).contains("no longer guarded");
    assertThat(server.reads).isEqualTo(3);
  }

  @Test
  void gives_up_after_three_conflicts() {
    server.conflicts = 3;
    assertThat(refusal()).contains("changed by others 3 times").contains("run the command again");
    assertThat(server.mark).isEqualTo(OPERATORS);
  }

  /** A write of another client between the claim and the removal. */
  @Test
  void continues_from_its_own_claim_after_a_conflict() {
    server.conflictAfterClaim = true;
    assertThat(release()).contains("no longer guarded");
    assertThat(server.writes).containsExactly(MINE, Mark.NONE);
    assertThat(server.reads).isEqualTo(2);
  }

  @Test
  void the_removal_is_based_on_the_answer_to_the_claim() {
    release();
    assertThat(server.bases).containsExactly("1", "2");
  }

  @Test
  void an_epoch_that_nobody_can_exceed_is_left_to_its_owner() {
    server.mark = mark("my-etcd", "999999999999999 belay-operator");
    assertThat(refusal()).contains("999999999999999").contains("as the owner, belay-operator");
    assertThat(server.writes).isEmpty();
  }

  private String release() {
    return new Release(server, "db", new Commands(List.of("--context=prod")), server.force)
        .run(ETCD);
  }

  private String refusal() {
    return catchThrowableOfType(Trouble.class, this::release).text();
  }

  private static Mark mark(String cluster, String owner) {
    return new Mark(Optional.of(cluster), Optional.of(owner));
  }

  /** One workload behind the guard; the account is ann. */
  private static final class FakeServer implements Release.Server {

    final List<Mark> writes = new ArrayList<>();
    final List<String> bases = new ArrayList<>();
    Mark mark = OPERATORS;
    Naming naming = Naming.NOT_NAMED;
    int partition;
    boolean paused;
    boolean force;
    boolean owns = true;
    boolean refuses;
    boolean keeps;
    boolean conflictAfterClaim;
    int conflicts;
    int reads;
    private int version = 1;

    @Override
    public Marked get(WorkloadRef workload) {
      reads++;
      return now(workload);
    }

    @Override
    public Written write(Marked basis, Mark wanted) {
      if (conflicts > 0) {
        conflicts--;
        return new Written.Conflict();
      }
      if (conflictAfterClaim && wanted.equals(Mark.NONE)) {
        conflictAfterClaim = false;
        version++;
      }
      if (!basis.resourceVersion().equals(Integer.toString(version))) {
        return new Written.Conflict();
      }
      if (refuses) {
        return new Written.Forbidden(new Trouble("ann may not patch", "ask for that right"));
      }
      boolean free = mark.cluster().isEmpty() || mark.owner().isEmpty();
      if (!keeps && (free || owns || mark.heldBy("ann"))) {
        mark = wanted;
        version++;
      }
      writes.add(wanted);
      bases.add(basis.resourceVersion());
      return new Written.Stored(now(basis.ref()));
    }

    private Marked now(WorkloadRef workload) {
      return new Marked(workload, "uid", Integer.toString(version), mark, partition, paused);
    }

    @Override
    public Naming naming(String cluster, WorkloadRef workload) {
      return naming;
    }

    @Override
    public String account() {
      return "ann";
    }

    @Override
    public boolean mayOwn(String cluster) {
      return owns;
    }
  }
}
