package dev.belay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which clusters are released in the time there is. */
class UninstallTest {

  private final Map<String, AtomicInteger> tries = new ConcurrentHashMap<>();

  @Test
  void many_clusters_that_are_stuck_do_not_keep_another_one_from_its_release() throws Exception {
    List<String> stuck = IntStream.range(10, 26).mapToObj(i -> "stuck" + i).toList();
    Map<String, String> left =
        released(Stream.concat(stuck.stream(), Stream.of("sound")), Duration.ofSeconds(3));
    assertThat(left.keySet())
        .isEqualTo(stuck.stream().map(s -> "ns/" + s).collect(Collectors.toSet()));
    assertThat(tries.get("sound")).hasValue(3);
  }

  @Test
  void the_last_cause_is_reported_of_a_cluster_that_is_left() throws Exception {
    Map<String, String> left = released(Stream.of("stuck", "away"), Duration.ofSeconds(1));
    assertThat(left.get("ns/stuck")).isEqualTo("try " + tries.get("stuck"));
    assertThat(left).containsEntry("ns/away", "no route to host");
  }

  @Test
  void it_ends_at_once_when_every_cluster_is_released() throws Exception {
    long begin = System.nanoTime();
    assertThat(released(Stream.of("sound"), Duration.ofMinutes(2))).isEmpty();
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofMinutes(1));
  }

  private Map<String, String> released(Stream<String> names, Duration limit)
      throws InterruptedException {
    List<Remaining.Cluster> clusters =
        names.map(n -> new Remaining.Cluster("ns", n, "ns/belay", false)).toList();
    return Uninstall.released(clusters, this::release, limit);
  }

  private Optional<String> release(String namespace, String name) {
    int n = tries.computeIfAbsent(name, _ -> new AtomicInteger()).incrementAndGet();
    if (name.equals("away")) {
      throw new IllegalStateException("no route to host");
    }
    return name.equals("sound") && n == 3 ? Optional.empty() : Optional.of("try " + n);
  }
}
