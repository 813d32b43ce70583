package dev.belay.api.v1alpha1;

import dev.belay.core.model.Action;
import dev.belay.core.model.Ledger;
import dev.belay.core.model.Version;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Note;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.RecordedStep.StepData;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** Memories with every field present, absent and odd. */
final class RandomMemory {

  static Memory of(RandomGenerator random) {
    var components = new HashMap<String, Memory.ComponentMemory>();
    for (int i = random.nextInt(3); i > 0; i--) {
      var serving = new HashMap<String, Instant>();
      for (int p = random.nextInt(4); p > 0; p--) {
        serving.put(word(random), time(random));
      }
      components.put(
          "c" + i,
          new Memory.ComponentMemory(
              random.nextBoolean(),
              maybe(
                  random,
                  new Memory.Good(
                      word(random),
                      word(random),
                      random.nextBoolean() ? Map.of() : Map.of("etcd", word(random)))),
              maybe(random, target(random)),
              maybe(random, refused(random)),
              serving,
              random.nextBoolean() ? Set.of() : Set.of("uid-2", "uid-1", word(random)),
              maybe(random, new Memory.Written(word(random), Map.of("etcd", word(random)))),
              Stream.generate(() -> note(random)).limit(random.nextInt(3)).toList(),
              observed(random),
              Stream.generate(() -> obligation(random)).limit(random.nextInt(4)).toList(),
              word(random)));
    }
    return new Memory(
        maybe(
            random,
            new Memory.Owner(
                word(random),
                word(random),
                word(random),
                random.nextInt(),
                word(random),
                random.nextBoolean())),
        maybe(
            random,
            new RecordedStep(
                word(random), step(random), word(random), time(random), random.nextInt(9))),
        random.nextLong(1L << 40),
        components,
        maybe(random, new Memory.Blocked(word(random), word(random), time(random))),
        new Memory.Handled(
            word(random),
            word(random),
            word(random),
            word(random),
            word(random),
            maybe(random, consent(random)),
            Stream.generate(() -> consent(random)).limit(random.nextInt(3)).toList()),
        maybe(
            random,
            new Memory.Forced(
                word(random), time(random), any(random, Memory.Forced.State.values()))),
        maybe(
            random,
            new Memory.Run(
                word(random),
                word(random),
                time(random),
                duration(random),
                maybe(random, time(random)),
                word(random),
                word(random),
                random.nextBoolean(),
                any(random, Memory.Outcome.values()),
                word(random),
                words(random))),
        Stream.generate(() -> past(random)).limit(random.nextInt(11)).toList());
  }

  private static StepData step(RandomGenerator random) {
    return new StepData(
        any(random, RecordedStep.Kind.values()),
        word(random),
        word(random),
        fence(random),
        random.nextBoolean() ? Map.of() : Map.of("verb", word(random), "a b", word(random)));
  }

  private static Fence fence(RandomGenerator random) {
    return switch (random.nextInt(7)) {
      case 0 -> new Fence.LeaderTerm(word(random), word(random));
      case 1 -> new Fence.MemberTerm(word(random), word(random));
      case 2 -> new Fence.Request(word(random), word(random), random.nextBoolean());
      case 3 -> new Fence.Migration(word(random), random.nextInt());
      case 4 -> new Fence.Verdict(word(random), random.nextInt());
      case 5 -> new Fence.Cluster(word(random));
      default ->
          new Fence.ObjectVersion(
              any(random, Fence.Kind.values()), word(random), word(random), word(random));
    };
  }

  private static Note note(RandomGenerator random) {
    return new Note(word(random), word(random), Map.of("settled", word(random)));
  }

  private static Memory.Observed observed(RandomGenerator random) {
    Version version = Version.parse("3.6.1-r2").orElseThrow();
    return new Memory.Observed(
        maybe(random, new Memory.Ran(version, word(random))),
        maybe(random, new Ledger.Closed(word(random), word(random))),
        maybe(
            random,
            random.nextBoolean()
                ? new Memory.Pause.ByPerson(random.nextLong())
                : new Memory.Pause.Free(word(random), random.nextLong())),
        random.nextBoolean() ? Set.of() : Set.of("uid-2", word(random)));
  }

  private static Memory.Consent consent(RandomGenerator random) {
    return new Memory.Consent(word(random), word(random));
  }

  private static Memory.Target target(RandomGenerator random) {
    return new Memory.Target(
        word(random),
        word(random),
        time(random),
        time(random),
        time(random),
        random.nextInt(9),
        Set.of("a-" + word(random), "b-" + word(random)));
  }

  private static Memory.Refused refused(RandomGenerator random) {
    return new Memory.Refused(
        word(random),
        word(random),
        any(random, Memory.Cause.values()),
        word(random),
        word(random),
        time(random),
        random.nextBoolean());
  }

  private static Memory.Obligation obligation(RandomGenerator random) {
    return new Memory.Obligation(
        word(random),
        any(random, Action.Moment.values()),
        word(random),
        word(random),
        word(random),
        word(random),
        any(random, Memory.Obligation.Progress.values()),
        time(random));
  }

  private static Memory.Past past(RandomGenerator random) {
    return new Memory.Past(
        word(random),
        word(random),
        time(random),
        time(random),
        duration(random),
        any(random, Memory.Outcome.values()),
        word(random),
        word(random),
        words(random));
  }

  private static List<String> words(RandomGenerator random) {
    return Stream.generate(() -> "left " + word(random)).limit(random.nextInt(3)).toList();
  }

  private static <T> T any(RandomGenerator random, T[] values) {
    return values[random.nextInt(values.length)];
  }

  private static Duration duration(RandomGenerator random) {
    return Duration.ofSeconds(random.nextLong(1L << 24), random.nextInt(1_000_000_000));
  }

  private static <T> Optional<T> maybe(RandomGenerator random, T value) {
    return random.nextBoolean() ? Optional.of(value) : Optional.empty();
  }

  private static String word(RandomGenerator random) {
    var words = List.of("", "a", "etcd-7d9f", "with \"quotes\"", "ünïcode: {x}", "3.6.1", "true");
    return words.get(random.nextInt(words.size()));
  }

  private static Instant time(RandomGenerator random) {
    return Instant.ofEpochSecond(random.nextLong(1L << 32), random.nextInt(1_000_000_000));
  }

  private RandomMemory() {}
}
