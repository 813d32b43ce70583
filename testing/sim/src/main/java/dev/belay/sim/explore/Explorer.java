package dev.belay.sim.explore;

import dev.belay.core.decide.Planner;
import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.model.Spec.OnFailure;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.Rules;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Step;
import dev.belay.sim.check.Violation;
import dev.belay.sim.explore.Move.Kind;
import dev.belay.sim.explore.SmallWorld.Phase;
import dev.belay.sim.explore.SmallWorld.Seat;
import dev.belay.sim.explore.SmallWorld.SetPart;
import dev.belay.sim.explore.SmallWorld.Wishes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Breadth-first through every world that can be reached from a settled one: what Belay would do in
 * it, and everything that may happen to it. Safety is judged on every edge, liveness on the cycles.
 */
public final class Explorer {

  /** Worlds that are expanded side by side. */
  private static final int BATCH = 2048;

  private final Terrain terrain;
  private final Climber climber;
  private final Nature nature;
  private final Ropes ropes;
  private final Graph graph = new Graph();
  private final Map<Fingerprint, Integer> known = new HashMap<>();
  private final Deque<SmallWorld> frontier = new ArrayDeque<>();

  private Explorer(Terrain terrain, List<Rule> rules) {
    this.terrain = terrain;
    this.climber = new Climber(new Planner(_ -> SystemPolicy.NONE, rules), terrain);
    this.nature = new Nature(terrain);
    this.ropes = new Ropes(terrain);
  }

  public static Exploration explore(Terrain terrain, int budget) {
    return explore(terrain, budget, Rules.ALL);
  }

  /** With other rules than the real ones, to show that a missing one is found. */
  public static Exploration explore(Terrain terrain, int budget, List<Rule> rules) {
    return new Explorer(terrain, rules).run(budget);
  }

  /** One world and all that follows it; a promise that breaks on the way is kept, not thrown. */
  private record Expanded(Graph.Kind kind, List<Next> next, Optional<Broken> broken) {}

  private record Next(Move move, SmallWorld world, Fingerprint print, boolean writes) {}

  private record Broken(Move move, Violation violation) {}

  private Exploration run(int budget) {
    SmallWorld root = settled();
    known.put(Fingerprint.of(root), graph.add(-1, new Move(Kind.BELAY)));
    frontier.add(root);
    int number = 0;
    while (!frontier.isEmpty() && number < budget) {
      var batch = new ArrayList<SmallWorld>();
      while (!frontier.isEmpty() && batch.size() < Math.min(BATCH, budget - number)) {
        batch.add(frontier.removeFirst());
      }
      List<Expanded> expanded = batch.parallelStream().map(this::expand).toList();
      for (Expanded one : expanded) {
        if (one.broken().isPresent()) {
          Broken broken = one.broken().get();
          return end(Optional.of(broken.violation()), path(number, Optional.of(broken.move())));
        }
        close(number++, one);
      }
    }
    return judge();
  }

  private void close(int number, Expanded one) {
    for (Next next : one.next()) {
      Integer seen = known.get(next.print());
      if (seen == null) {
        seen = graph.add(number, next.move());
        known.put(next.print(), seen);
        frontier.addLast(next.world());
      }
      if (next.move().calm()) {
        graph.edge(seen, next.writes());
      }
    }
    graph.close(number, one.kind());
  }

  private Exploration judge() {
    var cycles = new Cycles(graph);
    OptionalInt circle = cycles.circle();
    OptionalInt deadEnd = cycles.deadEnd();
    if (circle.isPresent()) {
      return end(
          Optional.of(new Violation("L1", "nothing goes wrong, and Belay writes for ever")),
          path(circle.getAsInt(), Optional.empty()));
    }
    if (deadEnd.isPresent()) {
      return end(
          Optional.of(new Violation("L1", "nothing goes wrong, and Belay waits for ever")),
          path(deadEnd.getAsInt(), Optional.empty()));
    }
    return new Exploration(
        terrain,
        graph.closed(),
        frontier.size(),
        graph.edges(),
        cycles.components(),
        frontier.isEmpty(),
        Optional.empty(),
        List.of());
  }

  private Exploration end(Optional<Violation> violation, List<String> path) {
    return new Exploration(
        terrain,
        graph.closed(),
        graph.size() - graph.closed(),
        graph.edges(),
        0,
        frontier.isEmpty(),
        violation,
        path);
  }

  private Expanded expand(SmallWorld w) {
    var next = new ArrayList<Next>();
    Move move = new Move(Kind.BELAY);
    Graph.Kind kind = Graph.Kind.MOVING;
    try {
      Climber.Turn turn = climber.turn(w);
      ropes.decided(w, turn.decision());
      kind = kind(w, turn.decision());
      Optional<Step> effect = turn.effect();
      if (effect.isEmpty()) {
        // A status that is written for ever is no rest either.
        boolean writes = !Canon.of(turn.recorded()).memory().equals(w.memory());
        add(next, w, move, writes, turn.recorded());
      } else {
        ropes.acts(w, effect.get());
        add(next, w, move, true, climber.act(turn.recorded(), effect.get()));
        if (w.faultsLeft() > 0) {
          add(next, w, new Move(Kind.DIES), false, turn.recorded().fault());
        }
        if (w.faultsLeft() > 0 && w.pending().isEmpty()) {
          add(next, w, new Move(Kind.HELD_UP), false, turn.recorded().fault().with(effect));
        }
      }
      if (w.pending().isPresent()) {
        move = new Move(Kind.ARRIVES);
        Step step = w.pending().get();
        ropes.arrives(w, step);
        add(next, w, move, true, climber.act(w.with(Optional.<Step>empty()), step));
      }
    } catch (Violation violation) {
      return new Expanded(kind, List.of(), Optional.of(new Broken(move, violation)));
    }
    for (Move other : nature.moves(w)) {
      add(next, w, other, false, nature.after(w, other));
    }
    return new Expanded(kind, next, Optional.empty());
  }

  private static void add(
      List<Next> next, SmallWorld from, Move move, boolean writes, SmallWorld raw) {
    SmallWorld canonical = Canon.of(good(raw));
    if (!canonical.equals(from)) {
      next.add(new Next(move, canonical, Fingerprint.of(canonical), writes));
    }
  }

  private static SmallWorld good(SmallWorld w) {
    return w.with(w.places().stream().map(Explorer::good).toList());
  }

  private static Place good(Place p) {
    int template = p.set().template();
    return p.everGood(template) || !p.serves(template)
        ? p
        : p.judged(p.failed(), p.good() | 1 << template);
  }

  private Graph.Kind kind(SmallWorld w, Decision decision) {
    return switch (decision) {
      case Decision.Done _ -> Graph.Kind.FINAL;
      case Decision.Hold _ -> shallGoBack(w) ? Graph.Kind.WAITING : Graph.Kind.FINAL;
      case Decision.Wait _ -> Graph.Kind.WAITING;
      case Decision.Perform _ -> Graph.Kind.MOVING;
    };
  }

  /** With onFailure Rollback nobody is called while there is a way back. */
  private boolean shallGoBack(SmallWorld w) {
    return terrain.onFailure() == OnFailure.ROLLBACK
        && !w.wishes().paused()
        && w.wishes().aborts() == 0
        && IntStream.range(0, w.places().size()).anyMatch(p -> isLeft(w, p));
  }

  private static boolean isLeft(SmallWorld w, int p) {
    Place place = w.place(p);
    SetPart set = place.set();
    return place.seats().stream()
            .anyMatch(s -> s.phase() == Phase.TROUBLE && s.revision() == set.template())
        && set.observed()
        && Ropes.lastGood(w, p, set.current())
        && set.current() != set.template();
  }

  /** Settled sets that Belay has adopted. */
  private SmallWorld settled() {
    List<Place> places =
        terrain.sizes().stream()
            .map(n ->
                new Place(
                    new SetPart(0, 0, 0, terrain.policies() ? 0 : Workload.FROZEN, true),
                    Collections.nCopies(n, new Seat(Phase.READY, 0, 1)),
                    0,
                    false,
                    1))
            .toList();
    SmallWorld world =
        new SmallWorld(
            places,
            new Wishes(false, 0, 0, 0),
            terrain.changes(),
            terrain.faults(),
            Optional.empty(),
            Memory.EMPTY);
    for (int i = 0; i < 6; i++) {
      world = Canon.of(climber.turn(world).recorded());
    }
    return world;
  }

  /** How a world comes about, told again from the beginning. */
  private List<String> path(int number, Optional<Move> last) {
    var moves = new ArrayDeque<Move>();
    for (int at = number; graph.parent(at) >= 0; at = graph.parent(at)) {
      moves.addFirst(graph.move(at));
    }
    last.ifPresent(moves::addLast);
    var lines = new ArrayList<String>();
    SmallWorld world = settled();
    for (Move move : moves) {
      Tale tale = tell(world, move);
      lines.add(tale.words());
      world = Canon.of(good(tale.world()));
    }
    lines.add("then: " + decision(climber.turn(world).decision()));
    return lines;
  }

  private record Tale(String words, SmallWorld world) {}

  private Tale tell(SmallWorld w, Move move) {
    return switch (move.kind()) {
      case BELAY -> {
        Climber.Turn turn = climber.turn(w);
        SmallWorld after =
            turn.effect().map(step -> climber.act(turn.recorded(), step)).orElse(turn.recorded());
        yield new Tale("Belay: " + decision(turn.decision()), after);
      }
      case HELD_UP -> {
        Climber.Turn turn = climber.turn(w);
        yield new Tale(
            "Belay: " + decision(turn.decision()) + ", held up in the network",
            turn.recorded().fault().with(turn.effect()));
      }
      case DIES -> {
        Climber.Turn turn = climber.turn(w);
        yield new Tale(
            "Belay: " + decision(turn.decision()) + ", dies before it acts, and comes back",
            turn.recorded().fault());
      }
      case ARRIVES -> {
        Step step = w.pending().orElseThrow();
        yield new Tale(
            "\"" + step.what() + "\" arrives", climber.act(w.with(Optional.<Step>empty()), step));
      }
      default -> new Tale(move.words(), nature.after(w, move));
    };
  }

  private static String decision(Decision decision) {
    return switch (decision) {
      case Decision.Perform(Step step) -> step.what();
      case Decision.Wait wait -> "waits, " + wait.objections().getFirst().sentence();
      case Decision.Hold hold -> "holds, " + hold.objections().getFirst().sentence();
      case Decision.Done _ -> "done";
    };
  }
}
