package dev.belay.operator.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OtherInstallsTest {

  private static final String LEASE = "ns/v1-operator";

  private Optional<Lease> stored = Optional.of(lease("1", 15));
  private boolean forbidden;
  private Duration now = Duration.ofDays(-3);
  private Duration pause = Duration.ZERO;

  private final OtherInstalls others =
      new OtherInstalls(
          _ -> {
            if (forbidden) {
              throw new IllegalStateException("403");
            }
            // The API server has answered, and the process is stopped before it sees the answer.
            now = now.plus(pause);
            return stored;
          },
          () -> now.toNanos());

  @Test
  void an_install_is_gone_when_its_lease_did_not_change_for_its_duration_and_30_seconds() {
    look();
    later(44);
    assertThat(others.expired(LEASE)).isFalse();
    later(1);
    assertThat(others.expired(LEASE)).isTrue();
  }

  @Test
  void a_renewed_lease_is_not_expired() {
    look();
    later(44);
    stored = Optional.of(lease("2", 15));
    look();
    later(44);
    assertThat(others.expired(LEASE)).isFalse();
  }

  @Test
  void a_longer_lease_is_waited_for_and_a_shorter_one_is_no_hurry() {
    stored = Optional.of(lease("1", 60));
    look();
    later(89);
    assertThat(others.expired(LEASE)).isFalse();
    later(1);
    assertThat(others.expired(LEASE)).isTrue();

    stored = Optional.of(lease("2", 1));
    look();
    later(44);
    assertThat(others.expired(LEASE)).isFalse();
  }

  @Test
  void a_lease_that_does_not_exist_does_not_change() {
    stored = Optional.empty();
    look();
    later(45);
    assertThat(others.expired(LEASE)).isTrue();
  }

  @Test
  void a_lease_that_cannot_be_read_proves_nothing() {
    forbidden = true;
    look();
    later(60);
    assertThat(others.expired(LEASE)).isFalse();

    forbidden = false;
    look();
    later(60);
    assertThat(others.expired(LEASE)).isTrue();
    forbidden = true;
    later(11);
    assertThat(others.expired(LEASE)).as("read 11 s ago").isFalse();
  }

  @Test
  void a_read_that_fails_in_between_does_not_count_as_a_change() {
    look();
    later(20);
    forbidden = true;
    later(20);
    forbidden = false;
    later(5);
    assertThat(others.expired(LEASE)).isTrue();
  }

  @Test
  void the_time_a_process_was_paused_during_a_read_does_not_count() {
    look();
    later(2);
    pause = Duration.ofSeconds(3600);
    look();
    assertThat(others.expired(LEASE)).as("read an hour ago").isFalse();
    pause = Duration.ZERO;
    stored = Optional.of(lease("2", 15));
    look();
    assertThat(others.expired(LEASE)).isFalse();
  }

  @Test
  void a_lease_that_was_never_read_or_is_not_asked_for_any_more_is_not_expired() {
    assertThat(others.expired(LEASE)).isFalse();
    look();
    others.look(Set.of());
    unseen(100);
    assertThat(others.expired(LEASE)).isFalse();
  }

  @Test
  void time_in_which_nobody_looked_proves_nothing() {
    look();
    unseen(3600);
    assertThat(others.expired(LEASE)).as("read an hour ago").isFalse();
    stored = Optional.of(lease("2", 15));
    look();
    assertThat(others.expired(LEASE)).isFalse();
    later(45);
    assertThat(others.expired(LEASE)).isTrue();
    unseen(11);
    assertThat(others.expired(LEASE)).as("read 11 s ago").isFalse();
  }

  @Test
  void a_lease_that_was_deleted_and_made_again_has_changed() {
    look();
    later(40);
    stored = Optional.empty();
    look();
    later(40);
    assertThat(others.expired(LEASE)).isFalse();
  }

  private void look() {
    others.look(Set.of(LEASE));
  }

  /** A look at the end. */
  private void later(long seconds) {
    unseen(seconds);
    look();
  }

  private void unseen(long seconds) {
    now = now.plusSeconds(seconds);
  }

  private static Lease lease(String version, int seconds) {
    return new LeaseBuilder()
        .withNewMetadata()
        .withUid("u")
        .withResourceVersion(version)
        .endMetadata()
        .withNewSpec()
        .withHolderIdentity("pod_1")
        .withLeaseDurationSeconds(seconds)
        .endSpec()
        .build();
  }
}
