package dev.belay.core.report;

import dev.belay.core.driver.WayBack;
import dev.belay.core.model.Among;
import dev.belay.core.state.Memory;
import dev.belay.core.state.Objection;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The status of a StatefulCluster before it is put into the words of the Kubernetes API: what a
 * person reads and, as {@link Memory}, what Belay itself reads next time.
 */
public record Report(
    Phase phase,
    String currentVersion,
    String targetVersion,
    List<ComponentReport> components,
    Optional<Blocked> blockedBy,
    String waitingFor,
    WayBack wayBack,
    List<Condition> conditions,
    Memory memory,
    Optional<Migrating> migrations) {

  /** Of a cluster without migrations. */
  public Report(
      Phase phase,
      String currentVersion,
      String targetVersion,
      List<ComponentReport> components,
      Optional<Blocked> blockedBy,
      String waitingFor,
      WayBack wayBack,
      List<Condition> conditions,
      Memory memory) {
    this(
        phase,
        currentVersion,
        targetVersion,
        components,
        blockedBy,
        waitingFor,
        wayBack,
        conditions,
        memory,
        Optional.empty());
  }

  /** What stands in the way of an object, since when, and what cures it. */
  public record Blocked(String rule, String object, String reading, Instant since, String cure) {}

  /**
   * One component and its members.
   *
   * @param owes what the driver changed for the upgrade and has still to take back, in words
   */
  public record ComponentReport(
      String name,
      Phase phase,
      String currentVersion,
      String targetVersion,
      String guard,
      int replicas,
      List<MemberReport> members,
      List<String> owes) {

    public ComponentReport {
      owes = List.copyOf(owes);
      members = List.copyOf(members);
    }

    /** A Deployment that rolls has more pods than replicas; more than all are not ready. */
    public int ready() {
      return atMost(Among.count(members, MemberReport::ready));
    }

    public int updated() {
      return atMost(Among.count(members, MemberReport::updated));
    }

    private int atMost(int count) {
      return Among.all(members, m -> m.ordinal() < 0) ? Math.min(count, replicas) : count;
    }
  }

  /** One pod and the member in it. */
  public record MemberReport(
      String pod,
      String uid,
      int ordinal,
      String revision,
      boolean updated,
      boolean ready,
      String version,
      String role,
      boolean voter,
      String healthy,
      Optional<Held> heldBy) {}

  /** What keeps a member where it is, without its time: that begins with the rule. */
  public record Held(String rule, String object, String reading, String cure) {

    static Held by(Objection objection) {
      return new Held(
          objection.reason().name(), objection.object(), objection.reading(), objection.cure());
    }
  }

  /** A Kubernetes condition without its times. */
  public record Condition(String type, String status, String reason, String message) {}

  public Report {
    components = List.copyOf(components);
    conditions = List.copyOf(conditions);
  }

  public int replicas() {
    return components.stream().mapToInt(ComponentReport::replicas).sum();
  }

  public int ready() {
    return components.stream().mapToInt(ComponentReport::ready).sum();
  }

  public int updated() {
    return components.stream().mapToInt(ComponentReport::updated).sum();
  }
}
