package dev.belay.sim;

import dev.belay.core.model.Workload;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory.Obligation;
import dev.belay.core.state.Step;
import dev.belay.sim.world.ApiServer.Answer;
import java.util.Map;

/**
 * One step as one line: its time, process, kind, targets and result. The words are written here and
 * nowhere else, so that the lines stay equal when core renames a class or rewords a message.
 *
 * @param millis the simulated time
 * @param result what the API server or the member answered
 */
public record StepLine(long millis, String process, Step step, Answer result) {

  @Override
  public String toString() {
    return millis + " " + process + " " + of(step) + " " + result(result);
  }

  /** The kind of a step and the objects it is about. */
  static String of(Step step) {
    return switch (step) {
      case Step.Claim s -> line("claim", s, s.fence().name(), "left-over=" + s.leftOver().size());
      case Step.HandOver s -> line("hand-over", s, s.fence().name());
      case Step.Adopt s -> line("adopt", s, s.fence().name());
      case Step.Heed s -> line("accept-request", s, request(s.request()), s.token());
      case Step.TurnBack s -> line("turn-back", s, s.fence().name());
      case Step.Freeze s -> line("freeze", s, s.fence().name(), partition(s.partition()));
      case Step.SetTemplate s ->
          line("set-template", s, s.fence().name(), s.version(), images(s.images()));
      case Step.TransferLeader s ->
          line("transfer-leader", s, s.fromId(), s.from(), s.toId(), s.to());
      case Step.Release s ->
          line("release", s, s.fence().name(), s.pod(), partition(s.partition()));
      case Step.Retract s ->
          line("retract", s, s.fence().name(), s.pod(), partition(s.partition()));
      case Step.RecreatePod s -> line("recreate-pod", s, s.pod(), s.uid());
      case Step.Evict s -> line("evict", s, s.pod(), s.uid());
      case Step.LetRoll s -> line("let-roll", s, s.fence().name());
      case Step.Act s -> line("action", s, obligation(s.obligation()));
      case Step.Undo s -> line("undo", s, obligation(s.obligation()));
      case Step.GiveUp s -> line("give-up", s, obligation(s.obligation()), s.by());
      case Step.Tell s ->
          line(
              "command",
              s,
              s.command().verb(),
              s.command().memberId(),
              s.command().object(),
              s.command().arguments().toString());
      case Step.Migrate s -> line("migrate", s, s.operation().key(), s.versions().toString());
      case Step.Settle s ->
          line("settle-migration", s, s.operation().key(), s.request().token(), s.by());
      case Step.Rest s -> line("rest", s, s.fence().name(), partition(s.partition()));
      case Step.Force s -> line("force", s, s.fence().name(), partition(s.partition()), s.by());
      case Step.Unforce s -> line("unforce", s, s.fence().name());
      case Step.Revoke s -> line("revoke", s, object(s.fence()));
    };
  }

  private static String line(String kind, Step step, String... targets) {
    return kind + " [" + step.component() + "] " + String.join(" ", targets);
  }

  private static String partition(int partition) {
    return "partition=" + (partition == Workload.FROZEN ? "max" : Integer.toString(partition));
  }

  private static String images(Map<String, String> images) {
    return images.toString();
  }

  private static String object(Fence.ObjectVersion fence) {
    return fence.kind() + "/" + fence.name();
  }

  private static String request(Step.Request request) {
    return switch (request) {
      case RETRY -> "retry";
      case ROLLBACK -> "rollback";
      case ABORT -> "abort";
      case MIGRATION -> "migration";
    };
  }

  private static String obligation(Obligation obligation) {
    String moment =
        switch (obligation.moment()) {
          case BEFORE_UPGRADE -> "before-upgrade";
          case BEFORE_COMPONENT -> "before-component";
          case BEFORE_MEMBER -> "before-member";
          case AFTER_MEMBER -> "after-member";
          case AFTER_COMPONENT -> "after-component";
          case AFTER_UPGRADE -> "after-upgrade";
        };
    return moment + " " + obligation.object() + " " + obligation.uid();
  }

  private static String result(Answer answer) {
    return switch (answer) {
      case OK -> "ok";
      case CONFLICT -> "conflict";
      case REFUSED -> "refused";
      case UNAVAILABLE -> "unavailable";
    };
  }
}
