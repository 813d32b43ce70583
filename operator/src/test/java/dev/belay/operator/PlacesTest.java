package dev.belay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.model.Spec;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Snapshot.Subject;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class PlacesTest {

  private final List<StatefulCluster> listed = new ArrayList<>();
  private final List<String> woken = new ArrayList<>();
  private final Places places = places(1);

  private Places places(int limit) {
    var places = new Places(limit, c -> woken.add(c.getMetadata().getName()));
    places.listedBy(listed::stream);
    return places;
  }

  @Test
  void of_two_that_saw_the_last_place_free_one_gets_it() {
    Snapshot red = seen("red", false);
    Snapshot blue = seen("blue", false);

    assertThat(places.admits(red, memory(true))).isTrue();
    assertThat(places.admits(blue, memory(true))).isFalse();
    assertThat(seen("blue", false).fleet().underWay()).containsExactly("db/red");
    assertThat(seen("red", true).fleet().underWay()).isEmpty();
  }

  @Test
  void who_had_no_turn_yet_has_the_place_its_status_speaks_of() {
    listed.add(cluster("red", true, ""));

    assertThat(seen("blue", false).fleet().full()).isTrue();
    places.written(seen("red", true), memory(false));
    assertThat(seen("blue", false).fleet().full())
        .as("its own turn knows better than a list that lags")
        .isFalse();
  }

  @Test
  void a_place_that_gets_free_wakes_those_that_wait_and_nobody_else() {
    listed.add(cluster("blue", false, "FleetHasRoom"));
    listed.add(cluster("green", false, "NotPaused"));
    places.admits(seen("red", false), memory(true));
    assertThat(woken).isEmpty();

    assertThat(places.admits(seen("red", true), memory(false))).isTrue();
    assertThat(woken).as("before it is written down").isEmpty();
    places.written(seen("red", true), memory(false));
    assertThat(woken).containsExactly("blue");
  }

  @Test
  void a_cluster_that_is_deleted_leaves_its_place() {
    listed.add(cluster("blue", false, "FleetHasRoom"));
    places.admits(seen("red", false), memory(true));
    places.forget("db", "red");

    assertThat(woken).containsExactly("blue");
    assertThat(seen("blue", false).fleet().full()).isFalse();
  }

  @Test
  void who_goes_although_it_is_full_is_not_stopped_by_the_count() {
    places.admits(seen("red", false), memory(true));
    Snapshot forced = seen("blue", false);

    assertThat(forced.fleet().full()).isTrue();
    assertThat(places.admits(forced, memory(true))).isTrue();
    assertThat(seen("green", false).fleet().underWay())
        .containsExactlyInAnyOrder("db/red", "db/blue");
  }

  @Test
  void without_a_limit_nobody_is_in_anybodys_way() {
    Places free = places(Places.NO_LIMIT);
    listed.add(cluster("red", true, ""));
    assertThat(free.around(subject("blue")).full()).isFalse();
    assertThat(Stream.of("a", "b", "c").allMatch(n -> free.admits(seen(n, false), memory(true))))
        .isTrue();
  }

  @Test
  void a_limit_below_nothing_is_refused_before_anything_is_asked() {
    assertThat(new CommandLine(new Main()).execute("--max-upgrades", "-1")).isEqualTo(2);
  }

  private static Subject subject(String name) {
    return new Subject("db", name, 1, "1", false);
  }

  private Snapshot seen(String name, boolean begun) {
    return blank(name, begun).among(places.around(subject(name)));
  }

  private static Memory memory(boolean begun) {
    var run =
        new Memory.Run("1", "2", Instant.EPOCH, Duration.ZERO, Optional.empty(), "", "", begun);
    return new Memory(
        Optional.empty(),
        Optional.empty(),
        0,
        Map.of(),
        Optional.empty(),
        Memory.Handled.NONE,
        Optional.empty(),
        Optional.of(run),
        List.of());
  }

  private static StatefulCluster cluster(String name, boolean begun, String rule) {
    return Serialization.unmarshal(
        """
        apiVersion: belay.dev/v1alpha1
        kind: StatefulCluster
        metadata: {namespace: db, name: %s}
        status: {upgrade: {begun: %s}, blockedBy: {rule: "%s"}}
        """
            .formatted(name, begun, rule),
        StatefulCluster.class);
  }

  private static Snapshot blank(String name, boolean begun) {
    return new Snapshot(
        subject(name),
        new Snapshot.Self("belay", "one", "account"),
        new Spec(
            Spec.Trigger.TEMPLATE,
            Optional.empty(),
            List.of(),
            Spec.Upgrade.DEFAULT,
            false,
            Spec.Requests.NONE,
            Spec.Force.NONE),
        List.of(),
        memory(begun),
        Instant.EPOCH);
  }
}
