package dev.belay.core.rules;

import static dev.belay.core.state.Objection.Weight.HUMAN;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.driver.WayBack;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Ledger;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Version;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Memory.ComponentMemory;
import dev.belay.core.state.Memory.Good;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Snapshot;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How far back a component may go: what the system itself reads, what the user declared, and which
 * migrations were begun.
 */
public record Floor(Snapshot snapshot, Component component, SystemPolicy policy) {

  /** The step that closes the way back, in what a person is asked to agree to. */
  public static final String IRREVERSIBLE = "irreversible";

  public WayBack wayBack() {
    WayBack system = policy.wayBack(component, memory().notes());
    return Stream.of(path().wayBack(), migrated())
        .flatMap(Optional::stream)
        .reduce(system, Floor::narrower);
  }

  /** What cannot be read counts most, then the higher floor. */
  private static WayBack narrower(WayBack one, WayBack other) {
    if (one.floor() instanceof Fact.Unknown<Optional<String>>) {
      return one;
    }
    if (other.floor() instanceof Fact.Unknown<Optional<String>>) {
      return other;
    }
    Optional<Version> first = one.floor().asOptional().flatMap(f -> f).flatMap(Version::parse);
    Optional<Version> second = other.floor().asOptional().flatMap(f -> f).flatMap(Version::parse);
    boolean higher = first.isEmpty() || second.filter(first.get()::olderThan).isPresent();
    return higher ? other : one;
  }

  /** An irreversible migration that was begun ends the way back at the version that needs it. */
  private Optional<WayBack> migrated() {
    var migrations = new MigrationState(snapshot);
    if (!migrations.declared()) {
      return memory()
          .observed()
          .closed()
          .map(c -> WayBack.floor(version(c.version()), c.title() + " cannot be taken back"));
    }
    if (migrations.component().filter(c -> c.name().equals(component.name())).isEmpty()) {
      return Optional.empty();
    }
    if (snapshot.ledger() instanceof Fact.Unknown<Ledger>(String why)) {
      return Optional.of(WayBack.unknown("the migrations cannot be read: " + why));
    }
    Optional<Ledger> unread = snapshot.ledger().asOptional().filter(l -> !l.isRead());
    if (unread.isPresent()) {
      String words = unread.flatMap(Ledger::denied).map(Ledger.Denied::words).orElse("");
      return Optional.of(WayBack.unknown("the migrations cannot be read: " + words));
    }
    return migrations
        .closed()
        .map(c -> WayBack.floor(version(c.version()), c.title() + " cannot be taken back"));
  }

  /** Of the versions that are known, the one that has the migration behind it. */
  private String version(String migration) {
    Optional<String> good = lastGood().map(Good::version);
    Optional<String> wanted = component.workload().flatMap(Versions::ofTemplate).asOptional();
    return Stream.of(good, wanted)
        .flatMap(Optional::stream)
        .filter(v -> MigrationState.covers(v, migration))
        .findFirst()
        .orElse(migration.isEmpty() ? wanted.orElse("") : migration);
  }

  /** Why the step on this pod is the one after which there is no way back; empty when it is not. */
  public Optional<String> closedBy(Pod target) {
    Optional<String> from = lastGood().map(Good::version);
    Optional<String> to = component.workload().flatMap(Versions::ofTemplate).asOptional();
    boolean closes =
        from.isPresent()
            && to.isPresent()
            && path().closes(from.get(), to.get())
            && new Course(snapshot, component).arrived().isEmpty();
    String why = closes ? ClosedPath.declaration(from.get(), to.get()) : "";
    // One version for several components: the first member of all closes the way, and only once.
    boolean already =
        snapshot.components().stream()
            .flatMap(c -> new ClosedPath(snapshot, c).wayBack().stream())
            .anyMatch(w -> w.reason().equals(why));
    return closes && !already ? Optional.of(why) : policy.closes(component, target);
  }

  /**
   * That the way was closed by a member that became new by itself, before anybody agreed to that:
   * of several components with the same way, one agreement is enough.
   */
  public Optional<String> closedUnasked() {
    return declaredWay()
        .filter(way ->
            snapshot.components().stream()
                .filter(c ->
                    new Floor(snapshot, c, policy).declaredWay().filter(way::equals).isPresent())
                .noneMatch(c ->
                    Approval.of(snapshot, c, c.workload().asOptional().orElseThrow(), IRREVERSIBLE)
                        .given()));
  }

  /** The way of this roll-out, where it is declared to have no return. */
  private Optional<String> declaredWay() {
    Optional<String> from = lastGood().map(Good::version);
    Optional<String> to = component.workload().flatMap(Versions::ofTemplate).asOptional();
    return from.flatMap(
        f -> to.filter(t -> path().closes(f, t)).map(t -> ClosedPath.declaration(f, t)));
  }

  private ClosedPath path() {
    return new ClosedPath(snapshot, component);
  }

  /** What keeps the members from going back to the last good revision. */
  public Optional<Objection> objection() {
    Workload workload = component.workload().asOptional().orElseThrow();
    if (!workload.canTakeBack()) {
      return lastGood().filter(g -> Aim.canWriteBack(snapshot, component, g)).isPresent()
          ? belowFloor()
          : refuse(
              "only its template can take it back: " + why(workload),
              "revert the template where it is written (Git, Helm), or keep what runs: belay retry "
                  + snapshot.subject().name());
    }
    if (lastGood().isEmpty() || !lastGood().get().revision().equals(workload.currentRevision())) {
      return refuse(
          "RevisionHistoryLost: the set would make pods at "
              + workload.currentRevision()
              + ", the last good revision is "
              + lastGood().map(Good::revision).orElse("not known"),
          "go forward, or revert the template");
    }
    return belowFloor();
  }

  private static String why(Workload workload) {
    if (workload.kind() == Workload.Kind.DEPLOYMENT) {
      return "it is a Deployment";
    }
    return workload.update() == Workload.Update.ON_DELETE
        ? "its strategy is OnDelete"
        : "the set knows no other revision than " + workload.updateRevision();
  }

  /** What keeps a member from starting at the last good version. */
  public Optional<Objection> belowFloor() {
    return switch (wayBack().floor()) {
      case Fact.Unknown<Optional<String>>(String why) ->
          refuse("the floor is unknown: " + why, "make it readable again, or go forward");
      case Fact.Known<Optional<String>>(Optional<String> floor) ->
          floor
              .filter(f -> below(lastGood().map(Good::version).orElse(""), f))
              .flatMap(f ->
                  refuse(
                      "there is no way back below " + f + ": " + wayBack().reason(),
                      "go forward: correct the template, or choose a higher version"));
    };
  }

  /** A version that cannot be read is below every floor. */
  static boolean below(String version, String floor) {
    Optional<Version> at = Version.parse(version);
    Optional<Version> limit = Version.parse(floor);
    return at.isEmpty() || limit.isEmpty() || at.get().olderThan(limit.get());
  }

  private Optional<Objection> refuse(String reading, String cure) {
    return Optional.of(
        Reasons.WAY_BACK_IS_OPEN.objection(component.spec().workload(), reading, cure, HUMAN));
  }

  private Optional<Good> lastGood() {
    return memory().lastGood();
  }

  private ComponentMemory memory() {
    return snapshot.memory().component(component.name());
  }
}
