package dev.belay.cli;

/** How a run ends: scripts and pipelines branch on these numbers. */
enum Exit {
  OK(0),
  FAILED(1),
  HELD(2),
  TIMEOUT(3),
  /** Also for wrong arguments, where others use 2: that number means held here. */
  TROUBLE(4);

  private final int code;

  Exit(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }
}
