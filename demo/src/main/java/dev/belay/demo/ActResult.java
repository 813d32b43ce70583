package dev.belay.demo;

import java.time.Duration;
import java.util.List;

/** The figures of one act. */
public record ActResult(
    String name,
    Duration longestGap,
    int leaderMoves,
    int movedByBelay,
    WriteLoad.Verdict writes,
    List<String> versions) {

  boolean lostNothing() {
    return writes.lost() == 0 && writes.acknowledged() > 0;
  }

  public boolean endedOn(String version) {
    return versions.size() == World.MEMBERS && versions.stream().allMatch(version::equals);
  }
}
