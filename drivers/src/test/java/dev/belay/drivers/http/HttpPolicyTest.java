package dev.belay.drivers.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Health;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Workload;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HttpPolicyTest {

  private final List<Member> members = new ArrayList<>();
  private final List<Pod> pods = new ArrayList<>();

  @Test
  void an_updated_successor_comes_first_then_the_least_lag_then_the_name() {
    member("db-0", "old", Map.of(HttpPolicy.LAG, Fact.known("0")));
    member("db-1", "new", Map.of());
    member("db-2", "new", Map.of(HttpPolicy.LAG, Fact.known("10")));
    member("db-3", "new", Map.of(HttpPolicy.LAG, Fact.known("9.5")));
    member("db-4", "new", Map.of(HttpPolicy.LAG, Fact.known("9.5")));
    assertThat(members.stream().sorted(HttpPolicy.INSTANCE.successors(component())).toList())
        .extracting(Member::name)
        .containsExactly("db-3", "db-4", "db-2", "db-1", "db-0");
  }

  @Test
  void nothing_it_reads_closes_the_way_back() {
    assertThat(HttpPolicy.INSTANCE.rules()).isEmpty();
    assertThat(HttpPolicy.INSTANCE.wayBack(component()).reason())
        .isEqualTo("nothing read by Belay closes it");
  }

  private void member(String name, String revision, Map<String, Fact<String>> readings) {
    var health = Fact.known(new Health(true, "serves"));
    members.add(
        new Member(
            name, name, List.of(), Role.FOLLOWER, health, Fact.unknown("not read"), readings));
    pods.add(
        new Pod(
            name,
            "uid-" + name,
            "1",
            pods.size(),
            revision,
            Pod.Readiness.AVAILABLE,
            false,
            Optional.empty(),
            Instant.EPOCH,
            Map.of(),
            List.of(),
            Fact.known(Optional.empty()),
            false));
  }

  private Component component() {
    var spec =
        new Spec.ComponentSpec(
            "db",
            "db",
            Optional.empty(),
            Map.of(),
            "http",
            "{pod}",
            Spec.Rollout.DEFAULT,
            List.of());
    var workload =
        new Workload(
            "db",
            "uid",
            "1",
            1,
            1,
            pods.size(),
            0,
            Workload.Update.ROLLING_UPDATE,
            Workload.FROZEN,
            Workload.Order.PARALLEL,
            "old",
            "new",
            Map.of(),
            "db",
            false);
    var topology = new Topology("", members, Fact.known(Topology.Leader.NOBODY), List.of());
    return new Component(
        spec,
        Fact.known(workload),
        Fact.known(pods),
        Fact.known(topology),
        Fact.known(List.of()),
        Fact.known(Component.Guarding.POLICY),
        Fact.known(Optional.empty()),
        List.of());
  }
}
