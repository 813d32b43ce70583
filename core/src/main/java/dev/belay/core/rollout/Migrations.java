package dev.belay.core.rollout;

import static dev.belay.core.state.Objection.Weight.FAILURE;
import static dev.belay.core.state.Objection.Weight.PROGRESS;
import static dev.belay.core.state.Objection.Weight.WAIT;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Ledger;
import dev.belay.core.model.Ledger.Operation;
import dev.belay.core.model.Ledger.Phase;
import dev.belay.core.model.Ledger.Status;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.Approval;
import dev.belay.core.rules.DueMigrations;
import dev.belay.core.rules.MigrationRules;
import dev.belay.core.rules.MigrationState;
import dev.belay.core.rules.MigrationTroubles;
import dev.belay.core.rules.Reasons;
import dev.belay.core.rules.UpdatedMembers;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Decision.Wait;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The migrations of the database, each at its moment of the roll-out. */
public record Migrations(Snapshot snapshot, List<Rule> rules) {

  /** After how long one that did not even begin is tried again. */
  private static final Duration AGAIN = Duration.ofSeconds(5);

  /** Without a roll-out nobody can ask for another try of what was refused. */
  private static final Duration AT_REST = Duration.ofMinutes(1);

  /** What was begun and left behind is brought to an end before anything else. */
  public Optional<Decision> resume() {
    return ledger()
        .filter(l -> l.holder().isEmpty() && l.first(Status.FAILED).isEmpty())
        .flatMap(l -> l.first(Status.RUNNING).map(o -> carryOut(l, o)))
        .map(this::inTime);
  }

  /** What has to be put right before anything is begun for an upgrade. */
  public Optional<Decision> unfit() {
    return ledger()
        .flatMap(l ->
            troubles().stopped(l).or(() -> due().open().isEmpty() ? Optional.empty() : refused(l)))
        .or(troubles()::outOfOrder);
  }

  /** Before a member goes to the new version. */
  public Optional<Decision> expand() {
    return next(EnumSet.of(Phase.EXPAND), false);
  }

  /** Every member runs the new version. */
  public Optional<Decision> finish() {
    return next(EnumSet.of(Phase.EXPAND, Phase.FINALIZE), false);
  }

  /** All else is done: what only the old version needed, and what somebody queued by hand. */
  public Optional<Decision> contract() {
    return soaking().or(() -> next(EnumSet.allOf(Phase.class), true));
  }

  private Optional<Decision> next(Set<Phase> open, boolean custom) {
    return state().declared() ? following(open, custom).map(this::inTime) : Optional.empty();
  }

  /** A database that keeps the roll-out waiting is no reason to wait for ever. */
  private Decision inTime(Decision decision) {
    boolean waits = decision instanceof Wait wait && wait.objections().getFirst().weight() == WAIT;
    return component()
        .filter(_ -> waits)
        .map(c -> Deadline.applied(snapshot, c, decision))
        .orElse(decision);
  }

  private Optional<Decision> following(Set<Phase> open, boolean custom) {
    return switch (snapshot.ledger()) {
      // Who is at rest does not wait for a database.
      case Fact.Unknown<Ledger> unknown ->
          snapshot.memory().run().isPresent()
              ? Optional.of(
                  new Wait(List.of(Reasons.MIGRATIONS_SUCCEED.unseen("database", unknown))))
              : Optional.empty();
      case Fact.Known<Ledger>(Ledger ledger) ->
          troubles()
              .stopped(ledger)
              .or(() ->
                  due().open().stream()
                      .findFirst()
                      .filter(o -> open.contains(o.phase().orElse(Phase.EXPAND)))
                      .or(() -> custom ? DueMigrations.byHand(ledger) : Optional.empty())
                      .map(o -> carryOut(ledger, o)));
    };
  }

  private Decision carryOut(Ledger ledger, Operation operation) {
    if (ledger.holder().isPresent()) {
      String object = "migration " + operation.key();
      return Decision.because(
          List.of(MigrationRules.held(object, ledger.holder().get(), snapshot.at())));
    }
    Optional<Decision> unbegun = refused(ledger).or(() -> postponed(ledger));
    if (unbegun.isPresent()) {
      return unbegun.get();
    }
    List<String> versions =
        due().open().stream().filter(o -> o.id() == 0).map(Operation::version).toList();
    var step =
        new Step.Migrate(
            component().map(Component::name).orElse(""), fence(operation), operation, versions);
    List<Objection> objections =
        component().stream()
            .flatMap(c -> rules.stream().flatMap(r -> r.objection(snapshot, c, step).stream()))
            .toList();
    return objections.isEmpty()
        ? approval(operation).orElseGet(() -> new Perform(step))
        : Decision.because(objections);
  }

  private static Fence.Migration fence(Operation operation) {
    return new Fence.Migration(operation.key(), operation.attempt());
  }

  /** What trying again does not help is not tried again unasked. */
  private Optional<Decision> refused(Ledger ledger) {
    Optional<Instant> tried =
        component()
            .flatMap(c -> snapshot.memory().component(c.name()).target())
            .map(Memory.Target::tried);
    return ledger
        .hitch()
        .filter(Ledger.Hitch::person)
        .filter(h ->
            tried.map(t -> !t.isAfter(h.at())).orElse(snapshot.at().isBefore(h.at().plus(AT_REST))))
        .map(h ->
            unbegun(
                h,
                "put it right, then ask for another try: belay retry " + snapshot.subject().name(),
                FAILURE));
  }

  private Optional<Decision> postponed(Ledger ledger) {
    return ledger
        .hitch()
        .filter(h -> !h.person() && snapshot.at().isBefore(h.at().plus(AGAIN)))
        .map(h -> unbegun(h, "wait for the database", WAIT));
  }

  private static Decision unbegun(Ledger.Hitch hitch, String cure, Objection.Weight weight) {
    return Decision.because(
        List.of(Reasons.MIGRATIONS_SUCCEED.objection("database", hitch.why(), cure, weight)));
  }

  /** One agreement for all operations of a phase. */
  private Optional<Decision> approval(Operation operation) {
    boolean contracts = operation.phase().filter(p -> p == Phase.CONTRACT).isPresent();
    boolean closes = !operation.custom() && !operation.reversible();
    boolean asked =
        (contracts && snapshot.spec().migrations().filter(Spec.Migrations::approval).isPresent())
            || (closes
                && snapshot.spec().upgrade().approval() == Spec.Approval.BEFORE_IRREVERSIBLE);
    boolean blind = due().isUnknownStart(operation);
    String phase = blind ? "all" : operation.phase().orElse(Phase.EXPAND).toString();
    var approval =
        new Approval(
            snapshot, due().to().asOptional().orElse("") + "/migrations/" + phase, revision());
    if (!(asked || blind) || operation.is(Status.RUNNING) || approval.given()) {
      return Optional.empty();
    }
    String object = "migration " + operation.key();
    return Optional.of(
        blind
            ? approval.hold(
                object,
                "the version that ran before is not known, and nothing is in the queue: all "
                    + due().open().size()
                    + " migrations would run, from "
                    + operation.title(),
                "take those that the database has already out of the ConfigMap, then ")
            : approval.hold(
                object,
                "the next step needs approval: "
                    + operation.title()
                    + (closes ? " cannot be taken back" : " removes what the old version uses"),
                ""));
  }

  /** That of the roll-out they belong to. */
  private String revision() {
    return component()
        .flatMap(c -> c.workload().asOptional())
        .map(Workload::updateRevision)
        .orElse("");
  }

  private Optional<Decision> soaking() {
    Duration soak = snapshot.spec().migrations().map(Spec.Migrations::soak).orElse(Duration.ZERO);
    Optional<Operation> first =
        due().open().stream()
            .findFirst()
            .filter(o -> o.phase().filter(Phase.CONTRACT::equals).isPresent());
    boolean over = snapshot.components().stream().allMatch(c -> isSoaked(c, soak));
    return first
        .filter(o -> !over && o.is(Status.PENDING))
        .map(o ->
            new Wait(
                List.of(
                    Reasons.MIGRATIONS_SUCCEED.objection(
                        "migration " + o.key(),
                        "every member is new, and has to stay so for "
                            + UpdatedMembers.words(soak)
                            + " before the old version's things go",
                        "wait for the time to pass",
                        PROGRESS))));
  }

  /** Who is seen to serve for the first time is not in the record yet, and begins now. */
  private boolean isSoaked(Component component, Duration soak) {
    var memory = snapshot.memory().component(component.name());
    return memory.target().isEmpty()
        || component.podList().stream()
            .map(p -> memory.servingSince().getOrDefault(p.uid(), snapshot.at()))
            .noneMatch(since -> snapshot.at().isBefore(since.plus(soak)));
  }

  /** Whether nothing but time has to pass before a migration: that counts against nobody. */
  public static boolean soaks(Decision decision) {
    return decision instanceof Wait wait
        && wait.objections().getFirst().is(Reasons.MIGRATIONS_SUCCEED)
        && wait.objections().getFirst().weight() == PROGRESS;
  }

  private MigrationTroubles troubles() {
    return new MigrationTroubles(snapshot);
  }

  private DueMigrations due() {
    return new DueMigrations(snapshot);
  }

  private Optional<Ledger> ledger() {
    return state().ledger();
  }

  private Optional<Component> component() {
    return state().component();
  }

  private MigrationState state() {
    return new MigrationState(snapshot);
  }
}
