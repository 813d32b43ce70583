package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import dev.belay.demo.EtcdCluster;
import dev.belay.e2e.Audit.Deletion;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Wherever the leader is when a roll-out begins, it is moved before its pod is deleted. */
@ExtendWith(Arena.Provider.class)
class LeaderE2E {

  @Test
  void never_a_leader_is_deleted(Arena arena) {
    try (Place place = arena.place("leader");
        EtcdCluster etcd = place.etcd();
        var leaders = LeaderHistory.of(etcd.endpoints())) {
      BelayView belay = place.adoptEtcd();
      for (String leader : List.of("etcd-2", "etcd-1", "etcd-0")) {
        etcd.lead(leader);
        long moved = moves(belay, leader);
        int deleted = deletions(arena).size();
        place.kubectl("rollout", "restart", "sts/etcd");
        place.await("the roll-out begins", () -> belay.is("Upgrading"));
        place.await("the roll-out ends", () -> belay.phase().equals("Idle"));

        List<Deletion> now = deletions(arena).subList(deleted, deleted + 3);
        assertThat(now).extracting(Deletion::pod).containsExactly("etcd-2", "etcd-1", "etcd-0");
        for (Deletion deletion : now) {
          assertThat(leaders.before(deletion.at()))
              .as("who led before %s", deletion)
              .isPresent()
              .get()
              .isNotEqualTo(deletion.pod());
        }
        assertThat(moves(belay, leader)).as("moves off %s in events", leader).isGreaterThan(moved);
      }
      assertThat(deletions(arena)).hasSize(9);
    }
  }

  private static List<Deletion> deletions(Arena arena) {
    return new Audit(arena.sandbox().auditLog()).podDeletions("leader");
  }

  private static long moves(BelayView belay, String from) {
    return belay.events().stream()
        .filter(e -> e.getReason().equals("TransferLeader"))
        .filter(e -> e.getMessage().contains("from " + from + " to"))
        .count();
  }
}
