package dev.belay.sim;

/** bin/belay-sim: run one seed, or sweep many. */
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    long from = args.length > 0 ? Long.parseLong(args[0]) : 1;
    long n = args.length > 1 ? Long.parseLong(args[1]) : 1;
    long start = System.nanoTime();
    int bad = 0;
    int rollouts = 0;
    for (long s = from; s < from + n; s++) {
      Outcome o = Simulation.run(Scenario.of(s));
      rollouts += o.rollouts();
      if (!o.good()) {
        bad++;
        System.out.println(s + " " + o.violation().get().getMessage());
        if (args.length > 2) {
          o.trace().forEach(System.out::println);
          System.out.println(o.scenario());
        }
      } else if (args.length > 2) {
        o.trace().forEach(System.out::println);
      }
    }
    System.out.println(
        bad
            + " bad of "
            + n
            + ", "
            + rollouts
            + " rollouts in "
            + (System.nanoTime() - start) / 1_000_000
            + " ms");
  }
}
