package dev.belay.core.plan;

import static dev.belay.core.plan.Objection.Weight.FAILURE;
import static dev.belay.core.plan.Objection.Weight.HUMAN;
import static dev.belay.core.plan.Objection.Weight.INVALID;
import static dev.belay.core.plan.Objection.Weight.PROGRESS;
import static dev.belay.core.plan.Objection.Weight.WAIT;

import dev.belay.core.plan.Decision.Hold;
import dev.belay.core.plan.Decision.Perform;
import dev.belay.core.plan.Decision.Wait;
import dev.belay.core.snapshot.Component;
import dev.belay.core.snapshot.Fact;
import dev.belay.core.snapshot.Ledger;
import dev.belay.core.snapshot.Ledger.Operation;
import dev.belay.core.snapshot.Ledger.Phase;
import dev.belay.core.snapshot.Ledger.Status;
import dev.belay.core.snapshot.Memory.Fence;
import dev.belay.core.snapshot.Memory.Good;
import dev.belay.core.snapshot.Memory.RecordedStep;
import dev.belay.core.snapshot.Snapshot;
import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Version;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The migrations of the database, each at its moment of the roll-out. */
public record Migrations(Snapshot snapshot, List<Rule> rules) {

  /** The kind of fence a migration is recorded with. */
  public static final String FENCE = "Ledger";

  /** After how long one that did not even begin is tried again. */
  private static final Duration AGAIN = Duration.ofSeconds(5);

  /** To look at only. */
  public Migrations(Snapshot snapshot) {
    this(snapshot, List.of());
  }

  public boolean declared() {
    return snapshot.spec().migrations().isPresent();
  }

  /** What was begun and left behind is brought to an end before anything else. */
  Optional<Decision> resume() {
    return ledger()
        .filter(l -> l.atWork().isEmpty() && l.first(Status.FAILED).isEmpty())
        .flatMap(l -> l.first(Status.RUNNING).map(o -> carryOut(l, o)));
  }

  /** Before a member goes to the new version. */
  Optional<Decision> expand() {
    return outOfOrder().or(() -> next(EnumSet.of(Phase.EXPAND), false));
  }

  /** Every member runs the new version. */
  Optional<Decision> finish() {
    return next(EnumSet.of(Phase.EXPAND, Phase.FINALIZE), false);
  }

  /** All else is done: what only the old version needed, and what somebody queued by hand. */
  Optional<Decision> contract() {
    return soaking().or(() -> next(EnumSet.allOf(Phase.class), true));
  }

  private Optional<Decision> next(Set<Phase> open, boolean custom) {
    if (!declared()) {
      return Optional.empty();
    }
    return switch (snapshot.ledger()) {
      // Who is at rest does not wait for a database.
      case Fact.Unknown<Ledger> unknown ->
          snapshot.memory().run().isPresent()
              ? Optional.of(
                  new Wait(List.of(Precondition.MIGRATIONS_SUCCEED.unseen("database", unknown))))
              : Optional.empty();
      case Fact.Known<Ledger>(Ledger ledger) ->
          stopped(ledger)
              .or(() ->
                  due().stream()
                      .findFirst()
                      .filter(o -> open.contains(o.phase().orElse(Phase.EXPAND)))
                      .or(() -> custom ? byHand(ledger) : Optional.empty())
                      .map(o -> carryOut(ledger, o)));
    };
  }

  /** What no operation can follow before a person did something. */
  private Optional<Decision> stopped(Ledger ledger) {
    return failed(ledger).or(() -> misfit(ledger)).map(o -> Decision.because(List.of(o)));
  }

  static Optional<Objection> failed(Snapshot snapshot) {
    return new Migrations(snapshot).ledger().flatMap(l -> failed(snapshot, l));
  }

  private Optional<Objection> failed(Ledger ledger) {
    return failed(snapshot, ledger);
  }

  private static Optional<Objection> failed(Snapshot snapshot, Ledger ledger) {
    return ledger
        .first(Status.FAILED)
        .map(o ->
            Precondition.MIGRATIONS_SUCCEED.objection(
                "migration " + o.key(),
                "MigrationFailed: operation " + o.id() + ", " + o.title() + ": " + o.text(),
                "correct it, then set spec.requests.migration of "
                    + snapshot.subject().name()
                    + " to {id: "
                    + o.id()
                    + ", action: retry, token: NEW}, or skip or resolve it",
                FAILURE));
  }

  private Optional<Objection> misfit(Ledger ledger) {
    if (!ledger.misfit().isEmpty()) {
      return Optional.of(
          Precondition.MIGRATIONS_FIT.objection(
              "spec.migrations.source",
              ledger.misfit(),
              "correct the ConfigMap, or put back what was changed",
              INVALID));
    }
    List<Operation> versioned =
        ledger.operations().stream()
            .filter(o -> o.is(Status.PENDING) && !o.custom() && !o.version().isEmpty())
            .toList();
    Optional<Objection> unreadable =
        versioned.stream()
            .filter(o -> Version.parse(o.version()).isEmpty())
            .findFirst()
            .map(o ->
                Precondition.MIGRATIONS_FIT.objection(
                    "spec.migrations.source",
                    o.version() + " is no version that an image could have",
                    "name the files after the versions that need them: V2.0.0.1__text.sql belongs"
                        + " to 2.0.0",
                    INVALID));
    return unreadable.or(() ->
        to() instanceof Fact.Unknown<String>(String why) && !versioned.isEmpty()
            ? Optional.of(
                Precondition.MIGRATIONS_FIT.objection(
                    component().map(c -> c.spec().workload()).orElse("spec.migrations.component"),
                    "it is not known which migrations are meant: " + why,
                    "give the image a tag with a version",
                    HUMAN))
            : Optional.empty());
  }

  /** One operation runs after the other: what comes too early keeps all behind it back. */
  private Optional<Decision> outOfOrder() {
    List<Operation> closed = due().stream().dropWhile(Migrations::expands).toList();
    Optional<Operation> late = closed.stream().filter(Migrations::expands).findFirst();
    return late.map(o ->
        Decision.because(
            List.of(
                Precondition.MIGRATIONS_FIT.objection(
                    "spec.migrations.source",
                    "%s is to run before the first member and stands behind %s, whose phase is %s"
                        .formatted(
                            o.title(),
                            closed.getFirst().title(),
                            closed.getFirst().phase().orElseThrow()),
                    "go by the version in between, or give what expands the lower versions",
                    HUMAN))));
  }

  private static boolean expands(Operation operation) {
    return operation.phase().orElse(Phase.EXPAND) == Phase.EXPAND;
  }

  private Decision carryOut(Ledger ledger, Operation operation) {
    if (!ledger.atWork().isEmpty()) {
      return waiting(operation, ledger.atWork() + " is at work in the database", PROGRESS);
    }
    Optional<Ledger.Hitch> hitch =
        ledger.hitch().filter(h -> snapshot.at().isBefore(h.at().plus(AGAIN)));
    if (hitch.isPresent()) {
      return waiting(operation, hitch.get().why(), WAIT);
    }
    List<String> versions =
        due().stream().filter(o -> o.id() == 0).map(Operation::version).toList();
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

  private static Fence fence(Operation operation) {
    return new Fence(FENCE, operation.key(), String.valueOf(operation.attempt()));
  }

  private static Decision waiting(Operation operation, String reading, Objection.Weight weight) {
    return new Wait(
        List.of(
            Precondition.MIGRATIONS_SUCCEED.objection(
                "migration " + operation.key(), reading, "wait for the database", weight)));
  }

  /** One agreement for all operations of a phase. */
  private Optional<Decision> approval(Operation operation) {
    boolean contracts = operation.phase().filter(p -> p == Phase.CONTRACT).isPresent();
    boolean closes = !operation.custom() && !operation.reversible();
    boolean asked =
        (contracts && snapshot.spec().migrations().filter(Spec.Migrations::approval).isPresent())
            || (closes
                && snapshot.spec().upgrade().approval() == Spec.Approval.BEFORE_IRREVERSIBLE);
    boolean blind = isUnknownStart(operation);
    String token =
        to().asOptional().orElse("")
            + "/migrations/"
            + (blind ? "all" : operation.phase().orElse(Phase.EXPAND));
    boolean agreed = snapshot.spec().requests().approve().filter(token::equals).isPresent();
    if (!(asked || blind) || agreed || operation.is(Status.RUNNING)) {
      return Optional.empty();
    }
    if (blind) {
      return Optional.of(
          new Hold(
              List.of(
                  Precondition.APPROVED.objection(
                      "migration " + operation.key(),
                      "the version that ran before is not known, and nothing is in the queue: all "
                          + due().size()
                          + " migrations would run, from "
                          + operation.title(),
                      "take those that the database has already out of the ConfigMap, then belay"
                          + " approve "
                          + snapshot.subject().name()
                          + ", or set spec.requests.approve to "
                          + token,
                      HUMAN)),
              token));
    }
    return Optional.of(
        new Hold(
            List.of(
                Precondition.APPROVED.objection(
                    "migration " + operation.key(),
                    "the next step needs approval: "
                        + operation.title()
                        + (closes ? " cannot be taken back" : " removes what the old version uses"),
                    "belay approve "
                        + snapshot.subject().name()
                        + ", or set spec.requests.approve to "
                        + token,
                    HUMAN)),
            token));
  }

  private Optional<Decision> soaking() {
    Duration soak = snapshot.spec().migrations().map(Spec.Migrations::soak).orElse(Duration.ZERO);
    Optional<Operation> first =
        due().stream()
            .findFirst()
            .filter(o -> o.phase().filter(Phase.CONTRACT::equals).isPresent());
    Optional<Instant> since =
        snapshot.memory().components().values().stream()
            .flatMap(c -> c.servingSince().values().stream())
            .max(Instant::compareTo);
    boolean over = since.filter(s -> snapshot.at().isBefore(s.plus(soak))).isEmpty();
    return first
        .filter(o -> !over && o.is(Status.PENDING))
        .map(o ->
            waiting(
                o,
                "every member is new, and has to stay so for "
                    + PodRules.words(soak)
                    + " before the old version's things go",
                PROGRESS));
  }

  /** Of the roll-out, not over, in their order. */
  private List<Operation> due() {
    String to = to().asOptional().orElse("");
    boolean back = component().filter(c -> new Course(snapshot, c).sentBack()).isPresent();
    return ledger().stream()
        .flatMap(l -> l.operations().stream())
        .filter(o -> !o.custom() && !o.is(Status.DONE))
        .filter(o -> !o.is(Status.PENDING) || (!back && belongs(o, to)))
        .toList();
  }

  private boolean belongs(Operation operation, String to) {
    boolean rolls =
        snapshot.memory().run().isPresent()
            || component().filter(c -> new Course(snapshot, c).underWay()).isPresent();
    return (operation.version().isEmpty() || covers(to, operation.version()))
        && !takenAsThere(operation)
        && (rolls || !isUnknownStart(operation));
  }

  /** Neither the version that ran before nor the queue tells what the database has already. */
  private boolean isUnknownStart(Operation operation) {
    return operation.id() == 0
        && Version.parse(lastGood()).isEmpty()
        && ledger().stream()
            .flatMap(l -> l.operations().stream())
            .noneMatch(o -> !o.custom() && o.id() > 0);
  }

  /**
   * An upgrade goes from the current version to the next: what lies below everything in the queue,
   * and what the running version needs, was done by others.
   */
  private boolean takenAsThere(Operation operation) {
    return operation.id() == 0
        && covers(lastGood(), operation.version())
        && ledger().stream()
            .flatMap(l -> l.operations().stream())
            .filter(o -> !o.custom() && o.id() > 0)
            .noneMatch(o -> covers(operation.version(), o.version()));
  }

  /** The migrations that the wanted version has behind it, done or not. */
  public List<Operation> ofWanted() {
    String to = to().asOptional().orElse("");
    return ledger().stream()
        .flatMap(l -> l.operations().stream())
        .filter(o -> !o.custom() && belongs(o, to))
        .toList();
  }

  private static Optional<Operation> byHand(Ledger ledger) {
    return ledger.operations().stream().filter(o -> o.custom() && !o.is(Status.DONE)).findFirst();
  }

  /** Whether a version has a migration behind it: 2.0.0 has 1.9, 2.0.0 and 2.0.0.3. */
  static boolean covers(String version, String migration) {
    Optional<Version> at = Version.parse(version);
    Optional<Version> needed = Version.parse(migration);
    return at.isPresent()
        && needed.isPresent()
        && (!at.get().olderThan(needed.get())
            || VersionPath.startsWith(needed.get(), at.get().numbers()));
  }

  /** The irreversible one that was begun, or is about to be: in the record it counts already. */
  Optional<Ledger.Closed> closed() {
    Optional<Ledger.Closed> recorded =
        snapshot
            .memory()
            .step()
            .map(RecordedStep::fence)
            .filter(f -> f.kind().equals(FENCE))
            .flatMap(f -> ledger().flatMap(l -> l.operation(f.name())))
            .filter(o -> !o.reversible() && !o.custom())
            .map(o -> new Ledger.Closed(o.version(), o.title()));
    Optional<Ledger.Closed> begun = ledger().flatMap(Ledger::closed);
    return recorded
        .filter(r ->
            r.version().isEmpty() || begun.filter(b -> !covers(r.version(), b.version())).isEmpty())
        .or(() -> begun);
  }

  /** Under way or over, it cannot begin any more; where that cannot be seen it still may. */
  boolean mayStillBegin(Fence fence) {
    boolean decision = fence.kind().equals(Step.Settle.FENCE);
    Status before = decision ? Status.FAILED : Status.PENDING;
    return ledger().stream()
        .allMatch(l ->
            l.atWork().isEmpty()
                && (!decision || l.answer().isEmpty())
                && l.operation(fence.name())
                    .filter(o -> o.is(before))
                    .filter(o -> fence.state().equals(String.valueOf(o.attempt())))
                    .isPresent());
  }

  /** Whether an operation runs, or was begun and left behind. */
  public static boolean underWay(Snapshot snapshot) {
    return new Migrations(snapshot)
        .ledger()
        .filter(l -> !l.atWork().isEmpty() || l.first(Status.RUNNING).isPresent())
        .isPresent();
  }

  private Optional<Ledger> ledger() {
    return declared() ? snapshot.ledger().asOptional() : Optional.empty();
  }

  Optional<Component> component() {
    return snapshot.spec().migrations().flatMap(m -> snapshot.component(m.component()));
  }

  /** The version whose migrations are wanted. */
  private Fact<String> to() {
    return component()
        .map(c -> c.workload().flatMap(Versions::ofTemplate))
        .orElseGet(() -> Fact.unknown("spec.migrations.component names no component"));
  }

  private String lastGood() {
    return component()
        .flatMap(c -> snapshot.memory().component(c.name()).lastGood())
        .map(Good::version)
        .orElse("");
  }
}
