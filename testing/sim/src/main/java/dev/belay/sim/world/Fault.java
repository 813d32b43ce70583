package dev.belay.sim.world;

/** Everything that can go wrong, or be done by somebody else. Each has its own switch and rate. */
public enum Fault {
  OPERATOR_CRASH("the operator dies at its next step"),
  REPLY_LOST("a write is carried out but its reply is lost"),
  TWO_OPERATORS("a second operator of the same install runs too"),
  OPERATOR_STALLS("the operator is suspended between record and act"),
  LATE_WRITE("a write is held up in the network and arrives later"),
  STALE_PODS("the operator's list of pods stands still"),
  STALE_SET("the operator's view of the set stands still"),
  STALE_CLUSTER("the operator's view of the StatefulCluster stands still"),
  EVENTS_DROPPED("no watch event arrives"),
  EVENTS_DUPLICATED("every watch event arrives several times"),
  EVENTS_DELAYED("watch events arrive late"),
  WATCH_EXPIRES("the watches are dead, end with 410, and everything is listed anew"),
  CONFLICT("somebody touches the object just before a write"),
  SERVER_ERRORS("the API server answers 429 and 5xx"),
  API_OUTAGE("the API server is down"),
  GUARD_MISSING("the guard's policies are removed"),
  CONTROLLER_DOWN("the controllers of the workloads stand still"),
  POD_CRASH("a container exits"),
  POD_PENDING("the next pod is not scheduled for a while"),
  IMAGE_PULL("the next pod cannot pull its image for a while"),
  NODE_LOST("a node is gone"),
  NODE_CORDONED("a node is cordoned"),
  EVICTION("somebody else deletes a pod"),
  BUDGET_EXHAUSTED("a PodDisruptionBudget allows nothing"),
  MEMBER_PAUSED("a member's process stands still"),
  NETWORK_CUT("a member is cut off from its peers"),
  LEADER_FLAP("leadership moves by itself"),
  LEADER_MOVES_BACK("leadership returns after the next transfer"),
  SLOW_DISK("a member lags behind"),
  CLOCK_JUMP("the operator's clock jumps"),
  DRIVER_ANSWERS("the system gives answers that cannot be used"),
  CHECK_SAYS_NO("what is asked before a member moves says no"),
  USER_TEMPLATE("a person changes the template"),
  USER_BROKEN_TEMPLATE("a person rolls out a version that does not work"),
  USER_REVERTS("a person reverts the template"),
  USER_RESTARTS("a person runs kubectl rollout restart"),
  USER_SCALES("a person changes replicas"),
  USER_PARTITION("a person writes the partition"),
  USER_STRATEGY("a person switches to OnDelete and back"),
  USER_RECREATES_SET("a person deletes the set with --cascade=orphan and creates it again"),
  USER_DELETES_CLUSTER("a person deletes the StatefulCluster"),
  USER_PAUSES("a person pauses, and resumes after a while"),
  USER_HOLDS_POD("a person holds a pod, and lets it go after a while"),
  USER_ROLLS_BACK("a person asks for a rollback"),
  USER_ABORTS("a person aborts"),
  USER_RETRIES("a person asks for another try"),
  USER_FORCES("a person forces one roll-out"),
  USER_APPROVES("a person agrees to whatever is asked, for a while"),
  USER_DELETES_SET("a person deletes the set with its pods, and creates it again after a while"),
  USER_RELABELS("a person labels the StatefulCluster for the other install"),
  USER_RELABELS_BACK("a person labels it for the other install, and soon back"),
  USER_UNLABELS("a person takes the labels away: no install selects it for a while"),
  USER_LABELS_TWICE("a person labels it for both installs for a while"),
  INSTALL_UNINSTALLED("the owner is uninstalled: it releases, then its marks are removed"),
  INSTALL_DIES("every process of the owner ends for good"),
  INSTALL_PAUSED("the owner stands still in the middle of a step, and goes on when it has lost it"),
  INSTALL_CUT_OFF("the owner does not reach the API server, and another install is asked");

  private final String words;

  Fault(String words) {
    this.words = words;
  }

  public String words() {
    return words;
  }

  /** Those that need a second install; only some runs have one. */
  public boolean needsTwoInstalls() {
    return compareTo(USER_RELABELS) >= 0;
  }

  /** Faults that keep Belay from paying attention, as opposed to those it should attend to. */
  public boolean blindsBelay() {
    return compareTo(CONTROLLER_DOWN) < 0 || this == CLOCK_JUMP || this == DRIVER_ANSWERS;
  }
}
