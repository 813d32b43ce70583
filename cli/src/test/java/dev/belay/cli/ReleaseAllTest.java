package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.api.v1alpha1.Component.Kind;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Owner;
import dev.belay.cli.Release.Marked;
import dev.belay.cli.Release.Naming;
import dev.belay.cli.Release.Written;
import dev.belay.cli.ReleaseAll.LeaseRead;
import dev.belay.cli.ReleaseAll.OwnerWrite;
import dev.belay.cli.ReleaseAll.Remaining;
import dev.belay.core.guard.Mark;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** When a whole namespace is released, what of it is removed, and what is said. */
class ReleaseAllTest {

  private static final WorkloadRef ETCD = new WorkloadRef(Kind.STATEFUL_SET, "etcd");
  private static final WorkloadRef WEB = new WorkloadRef(Kind.DEPLOYMENT, "web");
  private static final String LEASE = "belay-system/belay-operator";
  private static final String LEAVE = "belay.dev/leave";
  private static final String RELEASED =
      "statefulcluster/my-etcd in db is released: the operator whose selector matches claims it";

  private final FakeServer server = new FakeServer();
  private final List<Duration> pauses = new ArrayList<>();
  private boolean force;

  @Test
  void nothing_to_release_is_said() {
    server.clusters.clear();
    server.marks.clear();
    assertThat(run())
        .containsExactly(
            "nothing to release in namespace db: no workload has the label belay.dev/cluster, and no"
                + " StatefulCluster has the finalizer belay.dev/leave or an owner");
    assertThat(pauses).isEmpty();
  }

  @Test
  void removes_marks_labels_finalizers_and_owners() {
    server.labels.put(ETCD, List.of("env", "managed-by"));
    assertThat(run())
        .containsExactly(
            "statefulset/etcd in db is no longer guarded (removed the label env, managed-by)",
            "deployment/web in db is no longer guarded; it stays paused. To continue without Belay:"
                + " kubectl rollout resume deployment/web -n db",
            "statefulcluster/my-etcd in db no longer has the finalizer belay.dev/leave",
            RELEASED);
    assertThat(server.marks.values()).containsOnly(Mark.NONE);
    assertThat(server.finalizers()).containsExactly("example.com/backup");
    assertThat(server.cluster("my-etcd").orElseThrow().acting()).isEmpty();
    assertThat(pauses).containsExactly(Duration.ofSeconds(16));
  }

  @Test
  void refuses_while_the_lease_is_renewed() {
    server.renews = true;
    assertThat(refusal())
        .contains(
            "the operator install belay-system/belay runs and acts on StatefulCluster my-etcd")
        .contains("its Lease belay-system/belay-operator was renewed within 16 s")
        .contains("helm uninstall RELEASE -n belay-system")
        .contains("kubectl scale deployment belay-operator -n belay-system --replicas=0");
    assertThat(server.writes).isZero();
    force = true;
    assertThat(run()).hasSize(4).endsWith(RELEASED);
  }

  /** A Lease that is made between the reads was made by an operator. */
  @Test
  void refuses_when_another_lease_appears() {
    server.add("other", "belay-system/other", false);
    server.leases.put(LEASE, List.of(new LeaseRead.Missing(), new LeaseRead.Found("1")));
    server.leases.put("belay-system/other", List.of(new LeaseRead.Found("7")));
    assertThat(refusal()).contains("its Lease belay-system/belay-operator was renewed");
  }

  @Test
  void a_lease_that_does_not_exist_takes_no_time() {
    server.leases.put(LEASE, List.of(new LeaseRead.Missing()));
    assertThat(run()).hasSize(4);
    assertThat(pauses).isEmpty();
  }

  @Test
  void a_lease_that_is_deleted_meanwhile_is_that_of_no_operator() {
    server.leases.put(LEASE, List.of(new LeaseRead.Found("1"), new LeaseRead.Missing()));
    assertThat(run()).hasSize(4);
  }

  @Test
  void refuses_when_a_lease_cannot_be_read() {
    server.leases.put(LEASE, List.of(new LeaseRead.Unreadable("ann may not get", "ask")));
    assertThat(refusal())
        .contains("it is unknown whether the operator install belay-system/belay runs")
        .contains("ann may not get")
        .contains("ask; or, if no operator runs: belay release --all -n db --force --context=prod");
    assertThat(server.writes).isZero();
    force = true;
    assertThat(run()).hasSize(4).endsWith(RELEASED);
  }

  @Test
  void an_owner_that_released_does_not_count() {
    server.renews = true;
    server.clusters.clear();
    server.add("my-etcd", LEASE, true);
    assertThat(run()).hasSize(3);
    assertThat(server.leaseReads).isZero();
  }

  @Test
  void reads_the_lease_of_an_install_once_for_all_its_clusters() {
    server.add("other", LEASE, false);
    run();
    assertThat(server.leaseReads).isEqualTo(2);
  }

  @Test
  void one_failure_does_not_stop_the_others() {
    server.refused = Optional.of(ETCD);
    assertThat(run())
        .satisfiesExactly(
            said -> assertThat(said).contains("ann may not patch"),
            said -> assertThat(said).contains("deployment/web in db is no longer guarded"),
            said -> assertThat(said).contains("no longer has the finalizer"),
            said -> assertThat(said).isEqualTo(RELEASED));
  }

  @Test
  void labels_that_stay_are_reported_with_what_was_done() {
    server.labelsFail = true;
    assertThat(run().getFirst())
        .contains("statefulset/etcd in db is no longer guarded; but its copied labels were not")
        .contains("run the command again: belay release --all -n db --context=prod");
  }

  @Test
  void the_finalizer_goes_at_the_third_try_or_stays() {
    server.finalizerConflicts = 2;
    assertThat(run()).anyMatch(said -> said.contains("no longer has the finalizer"));
    server.add("busy", LEASE, true);
    server.finalizerConflicts = 3;
    assertThat(run().getLast())
        .contains("statefulcluster/busy in db still has the finalizer belay.dev/leave: changed")
        .contains("kubectl edit stc busy -n db");
  }

  @Test
  void a_cluster_that_only_has_an_owner_is_released() {
    run();
    server.marks.clear();
    server.owned(Optional.of(owner(1, false)));
    assertThat(run()).containsExactly(RELEASED);
    assertThat(run()).first().asString().startsWith("nothing to release");
  }

  @Test
  void a_cluster_without_owner_is_not_released() {
    server.owned(Optional.empty());
    assertThat(run()).hasSize(3).noneMatch(RELEASED::equals);
  }

  @Test
  void an_account_that_may_not_write_the_status_learns_the_fix_and_does_the_rest() {
    server.statusForbidden = true;
    assertThat(run())
        .hasSize(4)
        .anyMatch(said -> said.contains("no longer has the finalizer"))
        .endsWith(
            "statefulcluster/my-etcd in db keeps its owner: ann may not patch the status. Another"
                + " operator claims it when the Lease belay-system/belay-operator has expired; fix,"
                + " if no other operator selects it: ask a cluster admin to run: belay release"
                + " --all -n db");
    force = true;
    assertThat(run())
        .endsWith(
            "statefulcluster/my-etcd in db is not released: ann may not patch the status. While the"
                + " Lease belay-system/belay-operator is renewed, no other operator claims it\n"
                + "cure: ask a cluster admin to run: belay release --all -n db --force; or to grant"
                + " this account the right for that time (Role with apiGroups [belay.dev],"
                + " resources [statefulclusters/status], verbs [patch])");
  }

  @Test
  void an_operator_that_claimed_meanwhile_stays_the_owner() {
    List<Supplier<String>> steps = steps();
    server.owned(Optional.of(owner(2, false)));
    assertThat(said(steps).getLast())
        .contains("is not released: the operator install belay-system/belay claimed it meanwhile")
        .contains("run the command again: belay release --all -n db --context=prod");
    assertThat(server.cluster("my-etcd").orElseThrow().acting()).isPresent();
  }

  @Test
  void an_owner_that_changed_meanwhile_stays() {
    server.ownerConflicts = 1;
    assertThat(run().getLast())
        .contains("statefulcluster/my-etcd in db is not released: changed")
        .contains("run the command again");
  }

  @Test
  void a_cluster_that_is_gone_without_its_finalizer_is_said() {
    server.deleting = true;
    assertThat(run()).endsWith("statefulcluster/my-etcd in db is gone");
  }

  @Test
  void what_was_done_for_an_upgrade_and_is_not_undone_is_said_first() {
    server.cleanups("PUT :80/undrain for etcd-1", "scheduling is off");
    assertThat(run())
        .containsSubsequence(
            "statefulcluster/my-etcd in db: not undone: PUT :80/undrain for etcd-1; fix: undo it by"
                + " hand, unless another operator claims the cluster",
            "statefulcluster/my-etcd in db: not undone: scheduling is off; fix: undo it by hand,"
                + " unless another operator claims the cluster",
            "statefulcluster/my-etcd in db no longer has the finalizer belay.dev/leave");
  }

  private List<String> run() {
    return said(steps());
  }

  private static List<String> said(List<Supplier<String>> steps) {
    var said = new ArrayList<String>();
    for (Supplier<String> step : steps) {
      try {
        said.add(step.get());
      } catch (Trouble e) {
        said.add(e.text());
      }
    }
    return said;
  }

  private List<Supplier<String>> steps() {
    var release = new Release(server, "db", new Commands(List.of("--context=prod")), true);
    try {
      return new ReleaseAll(server, release, pauses::add, force).steps();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private String refusal() {
    return catchThrowableOfType(Trouble.class, this::steps).text();
  }

  private static Owner owner(long epoch, boolean released) {
    return owner(LEASE, epoch, released);
  }

  private static Owner owner(String lease, long epoch, boolean released) {
    return new Owner("belay-system/belay", "", "", epoch, lease, released);
  }

  /** A namespace with a StatefulSet and a paused Deployment; the account is their owner. */
  private static final class FakeServer implements Release.Server, ReleaseAll.Server {

    final Map<String, Remaining> clusters = new LinkedHashMap<>();
    final Map<WorkloadRef, Mark> marks = new LinkedHashMap<>();
    final Map<WorkloadRef, List<String>> labels = new HashMap<>();

    /** What the first read answers, the second, and so on; the last for all others. */
    final Map<String, List<LeaseRead>> leases = new HashMap<>();

    Optional<WorkloadRef> refused = Optional.empty();
    boolean renews;
    boolean labelsFail;
    boolean statusForbidden;

    /** A deleted StatefulCluster is gone with its last finalizer. */
    boolean deleting;

    int finalizerConflicts;
    int ownerConflicts;
    int leaseReads;
    int writes;

    FakeServer() {
      add("my-etcd", LEASE, false);
      Mark mine = new Mark(Optional.of("my-etcd"), Optional.of("8 ann"));
      marks.put(ETCD, mine);
      marks.put(WEB, mine);
    }

    void add(String name, String lease, boolean released) {
      var finalizers = List.of("example.com/backup", LEAVE);
      put(
          new Remaining(
              name, "uid", finalizers, Optional.of(owner(lease, 1, released)), List.of()));
    }

    void put(Remaining cluster) {
      clusters.put(cluster.name(), cluster);
    }

    void owned(Optional<Owner> owner) {
      put(owned(clusters.get("my-etcd"), owner));
    }

    private static Remaining owned(Remaining c, Optional<Owner> owner) {
      return new Remaining(c.name(), c.uid(), c.finalizers(), owner, c.cleanups());
    }

    void cleanups(String... cleanups) {
      Remaining c = clusters.get("my-etcd");
      put(new Remaining(c.name(), c.uid(), c.finalizers(), c.owner(), List.of(cleanups)));
    }

    List<String> finalizers() {
      return clusters.values().stream().flatMap(c -> c.finalizers().stream()).toList();
    }

    @Override
    public List<Remaining> clusters() {
      return List.copyOf(clusters.values());
    }

    @Override
    public Optional<Remaining> cluster(String name) {
      return Optional.ofNullable(clusters.get(name));
    }

    @Override
    public List<WorkloadRef> workloads() {
      return List.copyOf(marks.keySet());
    }

    @Override
    public LeaseRead lease(String lease) {
      List<LeaseRead> answers = leases.getOrDefault(lease, List.of(new LeaseRead.Found("1")));
      leaseReads++;
      return renews
          ? new LeaseRead.Found("renewed " + leaseReads)
          : answers.get(Math.min(leaseReads - 1, answers.size() - 1));
    }

    @Override
    public List<String> removeLabels(WorkloadRef workload) {
      if (labelsFail) {
        throw new Trouble("no answer in time", "");
      }
      return labels.getOrDefault(workload, List.of());
    }

    @Override
    public Optional<String> removeFinalizer(Remaining basis) {
      if (finalizerConflicts > 0) {
        finalizerConflicts--;
        return Optional.of("changed");
      }
      writes++;
      var others = basis.finalizers().stream().filter(f -> !f.equals(LEAVE)).toList();
      if (deleting) {
        clusters.remove(basis.name());
      } else {
        put(new Remaining(basis.name(), basis.uid(), others, basis.owner(), basis.cleanups()));
      }
      return Optional.empty();
    }

    @Override
    public OwnerWrite releaseOwner(Remaining basis) {
      if (statusForbidden) {
        return new OwnerWrite.Forbidden(new Trouble("ann may not patch the status", "ask"));
      }
      if (ownerConflicts > 0) {
        ownerConflicts--;
        return new OwnerWrite.Conflict("changed");
      }
      writes++;
      Remaining now = clusters.get(basis.name());
      put(owned(now, now.owner().map(o -> owner(o.lease(), o.epoch(), true))));
      return new OwnerWrite.Stored();
    }

    @Override
    public Marked get(WorkloadRef workload) {
      Mark mark = marks.getOrDefault(workload, Mark.NONE);
      return new Marked(workload, "uid", "1", mark, 0, workload.equals(WEB));
    }

    @Override
    public Written write(Marked basis, Mark mark) {
      if (refused.filter(basis.ref()::equals).isPresent()) {
        return new Written.Forbidden(new Trouble("ann may not patch", "ask for that right"));
      }
      writes++;
      marks.put(basis.ref(), mark);
      return new Written.Stored(get(basis.ref()));
    }

    @Override
    public Naming naming(String cluster, WorkloadRef workload) {
      return Naming.NAMED;
    }

    @Override
    public String account() {
      return "ann";
    }

    @Override
    public boolean mayOwn(String cluster) {
      return true;
    }
  }
}
