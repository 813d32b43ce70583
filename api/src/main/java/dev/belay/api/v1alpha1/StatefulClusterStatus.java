package dev.belay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What Belay sees, does, waits for and remembers; it remembers nothing anywhere else. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record StatefulClusterStatus(
    @JsonPropertyDescription("The generation of the spec that this status speaks of.")
        @Nullable Long observedGeneration,
    @JsonPropertyDescription(
            "What Belay is doing: Adopting, Idle, Upgrading, Waiting (goes on by itself), Held (a"
                + " person is needed), Paused, RollingBack or Failed.")
        @Nullable String phase,
    @JsonPropertyDescription("The version that every member runs, or the lowest while they differ.")
        @Nullable String currentVersion,
    @JsonPropertyDescription("The version being rolled out; absent when idle.")
        @Nullable String targetVersion,
    @JsonPropertyDescription("How many members there should be.") @Nullable Integer replicas,
    @JsonPropertyDescription("How many members are ready.") @Nullable Integer readyReplicas,
    @JsonPropertyDescription("How many members are not yet at the newest revision.")
        @Nullable Integer currentReplicas,
    @JsonPropertyDescription("How many members are at the newest revision.")
        @Nullable Integer updatedReplicas,
    @JsonPropertyDescription("Members at the newest revision, of all: 2/3.")
        @Nullable String updated,
    @JsonPropertyDescription("Ready members, of all: 3/3.") @Nullable String ready,
    @JsonPropertyDescription("The members by readiness.") @Nullable Members members,
    @JsonPropertyDescription("Each component and its members.") List<ComponentStatus> components,
    @JsonPropertyDescription("What stands in the way of the next step. Absent when nothing does.")
        @Nullable Blocked blockedBy,
    @JsonPropertyDescription(
            "What needs a person's agreement: spec.requests.approve must equal this text.")
        @Nullable String waitingFor,
    @JsonPropertyDescription("The step written down before it is carried out.") @Nullable Step step,
    @JsonPropertyDescription("How many steps were ever recorded.") @Nullable Long steps,
    @JsonPropertyDescription(
            "The form of what is recorded here. An operator that reads only older forms does"
                + " nothing with this cluster.")
        @Nullable Integer stateVersion,
    @JsonPropertyDescription("How far back there is a way.") @Nullable WayBack wayBack,
    @JsonPropertyDescription(
            "How far the migrations of the wanted version are. Absent when none are declared.")
        @Nullable Migrations migrations,
    @JsonPropertyDescription(
            "The revisions that are not tried again until the template changes or"
                + " spec.requests.retry asks for it; at most one for each component.")
        List<Refused> refused,
    @JsonPropertyDescription(
            "What was done around the upgrade under way, each written down before it was sent. One"
                + " with an undo is still to be taken back.")
        List<Obligation> obligations,
    @JsonPropertyDescription(
            "The requests of the spec that were handled: one that equals its text here asks for"
                + " nothing any more.")
        @Nullable Requests requests,
    @JsonPropertyDescription(
            "The roll-out without gates that the annotation belay.dev/force-rolling-update asked"
                + " for. Absent once the annotation is gone.")
        @Nullable Forced forced,
    @JsonPropertyDescription("The upgrade under way; absent when there is none.")
        @Nullable Upgrade upgrade,
    @JsonPropertyDescription("The last ten upgrades that are over, the newest first.")
        List<Past> history,
    @JsonPropertyDescription(
            "What Belay will do next, step by step, if nothing goes wrong. Absent when nothing is"
                + " to be done.")
        List<String> plan,
    @JsonPropertyDescription(
            "The answer to the annotation belay.dev/plan-to: what an upgrade to that version would"
                + " do, step by step.")
        @Nullable Planned planned,
    @JsonPropertyDescription(
            "The operator that acts on this cluster. The guard lets only its account lower a"
                + " partition.")
        @Nullable Owner owner,
    @JsonPropertyDescription(
            "Ready, Upgrading, Error, Reconciling, Stalled, PodsReady, Guarded, Paused, Forced:"
                + " each with the reason and the generation it speaks of.")
        List<Condition> conditions) {

  /** The members by readiness. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Members(
      @JsonPropertyDescription("Pods that are ready.") List<String> ready,
      @JsonPropertyDescription("Pods that are not.") List<String> unready) {

    public Members {
      ready = Lists.orEmpty(ready);
      unready = Lists.orEmpty(unready);
    }
  }

  /** What stands in the way. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Blocked(
      @JsonPropertyDescription("The rule that objects; docs/rules.md explains each.")
          @Nullable String rule,
      @JsonPropertyDescription("What it is about: a pod, a member, a field.")
          @Nullable String object,
      @JsonPropertyDescription("What was seen.") @Nullable String reading,
      @JsonPropertyDescription("Since when.") @Nullable String since,
      @JsonPropertyDescription("What makes it go away.") @Nullable String cure) {}

  /** A step that was written down. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Step(
      @JsonPropertyDescription("The name of the step, unlike any other of this cluster.")
          @Nullable String id,
      @JsonPropertyDescription("The kind of step, such as Release or TransferLeader.")
          @Nullable String kind,
      @JsonPropertyDescription("The component it belongs to; absent when it is about them all.")
          @Nullable String component,
      @JsonPropertyDescription("To what it is done.") @Nullable String object,
      @JsonPropertyDescription("What tells it from other steps of its kind.")
          Map<String, String> arguments,
      @JsonPropertyDescription("What is done, in words.") @Nullable String what,
      @JsonPropertyDescription("When it was first written down.") @Nullable String since,
      @JsonPropertyDescription("How often it was begun.") @Nullable Integer attempts,
      @JsonPropertyDescription(
              "The state of the object at which the step may still be carried out.")
          @Nullable Fence fence) {

    public Step {
      arguments = Lists.orEmpty(arguments);
    }
  }

  /** What a step is fenced on. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Fence(
      @JsonPropertyDescription(
              "StatefulSet, Deployment, Pod, Leader, Member, Action, Undo, Migration, Verdict or"
                  + " StatefulCluster.")
          @Nullable String kind,
      @JsonPropertyDescription("The name of the object.") @Nullable String name,
      @JsonPropertyDescription("The uid of a Kubernetes object.") @Nullable String uid,
      @JsonPropertyDescription(
              "Its resourceVersion, term, request or attempt, when it was observed.")
          @Nullable String version) {}

  /** How far back there is a way. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record WayBack(
      @JsonPropertyDescription(
              "The lowest version that may still be returned to; absent when nothing limits it,"
                  + " unknown when it could not be read.")
          @Nullable String floor,
      @JsonPropertyDescription("Why.") @Nullable String reason) {}

  /** The requests that were handled. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Requests(
      @JsonPropertyDescription("The approval that counted last.") @Nullable String approve,
      @JsonPropertyDescription("The retry that was handled last.") @Nullable String retry,
      @JsonPropertyDescription("The rollback that was handled last.") @Nullable String rollback,
      @JsonPropertyDescription("The abort that was handled last.") @Nullable String abort,
      @JsonPropertyDescription("The token of the decision on a migration that was handled last.")
          @Nullable String migration,
      @JsonPropertyDescription("What a person was last asked to agree to, and has not yet.")
          @Nullable Consent asked,
      @JsonPropertyDescription(
              "What a person agreed to in the roll-out under way; it counts for no other.")
          List<Consent> agreed) {

    public Requests {
      agreed = Lists.orEmpty(agreed);
    }
  }

  /** What a person is asked to agree to, or agreed to. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Consent(
      @JsonPropertyDescription("The text of spec.requests.approve that says so.")
          @Nullable String token,
      @JsonPropertyDescription("The revision that the roll-out leads to in which it counts.")
          @Nullable String revision) {}

  /** How far the migrations are. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Migrations(
      @JsonPropertyDescription(
              "Those before the first member: pending, running, done or failed; absent when there"
                  + " are none.")
          @Nullable String expand,
      @JsonPropertyDescription(
              "Those that wait until every member runs the new version; said as for expand.")
          @JsonProperty("finalize")
          @Nullable String finalizing,
      @JsonPropertyDescription(
              "Those that remove what only the old version needs; said as for expand.")
          @Nullable String contract,
      @JsonPropertyDescription("How many are not over.") @Nullable Integer pending,
      @JsonPropertyDescription("How many are done or were left out.") @Nullable Integer done,
      @JsonPropertyDescription("The one that failed, runs, or comes next.")
          @Nullable Operation operation,
      @JsonPropertyDescription("Why nothing more is known, or what does not fit.")
          @Nullable String trouble) {}

  /** One migration. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Operation(
      @JsonPropertyDescription("Its number in the queue; absent while it is not in it.")
          @Nullable Long id,
      @JsonPropertyDescription("The version in its name.") @Nullable String version,
      @JsonPropertyDescription("What it is for.") @Nullable String description,
      @JsonPropertyDescription("expand, finalize or contract; absent when it was queued by hand.")
          @Nullable String phase,
      @JsonPropertyDescription("pending, running or failed.") @Nullable String status,
      @JsonPropertyDescription("Whether the version before can still run on what it leaves.")
          @Nullable Boolean reversible,
      @JsonPropertyDescription("The database's error, or what it waits for.")
          @Nullable String text) {}

  /** A revision that is not tried again unasked. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Refused(
      @JsonPropertyDescription("The component it is a revision of.") String component,
      @JsonPropertyDescription("The revision.") @Nullable String revision,
      @JsonPropertyDescription("The version.") @Nullable String version,
      @JsonPropertyDescription("Why it is refused: Failed, RolledBack or Aborted.")
          @Nullable String cause,
      @JsonPropertyDescription("What it failed on; absent when nothing failed.")
          @Nullable String object,
      @JsonPropertyDescription("What was seen, or who asked for it.") @Nullable String reason,
      @JsonPropertyDescription("Since when.") @Nullable String since,
      @JsonPropertyDescription(
              "Whether the members that have it go back, one by one. False: they stay as they"
                  + " are.")
          @Nullable Boolean withdrawing) {}

  /** Something done around the upgrade. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Obligation(
      @JsonPropertyDescription("The component whose action it is.") String component,
      @JsonPropertyDescription(
              "Its name: the same for the same action on the same member in one roll-out.")
          @Nullable String id,
      @JsonPropertyDescription("When it is done, such as BeforeMember.") @Nullable String moment,
      @JsonPropertyDescription("The pod or workload it is about.") @Nullable String object,
      @JsonPropertyDescription("The pod's uid; absent where it is no pod.") @Nullable String uid,
      @JsonPropertyDescription("The request, such as PUT :8080/drain.") @Nullable String what,
      @JsonPropertyDescription(
              "The request that takes it back; absent when nothing is to be taken back.")
          @Nullable String undo,
      @JsonPropertyDescription(
              "How far it is: Begun, Done, Failed, or Undoing while it is taken back.")
          @Nullable String progress,
      @JsonPropertyDescription("Since when.") @Nullable String since) {}

  /** A roll-out without gates. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Forced(
      @JsonPropertyDescription(
              "Who asked for it, as the API server saw it; absent where no policy stamps it.")
          @Nullable String by,
      @JsonPropertyDescription("Since when members are let through without a gate.")
          @Nullable String since,
      @JsonPropertyDescription(
              "Active while its roll-out lasts; Spent after it, when Belay has taken the annotation"
                  + " away; Returned when somebody put it back, or it outlived its roll-out: it"
                  + " means nothing until somebody takes it away.")
          @Nullable String state) {}

  /** What an upgrade that nobody asked for yet would do. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Planned(
      @JsonPropertyDescription("The version asked about.") @Nullable String to,
      @JsonPropertyDescription("The steps in order.") List<String> steps) {

    public Planned {
      steps = Lists.orEmpty(steps);
    }
  }

  /** The upgrade under way. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Upgrade(
      @JsonPropertyDescription("The version it started from.") @Nullable String from,
      @JsonPropertyDescription(
              "The version it leads to, or the revision where the template names no version.")
          @Nullable String to,
      @JsonPropertyDescription("Since when.") @Nullable String since,
      @JsonPropertyDescription(
              "How long a person was waited for, such as 1h30m; without the wait that"
                  + " waitingSince says.")
          @Nullable String waited,
      @JsonPropertyDescription("Since when a person is waited for; absent when nobody is.")
          @Nullable String waitingSince,
      @JsonPropertyDescription(
              "Who approved something in it last; unknown where no policy stamps it.")
          @Nullable String approvedBy,
      @JsonPropertyDescription(
              "Who let members through without a gate; unknown where no policy stamps it.")
          @Nullable String forcedBy,
      @JsonPropertyDescription(
              "Whether something was done to the system for it; from then on it has one of the"
                  + " places that the operator's --max-upgrades gives.")
          @Nullable Boolean begun,
      @JsonPropertyDescription(
              "What the history will say of it if its template is taken back or replaced now:"
                  + " Failed, Aborted or Reverted; absent while nothing is wrong with it.")
          @Nullable String outcome,
      @JsonPropertyDescription(
              "What is asked for meanwhile and waits until this upgrade is through, and why.")
          @Nullable String next,
      @JsonPropertyDescription(
              "What could not be taken back and was left as it is, and who agreed to that; unknown"
                  + " where no policy stamps it.")
          List<String> left) {

    public Upgrade {
      left = Lists.orEmpty(left);
    }
  }

  /** An upgrade that is over. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Past(
      @JsonPropertyDescription("The version it started from.") @Nullable String from,
      @JsonPropertyDescription("The version it led to, or the revision.") @Nullable String to,
      @JsonPropertyDescription("When it began.") @Nullable String since,
      @JsonPropertyDescription("When it was over.") @Nullable String until,
      @JsonPropertyDescription("How long of that a person was waited for, such as 1h30m.")
          @Nullable String waited,
      @JsonPropertyDescription(
              "How it ended: Completed, RolledBack, Failed or Aborted when its template was taken"
                  + " back or replaced after that, Reverted when it was taken back midway,"
                  + " Superseded when another target took its place.")
          @Nullable String outcome,
      @JsonPropertyDescription(
              "Who approved something in it last; unknown where no policy stamps it.")
          @Nullable String approvedBy,
      @JsonPropertyDescription(
              "Who let members through without a gate; unknown where no policy stamps it.")
          @Nullable String forcedBy,
      @JsonPropertyDescription(
              "What could not be taken back and was left as it is, and who agreed to that; unknown"
                  + " where no policy stamps it.")
          List<String> left) {

    public Past {
      left = Lists.orEmpty(left);
    }
  }

  /** The operator that acts on the cluster. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Owner(
      @JsonPropertyDescription("The operator install: the namespace and name of the release.")
          @Nullable String install,
      @JsonPropertyDescription("The process of the install that acts.") @Nullable String instance,
      @JsonPropertyDescription("The account that the operator uses at the API server.")
          @Nullable String account,
      @JsonPropertyDescription(
              "Rises when the owner changes, and above a mark that another account left on a"
                  + " workload.")
          @Nullable Long epoch,
      @JsonPropertyDescription(
              "The Lease of the install, NAMESPACE/NAME. When it expired long ago, an install that"
                  + " selects this cluster becomes the owner.")
          @Nullable String lease,
      @JsonPropertyDescription(
              "True when the owner stopped acting because its selector no longer matches. The"
                  + " install that selects this cluster becomes the owner.")
          @Nullable Boolean released) {}

  public StatefulClusterStatus {
    components = Lists.orEmpty(components);
    refused = Lists.orEmpty(refused);
    obligations = Lists.orEmpty(obligations);
    history = Lists.orEmpty(history);
    conditions = Lists.orEmpty(conditions);
    plan = Lists.orEmpty(plan);
  }
}
