package dev.belay.sandbox.node;

/** Turns single probe answers into a verdict that changes only after enough answers in a row. */
final class ProbeCounter {
  private final int successThreshold;
  private final int failureThreshold;
  private boolean verdict;
  private boolean lastAnswer;
  private int inARow;

  ProbeCounter(int successThreshold, int failureThreshold, boolean verdict) {
    this.successThreshold = successThreshold;
    this.failureThreshold = failureThreshold;
    this.verdict = verdict;
  }

  /** Whether the thing counts as well after this answer. */
  boolean after(boolean answer) {
    inARow = answer == lastAnswer ? inARow + 1 : 1;
    lastAnswer = answer;
    if (inARow >= (answer ? successThreshold : failureThreshold)) {
      verdict = answer;
    }
    return verdict;
  }

  /** Whether failures have just become too many, also when the verdict was never good. */
  boolean exhausted() {
    return !lastAnswer && inARow >= failureThreshold;
  }
}
