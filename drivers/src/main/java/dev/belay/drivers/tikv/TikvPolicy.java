package dev.belay.drivers.tikv;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.driver.WayBack;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import dev.belay.core.state.Note;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.drivers.tikv.Debts.Eviction;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** What TiKV demands of an upgrade: the pure half of its driver. */
public final class TikvPolicy implements SystemPolicy {

  public static final TikvPolicy INSTANCE = new TikvPolicy();

  /** What waits longer than this for something else is not prepared any more meanwhile. */
  private static final Duration A_MOMENT = Duration.ofSeconds(30);

  private TikvPolicy() {}

  @Override
  public List<Rule> rules() {
    return TikvRules.ALL;
  }

  @Override
  public Comparator<Member> successors(Component component) {
    return Comparator.comparing(Member::name);
  }

  /**
   * Leaders go first; that they are gone is a rule's business. An eviction that is there already is
   * somebody's, and stays his.
   */
  @Override
  public Optional<Command> prepare(Snapshot snapshot, Component component, Pod target) {
    return component
        .memberOf(target)
        .asOptional()
        .filter(m -> m.health() instanceof Fact.Known && !m.knownDown())
        .filter(m -> !Readings.nothingToSpare(m) && Orders.canName(m.id()))
        .filter(m -> m.reading(Readings.EVICTION).is(Readings.OFF))
        .map(m -> Orders.evict(m, target.name()));
  }

  @Override
  public Optional<Command> tend(Snapshot snapshot, Component component, Optional<Pod> busy) {
    Optional<String> going = busy.filter(p -> !stalled(snapshot, p)).map(Pod::uid);
    return Debts.of(snapshot, component).evictions().entrySet().stream()
        .filter(e -> going.filter(e.getValue().uid()::equals).isEmpty())
        .filter(e -> isOver(snapshot, component, e.getKey(), e.getValue()))
        .filter(e -> Evicted.of(component, e.getKey()).is(Readings.ON))
        .findFirst()
        .map(e -> Orders.end(e.getKey(), e.getValue().pod()));
  }

  /**
   * Whether leaders may return: the store did not go down after all, or it is back as another
   * process of which PD has heard. Ended before, leaders would return to a store that is about to
   * die. Whoever leaves for good, or whose store will not come back, does not wait for that.
   */
  static boolean isOver(Snapshot snapshot, Component component, String store, Eviction eviction) {
    Optional<Pod> pod = Debts.pod(component, eviction.pod());
    if (snapshot.subject().deleting() || scaledAway(component, eviction)) {
      return true;
    }
    if (pod.isEmpty() || pod.get().terminating()) {
      return false;
    }
    return pod.get().uid().equals(eviction.uid())
        || (pod.get().ready()
            && (isAnew(component, store, eviction) || isAnother(component, pod.get(), store)));
  }

  /** Its data was lost: the pod came back as another store; the one that was meant never will. */
  private static boolean isAnother(Component component, Pod pod, String store) {
    return component
        .memberOf(pod)
        .asOptional()
        .filter(m -> m.healthy() && !m.id().equals(store))
        .isPresent();
  }

  /** PD calls a store up until it has missed it for 20 s, which a restart need not take. */
  private static boolean isAnew(Component component, String store, Eviction eviction) {
    return Debts.member(component, store)
        .filter(Member::healthy)
        .filter(m ->
            eviction.started().isEmpty()
                || m.reading(Readings.STARTED)
                    .asOptional()
                    .filter(now -> !now.equals(eviction.started()))
                    .isPresent())
        .isPresent();
  }

  private static boolean scaledAway(Component component, Eviction eviction) {
    return component.pods() instanceof Fact.Known
        && Debts.pod(component, eviction.pod()).isEmpty()
        && component
            .workload()
            .asOptional()
            .filter(w -> {
              String ordinal = eviction.pod().substring(eviction.pod().lastIndexOf('-') + 1);
              return ordinal.matches("\\d{1,9}") && !w.contains(Integer.parseInt(ordinal));
            })
            .isPresent();
  }

  /** Ready to go, and kept from it for a while by something else than its own leaders. */
  private static boolean stalled(Snapshot snapshot, Pod pod) {
    return pod.ready()
        && !pod.terminating()
        && snapshot
            .memory()
            .blocked()
            .filter(b -> !TikvRules.LEADERS_LEAVE_FIRST.is(b))
            .filter(b -> b.since().plus(A_MOMENT).isBefore(snapshot.at()))
            .isPresent();
  }

  @Override
  public List<Note> remember(Snapshot snapshot, Component component) {
    return Debts.of(snapshot, component).notes();
  }

  @Override
  public List<String> owes(Component component, List<Note> notes) {
    return Debts.noted(notes).words();
  }

  @Override
  public Component after(Component component, Command command) {
    return component.withTopology(
        component
            .topology()
            .map(t ->
                new Topology(
                    t.clusterId(),
                    t.members().stream()
                        .map(m -> m.id().equals(command.memberId()) ? after(m, command) : m)
                        .toList(),
                    t.leader(),
                    t.groups())));
  }

  private static Member after(Member store, Command command) {
    boolean evicts = Orders.evicts(command);
    var readings = new TreeMap<>(store.readings());
    readings.put(Readings.EVICTION, Fact.known(evicts ? Readings.ON : Readings.OFF));
    readings.put(
        Command.TERM, Readings.term(store.id(), Fact.known(evicts ? Readings.ON : Readings.OFF)));
    if (evicts) {
      readings.put(Readings.LEADERS, Fact.known("0"));
      // When it will start anew nobody knows.
      readings.remove(Readings.STARTED);
    }
    return new Member(
        store.id(),
        store.name(),
        store.hosts(),
        store.role(),
        store.health(),
        store.version(),
        readings);
  }

  /** TiKV refuses older data only across certain releases, which it does not tell. */
  @Override
  public WayBack wayBack(Component component) {
    return WayBack.open("nothing that PD tells about stores closes it");
  }
}
