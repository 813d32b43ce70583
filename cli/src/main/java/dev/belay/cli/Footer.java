package dev.belay.cli;

import static dev.belay.cli.Cluster.word;

import dev.belay.api.v1alpha1.StatefulClusterStatus.Blocked;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Refused;
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
    unmanaged(cluster).ifPresent(text -> lines.add(Line.of(text, Hue.CARE).hanging(2)));
    staleness().ifPresent(text -> lines.add(Line.of(text, Hue.CARE).hanging(2)));
    error().ifPresent(text -> lines.add(Line.of("error: ", Hue.BAD).and(text).hanging(2)));
    unhealthyConditions().forEach(lines::add);
    paused().ifPresent(text -> lines.add(Line.of("paused: ", Hue.CARE).and(text).hanging(2)));
    String since = cluster.forced().map(f -> sight.since(f.since())).orElse("");
    forced().ifPresent(t -> lines.add(Line.of("forced: ", Hue.BAD).and(t + since).hanging(2)));
    blocked().ifPresent(lines::add);
    // A refused revision that holds the line is told in full by what holds it.
    boolean told =
        cluster.blockedBy().filter(b -> word(b.rule()).equals("RevisionIsNotRefused")).isPresent();
    (told ? List.<String>of() : refused())
        .forEach(text -> lines.add(Line.of("refused: ", Hue.CARE).and(text).hanging(2)));
    asked().forEach(text -> lines.add(Line.of("asked: ", Hue.STRONG).and(text).hanging(2)));
    approval().ifPresent(text -> lines.add(Line.of("to approve: ", Hue.STRONG).and(text)));
    retry().ifPresent(text -> lines.add(Line.of("to try again: ", Hue.STRONG).and(text)));
    rollback().ifPresent(text -> lines.add(Line.of("to go back: ", Hue.STRONG).and(text)));
    step().ifPresent(text -> lines.add(Line.of("step: ", Hue.QUIET).and(text).hanging(2)));
    next().ifPresent(text -> lines.add(Line.of("then: ", Hue.QUIET).and(text).hanging(2)));
    Migrating.text(cluster)
        .ifPresent(text -> lines.add(Line.of("migrations: ", Hue.QUIET).and(text).hanging(2)));
    wayBack().ifPresent(text -> lines.add(Line.of("way back: ", Hue.QUIET).and(text).hanging(2)));
    cluster
        .owner()
        .filter(_ -> !cluster.released())
        .ifPresent(name -> lines.add(Line.of("operator: ", Hue.QUIET).and(name)));
    return lines;
  }

  /** After its release no operator acts on a cluster, until one selects it. */
  static Optional<String> unmanaged(Cluster cluster) {
    return cluster.released()
        ? Optional.of(
            "no operator acts on it: %s released it, and no other operator has claimed it; fix: label"
                    .formatted(cluster.owner().orElse("its last operator"))
                + " it so that the selector of a running operator matches")
        : Optional.empty();
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
        : Optional.of(sight.commands().approve(cluster));
  }

  Optional<String> paused() {
    return cluster.is("Paused", "True")
        ? Optional.of(
            "no member is touched; to go on: " + sight.commands().belay("resume", cluster))
        : Optional.empty();
  }

  /** While it lasts, and when it is spent and its annotation is still there. */
  Optional<String> forced() {
    return cluster
        .condition("Forced")
        .filter(c -> "True".equals(c.getStatus()) || "Spent".equals(c.getReason()))
        .map(c -> word(c.getMessage()));
  }

  List<String> refused() {
    return cluster.refused().stream().map(this::refusedText).toList();
  }

  private String refusedText(Refused r) {
    String what = word(r.version()).isEmpty() ? word(r.revision()) : word(r.version());
    String how =
        switch (word(r.cause())) {
          case "Failed" -> "failed" + (word(r.object()).isEmpty() ? "" : " on " + r.object());
          case "RolledBack" -> "rolled back";
          case "Aborted" -> "aborted";
          default -> Cluster.lower(r.cause());
        };
    String reason = word(r.reason()).isEmpty() ? "" : ": " + r.reason();
    return "%s of %s, %s%s%s".formatted(what, r.component(), how, reason, sight.since(r.since()));
  }

  /** What the operator has not acted on: not yet, or not while something stands in the way. */
  List<String> asked() {
    return cluster.unheeded().entrySet().stream()
        .map(e ->
            "%s (%s)%s, %s; to take it back, remove spec.requests.%s"
                .formatted(
                    e.getKey(),
                    e.getValue(),
                    by(e.getKey()),
                    why(e.getKey(), e.getValue()),
                    e.getKey()))
        .toList();
  }

  private String by(String verb) {
    String by = cluster.askedBy(verb);
    return by.isEmpty() ? "" : " by " + by;
  }

  private String why(String verb, String token) {
    return verb.equals("approve") && !token.equals(cluster.waitingFor())
        ? "has no effect: nothing waits for it"
        : "not acted on yet";
  }

  /** Where a person has to choose, the ways there are. */
  Optional<String> retry() {
    return choice() ? Optional.of(sight.commands().belay("retry", cluster)) : Optional.empty();
  }

  Optional<String> rollback() {
    boolean done =
        cluster.components().stream()
            .allMatch(c -> c.target() == null || cluster.withdrawn(c).isPresent());
    boolean open = new Asking(cluster, sight.commands(), sight.now(), "").closed().isEmpty();
    return choice() && !done && open
        ? Optional.of(sight.commands().belay("rollback", cluster))
        : Optional.empty();
  }

  private boolean choice() {
    return !cluster.refused().isEmpty() && cluster.is("Stalled", "True");
  }

  Optional<String> step() {
    return cluster.step().map(this::stepText);
  }

  private String stepText(Step step) {
    Integer attempts = step.attempts();
    String again = attempts == null || attempts < 2 ? "" : ", attempt " + attempts;
    return word(step.what()) + again + sight.since(step.since());
  }

  /** What is asked for midway and has to wait. */
  Optional<String> next() {
    return cluster.upgrade().map(u -> word(u.next())).filter(text -> !text.isEmpty());
  }

  Optional<String> wayBack() {
    return cluster.wayBack().flatMap(Footer::wayBack);
  }

  static Optional<String> wayBack(WayBack wayBack) {
    String reason = word(wayBack.reason());
    String because = reason.isEmpty() ? "" : ", " + reason;
    return switch (word(wayBack.floor())) {
      case "" -> reason.isEmpty() ? Optional.empty() : Optional.of("open" + because);
      case "unknown" -> Optional.of("unknown" + because);
      default -> Optional.of("not below " + wayBack.floor() + because);
    };
  }
}
