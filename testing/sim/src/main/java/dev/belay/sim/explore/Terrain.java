package dev.belay.sim.explore;

import dev.belay.core.model.Spec.OnFailure;
import dev.belay.core.model.Workload.Order;
import dev.belay.sim.world.Template;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What stays the same while one small world is explored.
 *
 * @param sizes how many members each component has, in their order
 * @param policies whether admission freezes template changes; else the set is parked
 * @param changes how often a person may change his mind
 * @param faults how often something may go wrong
 */
public record Terrain(
    List<Integer> sizes,
    Order order,
    boolean policies,
    OnFailure onFailure,
    int changes,
    int faults) {

  /** The templates a person can choose from; the first is the one that runs. */
  static final List<Template> TEMPLATES =
      List.of(new Template("3.5.1", 0), new Template("3.5.2", 0), new Template("3.5.3-crash", 0));

  private static final List<String> NAMES = List.of("db", "gate");

  private static final List<List<Template>> OF =
      NAMES.stream()
          .map(name ->
              TEMPLATES.stream().map(t -> new Template(name, t.tag(), t.restarts())).toList())
          .toList();

  public Terrain {
    sizes = List.copyOf(sizes);
  }

  /** One component. */
  public Terrain(
      int replicas, Order order, boolean policies, OnFailure onFailure, int changes, int faults) {
    this(List.of(replicas), order, policies, onFailure, changes, faults);
  }

  static String name(int place) {
    return NAMES.get(place);
  }

  /** The component that a set or pod is of, by its name. */
  static int placeOf(String object) {
    return object.startsWith(NAMES.getFirst()) ? 0 : 1;
  }

  boolean allowDowntime(int place) {
    return sizes.get(place) < 3;
  }

  /** A template of one component. */
  static Template template(int place, int number) {
    return OF.get(place).get(number);
  }

  static int indexOf(int place, String revision) {
    for (int i = 0; i < TEMPLATES.size(); i++) {
      if (template(place, i).revision().equals(revision)) {
        return i;
      }
    }
    throw new IllegalArgumentException("no template has the revision " + revision);
  }

  @Override
  public String toString() {
    return "%s %s, %s, onFailure %s, %d changes, %d faults"
        .formatted(
            sizes.stream().map(String::valueOf).collect(Collectors.joining(" and ")),
            order == Order.PARALLEL ? "Parallel" : "OrderedReady",
            policies ? "policies" : "parked",
            onFailure == OnFailure.HOLD ? "Hold" : "Rollback",
            changes,
            faults);
  }
}
