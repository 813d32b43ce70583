package dev.belay.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for a condition, and says what it saw when the time is over. */
public final class Await {

  private static final Duration LOOK = Duration.ofMillis(50);

  private Await() {}

  /** Waits until the condition holds; {@code seen} tells what was there instead. */
  public static void until(
      String what, Duration limit, BooleanSupplier condition, Supplier<String> seen) {
    until(what, limit, LOOK, condition, seen);
  }

  /** The same with so long between two looks, where a look is not for free. */
  public static void until(
      String what,
      Duration limit,
      Duration look,
      BooleanSupplier condition,
      Supplier<String> seen) {
    if (!within(limit, look, condition)) {
      throw new DemoException(
          "%s: not within %d s".formatted(what, limit.toSeconds()),
          seen.get(),
          "try again; on a loaded machine things take longer");
    }
  }

  /** Waits until the condition holds, or for so long; whether it holds. */
  public static boolean within(Duration limit, BooleanSupplier condition) {
    return within(limit, LOOK, condition);
  }

  private static boolean within(Duration limit, Duration look, BooleanSupplier condition) {
    Instant end = Instant.now().plus(limit);
    while (!condition.getAsBoolean()) {
      if (Instant.now().isAfter(end)) {
        return false;
      }
      pause(look);
    }
    return true;
  }

  public static void pause(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DemoException("interrupted", "the demonstration was stopped", "start it again");
    }
  }
}
