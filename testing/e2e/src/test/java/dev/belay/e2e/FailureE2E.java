package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import dev.belay.demo.EtcdCluster;
import dev.belay.demo.World;
import io.fabric8.kubernetes.api.model.Condition;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Members and images that do not work. */
@ExtendWith(Arena.Provider.class)
class FailureE2E {

  @Test
  void a_member_with_a_broken_data_directory_is_made_anew_once_and_nobody_else_is_touched(
      Arena arena) throws IOException {
    try (Place place = arena.place("broken");
        EtcdCluster etcd = place.etcd()) {
      BelayView belay = place.adoptEtcd();
      etcd.lead("etcd-1");
      etcd.freeze("etcd-0");
      ruin(place.volume("data-etcd-0"));
      ProcessHandle.of(arena.sandbox().pidOf("broken", "etcd-0").orElseThrow())
          .orElseThrow()
          .destroyForcibly();
      place.await("etcd-0 crashes again and again", () -> place.restarts("etcd-0") >= 2);
      Map<String, String> before = place.uids();

      place.kubectl("set", "image", "sts/etcd", "etcd=etcd:" + World.NEXT);

      place.await(
          "made anew once, it is still broken: a person is needed",
          () -> belay.rule().equals("BrokenMemberOutOfOrder"));
      assertThat(belay.sentence()).contains("etcd-0").contains("CrashLoopBackOff");
      assertThat(place.uids())
          .containsEntry("etcd-1", Objects.requireNonNull(before.get("etcd-1")))
          .containsEntry("etcd-2", Objects.requireNonNull(before.get("etcd-2")));
    }
  }

  /** Overwrites the log that etcd replays when it starts. */
  private static void ruin(Path data) throws IOException {
    List<Path> logs;
    try (Stream<Path> files = Files.walk(data)) {
      logs = files.filter(f -> f.toString().endsWith(".wal")).toList();
    }
    assertThat(logs).isNotEmpty();
    for (Path log : logs) {
      try (var file = new RandomAccessFile(log.toFile(), "rw")) {
        file.write(new byte[] {42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42});
      }
    }
  }

  @Test
  void names_an_etcd_image_that_does_not_exist_and_heals_when_it_is_reverted(Arena arena) {
    try (Place place = arena.place("noimage");
        EtcdCluster etcd = place.etcd()) {
      BelayView belay = place.adoptEtcd();
      Map<String, String> before = place.uids();

      place.kubectl("set", "image", "sts/etcd", "etcd=etcd:3.6.99");

      place.await("the failure is named", () -> belay.is("Error"));
      Instant touched =
          Instant.parse(place.pods().get("etcd-2").getMetadata().getCreationTimestamp());
      assertThat(Instant.parse(error(belay).getLastTransitionTime()))
          .as("the time of the error, %s after the pod", touched)
          .isBefore(touched.plusSeconds(15));
      assertThat(error(belay).getMessage())
          .contains("etcd-2")
          .containsAnyOf("ErrImagePull", "ImagePullBackOff");
      assertThat(place.uids())
          .containsEntry("etcd-0", Objects.requireNonNull(before.get("etcd-0")))
          .containsEntry("etcd-1", Objects.requireNonNull(before.get("etcd-1")));

      place.kubectl("set", "image", "sts/etcd", "etcd=etcd:" + World.OLD);

      place.await(
          "it heals by itself",
          () ->
              belay.phase().equals("Idle")
                  && EtcdCluster.serving(etcd.members(), World.MEMBERS, World.OLD));
      assertThat(place.uids())
          .containsEntry("etcd-0", Objects.requireNonNull(before.get("etcd-0")))
          .containsEntry("etcd-1", Objects.requireNonNull(before.get("etcd-1")));
    }
  }

  private static Condition error(BelayView belay) {
    return belay.status().orElseThrow().conditions().stream()
        .filter(c -> c.getType().equals("Error"))
        .findFirst()
        .orElseThrow();
  }
}
