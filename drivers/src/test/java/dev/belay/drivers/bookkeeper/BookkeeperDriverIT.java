package dev.belay.drivers.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import dev.belay.drivers.DriverConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The driver on real bookies of the two releases there are images of. */
class BookkeeperDriverIT {

  private static final String OLD = "4.17.3";
  private static final String NEW = "4.18.0";
  private static final Duration LOOK = Duration.ofSeconds(5);
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private final BookkeeperDriver driver =
      new BookkeeperDriver(DriverConfig.PLAIN.withEnsembleSize(2));

  @TempDir Path dir;

  @ParameterizedTest
  @ValueSource(strings = {OLD, NEW})
  void every_command_has_its_effect_and_can_be_taken_back(String version) {
    try (driver;
        var bookies = RealBookies.start(dir, version, 3)) {
      Member last = until(bookies, BookkeeperDriverIT::whole).members().getLast();
      Command drain = Orders.drain(last, "bookie-2");
      assertThat(tell(bookies, drain)).isEqualTo(new Outcome.Accepted());
      Topology drained =
          until(bookies, t -> allHealthy(t) && Readings.readOnly(t.members().getLast()));
      assertThat(drained.groups()).hasSize(2);
      assertThat(tell(bookies, drain).toString()).contains("now it is read-only");
      assertThat(tell(bookies, Orders.reopen(drained.members().getLast(), "bookie-2")))
          .isEqualTo(new Outcome.Accepted());

      Member first = until(bookies, BookkeeperDriverIT::whole).members().getFirst();
      tell(bookies, Orders.delay(first, "bookie-2", 0, 600));
      first = until(bookies, t -> cluster(t, Readings.DELAY).is("600")).members().getFirst();
      tell(bookies, Orders.stopRecovery(first, "bookie-2"));
      first = until(bookies, t -> cluster(t, Readings.AUTORECOVERY).is("off")).members().getFirst();
      tell(bookies, Orders.resumeRecovery(first, "bookie-0"));
      first = until(bookies, t -> cluster(t, Readings.AUTORECOVERY).is("on")).members().getFirst();
      tell(bookies, Orders.restoreDelay(first, "bookie-0", 0));
      until(bookies, BookkeeperDriverIT::whole);

      bookies.processes.kill(0);
      Topology two = until(bookies, t -> t.members().getFirst().knownDown());
      assertThat(two.members()).filteredOn(Member::healthy).hasSize(2);
    }
  }

  /** Real loss: the list that is good news as a 404 fills, and empties when the bookie is back. */
  @Test
  void a_lost_bookie_leaves_ledgers_without_copies_until_it_is_back() {
    try (driver;
        var bookies = RealBookies.start(dir, NEW, 3)) {
      Topology born = until(bookies, BookkeeperDriverIT::whole);
      int victim = other(born);
      ledgers(bookies);
      bookies.processes.kill(victim);
      until(
          bookies,
          t ->
              cluster(t, Readings.UNDER_REPLICATED)
                  .asOptional()
                  .filter(l -> !l.isEmpty())
                  .isPresent());
      bookies.run(victim, NEW);
      until(bookies, BookkeeperDriverIT::whole);
    }
  }

  /** The delay would not do: the new auditor takes who is missing for lost, whatever the delay. */
  @Test
  void nothing_is_copied_while_the_auditors_own_bookie_restarts_into_the_next_release() {
    try (driver;
        var bookies = RealBookies.start(dir, OLD, 3)) {
      Topology born = until(bookies, BookkeeperDriverIT::whole);
      String auditor = cluster(born, Readings.AUDITOR).asOptional().orElseThrow();
      int host = Integer.parseInt(auditor.substring("bookie-".length()));
      Member through = born.members().get((host + 1) % 3);
      ledgers(bookies);
      tell(bookies, Orders.stopRecovery(through, auditor));
      until(bookies, t -> cluster(t, Readings.AUTORECOVERY).is("off"));

      bookies.processes.kill(host);
      var missed = new TreeSet<String>();
      until(bookies, noting(missed, t -> !cluster(t, Readings.AUDITOR).is(auditor)));
      until(bookies, noting(missed, t -> !cluster(t, Readings.AUDITOR).is(Readings.NOBODY)));
      bookies.run(host, NEW);
      Topology back = until(bookies, noting(missed, BookkeeperDriverIT::allHealthy));
      tell(bookies, Orders.resumeRecovery(back.members().getFirst(), "bookie-0"));
      until(bookies, noting(missed, BookkeeperDriverIT::whole));
      assertThat(missed).as("ledgers that lacked copies at any look").containsOnly("");
    }
  }

  /** Keeps every list of ledgers without copies that was seen on the way. */
  private static Predicate<Topology> noting(Set<String> missed, Predicate<Topology> wanted) {
    return t -> {
      cluster(t, Readings.UNDER_REPLICATED).asOptional().ifPresent(missed::add);
      return wanted.test(t);
    };
  }

  /** Ledgers are there, and nobody writes any more. */
  private void ledgers(RealBookies bookies) {
    bookies.write(NEW);
    Instant end = Instant.now().plus(LIMIT);
    while (!Http.get(bookies.figures("")).matches(".*\"readBack\":[1-9].*")) {
      assertThat(Instant.now()).as("nothing is read back").isBefore(end);
      LockSupport.parkNanos(200_000_000);
    }
    bookies.stopWriting();
  }

  /** A bookie without the auditor. */
  private static int other(Topology t) {
    return cluster(t, Readings.AUDITOR).is("bookie-0") ? 1 : 0;
  }

  private static boolean allHealthy(Topology t) {
    return t.members().stream().allMatch(Member::healthy);
  }

  private static boolean whole(Topology t) {
    return allHealthy(t)
        && t.members().stream().allMatch(Readings::writable)
        && cluster(t, Readings.UNDER_REPLICATED).is("")
        && cluster(t, Readings.AUTORECOVERY).is("on")
        && cluster(t, Readings.DELAY).is("0")
        && cluster(t, Readings.AUDITOR)
            .asOptional()
            .filter(a -> a.startsWith("bookie-"))
            .isPresent();
  }

  private static Fact<String> cluster(Topology t, String key) {
    return t.members().getFirst().reading(key);
  }

  private Outcome tell(RealBookies bookies, Command command) {
    return driver.tell(bookies.seats(), command, LOOK);
  }

  private Topology until(RealBookies bookies, Predicate<Topology> wanted) {
    Instant end = Instant.now().plus(LIMIT);
    Fact<Topology> seen = Fact.unknown("nobody has looked");
    do {
      assertThat(Instant.now()).as("last seen: %s", seen).isBefore(end);
      LockSupport.parkNanos(100_000_000);
      seen = driver.observe(bookies.seats(), LOOK);
    } while (seen.asOptional().filter(wanted).isEmpty());
    return seen.asOptional().orElseThrow();
  }
}
