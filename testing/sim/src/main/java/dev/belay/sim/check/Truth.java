package dev.belay.sim.check;

import dev.belay.sim.world.Part;
import dev.belay.sim.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * The recent past as it really was. A decision is judged by what was true between the look it rests
 * on and its effect: what became bad only after the look, nobody could have known.
 */
final class Truth {

  private static final Duration KEPT = Duration.ofSeconds(45);

  private final World world;
  private final Part part;
  private final Deque<Frame> frames = new ArrayDeque<>();

  Truth(World world, Part part) {
    this.world = world;
    this.part = part;
    frames.add(Frame.of(world, part));
  }

  /** After every event. */
  boolean update() {
    Frame now = Frame.of(world, part);
    if (now.sameAs(frames.getLast())) {
      return false;
    }
    frames.addLast(now);
    while (frames.size() > 2 && frames.getFirst().at().isBefore(now.at().minus(KEPT))) {
      frames.removeFirst();
    }
    return true;
  }

  Frame now() {
    return frames.getLast();
  }

  /**
   * What was ever, and what was always, so in a stretch of time.
   *
   * @param alwaysVoters who joined only after the look, nobody could have counted
   * @param everSilent did not even vote: taking it down takes nothing away
   * @param fewestHealthy at one and the same moment
   * @param alwaysReady a pod that was not ready for a moment may have been seen so
   * @param leadersSeen a bit per index; leaderless moments do not count
   */
  record Window(
      long alwaysVoters,
      long everHealthy,
      long everSilent,
      int fewestHealthy,
      long everExisted,
      long everNotTerminating,
      long everReady,
      long alwaysReady,
      long everAvailable,
      long alwaysOutdated,
      long everOutdated,
      long alwaysLeaving,
      long leadersSeen,
      int lowestFloor,
      boolean budgetAlwaysSpent) {}

  Window since(Instant from) {
    update();
    long voters = -1;
    long healthy = 0;
    long silent = 0;
    int fewest = Integer.MAX_VALUE;
    long existed = 0;
    long notTerminating = 0;
    long ready = 0;
    long alwaysReady = -1;
    long available = 0;
    long outdated = -1;
    long everOutdated = 0;
    long leaving = -1;
    long leaders = 0;
    int floor = Integer.MAX_VALUE;
    boolean spent = true;
    Iterator<Frame> newestFirst = frames.descendingIterator();
    while (newestFirst.hasNext()) {
      Frame f = newestFirst.next();
      voters &= f.voters();
      healthy |= f.healthy();
      silent |= ~f.voting();
      fewest = Math.min(fewest, Long.bitCount(f.healthy()));
      existed |= f.exists();
      notTerminating |= ~f.terminating();
      ready |= f.ready();
      alwaysReady &= f.ready();
      available |= f.available();
      outdated &= f.outdated();
      everOutdated |= f.outdated();
      leaving &= f.leaving();
      leaders |= f.leader() < 0 ? 0 : 1L << f.leader();
      floor = Math.min(floor, f.floor());
      spent &= f.budgetSpent();
      if (!f.at().isAfter(from)) {
        break;
      }
    }
    return new Window(
        voters,
        healthy,
        silent,
        fewest,
        existed,
        notTerminating,
        ready,
        alwaysReady,
        available,
        outdated,
        everOutdated,
        leaving,
        leaders,
        floor,
        spent);
  }
}
