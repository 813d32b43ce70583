package dev.belay.core.guard;

import dev.belay.core.guard.Mark.Stamp;
import java.util.Optional;

/** Which changes of a mark are allowed, and what replaces the others. */
final class Marks {

  /** An epoch that leaves no higher one would lock every later owner out. */
  private static final long LEAP = 10_000_000_000L;

  /**
   * Allowed: the mark stays; an account that holds the verb own takes it with a higher epoch; the
   * owner removes both parts; without an owner the label is free. A new workload has no owner, or a
   * provisional one.
   */
  static boolean permitted(boolean created, Mark before, Mark after, Author author) {
    if (created) {
      return after.owner().isEmpty() || after.stamp().filter(s -> s.epoch() == 0).isPresent();
    }
    boolean unchanged = before.present() && after.equals(before);
    boolean removed = after.equals(Mark.NONE) && before.heldBy(author.account());
    boolean free = !before.held() && after.owner().isEmpty();
    return unchanged || removed || free || taken(before, after, author);
  }

  private static boolean taken(Mark before, Mark after, Author author) {
    long held = before.held() ? before.stamp().map(Stamp::epoch).orElse(-1L) : -1;
    boolean sameCluster = !before.held() || after.cluster().equals(before.cluster());
    return after.present()
        && sameCluster
        && author.owns()
        && after.heldBy(author.account())
        && after.stamp().filter(s -> s.epoch() > held && s.epoch() - held <= LEAP).isPresent();
  }

  /** What a controller's write is stored with when it may not change the mark so. */
  static Mark restored(Mark before, Mark asked) {
    return before.held() ? before : new Mark(asked.cluster(), Optional.empty());
  }

  private Marks() {}
}
