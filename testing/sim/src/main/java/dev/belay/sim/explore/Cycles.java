package dev.belay.sim.explore;

import dev.belay.sim.explore.Graph.Kind;
import java.util.OptionalInt;

/**
 * Where a world that nothing disturbs ends up: Tarjan's components of the calm edges, without
 * recursion. A component that nothing leads out of must be an end that Belay may stay in, and no
 * component may contain a write: that would be done for ever.
 */
final class Cycles {

  private final Graph graph;
  private final int[] index;
  private final int[] low;
  private final int[] component;
  private int components;

  Cycles(Graph graph) {
    this.graph = graph;
    this.index = new int[graph.size()];
    this.low = new int[graph.size()];
    this.component = new int[graph.size()];
    walk();
  }

  int components() {
    return components;
  }

  private void walk() {
    int n = graph.size();
    int[] stack = new int[n];
    int[] path = new int[n];
    int[] at = new int[n];
    int depth = 0;
    int top = 0;
    int next = 1;
    for (int root = 0; root < n; root++) {
      if (index[root] != 0) {
        continue;
      }
      path[depth++] = root;
      at[root] = graph.begin(root);
      index[root] = low[root] = next++;
      stack[top++] = root;
      while (depth > 0) {
        int v = path[depth - 1];
        if (at[v] < graph.end(v)) {
          int w = graph.to(at[v]++);
          if (index[w] == 0) {
            index[w] = low[w] = next++;
            stack[top++] = w;
            at[w] = graph.begin(w);
            path[depth++] = w;
          } else if (component[w] == 0) {
            low[v] = Math.min(low[v], index[w]);
          }
          continue;
        }
        depth--;
        if (depth > 0) {
          int up = path[depth - 1];
          low[up] = Math.min(low[up], low[v]);
        }
        if (low[v] == index[v]) {
          components++;
          int w;
          do {
            w = stack[--top];
            component[w] = components;
          } while (w != v);
        }
      }
    }
  }

  /** The first world from which a write is repeated for ever although nothing goes wrong. */
  OptionalInt circle() {
    for (int v = 0; v < graph.size(); v++) {
      for (int e = graph.begin(v); e < graph.end(v); e++) {
        if (graph.writes(e) && component[graph.to(e)] == component[v]) {
          return OptionalInt.of(v);
        }
      }
    }
    return OptionalInt.empty();
  }

  /** The first world that ends where Belay only waits, although nobody else has anything to do. */
  OptionalInt deadEnd() {
    boolean[] open = new boolean[components + 1];
    boolean[] good = new boolean[components + 1];
    for (int v = 0; v < graph.size(); v++) {
      int c = component[v];
      good[c] |= graph.kind(v) == Kind.FINAL;
      open[c] |= graph.kind(v) == Kind.UNKNOWN;
      for (int e = graph.begin(v); e < graph.end(v); e++) {
        open[c] |= component[graph.to(e)] != c;
      }
    }
    for (int v = 0; v < graph.size(); v++) {
      if (!open[component[v]] && !good[component[v]]) {
        return OptionalInt.of(v);
      }
    }
    return OptionalInt.empty();
  }
}
