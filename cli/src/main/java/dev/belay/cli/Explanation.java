package dev.belay.cli;

import static dev.belay.cli.Cluster.word;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.belay.api.v1alpha1.ComponentStatus;
import dev.belay.api.v1alpha1.ComponentStatus.Member;
import dev.belay.api.v1alpha1.StatefulClusterSpec.Trigger;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Blocked;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Refused;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Why each member is where it is, and what happens next: the document of {@code explain -o}. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonPropertyOrder({"name", "namespace", "phase", "currentVersion", "targetVersion"})
record Explanation(
    String name,
    String namespace,
    String phase,
    String currentVersion,
    String targetVersion,
    String updated,
    String ready,
    List<MemberWord> members,
    @Nullable Why blockedBy,
    String next,
    String paused,
    String forced,
    List<Refused> refused,
    List<String> owes,
    List<String> asked,
    String approve,
    String retry,
    String rollback,
    String migrations,
    String wayBack,
    String error) {

  /** What a member is to do now. */
  enum State {
    @JsonProperty("Held")
    HELD,
    @JsonProperty("AtTarget")
    AT_TARGET,
    @JsonProperty("AtLastGood")
    AT_LAST_GOOD,
    @JsonProperty("GoesBack")
    GOES_BACK,
    @JsonProperty("UnderWay")
    UNDER_WAY,
    @JsonProperty("GoesNext")
    GOES_NEXT,
    @JsonProperty("Follows")
    FOLLOWS,
    @JsonProperty("NotAdopted")
    NOT_ADOPTED
  }

  /** One member and the reason for its state. */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  record MemberWord(
      String component, String pod, String version, State state, String says, @Nullable Why why) {}

  /** A rule that objects. */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  record Why(String rule, String object, String reading, String since, String cure, String docs) {

    static Why of(Blocked blocked) {
      return new Why(
          word(blocked.rule()),
          word(blocked.object()),
          word(blocked.reading()),
          word(blocked.since()),
          word(blocked.cure()),
          "docs/rules.md#" + word(blocked.rule()));
    }
  }

  Explanation {
    members = List.copyOf(members);
    refused = List.copyOf(refused);
    owes = List.copyOf(owes);
    asked = List.copyOf(asked);
  }

  static Explanation of(Cluster cluster, Sight sight) {
    var footer = new Footer(cluster, sight);
    return new Explanation(
        cluster.name(),
        cluster.namespace(),
        cluster.phase(),
        cluster.currentVersion(),
        cluster.targetVersion(),
        cluster.updated(),
        cluster.ready(),
        cluster.components().stream()
            .flatMap(c ->
                c.members().stream()
                    .sorted(Comparator.comparingInt(m -> m.ordinal() == null ? 0 : m.ordinal()))
                    .map(m -> member(cluster, c, m)))
            .toList(),
        cluster.blockedBy().map(Why::of).orElse(null),
        next(cluster),
        footer.paused().orElse(""),
        footer.forced().orElse(""),
        cluster.refused(),
        new Owed(cluster, sight).all(),
        footer.asked(),
        footer.approval().orElse(""),
        footer.retry().orElse(""),
        footer.rollback().orElse(""),
        Migrating.text(cluster).orElse(""),
        footer.wayBack().orElse(""),
        footer.error().orElse(""));
  }

  /** The same about one member only; the cluster's own part stays. */
  Explanation only(String pod) {
    List<String> known = members.stream().map(MemberWord::pod).toList();
    if (!known.contains(pod)) {
      throw new Trouble(
          "%s has no member %s".formatted(name, pod),
          known.isEmpty()
              ? "its status names no members yet"
              : "choose one of " + String.join(", ", known));
    }
    return new Explanation(
        name,
        namespace,
        phase,
        currentVersion,
        targetVersion,
        updated,
        ready,
        members.stream().filter(m -> m.pod().equals(pod)).toList(),
        blockedBy,
        next,
        paused,
        forced,
        refused,
        owes,
        asked,
        approve,
        retry,
        rollback,
        migrations,
        wayBack,
        error);
  }

  private static MemberWord member(Cluster cluster, ComponentStatus component, Member member) {
    Blocked held = member.heldBy();
    State state = state(cluster, component, member, held);
    return new MemberWord(
        component.name(),
        member.pod(),
        word(member.version()),
        state,
        says(cluster, component, state, held),
        held == null ? null : Why.of(held));
  }

  private static State state(
      Cluster cluster, ComponentStatus component, Member member, @Nullable Blocked held) {
    String wanted = cluster.wantedRevision(component);
    boolean back = cluster.withdrawn(component).isPresent();
    if (held != null) {
      return State.HELD;
    }
    if (wanted.isEmpty()) {
      return State.NOT_ADOPTED;
    }
    if (wanted.equals(member.revision())) {
      return back ? State.AT_LAST_GOOD : State.AT_TARGET;
    }
    boolean touched = cluster.step().filter(s -> member.pod().equals(word(s.object()))).isPresent();
    return touched
        ? State.UNDER_WAY
        : back
            ? State.GOES_BACK
            : cluster.before(component).isPresent() ? State.FOLLOWS : State.GOES_NEXT;
  }

  private static String says(
      Cluster cluster, ComponentStatus component, State state, @Nullable Blocked held) {
    return switch (state) {
      case HELD -> "is held by " + (held == null ? "" : word(held.rule()));
      case AT_TARGET -> "is at the target";
      case AT_LAST_GOOD -> "is at the last good revision";
      case GOES_BACK -> "goes back to the last good revision";
      case UNDER_WAY -> "is under way: " + cluster.step().map(s -> word(s.what())).orElse("");
      case GOES_NEXT -> "goes next";
      case FOLLOWS -> "follows when " + cluster.before(component).orElse("") + " is done";
      case NOT_ADOPTED -> "is not adopted yet; it is left as it is";
    };
  }

  /** In the words of the phase, the step and the cure that the status gives. */
  static String next(Cluster cluster) {
    String cure = cluster.blockedBy().map(b -> word(b.cure())).filter(c -> !c.isEmpty()).orElse("");
    String cured = cure.isEmpty() ? "" : "; cure: " + cure;
    String doing = cluster.step().map(s -> word(s.what())).orElse("");
    Optional<String> unmanaged = Footer.unmanaged(cluster);
    if (unmanaged.isPresent()) {
      return unmanaged.get();
    }
    return switch (cluster.phase()) {
      case "Pending" -> Footer.UNSEEN;
      case "Idle" ->
          cluster.resource().getSpec().trigger() == Trigger.VERSION
              ? "nothing, until spec.version changes"
              : "nothing, until somebody changes the template";
      case "Adopting" -> "Belay takes it over; nothing is restarted";
      case "Waiting", "Upgrading" ->
          cure.isEmpty()
              ? doing.isEmpty() ? "Belay goes on by itself" : doing
              : "Belay goes on by itself" + cured;
      case "Held" ->
          cluster.waitingFor().isEmpty()
              ? "nothing, until a person acts" + cured
              : "nothing, until a person approves " + cluster.waitingFor();
      case "Failed" -> "nothing else is touched" + cured;
      case "Paused" -> "nothing, until it is resumed";
      case "RollingBack" ->
          "the members go back to the last good revision" + (doing.isEmpty() ? "" : ": " + doing);
      default -> doing;
    };
  }
}
