package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.ActResult;
import dev.belay.demo.ByVersion;
import dev.belay.demo.EtcdCluster;
import dev.belay.demo.Paint;
import dev.belay.demo.Stage;
import dev.belay.demo.WithBelay;
import dev.belay.demo.World;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Acts 2 and 3 of the demonstration, as they are played. */
@ExtendWith(Arena.Provider.class)
class UpgradeE2E {

  @Test
  void two_minor_releases_on_without_losing_a_write(Arena arena) {
    var shown = new ByteArrayOutputStream();
    var stage =
        new Stage(
            new PrintStream(shown, true, StandardCharsets.UTF_8),
            new Paint(false),
            false,
            100,
            Clock.systemUTC());
    var world = new World(arena.sandbox(), arena.repository(), stage);
    try (Place place = arena.place(WithBelay.NAMESPACE);
        EtcdCluster etcd = place.etcd()) {
      ActResult second = new WithBelay(world, etcd).play();

      assertThat(second.writes().lost()).isZero();
      assertThat(second.writes().acknowledged()).isPositive();
      assertThat(second.versions()).containsOnly(World.NEXT).hasSize(3);
      assertThat(second.movedByBelay()).isPositive();
      assertThat(second.leaderMoves()).isEqualTo(second.movedByBelay());

      var byVersion = new ByVersion(world, etcd);
      byVersion.refuseToSkip();
      ActResult third = byVersion.play();

      assertThat(third.writes().lost()).isZero();
      assertThat(third.endedOn(World.LAST)).isTrue();
      assertThat(third.leaderMoves()).isEqualTo(third.movedByBelay());
    }
    assertThat(shown.toString(StandardCharsets.UTF_8))
        .contains(
            "etcd-2 waits: EveryGroupSurvives, 2 of 3 voters healthy, 1 would remain, 2 needed;"
                + " cure: etcd-0 back")
        .contains("OneMinorAtATime, etcd-0 runs 3.5.35, 3.7.3 is more than one minor release on")
        .contains("OldLogIsBehindASnapshot, no raft snapshot saved on etcd-");
  }
}
