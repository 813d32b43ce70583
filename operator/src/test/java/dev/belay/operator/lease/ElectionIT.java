package dev.belay.operator.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.belay.core.state.Snapshot.Self;
import dev.belay.sandbox.ControlPlane;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Processes of one install and their Lease on a real API server. */
class ElectionIT {

  private static ControlPlane plane;
  private static KubernetesClient client;

  @BeforeAll
  static void start() throws IOException {
    plane = ControlPlane.start(Files.createTempDirectory("belay-election-it"));
    client = plane.client();
  }

  @AfterAll
  static void stop() {
    plane.close();
  }

  @Test
  void one_process_leads_and_the_next_one_follows_its_orderly_stop() {
    var one = new Process("orderly", "one");
    await("the first to lead", one.election::leads);
    try (var two = new Process("orderly", "two")) {
      pause(Duration.ofSeconds(2));
      assertThat(two.election.leads()).isFalse();

      Lease stale = lease("orderly");
      one.close();
      assertThat(one.election.leads()).isFalse();
      await("the second to lead", two.election::leads);
      assertThatThrownBy(() -> client.resource(stale).update())
          .as("a write on the basis of an older Lease")
          .isInstanceOfSatisfying(
              KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(409));
      two.awaitTold("leads");
      assertThat(lease("orderly").getSpec().getLeaseTransitions()).isEqualTo(1);
    }
    assertThat(lease("orderly").getSpec().getHolderIdentity()).isEmpty();
  }

  @Test
  void a_process_that_leaves_keeps_the_lease_until_it_has_expired() {
    var one = new Process("left", "one");
    await("the first to lead", one.election::leads);
    String holder = lease("left").getSpec().getHolderIdentity();
    one.election.close();
    try (var two = new Process("left", "two")) {
      pause(Duration.ofSeconds(2));
      assertThat(two.election.leads()).isFalse();
      assertThat(lease("left").getSpec().getHolderIdentity()).isEqualTo(holder);
    }
  }

  @Test
  void a_lease_that_another_process_holds_is_renewed_by_that_process_alone() {
    try (var one = new Process("taken", "one")) {
      await("the first to lead", one.election::leads);
      held("taken", "other_1");
      await("the first to stop", () -> !one.election.leads());
      pause(Duration.ofSeconds(2));
      one.awaitTold("leads", "stops");
      assertThat(lease("taken").getSpec().getHolderIdentity()).isEqualTo("other_1");

      held("taken", "");
      await("the first to lead again", one.election::leads);
      one.awaitTold("leads", "stops", "leads");
    }
  }

  @Test
  void a_candidate_that_blocks_keeps_no_process_from_leading_again_or_from_leaving() {
    try (var one = new Process("blocked", "one")) {
      one.awaitTold("leads");
      one.busy = new CountDownLatch(1);
      held("blocked", "other_1");
      one.awaitTold("leads", "stops");
      held("blocked", "");
      await("the first to lead again", one.election::leads);
      assertThat(CompletableFuture.runAsync(one.election::leave))
          .succeedsWithin(Duration.ofSeconds(5));
      assertThat(one.election.leads()).isFalse();
      one.busy.countDown();
      one.awaitTold("leads", "stops", "leads");
    }
  }

  @Test
  void two_processes_do_not_lead_together_when_their_lease_is_deleted() {
    try (var one = new Process("deleted", "one")) {
      await("the first to lead", one.election::leads);
      try (var two = new Process("deleted", "two")) {
        pause(Duration.ofSeconds(1));
        delete("deleted");
        for (int i = 0; i < 500; i++) {
          assertThat(two.election.leads() && one.election.leads()).as("both lead").isFalse();
          pause(Duration.ofMillis(10));
        }
        assertThat(one.election.leads()).as("its holder created it again").isTrue();
        assertThat(lease("deleted").getSpec().getHolderIdentity()).startsWith("one_");
        assertThat(one.told).containsExactly("leads");
      }
    }
  }

  @Test
  void a_deleted_lease_is_free_after_its_holder_has_stopped_acting() {
    try (var one = new Process("vacant", "one")) {
      await("the first to lead", one.election::leads);
      try (var two = new Process("vacant", "two")) {
        pause(Duration.ofSeconds(1));
        one.election.leave();
        delete("vacant");
        pause(Duration.ofSeconds(10));
        assertThat(two.election.leads()).isFalse();
        await("the second to lead", two.election::leads);
      }
    }
  }

  @Test
  void a_process_takes_over_from_its_crashed_predecessor_of_the_same_name_once() {
    namespace("crashed");
    held("crashed", "one_gone");
    try (var one = new Process("crashed", "one")) {
      await("the successor to lead", one.election::leads);
      held("crashed", "one_another");
      await("the successor to stop", () -> !one.election.leads());
      pause(Duration.ofSeconds(2));
      assertThat(one.election.leads()).as("two processes of one name do not take turns").isFalse();
    }
  }

  @Test
  void a_process_stops_when_the_API_server_is_away_and_leads_again_when_it_is_back() {
    try (var one = new Process("away", "one")) {
      await("the process to lead", one.election::leads);
      long term = lease("away").getSpec().getLeaseTransitions();
      plane.restartApiServer(true);
      await("the process to lead", one.election::leads);
      assertThat(lease("away").getSpec().getLeaseTransitions()).isEqualTo((int) term);
    }
  }

  /** An election of a process. */
  private static final class Process implements Election.Candidate, AutoCloseable {

    final List<String> told = new CopyOnWriteArrayList<>();
    final Election election;

    /** It blocks when it stops until this is over. */
    volatile CountDownLatch busy = new CountDownLatch(0);

    Process(String namespace, String name) {
      namespace(namespace);
      var self = new Self(namespace + "/belay", UUID.randomUUID().toString(), "account");
      election = new Election(client, self, name, Clock.systemUTC(), this);
      election.start();
    }

    @Override
    public void leads() {
      told.add("leads");
    }

    @Override
    public void stops() {
      told.add("stops");
      try {
        busy.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    void awaitTold(String... changes) {
      await("to be told " + List.of(changes), () -> told.equals(List.of(changes)));
    }

    @Override
    public void close() {
      election.release();
      election.close();
    }
  }

  private static void namespace(String name) {
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .serverSideApply();
  }

  private static Lease lease(String namespace) {
    return client.leases().inNamespace(namespace).withName("belay-operator").get();
  }

  private static void delete(String namespace) {
    client.leases().inNamespace(namespace).withName("belay-operator").delete();
  }

  /** Writes the Lease past the election. */
  private static void held(String namespace, String holder) {
    Lease before = lease(namespace);
    var next =
        before == null
            ? new LeaseBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName("belay-operator")
                .endMetadata()
            : new LeaseBuilder(before).editMetadata().withResourceVersion(null).endMetadata();
    Lease lease =
        next.editOrNewSpec()
            .withHolderIdentity(holder)
            .withLeaseDurationSeconds(15)
            .endSpec()
            .build();
    if (before == null) {
      client.resource(lease).create();
    } else {
      client.resource(lease).update();
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("waited in vain for " + what).isNegative();
      pause(Duration.ofMillis(50));
    }
  }

  private static void pause(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
