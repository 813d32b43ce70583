package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bookies that are dead before the upgrade begins, and upgrades that are reverted. */
@ExtendWith(Arena.Provider.class)
class BookkeeperFailureE2E {

  /** What the user had set; shorter than what Belay sets for the upgrade. */
  private static final int DELAY = 3;

  @Test
  void dead_at_the_top_reverted_midway_dead_at_the_bottom_and_no_entry_is_lost(Arena arena) {
    try (Place place = arena.place("bookkeeper-dead");
        BookkeeperCluster bookies = BookkeeperCluster.deployed(place)) {
      BelayView belay = place.adopted("bookkeeper");
      bookies.setDelay(DELAY);
      Map<String, String> before = place.uids();
      deadAtTheTop(place, bookies, belay);
      revertedMidway(place, bookies, belay);
      deadAtTheBottom(place, bookies, belay);

      assertThat(place.uids())
          .as("who was never touched")
          .containsEntry("bookie-1", before.get("bookie-1"))
          .containsEntry("bookie-2", before.get("bookie-2"));
      assertThat(bookies.fewest()).as("writable bookies").isGreaterThanOrEqualTo(3);
      BookkeeperE2E.nothingIsLost("BookkeeperFailureE2E", bookies);
    }
  }

  private static void deadAtTheTop(Place place, BookkeeperCluster bookies, BelayView belay) {
    place.kubectl("annotate", "pod", "bookie-2", "belay.dev/hold=true");
    bookies.ruin("bookie-3").killed();
    place.await("bookie-3 is not ready", () -> !place.isReady("bookie-3"));
    Map<String, String> before = place.uids();

    image(place, BookkeeperCluster.NEW);
    place.await(
        "bookie-3 is replaced, and named",
        () -> belay.is("Error") && belay.sentence().startsWith("bookie-3 waits"));
    assertThat(belay.sentence()).contains("UpdatedMembersServe, CrashLoopBackOff");
    assertThat(place.uids().get("bookie-3")).isNotEqualTo(before.get("bookie-3"));
    before.remove("bookie-3");
    assertThat(place.uids()).containsAllEntriesOf(before);

    bookies.ruin("bookie-3").repaired();
    place.patch("bookkeeper", "\"requests\":{\"retry\":\"repaired\"}");
    place.await("the first one is new", () -> belay.rule().equals("PodIsNotHeld"));
  }

  private static void revertedMidway(Place place, BookkeeperCluster bookies, BelayView belay) {
    image(place, BookkeeperCluster.OLD);
    isOld(place, bookies, belay);
    place.kubectl("annotate", "pod", "bookie-2", "belay.dev/hold-");
  }

  /** It is made anew once, which does not help; a bookie above it would be one too many. */
  private static void deadAtTheBottom(Place place, BookkeeperCluster bookies, BelayView belay) {
    bookies.ruin("bookie-0").killed();
    place.await("bookie-0 is not ready", () -> !place.isReady("bookie-0"));
    String before = place.uids().get("bookie-3");

    image(place, BookkeeperCluster.NEW);
    place.await("a person is needed", () -> belay.rule().equals("BrokenMemberOutOfOrder"));
    assertThat(belay.phase()).isEqualTo("Held");
    assertThat(belay.sentence())
        .startsWith("bookie-0 waits")
        .contains("bookie-3 above it goes first and waits for it")
        .endsWith("cure: repair it, or revert the template");
    assertThat(place.uids()).containsEntry("bookie-3", before);

    image(place, BookkeeperCluster.OLD);
    bookies.ruin("bookie-0").repaired();
    isOld(place, bookies, belay);
  }

  private static void image(Place place, String version) {
    place.kubectl("set", "image", "sts/bookie", "bookie=bookkeeper:" + version);
  }

  private static void isOld(Place place, BookkeeperCluster bookies, BelayView belay) {
    place.await(
        "all bookies are old, and what the user had set is as before",
        () ->
            belay.phase().equals("Idle")
                && BookkeeperE2E.images(place).equals(Set.of("bookkeeper:" + BookkeeperCluster.OLD))
                && bookies.serves(DELAY));
  }
}
