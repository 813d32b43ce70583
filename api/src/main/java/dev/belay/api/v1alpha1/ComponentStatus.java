package dev.belay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Blocked;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is seen and remembered of one component. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ComponentStatus(
    @JsonPropertyDescription("The component's name in the spec.") String name,
    @JsonPropertyDescription("Its workload, such as Deployment/web.") @Nullable String workload,
    @JsonPropertyDescription("What Belay is doing with it.") @Nullable String phase,
    @JsonPropertyDescription("The version its members run.") @Nullable String currentVersion,
    @JsonPropertyDescription("The version being rolled out; absent when idle.")
        @Nullable String targetVersion,
    @JsonPropertyDescription(
            "What freezes a new revision. Policy: admission policies. Parked: the partition rests"
                + " at frozen, a Deployment is paused. OnDelete: the set's own updateStrategy, by"
                + " which no pod is replaced before it is deleted. None: nothing does.")
        @Nullable String guard,
    @JsonPropertyDescription("Each member, by ordinal, or by name where pods have none.")
        List<Member> members,
    @JsonPropertyDescription("Whether Belay has taken the component over.")
        @Nullable Boolean adopted,
    @JsonPropertyDescription("The last state at which it was settled.") @Nullable Good lastGood,
    @JsonPropertyDescription("The roll-out under way.") @Nullable Target target,
    @JsonPropertyDescription("The images Belay wrote, and for which version.")
        @Nullable Written written,
    @JsonPropertyDescription(
            "When each updated pod, by uid, was first seen ready and healthy: its soak starts"
                + " there.")
        Map<String, String> servingSince,
    @JsonPropertyDescription(
            "The updated pods, by uid, that were ready and healthy at least once: what happens to"
                + " them later is no failure to start.")
        List<String> served,
    @JsonPropertyDescription("What the driver wants remembered.") List<Note> notes,
    @JsonPropertyDescription("What was observed once and cannot be read again.")
        @Nullable Observed observed,
    @JsonPropertyDescription(
            "What the driver changed in the system for the upgrade and has still to take back.")
        List<String> owes) {

  /** One member as a person wants to see it. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Member(
      @JsonPropertyDescription("The pod's name.") String pod,
      @JsonPropertyDescription("The pod's uid.") @Nullable String uid,
      @JsonPropertyDescription("The pod's ordinal; absent in a Deployment.")
          @Nullable Integer ordinal,
      @JsonPropertyDescription("The revision it runs.") @Nullable String revision,
      @JsonPropertyDescription("The version it runs.") @Nullable String version,
      @JsonPropertyDescription("leader, follower, learner, peer or unknown.") @Nullable String role,
      @JsonPropertyDescription("Whether its vote counts.") @Nullable Boolean voter,
      @JsonPropertyDescription("By the system's own account: true, false or unknown.")
          @Nullable String healthy,
      @JsonPropertyDescription("Why it is not touched now.") @Nullable Blocked heldBy) {}

  /** A settled state. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Good(
      @JsonPropertyDescription("The revision.") @Nullable String revision,
      @JsonPropertyDescription("The version.") @Nullable String version,
      @JsonPropertyDescription("The image of each container in its template.")
          Map<String, String> images) {

    public Good {
      images = Lists.orEmpty(images);
    }
  }

  /** What a driver wants remembered. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Note(
      @JsonPropertyDescription("One of the driver's kinds of notes.") @Nullable String kind,
      @JsonPropertyDescription("The member it is about; absent where it is about the component.")
          @Nullable String about,
      @JsonPropertyDescription("What is remembered, by name.") Map<String, String> values) {

    public Note {
      values = Lists.orEmpty(values);
    }
  }

  /** What was observed once and cannot be read again. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Observed(
      @JsonPropertyDescription(
              "The furthest version that has run behind an irreversible path of"
                  + " spec.upgrade.paths.")
          @Nullable Ran ran,
      @JsonPropertyDescription("The irreversible migration that was begun in this rollout.")
          @Nullable Closed closed,
      @JsonPropertyDescription("Whether a Deployment was last seen running, or paused by a person.")
          @Nullable Pause pause,
      @JsonPropertyDescription("The uids of the pods that were not replaced yet in this rollout.")
          List<String> unmoved) {

    public Observed {
      unmoved = Lists.orEmpty(unmoved);
    }
  }

  /** A version that has run. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Ran(
      @JsonPropertyDescription("The version.") @Nullable String version,
      @JsonPropertyDescription(
              "The uid of the pod of which it is not known whether it ever started; absent where it"
                  + " is known that one did.")
          @Nullable String doubted) {}

  /** An irreversible migration. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Closed(
      @JsonPropertyDescription("The version that needs it; absent where nobody said which.")
          @Nullable String version,
      @JsonPropertyDescription("The migration.") @Nullable String title) {}

  /** Where a Deployment was seen to run, or that a person paused it. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Pause(
      @JsonPropertyDescription("True when a person paused it.") @Nullable Boolean byPerson,
      @JsonPropertyDescription("The revision it ran with; absent when a person paused it.")
          @Nullable String revision,
      @JsonPropertyDescription("Its generation at that time.") @Nullable Long generation) {}

  /** A roll-out under way. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Target(
      @JsonPropertyDescription("The revision.") @Nullable String revision,
      @JsonPropertyDescription("The version.") @Nullable String version,
      @JsonPropertyDescription("Since when.") @Nullable String since,
      @JsonPropertyDescription("When it was begun, or when a person last asked for another try.")
          @Nullable String tried,
      @JsonPropertyDescription(
              "When the number of members that are through last changed: rollout.progressDeadline"
                  + " counts from here.")
          @Nullable String moved,
      @JsonPropertyDescription("How many members were through then.") @Nullable Integer through,
      @JsonPropertyDescription(
              "The uids of the pods that were there when a person last asked for another try: of"
                  + " those, whoever is stuck is made anew.")
          List<String> before) {

    public Target {
      before = Lists.orEmpty(before);
    }
  }

  /** A template write of Belay's. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Written(
      @JsonPropertyDescription("The version it was for.") @Nullable String version,
      @JsonPropertyDescription("The image of each container.") Map<String, String> images) {

    public Written {
      images = Lists.orEmpty(images);
    }
  }

  public ComponentStatus {
    members = Lists.orEmpty(members);
    servingSince = Lists.orEmpty(servingSince);
    served = Lists.orEmpty(served);
    notes = Lists.orEmpty(notes);
    owes = Lists.orEmpty(owes);
  }
}
