package dev.belay.cli;

import static dev.belay.cli.Cluster.word;

import dev.belay.api.v1alpha1.StatefulClusterStatus.Blocked;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Step;
import dev.belay.api.v1alpha1.StatefulClusterStatus.WayBack;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What there is to say about a cluster as a whole: what is wrong, what waits, what is done. */
record Footer(Cluster cluster, Sight sight) {

  static final String UNSEEN =
      "no operator has written a status yet; cure: start the operator, or widen its --namespace or"
          + " --selector";

  List<Line> lines() {
    var lines = new ArrayList<Line>();
    if (cluster.status().isEmpty()) {
      lines.add(Line.of(UNSEEN, Hue.CARE).hanging(2));
      return lines;
    }
    staleness().ifPresent(text -> lines.add(Line.of(text, Hue.CARE).hanging(2)));
    error().ifPresent(text -> lines.add(Line.of("error: ", Hue.BAD).and(text).hanging(2)));
    unhealthyConditions().forEach(lines::add);
    blocked().ifPresent(lines::add);
    approval().ifPresent(text -> lines.add(Line.of("to approve: ", Hue.STRONG).and(text)));
    step().ifPresent(text -> lines.add(Line.of("step: ", Hue.QUIET).and(text).hanging(2)));
    wayBack().ifPresent(text -> lines.add(Line.of("way back: ", Hue.QUIET).and(text).hanging(2)));
    return lines;
  }

  Optional<String> staleness() {
    return cluster.stale()
        ? Optional.of(
            "the operator has seen generation %d of the spec, it is at %d: what follows is older"
                .formatted(cluster.observedGeneration(), cluster.generation()))
        : Optional.empty();
  }

  /** The reason, and the message unless the line of the blocked object says the same. */
  Optional<String> error() {
    return cluster
        .condition("Error")
        .filter(c -> "True".equals(c.getStatus()))
        .map(c -> {
          String message = word(c.getMessage());
          boolean same =
              cluster.blockedBy().filter(b -> message.contains(Cluster.sentence(b))).isPresent();
          return word(c.getReason()) + (same || message.isEmpty() ? "" : ", " + message);
        });
  }

  private Stream<Line> unhealthyConditions() {
    return Stream.of("Ready", "Guarded")
        .flatMap(type -> cluster.condition(type).stream())
        .filter(c -> !"True".equals(c.getStatus()))
        .map(this::unhealthy);
  }

  private Line unhealthy(Condition c) {
    boolean unknown = "Unknown".equals(c.getStatus());
    String message = word(c.getMessage());
    return Line.of(
            (unknown ? "cannot see whether it is " : "not ") + Cluster.lower(c.getType()) + ": ",
            unknown ? Hue.CARE : Hue.BAD)
        .and(word(c.getReason()) + (message.isEmpty() ? "" : ", " + message))
        .and(sight.since(c.getLastTransitionTime()), Hue.QUIET)
        .hanging(2);
  }

  private Optional<Line> blocked() {
    return cluster.blockedBy().map(this::blockedLine);
  }

  private Line blockedLine(Blocked b) {
    return Line.of(word(b.object()) + " " + cluster.verb() + ": ", Hue.ofPhase(cluster.phase()))
        .and(Cluster.sentence(b))
        .and(sight.since(b.since()), Hue.QUIET)
        .hanging(2);
  }

  Optional<String> approval() {
    return cluster.waitingFor().isEmpty()
        ? Optional.empty()
        : Optional.of(sight.kubectl().approve(cluster));
  }

  Optional<String> step() {
    return cluster.step().map(this::stepText);
  }

  private String stepText(Step step) {
    Integer attempts = step.attempts();
    String again = attempts == null || attempts < 2 ? "" : ", attempt " + attempts;
    return word(step.what()) + again + sight.since(step.since());
  }

  Optional<String> wayBack() {
    return cluster.wayBack().map(Footer::wayBackText).filter(text -> !text.isEmpty());
  }

  private static String wayBackText(WayBack wayBack) {
    String reason = word(wayBack.reason());
    String because = reason.isEmpty() ? "" : ", " + reason;
    return switch (word(wayBack.floor())) {
      case "" -> reason.isEmpty() ? "" : "open" + because;
      case "unknown" -> "unknown" + because;
      default -> "not below " + wayBack.floor() + because;
    };
  }
}
