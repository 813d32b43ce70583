package dev.belay.core.model;

import java.util.List;

/**
 * The other StatefulClusters of this operator that are in the middle of an upgrade.
 *
 * @param limit how many may be at once, this one included
 */
public record Fleet(int limit, List<String> underWay) {

  /** Everybody goes when it likes. */
  public static final Fleet UNLIMITED = new Fleet(Integer.MAX_VALUE, List.of());

  public Fleet {
    underWay = List.copyOf(underWay);
  }

  public boolean full() {
    return underWay.size() >= limit;
  }
}
