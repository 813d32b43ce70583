package dev.belay.drivers.etcd;

import static dev.belay.drivers.etcd.World.settled;
import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.WayBack;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Health;
import dev.belay.core.state.Note;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EtcdPolicyTest {

  @Test
  void notes_every_member_when_the_cluster_settles() {
    var world = two("3.6.16", "3.6.0").metrics(0, "1.79e+09", "4").metrics(1, "1.8e+09", "0");
    assertThat(world.remembered()).containsExactly(settled(0, "1.79E+9/4"), settled(1, "1.8E+9/0"));
  }

  @Test
  void what_is_noted_stays_while_nothing_happens() {
    var world = two("3.6.16", "3.6.0").metrics(0, "1000", "4").metrics(1, "1000", "0");
    List<Note> first = world.remembered();
    assertThat(world.notes(first).remembered()).isEqualTo(first);
  }

  @ParameterizedTest(name = "noted {0}, now {1}/{2}: {3}")
  @CsvSource({
    "1000/4, 1000, 4, 1000/4",
    "1000/4, 1000, 5, saved",
    "1000/0, 1000, 1, saved",
    // Another process: any snapshot of its own came after the note.
    "1000/4, 2000, 1, saved",
    "1000/4, 2000, 4, saved",
    "1000/4, 2000, 0, 1000/4",
    "1000/1, 1010, 0, 1000/1",
    // The counter fell, so it is another process whatever the clock says.
    "1000/4, 1000, 1, saved",
    // The clock of the node was set; the process is the same.
    "1000/4, 1010, 4, 1000/4",
    "saved, 2000, 0, saved",
    "gar/bage, 2000, 3, 2000/3",
  })
  void a_snapshot_since_then_is_told_from_older_ones(
      String noted, String start, String saved, String expected) {
    var world = two("3.6.16", "3.6.0").metrics(0, start, saved).notes(List.of(settled(0, noted)));
    assertThat(world.remembered()).contains(settled(0, expected));
  }

  @Test
  void a_member_that_joined_later_gets_its_own_note() {
    var world = two("3.6.16", "3.6.0").metrics(1, "5000", "2").notes(List.of(settled(0, "saved")));
    assertThat(world.remembered()).containsExactly(settled(0, "saved"), settled(1, "5000/2"));
  }

  @Test
  void notes_of_other_minors_go_when_the_cluster_settles() {
    var world = two("3.7.3", "3.7.0").notes(List.of(settled(0, "saved")));
    assertThat(world.remembered()).hasSize(2).doesNotContain(settled(0, "saved"));
  }

  @Test
  void nothing_changes_while_the_cluster_is_mixed_or_unseen() {
    List<Note> notes = List.of(settled(0, "1000/0"), settled(1, "saved"));
    assertThat(World.running("3.6.16", "3.7.3").clusterVersion("3.6.0").notes(notes).remembered())
        .isEqualTo(notes);
    assertThat(two("3.6.16", "3.5.0").notes(notes).remembered()).isEqualTo(notes);
    assertThat(two("3.6.16", "3.6.0").unreadable(1, "late").notes(notes).remembered())
        .isEqualTo(notes);
  }

  @Test
  void unreadable_metrics_leave_a_note_as_it_was() {
    var world =
        two("3.6.16", "3.6.0")
            .reading(0, Readings.PROCESS_START, Fact.unknown("late"))
            .notes(List.of(settled(0, "1000/4")));
    assertThat(world.remembered()).contains(settled(0, "1000/4"));
  }

  @Test
  void the_floor_is_the_cluster_version() {
    assertThat(wayBack(two("3.6.16", "3.6.0")))
        .isEqualTo(
            WayBack.floor(
                "3.6.0", "the cluster version is 3.6 and etcd starts no member below it"));
    WayBack mixed = wayBack(World.running("3.5.35", "3.6.16").clusterVersion("3.5.0"));
    assertThat(mixed.floor()).isEqualTo(Fact.known(Optional.of("3.5.0")));
    assertThat(mixed.reason()).contains("still 3.5").contains("then there is no way back");
  }

  @Test
  void where_members_differ_the_higher_cluster_version_is_the_floor() {
    var world = two("3.6.16", "3.6.0").reading(0, Readings.CLUSTER_VERSION, Fact.known("3.5.0"));
    assertThat(wayBack(world).floor()).isEqualTo(Fact.known(Optional.of("3.6.0")));
  }

  @Test
  void an_unreadable_cluster_version_is_an_unknown_floor() {
    assertThat(wayBack(two("3.6.16", "3.6.0").unreadable(0, "late")).floor())
        .isEqualTo(Fact.unknown("cluster version of etcd-0: clusterVersion was not read"));
  }

  @Test
  void a_failed_member_does_not_hide_the_floor() {
    var world =
        World.running("3.5.35", "3.5.35", "3.6.99")
            .clusterVersion("3.5.0")
            .broken(2, Fact.known(Health.down("refuses connections")));
    assertThat(wayBack(world).floor()).isEqualTo(Fact.known(Optional.of("3.5.0")));
  }

  @Test
  void an_updated_successor_is_preferred_then_the_least_real_lag_then_the_name() {
    Component component =
        World.running("3.5.35", "3.5.35", "3.6.16", "3.5.35")
            .reading(0, Readings.LAG, Fact.known("600"))
            .reading(1, Readings.LAG, Fact.known("20"))
            .reading(2, Readings.LAG, Fact.known("900"))
            .reading(3, Readings.LAG, Fact.known("9"))
            .component();
    List<String> order =
        component.topology().asOptional().orElseThrow().members().stream()
            .sorted(EtcdPolicy.INSTANCE.successors(component))
            .map(Member::name)
            .toList();
    assertThat(order).containsExactly("etcd-2", "etcd-1", "etcd-3", "etcd-0");
  }

  private static World two(String version, String cluster) {
    return World.running(version, version).clusterVersion(cluster);
  }

  private static WayBack wayBack(World world) {
    return EtcdPolicy.INSTANCE.wayBack(world.component());
  }
}
