package dev.belay.core.report;

import dev.belay.core.decide.Planner;
import dev.belay.core.driver.WayBack;
import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Workload;
import dev.belay.core.report.Report.Blocked;
import dev.belay.core.report.Report.ComponentReport;
import dev.belay.core.report.Report.Held;
import dev.belay.core.report.Report.MemberReport;
import dev.belay.core.rollout.MemberOrder;
import dev.belay.core.rules.Course;
import dev.belay.core.rules.Floor;
import dev.belay.core.rules.PodRules;
import dev.belay.core.rules.Reasons;
import dev.belay.core.rules.Versions;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Memory.Good;
import dev.belay.core.state.Memory.Refused;
import dev.belay.core.state.Memory.Target;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Turns a snapshot and the decision about it into the status. Pure, like the planner. */
public record Reporter(Planner planner) {

  public Report report(Snapshot seen, Decision decision) {
    Snapshot snapshot = seen.ofItsWorkloads();
    Memory memory = new Remembering(snapshot, decision, planner).memory();
    Optional<Blocked> blocked =
        Among.first(decision.objections())
            .map(o -> blocked(o, memory))
            .or(() -> refusedAgain(decision, memory));
    Phase phase = phase(decision, memory, snapshot);
    var components = new ArrayList<ComponentReport>();
    for (Component c : snapshot.components()) {
      components.add(component(c, decision, memory, phase, snapshot));
    }
    String current = current(snapshot, components);
    String target = target(snapshot, components, phase);
    String waitingFor = decision instanceof Decision.Hold h ? h.waitingFor() : "";
    return new Report(
        phase,
        current,
        target,
        components,
        blocked,
        waitingFor,
        // An irreversible migration closes the way with its record, before it begins.
        wayBack(snapshot.remembering(snapshot.memory().withStep(memory.step()))),
        new Conditions(snapshot, decision, phase, memory).list(),
        memory,
        Migrating.of(snapshot));
  }

  /** That of the first component; one with a version of its own does not speak for all. */
  private static String current(Snapshot snapshot, List<ComponentReport> components) {
    return Among.first(components, r -> !hasOwnVersion(snapshot, r))
        .or(() -> Among.first(components))
        .map(ComponentReport::currentVersion)
        .orElse("");
  }

  /** The same; and while only one with its own version moves, what is asked of all comes next. */
  private static String target(Snapshot snapshot, List<ComponentReport> components, Phase phase) {
    List<ComponentReport> moving = Among.those(components, r -> !r.targetVersion().isEmpty());
    Optional<String> first = Among.first(moving).map(ComponentReport::targetVersion);
    return Among.first(moving, r -> !hasOwnVersion(snapshot, r))
        .map(ComponentReport::targetVersion)
        .or(() ->
            first
                .flatMap(_ -> snapshot.spec().version())
                .filter(
                    v -> phase != Phase.ROLLING_BACK && !v.equals(current(snapshot, components))))
        .or(() -> first)
        .orElse("");
  }

  private static boolean hasOwnVersion(Snapshot snapshot, ComponentReport report) {
    return snapshot.component(report.name()).flatMap(c -> c.spec().version()).isPresent();
  }

  /**
   * The first that is not open: versions of several systems cannot be compared. Where one cannot be
   * seen, that is what counts.
   */
  private WayBack wayBack(Snapshot snapshot) {
    List<WayBack> each =
        snapshot.components().stream()
            .map(c -> named(snapshot, c, new Floor(snapshot, c, planner.policy(c)).wayBack()))
            .toList();
    return Among.first(each, w -> w.floor() instanceof Fact.Unknown<Optional<String>>)
        .or(() -> Among.first(each, w -> !w.floor().is(Optional.empty())))
        .or(() -> Among.first(each))
        .orElse(WayBack.unknown("no component"));
  }

  /** Of several components, whose way it is that is not open. */
  private static WayBack named(Snapshot snapshot, Component component, WayBack back) {
    boolean clear = snapshot.components().size() == 1 || back.floor().is(Optional.empty());
    return clear ? back : new WayBack(back.floor(), component.name() + ": " + back.reason());
  }

  private static Blocked blocked(Objection objection, Memory memory) {
    Instant since = memory.blocked().map(Memory.Blocked::since).orElse(Instant.EPOCH);
    return new Blocked(
        objection.reason().name(),
        objection.object(),
        objection.reading(),
        since,
        objection.cure());
  }

  /** A step that was begun this often without effect is said to stand in its own way. */
  private static final int MANY = 5;

  private static Optional<Blocked> refusedAgain(Decision decision, Memory memory) {
    return memory
        .step()
        .filter(s -> decision instanceof Decision.Perform && s.attempts() >= MANY)
        .map(s ->
            new Blocked(
                Reasons.STEP_TAKES_EFFECT.name(),
                s.object(),
                String.format(
                    Locale.ROOT,
                    "\"%s\" was begun %d times without effect",
                    s.what(),
                    s.attempts()),
                s.since(),
                Reasons.STEP_TAKES_EFFECT.cure()));
  }

  private static Phase phase(Decision decision, Memory memory, Snapshot snapshot) {
    boolean rolling = Among.any(memory.components().values(), c -> c.target().isPresent());
    boolean back =
        rolling
            && Among.any(
                memory.components().values(),
                c -> c.refused().filter(Refused::withdrawing).isPresent());
    boolean adopted = Among.all(snapshot.components(), c -> memory.component(c.name()).adopted());
    return switch (decision) {
      case Decision.Hold hold ->
          Among.any(hold.objections(), o -> o.weight().compareTo(Objection.Weight.INVALID) >= 0)
              ? Phase.FAILED
              : snapshot.spec().paused() ? Phase.PAUSED : Phase.HELD;
      case Decision.Wait wait
          when wait.objections().getFirst().weight() != Objection.Weight.PROGRESS
              && stopped(decision, memory, snapshot).isEmpty() ->
          Phase.WAITING;
      case Decision.Wait _, Decision.Perform _, Decision.Done _ -> {
        boolean taking =
            decision instanceof Decision.Perform(Step.Claim _)
                || decision instanceof Decision.Perform(Step.Adopt _);
        if (!adopted || (taking && !rolling)) {
          yield Phase.ADOPTING;
        }
        if (snapshot.spec().paused()) {
          yield Phase.PAUSED;
        }
        Optional<Refused> stopped = stopped(decision, memory, snapshot);
        if (stopped.isPresent()) {
          yield stopped.get().cause() == Memory.Cause.FAILED ? Phase.FAILED : Phase.HELD;
        }
        yield back
            ? Phase.ROLLING_BACK
            : rolling || begins(decision) ? Phase.UPGRADING : Phase.IDLE;
      }
    };
  }

  /** What is done after a stop to leave nothing behind is not the upgrade going on. */
  private static boolean tidiesUp(Decision decision) {
    return decision instanceof Decision.Perform(Step step)
        && switch (step) {
          case Step.Undo _, Step.GiveUp _, Step.Freeze _, Step.Retract _ -> true;
          case Step.Tell tell -> tell.mends();
          default -> false;
        };
  }

  /** What was stopped stays so while something is tidied up, or cannot be seen for a moment. */
  private static Optional<Refused> stopped(Decision decision, Memory memory, Snapshot snapshot) {
    boolean forced = memory.forced().filter(Memory.Forced::active).isPresent();
    return tidiesUp(decision) || (decision instanceof Decision.Wait && !forced)
        ? Among.first(
                snapshot.components(),
                c -> memory.component(c.name()).refused().filter(r -> !r.withdrawing()).isPresent())
            .flatMap(c -> memory.component(c.name()).refused())
        : Optional.empty();
  }

  /** Idle says that all is done: not while something is about to begin. */
  private static boolean begins(Decision decision) {
    return decision instanceof Decision.Perform(Step.SetTemplate _)
        || decision instanceof Decision.Perform(Step.Heed _);
  }

  private ComponentReport component(
      Component c, Decision decision, Memory memory, Phase phase, Snapshot snapshot) {
    var remembered = memory.component(c.name());
    var members = new ArrayList<MemberReport>();
    for (Pod pod : c.podList()) {
      members.add(member(c, pod, decision, memory, snapshot));
    }
    return new ComponentReport(
        c.name(),
        phase(c, decision, memory, phase, snapshot),
        remembered.lastGood().map(Good::version).orElse(""),
        remembered.target().map(Target::version).orElse(""),
        switch (c.guard()) {
          case Fact.Known<Component.Guarding>(Component.Guarding g) ->
              switch (g) {
                case POLICY -> "Policy";
                case PARKED -> "Parked";
                case ON_DELETE -> "OnDelete";
              };
          case Fact.Unknown<Component.Guarding> _ -> "Unknown";
        },
        c.workload().asOptional().map(Workload::replicas).orElse(0),
        members,
        planner.policy(c).owes(c, remembered.notes()));
  }

  /** The cluster's phase is that of the component whose turn it is; the others wait or are done. */
  private static Phase phase(
      Component c, Decision decision, Memory memory, Phase whole, Snapshot snapshot) {
    boolean follows =
        memory.component(c.name()).target().isPresent()
            && !new Course(snapshot, c).outdated().isEmpty();
    if (snapshot.components().size() == 1 || Turns.concerns(decision, c)) {
      return whole;
    }
    return follows ? Phase.WAITING : Phase.IDLE;
  }

  private static MemberReport member(
      Component c, Pod pod, Decision decision, Memory memory, Snapshot snapshot) {
    Fact<Member> member = c.memberOf(pod);
    boolean updated =
        c.workload()
            .asOptional()
            .filter(w -> w.updateRevision().equals(pod.revision()))
            .isPresent();
    String healthy =
        switch (member.flatMap(Member::health)) {
          case Fact.Known<Member.Health>(Member.Health h) -> String.valueOf(h.good());
          case Fact.Unknown<Member.Health> _ ->
              c.topology().asOptional().filter(Topology::memberless).isPresent()
                  ? String.valueOf(pod.ready())
                  : "unknown";
        };
    return new MemberReport(
        pod.name(),
        pod.uid(),
        pod.ordinal(),
        pod.revision(),
        updated,
        pod.ready(),
        Versions.running(c, pod).asOptional().orElse(""),
        member.asOptional().map(m -> m.role().name().toLowerCase(Locale.ROOT)).orElse(""),
        member.asOptional().filter(m -> votes(c, m)).isPresent(),
        healthy,
        heldBy(c, pod, decision, memory, snapshot));
  }

  private static boolean votes(Component c, Member member) {
    return c.topology().asOptional().filter(t -> !t.groupsOf(member.id()).isEmpty()).isPresent();
  }

  /** What keeps an outdated pod where it is: the objections, or its turn that has not come. */
  private static Optional<Held> heldBy(
      Component c, Pod pod, Decision decision, Memory memory, Snapshot snapshot) {
    Optional<Objection> own =
        Among.first(decision.objections(), o -> o.object().equals(pod.name()));
    if (own.isPresent()) {
      return own.map(Held::by);
    }
    boolean there = !new Course(snapshot, c).outdated().contains(pod);
    if (there || memory.component(c.name()).target().isEmpty()) {
      return Optional.empty();
    }
    return new Turns(snapshot)
        .before(c)
        .map(first -> goesFirst(Reasons.COMPONENTS_IN_ORDER.name(), pod, first.name()))
        .or(() -> ownTurn(c, pod, decision, snapshot));
  }

  private static Optional<Held> ownTurn(
      Component c, Pod pod, Decision decision, Snapshot snapshot) {
    if (pod.held()) {
      return Optional.of(
          new Held(
              PodRules.POD_IS_NOT_HELD.name(),
              pod.name(),
              "it has the annotation belay.dev/hold",
              "kubectl annotate pod " + pod.name() + " belay.dev/hold-"));
    }
    return MemberOrder.next(snapshot, c)
        .filter(f -> !f.name().equals(pod.name()))
        .map(f -> goesFirst(PodRules.ONE_AT_A_TIME.name(), pod, f.name()))
        .or(() -> Among.first(decision.objections()).map(Held::by));
  }

  private static Held goesFirst(String rule, Pod pod, String first) {
    return new Held(rule, pod.name(), first + " goes first", "its turn comes");
  }
}
