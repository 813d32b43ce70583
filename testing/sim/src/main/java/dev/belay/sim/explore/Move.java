package dev.belay.sim.explore;

/**
 * One thing that can happen in a small world, on whom.
 *
 * @param place the component
 */
record Move(Kind kind, int place, int on) {

  Move(Kind kind) {
    this(kind, 0, 0);
  }

  /** What can happen; the calm ones happen sooner or later when nothing else does. */
  enum Kind {
    BELAY("Belay takes a turn", true),
    ARRIVES("the write that was held up arrives", true),
    CONTROLLER("the StatefulSet controller syncs", true),
    KUBELET("the kubelet goes on with", true),
    ELECTION("the members elect", true),
    TICK("time passes", true),
    HELD_UP("Belay's write is held up in the network", false),
    DIES("Belay dies between record and act, and comes back", false),
    CRASH("the process goes down in", false),
    EVICTION("somebody deletes", false),
    PULL("no image can be pulled for", false),
    FLAP("leadership moves by itself to", false),
    TEMPLATE("a person sets the template to", false),
    PAUSE("a person pauses", false),
    RESUME("a person resumes", false),
    ROLLBACK("a person asks for a rollback", false),
    RETRY("a person asks for another try", false),
    ABORT("a person aborts", false);

    private final String words;
    private final boolean calm;

    Kind(String words, boolean calm) {
      this.words = words;
      this.calm = calm;
    }
  }

  boolean calm() {
    return kind.calm;
  }

  String words() {
    return switch (kind) {
      case KUBELET, ELECTION, CRASH, EVICTION, PULL, FLAP ->
          kind.words + " " + Glance.pod(place, on);
      case TEMPLATE -> kind.words + " " + Terrain.template(place, on).revision();
      case CONTROLLER -> kind.words + " " + Terrain.name(place);
      default -> kind.words;
    };
  }
}
