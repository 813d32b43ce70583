package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.demo.BelayView;
import dev.belay.e2e.Audit.Deletion;
import dev.belay.e2e.BookkeeperCluster.Figures;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Four real bookies, as the example has them, go from 4.17 to 4.18 while ledgers are written. */
@ExtendWith(Arena.Provider.class)
class BookkeeperE2E {

  @Test
  void from_one_release_to_the_next_without_losing_an_entry(Arena arena) {
    try (Place place = arena.place("bookkeeper");
        BookkeeperCluster bookies = BookkeeperCluster.deployed(place);
        var pods = new PodHistory(arena.client(), "bookkeeper")) {
      BelayView belay = place.adopted("bookkeeper");

      upgrade(place);
      ended(place, bookies, belay);

      List<Deletion> deletions = deletions(arena, "bookkeeper");
      assertThat(deletions.stream().map(Deletion::pod).distinct())
          .containsExactly("bookie-3", "bookie-2", "bookie-1", "bookie-0");
      for (Deletion deletion : deletions) {
        assertThat(bookies.writableBefore(deletion.at()))
            .as("who took writes before %s", deletion)
            .hasSize(3)
            .doesNotContain(deletion.pod());
      }
      assertThat(bookies.fewest()).as("writable bookies").isEqualTo(3);
      assertThat(pods.lives())
          .containsEntry("bookie-0", 2)
          .containsEntry("bookie-3", 2)
          .containsEntry("ledgers", 1);
      assertThat(belay.events())
          .anySatisfy(e ->
              assertThat(e.getMessage())
                  .contains("recover lost bookies after 600 s instead of 0 s"))
          .anySatisfy(e ->
              assertThat(e.getMessage()).contains("make bookie-3 read-only before it goes down"))
          .anySatisfy(e -> assertThat(e.getMessage()).contains("recover lost bookies after 0 s"));
      nothingIsLost("BookkeeperE2E", bookies);
    }
  }

  /** Whoever dies between the two leaves a bookie that takes no writes, and a delay nobody set. */
  @Test
  void an_operator_killed_before_it_took_back_what_it_changed_is_no_end_of_it(Arena arena) {
    try (Place place = arena.place("bookkeeper-killed");
        BookkeeperCluster bookies = BookkeeperCluster.deployed(place)) {
      BelayView belay = place.adopted("bookkeeper");
      place.killOperatorWhen(
          belay,
          "a bookie is to be made writable again",
          status ->
              status.components().stream()
                  .flatMap(c -> c.owes().stream())
                  .anyMatch(owed -> owed.contains("writable again")),
          () -> upgrade(place));
      ended(place, bookies, belay);
      assertThat(belay.status().orElseThrow().components()).allMatch(c -> c.owes().isEmpty());

      nothingIsLost("BookkeeperE2E, operator killed", bookies);
    }
  }

  private static void upgrade(Place place) {
    place.kubectl("set", "image", "sts/bookie", "bookie=bookkeeper:" + BookkeeperCluster.NEW);
  }

  private static void ended(Place place, BookkeeperCluster bookies, BelayView belay) {
    place.await(
        "the upgrade ends",
        () ->
            belay.phase().equals("Idle")
                && Set.of("bookkeeper:" + BookkeeperCluster.NEW).equals(images(place))
                && bookies.serves(0));
  }

  static Set<String> images(Place place) {
    var images = place.imageByPod();
    images.keySet().removeIf(pod -> !pod.startsWith("bookie-"));
    return Set.copyOf(images.values());
  }

  private static List<Deletion> deletions(Arena arena, String namespace) {
    return new Audit(arena.sandbox().auditLog())
        .podDeletions(namespace).stream().filter(d -> d.pod().startsWith("bookie-")).toList();
  }

  static void nothingIsLost(String who, BookkeeperCluster bookies) {
    Figures figures = bookies.verify();
    System.out.printf(
        "%s: %d entries acknowledged, %d lost, longest gap %d ms%n",
        who, figures.acknowledged(), figures.lost(), figures.longestGap().toMillis());
    assertThat(figures.acknowledged()).isPositive();
    assertThat(figures.lost()).isZero();
  }
}
