package dev.belay.core.decide;

import dev.belay.core.state.Memory.Obligation;
import dev.belay.core.state.Step;
import java.util.Locale;

/**
 * A step of a transcript by kind and targets, without the words of core: it stays equal when a
 * class is renamed or a message reworded. The simulator has the same in its StepLine.
 */
final class StepLine {

  private StepLine() {}

  static String of(Step step) {
    return switch (step) {
      case Step.Claim s -> line("claim", s, s.fence().name(), "left-over=" + s.leftOver().size());
      case Step.HandOver s -> line("hand-over", s, s.fence().name());
      case Step.Adopt s -> line("adopt", s, s.fence().name());
      case Step.Heed s -> line("accept-request", s, request(s.request()), s.token());
      case Step.TurnBack s -> line("turn-back", s, s.fence().name());
      case Step.Freeze s -> partition("freeze", s, "");
      case Step.SetTemplate s ->
          line("set-template", s, s.fence().name(), s.version(), s.images().toString());
      case Step.TransferLeader s ->
          line("transfer-leader", s, s.fromId(), s.from(), s.toId(), s.to());
      case Step.Release s -> partition("release", s, s.pod());
      case Step.Retract s -> partition("retract", s, s.pod());
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
      case Step.Rest s -> partition("rest", s, "");
      case Step.Force s -> partition("force", s, s.by());
      case Step.Unforce s -> line("unforce", s, s.fence().name());
      case Step.Revoke s -> line("revoke", s, s.fence().kind() + "/" + s.fence().name());
    };
  }

  private static String line(String kind, Step step, String... targets) {
    return kind + " [" + step.component() + "] " + String.join(" ", targets);
  }

  private static String partition(String kind, Step.PartitionWrite step, String target) {
    return line(kind, step, step.fence().name(), target, "partition=" + step.partition());
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
    String moment = obligation.moment().name().toLowerCase(Locale.ROOT);
    return moment + " " + obligation.object() + " " + obligation.uid();
  }
}
