package dev.belay.sim;

import java.util.List;
import java.util.stream.LongStream;

/** Prints the hashes of some runs, so that those of two processes can be compared. */
final class Hashes {

  private static final int RUNS = 40;

  private Hashes() {}

  public static void main(String[] args) {
    ofTwoComponents().forEach(System.out::println);
  }

  /** Where there is one component only, most orders have nothing to say. */
  static List<String> ofTwoComponents() {
    return LongStream.rangeClosed(1, Long.MAX_VALUE)
        .mapToObj(Scenario::of)
        .filter(s -> s.setup().parts().size() > 1)
        .limit(RUNS)
        .map(s -> s.seed() + " " + Long.toHexString(Simulation.run(s).hash()))
        .toList();
  }
}
