package dev.belay.sim.world;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;

/** Which faults are under way, and which wait for their moment. */
public final class Weather {

  private final Timeline time;
  private final Map<Fault, Instant> until = new EnumMap<>(Fault.class);
  private final Map<Fault, Instant> ended = new EnumMap<>(Fault.class);
  private final Map<Fault, Instant> since = new EnumMap<>(Fault.class);
  private final Map<Fault, Integer> armed = new EnumMap<>(Fault.class);
  private Instant blindUntil = Timeline.START;
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

  public boolean holds(Fault fault) {
    Instant end = until.get(fault);
    return end != null && time.now().isBefore(end);
  }

  /** Whether a fault was under way at some moment of the last so long. */
  public boolean lately(Fault fault, Duration duration) {
    Instant end = ended.get(fault);
    return end != null && time.now().minus(duration).isBefore(end);
  }

  /** When a fault that is under way began. */
  public Instant since(Fault fault) {
    return since.getOrDefault(fault, Timeline.START);
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
    armed.clear();
  }
}
