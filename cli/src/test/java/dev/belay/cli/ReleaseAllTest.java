package dev.belay.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.api.v1alpha1.Component.Kind;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Owner;
import dev.belay.cli.Release.Marked;
import dev.belay.cli.Release.Naming;
import dev.belay.cli.Release.Written;
import dev.belay.cli.ReleaseAll.LeaseRead;
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

  private final FakeServer server = new FakeServer();
  private final List<Duration> pauses = new ArrayList<>();
  private boolean force;

  @Test
  void nothing_to_release_is_said() {
    server.clusters.clear();
    server.marks.clear();
    assertThat(run())
        .containsExactly(
            "nothing to release in namespace db: no workload has the label belay.dev/cluster, no"
                + " StatefulCluster the finalizer belay.dev/leave");
    assertThat(pauses).isEmpty();
  }

  @Test
  void removes_marks_labels_and_finalizers() {
    server.labels.put(ETCD, List.of("env", "managed-by"));
    assertThat(run())
        .containsExactly(
            "statefulset/etcd in db is no longer guarded (removed the label env, managed-by)",
            "deployment/web in db is no longer guarded; it stays paused. To continue without Belay:"
                + " kubectl rollout resume deployment/web -n db",
            "statefulcluster/my-etcd in db no longer has the finalizer belay.dev/leave");
    assertThat(server.marks.values()).containsOnly(Mark.NONE);
    assertThat(server.finalizers()).containsExactly("example.com/backup");
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
    assertThat(run()).hasSize(3);
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
    assertThat(run()).hasSize(3);
    assertThat(pauses).isEmpty();
  }

  @Test
  void a_lease_that_is_deleted_meanwhile_is_that_of_no_operator() {
    server.leases.put(LEASE, List.of(new LeaseRead.Found("1"), new LeaseRead.Missing()));
    assertThat(run()).hasSize(3);
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
    assertThat(run()).hasSize(3);
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
            said -> assertThat(said).contains("no longer has the finalizer"));
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
    assertThat(run().getLast()).contains("no longer has the finalizer");
    server.add("busy", LEASE, false);
    server.finalizerConflicts = 3;
    assertThat(run().getLast())
        .contains("statefulcluster/busy in db still has the finalizer belay.dev/leave: changed")
        .contains("kubectl edit stc busy -n db");
  }

  private List<String> run() {
    var said = new ArrayList<String>();
    for (Supplier<String> step : steps()) {
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
    int finalizerConflicts;
    int leaseReads;
    int writes;

    FakeServer() {
      add("my-etcd", LEASE, false);
      Mark mine = new Mark(Optional.of("my-etcd"), Optional.of("8 ann"));
      marks.put(ETCD, mine);
      marks.put(WEB, mine);
    }

    void add(String name, String lease, boolean released) {
      var owner = new Owner("belay-system/belay", "", "", 1L, lease, released);
      clusters.put(
          name,
          new Remaining(name, "uid", List.of("example.com/backup", LEAVE), Optional.of(owner)));
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
      clusters.put(basis.name(), new Remaining(basis.name(), basis.uid(), others, basis.owner()));
      return Optional.empty();
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
