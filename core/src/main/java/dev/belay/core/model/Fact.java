package dev.belay.core.model;

import java.util.Optional;
import java.util.function.Function;

/**
 * Something read from the world: known, or unknown with the reason. Unknown is never permission.
 */
public sealed interface Fact<T> {

  /** What was read. */
  record Known<T>(T value) implements Fact<T> {}

  /** What could not be read, and why. */
  record Unknown<T>(String why) implements Fact<T> {}

  static <T> Fact<T> known(T value) {
    return new Known<>(value);
  }

  static <T> Fact<T> unknown(String why) {
    return new Unknown<>(why);
  }

  /** The value, or empty when unknown. */
  default Optional<T> asOptional() {
    return this instanceof Known<T>(T v) ? Optional.of(v) : Optional.empty();
  }

  /** Whether the value is known and equal to {@code expected}. */
  default boolean is(T expected) {
    return this instanceof Known<T>(T v) && v.equals(expected);
  }

  default <R> Fact<R> map(Function<? super T, ? extends R> f) {
    return switch (this) {
      case Known<T>(T v) -> new Known<>(f.apply(v));
      case Unknown<T>(String why) -> new Unknown<>(why);
    };
  }

  default <R> Fact<R> flatMap(Function<? super T, Fact<R>> f) {
    return switch (this) {
      case Known<T>(T v) -> f.apply(v);
      case Unknown<T>(String why) -> new Unknown<>(why);
    };
  }
}
