package dev.belay.core.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Who among some is meant. One look asks this hundreds of times of three or five, where setting up
 * a stream takes longer than going through it: a third of the simulator's time went there.
 */
public final class Among {

  private Among() {}

  public static <T> boolean any(Collection<T> some, Predicate<? super T> which) {
    for (T one : some) {
      if (which.test(one)) {
        return true;
      }
    }
    return false;
  }

  public static <T> boolean none(Collection<T> some, Predicate<? super T> which) {
    return !any(some, which);
  }

  public static <T> boolean all(Collection<T> some, Predicate<? super T> which) {
    for (T one : some) {
      if (!which.test(one)) {
        return false;
      }
    }
    return true;
  }

  public static <T> int count(Collection<T> some, Predicate<? super T> which) {
    int count = 0;
    for (T one : some) {
      count += which.test(one) ? 1 : 0;
    }
    return count;
  }

  public static <T> Optional<T> first(Collection<T> some, Predicate<? super T> which) {
    for (T one : some) {
      if (which.test(one)) {
        return Optional.of(one);
      }
    }
    return Optional.empty();
  }

  public static <T> Optional<T> first(List<T> some) {
    return some.isEmpty() ? Optional.empty() : Optional.of(some.getFirst());
  }

  /** In the same order. */
  public static <T> List<T> those(Collection<T> some, Predicate<? super T> which) {
    var those = new ArrayList<T>(some.size());
    for (T one : some) {
      if (which.test(one)) {
        those.add(one);
      }
    }
    return those;
  }
}
