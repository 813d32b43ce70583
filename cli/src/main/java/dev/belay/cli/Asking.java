package dev.belay.cli;

import static dev.belay.cli.Cluster.word;

import dev.belay.api.v1alpha1.ComponentStatus;
import dev.belay.api.v1alpha1.StatefulClusterSpec.Trigger;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Refused;
import dev.belay.api.v1alpha1.StatefulClusterStatus.WayBack;
import dev.belay.core.model.Version;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a person may ask of a cluster as its status shows it, and what that writes into the spec. It
 * refuses only what could do nothing; whether a request is heeded, the operator decides.
 *
 * @param person who asks, for a token that people can read
 */
record Asking(Cluster cluster, Commands commands, Instant now, String person) {

  /** What comes of it. */
  sealed interface Answer {

    String says();

    /** These fields of the spec are written. */
    record Write(Map<String, Object> spec, String says) implements Answer {}

    /** It is so already, and nothing is written. */
    record Already(String says) implements Answer {}
  }

  Answer pause() {
    return cluster.paused()
        ? new Answer.Already(cluster.name() + " is paused already")
        : new Answer.Write(
            Map.of("paused", true),
            "%s is paused: no member is touched; to go on: %s"
                .formatted(cluster.name(), commands.belay("resume", cluster)));
  }

  Answer resume() {
    return cluster.paused()
        ? new Answer.Write(Map.of("paused", false), cluster.name() + " goes on")
        : new Answer.Already(cluster.name() + " is not paused");
  }

  Answer approve(@Nullable String token) {
    seen();
    String wanted = cluster.waitingFor();
    if (wanted.isEmpty()) {
      throw new Trouble(
          "nothing of %s waits for approval: it is %s".formatted(cluster.name(), cluster.phase()),
          commands.belay("explain", cluster) + " says what it waits for");
    }
    if (token != null && !token.equals(wanted)) {
      throw new Trouble(
          "%s waits for the approval of %s, not of %s".formatted(cluster.name(), wanted, token),
          "look at what changed (%s), then: %s"
              .formatted(commands.belay("explain", cluster), commands.approve(cluster)));
    }
    return wanted.equals(cluster.asked().get("approve"))
        ? new Answer.Already(wanted + " is approved already; the operator has not acted on it yet")
        : new Answer.Write(
            Map.of("requests", Map.of("approve", wanted)), "approved: " + wanted + follow());
  }

  Answer retry() {
    seen();
    boolean failed =
        cluster
            .condition("Error")
            .filter(c -> "True".equals(c.getStatus()) && !"InvalidSpec".equals(c.getReason()))
            .isPresent();
    if (cluster.refused().isEmpty() && !failed) {
      throw nothing("retry", "no revision is refused", commands.belay("explain", cluster));
    }
    return ask("retry");
  }

  Answer rollback() {
    seen();
    if (cluster.refused().stream().anyMatch(r -> back(r) && rollingOut(r.component()))
        && !cluster
            .condition("Error")
            .filter(c -> "RollbackFailed".equals(c.getReason()))
            .isPresent()) {
      return new Answer.Already(cluster.name() + " is rolling back already");
    }
    if (cluster.components().stream().allMatch(c -> c.target() == null)) {
      throw nothing("roll back", "no roll-out is under way", undo());
    }
    closed()
        .ifPresent(why -> {
          throw new Trouble(
              "there is no way back: " + why,
              "go forward: correct the template, or choose a higher version");
        });
    return ask("rollback");
  }

  Answer abort() {
    seen();
    if (cluster.components().stream().allMatch(c -> c.target() == null)) {
      throw nothing("abort", "no roll-out is under way", commands.belay("status", cluster));
    }
    boolean aborted =
        cluster.refused().stream().anyMatch(r -> word(r.cause()).equals("Aborted") && !back(r));
    return aborted
        ? new Answer.Already(cluster.name() + " is aborted already" + waysOut())
        : ask("abort");
  }

  /**
   * What the status says about the way back; empty when it is open as far as that can be seen. Of
   * several components it has one floor, and names whose: of the others only the operator can tell.
   */
  Optional<String> closed() {
    boolean alone = cluster.components().size() == 1;
    return cluster
        .wayBack()
        .flatMap(w ->
            cluster.components().stream()
                .filter(c -> alone || word(w.reason()).startsWith(c.name() + ": "))
                .filter(c -> c.target() != null)
                .flatMap(c -> closed(w, c).stream())
                .findFirst());
  }

  private static Optional<String> closed(WayBack wayBack, ComponentStatus component) {
    String floor = word(wayBack.floor());
    if (floor.isEmpty()) {
      return Optional.empty();
    }
    var good = component.lastGood();
    String last = good == null ? "" : word(good.version());
    boolean open =
        Version.parse(last)
            .flatMap(l -> Version.parse(floor).map(f -> !l.olderThan(f)))
            .orElse(false);
    String back = last.isEmpty() ? "" : " (%s was the last good one)".formatted(last);
    return open ? Optional.empty() : Footer.wayBack(wayBack).map(text -> text + back);
  }

  /** Whatever else was asked and not heeded yet is taken back: what is asked last is meant. */
  private Answer ask(String verb) {
    Map<String, String> waiting = cluster.unheeded();
    String before = waiting.get(verb);
    if (before != null) {
      return new Answer.Already(
          "%s is asked for already (%s); the operator has not acted on it yet"
              .formatted(verb, before));
    }
    var requests = new HashMap<String, @Nullable Object>();
    var instead = new StringBuilder();
    Stream.of("retry", "rollback", "abort")
        .filter(other -> !other.equals(verb) && waiting.containsKey(other))
        .forEach(other -> {
          requests.put(other, null);
          instead.append(", instead of %s (%s)".formatted(other, waiting.get(other)));
        });
    String token = token(verb);
    requests.put(verb, token);
    return new Answer.Write(
        Map.of("requests", requests),
        "asked for %s of %s (%s)%s".formatted(verb, cluster.name(), token, instead)
            + (verb.equals("abort") ? waysOut() : follow()));
  }

  /** Unlike every other of this verb, and readable in Git and in the history. */
  String token(String verb) {
    String base =
        now.truncatedTo(ChronoUnit.SECONDS) + "-" + person.replaceAll("[^A-Za-z0-9._-]", "");
    String token = base;
    for (int i = 2;
        token.equals(cluster.handled(verb)) || token.equals(cluster.asked().get(verb));
        i++) {
      token = base + "-" + i;
    }
    return token;
  }

  void seen() {
    if (cluster.status().isEmpty()) {
      throw new Trouble(
          "nobody looks after %s: no operator has written a status yet".formatted(cluster.name()),
          "start the operator, or widen its --namespace or --selector");
    }
  }

  private Trouble nothing(String verb, String why, String cure) {
    return new Trouble(
        "nothing to %s: %s of %s, it is %s".formatted(verb, why, cluster.name(), cluster.phase()),
        cure);
  }

  private String undo() {
    return cluster.resource().getSpec().trigger() == Trigger.VERSION
        ? "a version that is rolled out is left by a downgrade: if the system can do that, declare the"
            + " path in spec.upgrade.paths, then lower spec.version"
        : "to go back from a revision that is rolled out, revert the template where it is kept";
  }

  String follow() {
    return "; to follow it: " + commands.belay("status", cluster, "-w");
  }

  private String waysOut() {
    return "; members stay as they are. To go on: %s, to go back: %s, or change the template"
        .formatted(commands.belay("retry", cluster), commands.belay("rollback", cluster));
  }

  private boolean rollingOut(String component) {
    return cluster.component(component).filter(c -> c.target() != null).isPresent();
  }

  private static boolean back(Refused refused) {
    return Boolean.TRUE.equals(refused.withdrawing());
  }
}
