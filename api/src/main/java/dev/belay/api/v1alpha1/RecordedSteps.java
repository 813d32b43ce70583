package dev.belay.api.v1alpha1;

import static dev.belay.api.v1alpha1.Mapping.time;
import static dev.belay.api.v1alpha1.Mapping.word;
import static dev.belay.api.v1alpha1.StatusMapping.text;

import dev.belay.core.state.Fence;
import dev.belay.core.state.RecordedStep;
import dev.belay.core.state.RecordedStep.StepData;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The recorded step and its fence, both ways. */
final class RecordedSteps {

  private static final String LEADER = "Leader";
  private static final String MEMBER = "Member";
  private static final String ACTION = "Action";
  private static final String UNDO = "Undo";
  private static final String MIGRATION = "Migration";
  private static final String VERDICT = "Verdict";
  private static final String CLUSTER = "StatefulCluster";

  private static final List<String> KINDS =
      Stream.concat(
              Arrays.stream(Fence.Kind.values()).map(Fence.Kind::toString),
              Stream.of(LEADER, MEMBER, ACTION, UNDO, MIGRATION, VERDICT, CLUSTER))
          .toList();

  static StatefulClusterStatus.Step written(RecordedStep recorded) {
    StepData step = recorded.step();
    return new StatefulClusterStatus.Step(
        text(recorded.id()),
        Chronicles.spell(step.kind()),
        text(step.component()),
        text(step.object()),
        step.arguments(),
        text(recorded.what()),
        recorded.since().toString(),
        recorded.attempts(),
        written(step.fence()));
  }

  static RecordedStep read(StatefulClusterStatus.Step step) {
    var data =
        new StepData(
            Chronicles.read("step.kind", step.kind(), RecordedStep.Kind.values()),
            word(step.component()),
            word(step.object()),
            fence(step.fence()),
            step.arguments());
    return new RecordedStep(
        word(step.id()),
        data,
        word(step.what()),
        time("step.since", step.since()),
        Optional.ofNullable(step.attempts()).orElse(0));
  }

  private static StatefulClusterStatus.Fence written(Fence fence) {
    return switch (fence) {
      case Fence.ObjectVersion f ->
          fence(f.kind().toString(), f.name(), f.uid(), f.resourceVersion());
      case Fence.LeaderTerm f -> fence(LEADER, f.name(), "", f.term());
      case Fence.MemberTerm f -> fence(MEMBER, f.name(), "", f.term());
      case Fence.Request f -> fence(f.undo() ? UNDO : ACTION, f.name(), "", f.id());
      case Fence.Migration f -> fence(MIGRATION, f.name(), "", Integer.toString(f.attempt()));
      case Fence.Verdict f -> fence(VERDICT, f.name(), "", Integer.toString(f.attempt()));
      case Fence.Cluster f -> fence(CLUSTER, f.name(), "", "");
    };
  }

  private static StatefulClusterStatus.Fence fence(
      String kind, String name, String uid, String version) {
    return new StatefulClusterStatus.Fence(kind, text(name), text(uid), text(version));
  }

  private static Fence fence(StatefulClusterStatus.@Nullable Fence written) {
    String kind = written == null ? "" : word(written.kind());
    String name = written == null ? "" : word(written.name());
    String uid = written == null ? "" : word(written.uid());
    String version = written == null ? "" : word(written.version());
    return switch (kind) {
      case LEADER -> new Fence.LeaderTerm(name, version);
      case MEMBER -> new Fence.MemberTerm(name, version);
      case ACTION -> new Fence.Request(name, version, false);
      case UNDO -> new Fence.Request(name, version, true);
      case MIGRATION -> new Fence.Migration(name, attempt(version));
      case VERDICT -> new Fence.Verdict(name, attempt(version));
      case CLUSTER -> new Fence.Cluster(name);
      default -> new Fence.ObjectVersion(object(kind), name, uid, version);
    };
  }

  private static Fence.Kind object(String kind) {
    return Arrays.stream(Fence.Kind.values())
        .filter(k -> k.toString().equals(kind))
        .findFirst()
        .orElseThrow(() -> UnreadableStatus.edited("step.fence.kind", kind, "is none of " + KINDS));
  }

  private static int attempt(String version) {
    try {
      return Integer.parseInt(version);
    } catch (NumberFormatException _) {
      throw UnreadableStatus.edited("step.fence.version", version, "is not a number");
    }
  }

  private RecordedSteps() {}
}
