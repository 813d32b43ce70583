package dev.belay.sim.world;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Which faults are under way, and which wait for their moment. */
public final class Weather {

  private final Timeline time;
  private final Map<Fault, Instant> until = new EnumMap<>(Fault.class);
  private final Map<Fault, Instant> ended = new EnumMap<>(Fault.class);
  private final Map<Fault, Instant> since = new EnumMap<>(Fault.class);
  private final Map<Fault, Integer> armed = new EnumMap<>(Fault.class);
  private final Set<Fault> forGood = EnumSet.noneOf(Fault.class);
  private Instant blindUntil = Timeline.START;
  private Instant listedAsOf = Timeline.START;
  private Instant listedUntil = Timeline.START;
  private boolean over;

  public Weather(Timeline time) {
    this.time = time;
  }

  public void begin(Fault fault, Duration duration) {
    if (!holds(fault)) {
      since.put(fault, time.now());
    }
    until.put(fault, time.now().plus(duration));
    ended.put(fault, time.now().plus(duration));
    if (fault.blindsBelay()) {
      blindFor(duration);
    }
  }

  /** What nobody ever repairs, and what keeps nobody from looking. */
  public void lasts(Fault fault) {
    forGood.add(fault);
  }

  public boolean holds(Fault fault) {
    Instant end = until.get(fault);
    return forGood.contains(fault) || (end != null && time.now().isBefore(end));
  }

  /** Whether a fault was under way at some moment of the last so long. */
  public boolean lately(Fault fault, Duration duration) {
    Instant end = ended.get(fault);
    return end != null && time.now().minus(duration).isBefore(end);
  }

  /**
   * Whether operators may be in a long pause because events were lost or told somebody whose view
   * stood still.
   */
  public boolean unheard() {
    return Stream.of(Fault.EVENTS_DROPPED, Fault.STALE_SET, Fault.STALE_PODS, Fault.STALE_CLUSTER)
        .anyMatch(f -> lately(f, Duration.ofSeconds(40)));
  }

  /** When a fault that is under way began. */
  public Instant since(Fault fault) {
    return since.getOrDefault(fault, Timeline.START);
  }

  /**
   * After a 410 everything is listed anew; by an API server that is behind, the list is older than
   * what was seen before, and the watches take a while to catch up.
   */
  public void listed(Instant asOf, Duration catchesUp) {
    listedAsOf = asOf;
    listedUntil = time.now().plus(catchesUp);
    blindFor(catchesUp);
  }

  /** The moment at which a cache stands still, if it does. */
  public Optional<Instant> standsStill(Fault stale) {
    Instant oldest = holds(stale) ? since(stale) : Instant.MAX;
    if (holds(Fault.WATCH_EXPIRES) && since(Fault.WATCH_EXPIRES).isBefore(oldest)) {
      oldest = since(Fault.WATCH_EXPIRES);
    }
    if (time.now().isBefore(listedUntil) && listedAsOf.isBefore(oldest)) {
      oldest = listedAsOf;
    }
    return oldest.equals(Instant.MAX) ? Optional.empty() : Optional.of(oldest);
  }

  /** Whether watch events get lost. */
  public boolean deaf() {
    return holds(Fault.EVENTS_DROPPED) || holds(Fault.WATCH_EXPIRES);
  }

  /** The fault happens at the next opportunity. */
  public void arm(Fault fault, int argument) {
    armed.put(fault, argument);
  }

  public boolean isArmed(Fault fault) {
    return armed.containsKey(fault);
  }

  /** Whether the fault was waiting for this moment; it happens once. */
  public boolean strikes(Fault fault) {
    return armed.remove(fault) != null;
  }

  public int argument(Fault fault) {
    return armed.getOrDefault(fault, 0);
  }

  public void blindFor(Duration duration) {
    Instant end = time.now().plus(duration);
    if (end.isAfter(blindUntil)) {
      blindUntil = end;
    }
  }

  /** Belay has been undisturbed for at least this long: what it could see, it saw. */
  public boolean clearFor(Duration duration) {
    return !blindUntil.plus(duration).isAfter(time.now());
  }

  /** Whether faults have stopped for good. */
  public boolean over() {
    return over;
  }

  public void clear() {
    over = true;
    until.clear();
    listedUntil = time.now();
    armed.clear();
  }
}
