package dev.belay.core.model;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the user asked for, already validated by the schema but not yet against the world. */
public record Spec(
    Trigger trigger,
    Optional<String> version,
    List<ComponentSpec> components,
    Upgrade upgrade,
    boolean paused,
    Requests requests,
    Force force,
    Optional<Migrations> migrations) {

  /** Who starts a roll-out: whoever changes the template, or a change of the version field. */
  public enum Trigger {
    TEMPLATE,
    VERSION
  }

  /** One component: a workload, how its system is asked, how it is rolled, what is checked. */
  public record ComponentSpec(
      String name,
      Workload.Kind kind,
      String workload,
      Optional<String> version,
      Map<String, String> images,
      String driver,
      String memberName,
      Rollout rollout,
      List<Check> checks,
      List<Action> actions) {

    public ComponentSpec {
      images = Sorted.copyOf(images);
      checks = List.copyOf(checks);
      actions = List.copyOf(actions);
    }

    /** Its workload as people write it, such as {@code Deployment/web}. */
    public String workloadName() {
      return kind + "/" + workload;
    }

    /** What is read where it is known that there is no such workload. */
    public Fact.Unknown<Workload> absent(String namespace) {
      return new Fact.Unknown<>(
          "there is no " + kind + " " + workload + " in namespace " + namespace);
    }

    /** A StatefulSet without actions. */
    public ComponentSpec(
        String name,
        String workload,
        Optional<String> version,
        Map<String, String> images,
        String driver,
        String memberName,
        Rollout rollout,
        List<Check> checks) {
      this(
          name,
          Workload.Kind.STATEFUL_SET,
          workload,
          version,
          images,
          driver,
          memberName,
          rollout,
          checks,
          List.of());
    }
  }

  /**
   * How members are let through.
   *
   * @param strategy empty: the one that the workload's own update strategy stands for
   */
  public record Rollout(
      Optional<Strategy> strategy,
      Duration soak,
      Duration readyTimeout,
      Duration progressDeadline,
      int maxUnavailable,
      int tolerateUnhealthy,
      boolean allowDowntime) {

    /** How many members may be down for the upgrade beside the one in question. */
    public int slack() {
      return maxUnavailable - 1;
    }

    public static final Rollout DEFAULT =
        new Rollout(Duration.ZERO, Duration.ofMinutes(10), Duration.ofMinutes(30), 0, false);

    /** One at a time, as the workload's own strategy says. */
    public Rollout(
        Duration soak,
        Duration readyTimeout,
        Duration progressDeadline,
        int tolerateUnhealthy,
        boolean allowDowntime) {
      this(
          Optional.empty(),
          soak,
          readyTimeout,
          progressDeadline,
          1,
          tolerateUnhealthy,
          allowDowntime);
    }
  }

  /** Who takes members down, and in which order. */
  public enum Strategy {
    /** The set's controller, one ordinal at a time from the top, as far as Belay lets it. */
    PARTITION,
    /** Belay, by eviction, whoever matters least first. */
    ON_DELETE,
    /** The workload's controller in its own way, once Belay lets it. */
    NATIVE
  }

  /** What holds for the upgrade as a whole. */
  public record Upgrade(OnFailure onFailure, Approval approval, List<Path> paths) {

    public static final Upgrade DEFAULT = new Upgrade(OnFailure.HOLD, Approval.NONE, List.of());

    public Upgrade {
      paths = List.copyOf(paths);
    }
  }

  /** What follows a failure: everything stays as it is, or the updated members go back. */
  public enum OnFailure {
    HOLD,
    ROLLBACK
  }

  /** Before what a person is asked. */
  public enum Approval {
    NONE,
    BEFORE_COMPONENT,
    BEFORE_LEADER,
    BEFORE_IRREVERSIBLE
  }

  /** A declared way from one version to another, {@code 0.12.x} being a prefix. */
  public record Path(String from, String to, boolean irreversible) {}

  /**
   * What a person asks for once; a token that was handled asks for nothing.
   *
   * @param by who wrote any but {@code approve} last, as the API server saw it; empty where nothing
   *     stamps it
   * @param approvedBy who wrote {@code approve}
   */
  public record Requests(
      Optional<String> approve,
      Optional<String> retry,
      Optional<String> rollback,
      Optional<String> abort,
      String by,
      Optional<MigrationRequest> migration,
      String approvedBy) {

    public static final Requests NONE =
        new Requests(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), "");

    /** Without a word on a migration. */
    public Requests(
        Optional<String> approve,
        Optional<String> retry,
        Optional<String> rollback,
        Optional<String> abort,
        String by) {
      this(approve, retry, rollback, abort, by, Optional.empty(), by);
    }

    /** The same, approved by whoever asked for the rest. */
    public Requests approving(String token) {
      return new Requests(Optional.of(token), retry, rollback, abort, by, migration, by);
    }
  }

  /**
   * The migrations that belong to the upgrade.
   *
   * @param component whose versions they are named after
   * @param approval whether a person is asked before what only the old version needs is removed
   * @param soak how long every member has to run the new version before that
   */
  public record Migrations(String component, boolean approval, Duration soak) {}

  /** What a person decided about a failed migration. */
  public record MigrationRequest(long id, Verdict verdict, String token) {}

  /** What becomes of a failed migration. */
  public enum Verdict {
    RETRY("retry"),
    SKIP("skip"),
    APPLIED("resolve as applied"),
    NOT_APPLIED("resolve as not applied");

    private final String word;

    Verdict(String word) {
      this.word = word;
    }

    @Override
    public String toString() {
      return word;
    }
  }

  /** Whether a person wants one roll-out without any gate, and who. */
  public record Force(boolean asked, String by) {

    public static final Force NONE = new Force(false, "");
  }

  public Spec {
    components = List.copyOf(components);
  }

  /** Without migrations. */
  public Spec(
      Trigger trigger,
      Optional<String> version,
      List<ComponentSpec> components,
      Upgrade upgrade,
      boolean paused,
      Requests requests,
      Force force) {
    this(trigger, version, components, upgrade, paused, requests, force, Optional.empty());
  }

  public Spec withRequests(Requests other) {
    return new Spec(trigger, version, components, upgrade, paused, other, force, migrations);
  }

  public Spec withForce(Force other) {
    return new Spec(trigger, version, components, upgrade, paused, requests, other, migrations);
  }

  public Spec withVersion(String other) {
    return new Spec(
        trigger, Optional.of(other), components, upgrade, paused, requests, force, migrations);
  }

  /** The version a component shall run; empty with trigger Template. */
  public Optional<String> wantedVersion(ComponentSpec component) {
    return trigger == Trigger.VERSION ? component.version().or(() -> version) : Optional.empty();
  }
}
