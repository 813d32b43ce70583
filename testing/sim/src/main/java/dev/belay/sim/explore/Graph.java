package dev.belay.sim.explore;

import java.util.Arrays;

/**
 * The worlds that were found, in numbers: who comes from whom by which move, and which worlds
 * follow when nothing goes wrong. Grows as it is walked; a million worlds fit into little memory.
 */
final class Graph {

  /** What a world is, as far as coming to an end is concerned. */
  enum Kind {
    /** Not looked at: the budget ran out. */
    UNKNOWN,
    /** Belay or somebody else has something to do. */
    MOVING,
    /** Belay waits, and says it goes on by itself. */
    WAITING,
    /** Everyone is where he shall be, or a person is needed and told so. */
    FINAL
  }

  private static final int WRITES = 1 << 31;

  private int[] parents = new int[1024];
  private Move[] moves = new Move[1024];
  private Kind[] kinds = new Kind[1024];
  private int[] firstEdge = new int[1025];
  private int[] edges = new int[4096];
  private int size;
  private int edgeCount;
  private int closed;

  /** Those that were looked at. */
  int closed() {
    return closed;
  }

  /** All that were found. */
  int size() {
    return size;
  }

  int edges() {
    return edgeCount;
  }

  int add(int parent, Move move) {
    if (size == parents.length) {
      parents = Arrays.copyOf(parents, size * 2);
      moves = Arrays.copyOf(moves, size * 2);
      kinds = Arrays.copyOf(kinds, size * 2);
      firstEdge = Arrays.copyOf(firstEdge, size * 2 + 1);
    }
    parents[size] = parent;
    moves[size] = move;
    return size++;
  }

  int parent(int world) {
    return parents[world];
  }

  Move move(int world) {
    return moves[world];
  }

  Kind kind(int world) {
    return world < closed ? kinds[world] : Kind.UNKNOWN;
  }

  /** Worlds are closed in the order of their numbers, each after its edges. */
  void close(int world, Kind kind) {
    kinds[world] = kind;
    closed = world + 1;
    firstEdge[closed] = edgeCount;
  }

  void edge(int to, boolean writes) {
    if (edgeCount == edges.length) {
      edges = Arrays.copyOf(edges, edgeCount * 2);
    }
    edges[edgeCount++] = writes ? to | WRITES : to;
  }

  int begin(int world) {
    return world < closed ? firstEdge[world] : 0;
  }

  int end(int world) {
    return world < closed ? firstEdge[world + 1] : 0;
  }

  int to(int edge) {
    return edges[edge] & ~WRITES;
  }

  boolean writes(int edge) {
    return (edges[edge] & WRITES) != 0;
  }
}
