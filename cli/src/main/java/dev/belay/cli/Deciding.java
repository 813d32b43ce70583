package dev.belay.cli;

import static dev.belay.cli.Cluster.word;

import dev.belay.api.v1alpha1.MigrationsSpec.Request;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Migrations;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Operation;
import dev.belay.cli.Asking.Answer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a person decides about the migration that failed, and what that writes into the spec. Like
 * {@link Asking}, it refuses only what could do nothing.
 */
record Deciding(Asking asking) {

  /** A decision, as spec.requests.migration has it. */
  enum Verdict {
    RETRY("retry", null),
    SKIP("skip", null),
    APPLIED("resolve", true),
    NOT_APPLIED("resolve", false);

    private final String action;
    private final @Nullable Boolean applied;

    Verdict(String action, @Nullable Boolean applied) {
      this.action = action;
      this.applied = applied;
    }

    private boolean is(Request request) {
      return request.action().name().toLowerCase(Locale.ROOT).equals(action)
          && (applied == null || applied.equals(request.applied()));
    }
  }

  /**
   * Decides.
   *
   * @param id the operation that is meant; null: the one that failed
   * @param given a token of one's own
   */
  Answer on(Verdict verdict, @Nullable Long id, @Nullable String given) {
    asking.seen();
    Operation failed = failed(verdict);
    long number = failed.id() == null ? 0 : failed.id();
    if (id != null && id != number) {
      throw new Trouble(
          "operation %d of %s waits for no decision; the one that failed is %d, %s"
              .formatted(id, cluster().name(), number, title(failed)),
          "look at it, then: " + command(verdict, number));
    }
    Optional<Request> before = cluster().decision().filter(_ -> waits());
    if (before.filter(r -> r.id() == number && verdict.is(r) && given == null).isPresent()) {
      return new Answer.Already(
          "%s of operation %d is asked for already (%s); the operator has not acted on it yet"
              .formatted(verdict.action, number, before.get().token()));
    }
    String token = given == null ? asking.token("migration") : given;
    if (token.equals(cluster().handled("migration"))) {
      throw new Trouble(
          "the token %s was handled already, and counts once".formatted(token),
          "give another one, or leave --token out");
    }
    // A merge would keep what was found by a resolve before.
    var request = new HashMap<String, @Nullable Object>();
    request.put("id", number);
    request.put("action", verdict.action);
    request.put("applied", verdict.applied);
    request.put("token", token);
    return new Answer.Write(
        Map.of("requests", Map.of("migration", request)),
        "asked for %s of operation %d, %s (%s)%s"
            .formatted(verdict.action, number, title(failed), token, asking.follow()));
  }

  private Operation failed(Verdict verdict) {
    if (cluster().resource().getSpec().migrations() == null) {
      throw new Trouble(
          "%s declares no migrations".formatted(cluster().name()),
          "spec.migrations names a database and its files; a queue without a roll-out has"
              + " belay governor "
              + verdict.action);
    }
    Optional<Migrations> known = cluster().migrations();
    String trouble = known.map(m -> word(m.trouble())).orElse("");
    return known
        .flatMap(m -> Optional.ofNullable(m.operation()))
        .filter(o -> word(o.status()).equals("failed"))
        .orElseThrow(() -> {
          String state = Migrating.text(cluster()).map(t -> ": " + t).orElse("");
          return new Trouble(
              "no migration of %s waits for a decision%s".formatted(cluster().name(), state),
              trouble.isEmpty()
                  ? asking.commands().belay("explain", cluster()) + " says what it waits for"
                  : "make the database readable first");
        });
  }

  /** Not heeded, and not refused either: a request that was refused is asked anew. */
  private boolean waits() {
    return cluster().unheeded().containsKey("migration")
        && cluster()
            .blockedBy()
            .filter(b -> "spec.requests.migration".equals(b.object()))
            .isEmpty();
  }

  private static String title(Operation o) {
    String name = (word(o.version()) + " " + word(o.description())).strip();
    return name.isEmpty() ? "queued by hand" : name;
  }

  private String command(Verdict verdict, long number) {
    var words = new ArrayList<>(List.of("--id", String.valueOf(number)));
    if (verdict.applied != null) {
      words.add(verdict.applied ? "--applied" : "--not-applied");
    }
    return asking
        .commands()
        .belay("migration " + verdict.action, cluster(), words.toArray(String[]::new));
  }

  private Cluster cluster() {
    return asking.cluster();
  }
}
