package dev.belay.drivers.tikv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import dev.belay.drivers.DriverConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The driver on real PD of the two builds there are, with stores that only PD takes for TiKV. */
class TikvDriverIT {

  private static final String OLD = "2023.2.3";
  private static final String NEW = "2024.4.7";
  private static final Duration LOOK = Duration.ofSeconds(5);
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir Path dir;

  @ParameterizedTest
  @ValueSource(strings = {OLD, NEW})
  void leaders_leave_a_store_and_may_return_when_it_is_back(String version) {
    try (var stores = started(version, 1);
        var driver = driver(stores)) {
      Topology born = until(driver, stores, TikvDriverIT::wellAndLeading);
      assertThat(born.members()).extracting(Member::name).containsExactly(names());
      assertThat(born.members()).allMatch(m -> m.version().is(RealStores.OLD));
      assertThat(born.groups()).singleElement().matches(g -> g.required() == 2);
      Member first = born.members().getFirst();
      Member last = born.members().getLast();

      // What somebody else set is there before, and after.
      stores.pd.post(0, "/pd/api/v1/schedulers", evict(first.id()));
      until(driver, stores, t -> leads(t, 0).equals("0") && Readings.evicting(member(t, 0)));
      Command evict = Orders.evict(last, "tikv-2");
      assertThat(tell(driver, stores, evict)).isEqualTo(new Outcome.Accepted());
      Topology evicted = until(driver, stores, t -> leads(t, 2).equals("0"));
      assertThat(Readings.evicting(member(evicted, 2))).isTrue();
      assertThat(tell(driver, stores, evict).toString())
          .contains("is off was seen; now eviction of store " + last.id() + " is on");

      String before = started(evicted);
      stores.processes.stop(2);
      stores.run(2, RealStores.NEW);
      Topology back = until(driver, stores, t -> !started(t).equals(before));
      assertThat(member(back, 2).version()).isEqualTo(Fact.known(RealStores.NEW));
      assertThat(Readings.evicting(member(back, 2))).as("until it is taken back").isTrue();

      Command end = Orders.end(last.id(), "tikv-2");
      assertThat(tell(driver, stores, end)).isEqualTo(new Outcome.Accepted());
      Topology ended = until(driver, stores, t -> !Readings.evicting(member(t, 2)));
      assertThat(Readings.evicting(member(ended, 0))).as("what the user had set").isTrue();
      assertThat(tell(driver, stores, end).toString()).contains("is on was seen; now");
      // With the last one PD takes the scheduler itself away, and keeps nothing of it.
      assertThat(tell(driver, stores, Orders.end(first.id(), "tikv-0")))
          .isEqualTo(new Outcome.Accepted());
      Topology free = until(driver, stores, t -> !Readings.evicting(member(t, 0)));
      assertThat(free.members()).allMatch(m -> m.reading(Readings.ALL_EVICTED).is(""));
    }
  }

  /** For some seconds a new leader of the older build runs no schedulers. */
  @Test
  void a_new_leader_of_pd_is_not_taken_for_one_without_evictions() {
    try (var stores = started(OLD, 3);
        var driver = driver(stores)) {
      Topology born = until(driver, stores, TikvDriverIT::wellAndLeading);
      Command evict = Orders.evict(born.members().getLast(), "tikv-2");
      assertThat(tell(driver, stores, evict)).isEqualTo(new Outcome.Accepted());
      until(driver, stores, t -> leads(t, 2).equals("0"));

      String before = stores.pd.leader(0);
      stores.pd.post(0, "/pd/api/v1/leader/resign", "");
      // How long it knows nothing is its own affair, down to not at all; but it is never without.
      until(
          driver,
          stores,
          t -> {
            assertThat(eviction(t)).isNotEqualTo(Fact.known(Readings.OFF));
            return eviction(t) instanceof Fact.Known && !stores.pd.leader(0).equals(before);
          });
      until(driver, stores, t -> leads(t, 2).equals("0"));
    }
  }

  @Test
  void a_silent_store_is_unknown_and_its_regions_hold_the_others() {
    try (var stores = started(NEW, 1);
        var driver = driver(stores)) {
      until(driver, stores, TikvDriverIT::wellAndLeading);
      stores.processes.kill(2);
      // Each region's leader finds out for itself.
      Topology gap = until(driver, stores, t -> gaps(t).contains("12 regions with a peer that is"));
      assertThat(member(gap, 2).reading(Readings.GAPS)).as("its own").isEqualTo(Fact.known(""));
      Topology gone = until(driver, stores, t -> member(t, 2).health() instanceof Fact.Unknown);
      assertThat(member(gone, 2).health().toString()).contains("is Disconnected");
      assertThat(gone.members()).filteredOn(Member::healthy).hasSize(2);
    }
  }

  /** PD keeps such an id in its list, and rounds it in the command. */
  @Test
  void an_id_beyond_what_a_double_holds_is_read_exactly_and_never_sent() {
    try (var stores = new RealStores(dir, NEW, 1);
        var driver = driver(stores)) {
      stores.run(0, RealStores.OLD);
      stores.run(1, RealStores.OLD);
      stores.run(2, RealStores.OLD, "--id=9007199254740993");
      Topology born = until(driver, stores, TikvDriverIT::wellAndLeading);
      Member huge = member(born, 2);
      assertThat(huge.id()).isEqualTo("9007199254740993");
      assertThat(Orders.canName(huge.id())).isFalse();
      assertThat(tell(driver, stores, Orders.evict(huge, "tikv-2")).toString())
          .contains("store 9007199254740992 not found");
    }
  }

  private static String gaps(Topology topology) {
    return member(topology, 0).reading(Readings.GAPS).toString();
  }

  private RealStores started(String version, int members) {
    var stores = new RealStores(dir, version, members);
    for (int i = 0; i < 3; i++) {
      stores.run(i, RealStores.OLD);
    }
    return stores;
  }

  private static TikvDriver driver(RealStores stores) {
    return new TikvDriver(DriverConfig.PLAIN.withPlacementDriver(stores.placement()));
  }

  private static Outcome tell(TikvDriver driver, RealStores stores, Command command) {
    return driver.tell(stores.seats(3), command, LOOK);
  }

  private static String[] names() {
    return new String[] {"tikv-0", "tikv-1", "tikv-2"};
  }

  private static String evict(String store) {
    return "{\"name\":\"evict-leader-scheduler\",\"store_id\":" + store + "}";
  }

  private static Member member(Topology t, int i) {
    return t.members().get(i);
  }

  private static String leads(Topology t, int i) {
    return member(t, i).reading(Readings.LEADERS).asOptional().orElse("?");
  }

  private static Fact<String> eviction(Topology t) {
    return member(t, 2).reading(Readings.EVICTION);
  }

  private static String started(Topology t) {
    return member(t, 2).reading(Readings.STARTED).asOptional().orElse("");
  }

  private static boolean wellAndLeading(Topology t) {
    List<String> nothing = List.of("0", "?");
    return t.members().stream()
        .allMatch(m ->
            m.healthy()
                && m.reading(Readings.EVICTION).is(Readings.OFF)
                && !nothing.contains(m.reading(Readings.LEADERS).asOptional().orElse("?")));
  }

  private static Topology until(TikvDriver driver, RealStores stores, Predicate<Topology> wanted) {
    long end = System.nanoTime() + LIMIT.toNanos();
    Fact<Topology> seen = Fact.unknown("nobody looked");
    while (System.nanoTime() < end) {
      seen = driver.observe(stores.seats(3), LOOK);
      if (seen.asOptional().filter(wanted).isPresent()) {
        return seen.asOptional().orElseThrow();
      }
      LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
    }
    throw new AssertionError("not in " + LIMIT + ": " + seen);
  }
}
