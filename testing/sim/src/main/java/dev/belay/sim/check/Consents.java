package dev.belay.sim.check;

import dev.belay.core.model.Among;
import dev.belay.core.report.Report;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.sim.operator.Witness.Deed;
import dev.belay.sim.world.ClusterObject;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * S11: what needs a person's word has one: about this component, step and revision, given after the
 * status asked for it, and for one roll-out.
 */
final class Consents {

  private final World world;
  private final Part part;
  private final Truth truth;
  private final Retreat retreat;

  /** What was agreed to, and of which revision. */
  private final Map<String, String> agreed = new HashMap<>();

  private String written = "";

  Consents(World world, Part part, Truth truth, Retreat retreat) {
    this.world = world;
    this.part = part;
    this.truth = truth;
    this.retreat = retreat;
  }

  /** After every event: a word counts when the status asks for exactly that while it is given. */
  void update() {
    String token = world.api.cluster().flatMap(c -> c.spec().requests().approve()).orElse("");
    if (token.equals(written)) {
      return;
    }
    written = token;
    boolean asked =
        world
            .api
            .cluster()
            .flatMap(ClusterObject::status)
            .filter(r -> r.waitingFor().equals(token))
            .isPresent();
    List<String> words = List.of(token.split("/", -1));
    if (asked && words.size() == 3 && words.get(1).equals(part.name())) {
      agreed.put(words.get(2).replaceFirst("@.*", ""), part.wanted());
    }
  }

  /** Through, or sent back, a roll-out has used up what was agreed to for it. */
  void recorded(Snapshot basis, Report report, Instant looked) {
    ComponentMemory before = basis.memory().component(part.name());
    ComponentMemory after = report.memory().component(part.name());
    if (after.adopted() && !before.adopted()) {
      adopted(looked);
    }
    boolean over = before.target().isPresent() && after.target().isEmpty();
    boolean sentBack =
        after.refused().filter(Refused::withdrawing).isPresent()
            && before.refused().filter(Refused::withdrawing).isEmpty();
    if (over || sentBack) {
      agreed.clear();
    }
  }

  private void adopted(Instant looked) {
    Instant view = Completion.view(world, looked);
    boolean midway = (truth.since(view).alwaysOutdated() & truth.now().exists()) != 0;
    if (midway && !has("adopt")) {
      throw new Violation("S11", part.name() + " is adopted midway, and nobody agreed to it");
    }
  }

  void check(Deed deed) {
    update();
    // Not every fence covers the template: one that came after the look, nobody could have known.
    boolean back = retreat.wanted(part.set(), deed) || retreat.wasGoingBack(deed);
    boolean forward = !back && !retreat.wasGood(part.wanted());
    if (!forward || !takes(deed)) {
      return;
    }
    String step =
        switch (deed.basis().spec().upgrade().approval()) {
          case NONE -> "";
          case BEFORE_COMPONENT -> "component";
          case BEFORE_LEADER -> deed.step() instanceof Step.TransferLeader ? "leader" : "";
          case BEFORE_IRREVERSIBLE -> closes(deed) ? "irreversible" : "";
        };
    String then = part.store.setAsOf(deed.looked()).spec().template().revision();
    if (!step.isEmpty() && !has(step) && !then.equals(agreed.get(step))) {
      throw new Violation(
          "S11", deed.step().what() + ", and nobody agreed to " + step + " of " + part.wanted());
    }
  }

  private boolean has(String step) {
    return part.wanted().equals(agreed.get(step));
  }

  /** Whether it takes somebody to the newest revision who does not have it. */
  private boolean takes(Deed deed) {
    return switch (deed.step()) {
      case Step.TransferLeader _, Step.LetRoll _ -> true;
      case Step.Release _, Step.Evict _ ->
          Among.any(
              part.outdated(), p -> deed.step().takesDown().filter(p.name()::equals).isPresent());
      default -> false;
    };
  }

  /** Whether it was, and is, about the last one who keeps the cluster version where it is. */
  private boolean closes(Deed deed) {
    boolean moves =
        part.setup.hasMembers() && part.set().spec().template().minor() > part.raft.clusterMinor();
    return moves
        && !(deed.step() instanceof Step.TransferLeader)
        && isLast(deed, part.pods())
        && isLast(deed, part.store.podsAsOf(deed.looked()));
  }

  private boolean isLast(Deed deed, List<PodObject> pods) {
    return Among.all(
        pods,
        p ->
            p.revision().equals(part.wanted())
                || deed.step().takesDown().filter(p.name()::equals).isPresent());
  }
}
