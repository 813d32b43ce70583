package dev.belay.operator.migrations;

import dev.belay.api.v1alpha1.MigrationsSpec;
import dev.belay.core.loop.Loop.Acted;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Ledger;
import dev.belay.core.state.Step;
import dev.belay.drivers.DriverConfig;
import dev.belay.governor.Coupling;
import dev.belay.governor.Coupling.Outcome;
import dev.belay.governor.Coupling.Permit;
import dev.belay.governor.Refusal;
import dev.belay.governor.files.Migration.Phase;
import dev.belay.governor.jdbc.Target;
import dev.belay.operator.Secrets;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One database and its governor. Nothing that must outlive this process is kept here: the queue is
 * the memory of the migrations.
 */
final class Workbench {

  /** A database that takes longer is unknown for this look; the loop does not wait for it. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /**
   * Nothing begins later than this after the look it was decided on: the record knows no longer.
   */
  private static final Duration STALE = Duration.ofSeconds(8);

  private final KubernetesClient client;
  private final String owner;
  private final Clock clock;
  private final AtomicBoolean deciding = new AtomicBoolean();

  private @Nullable CompletableFuture<Reading> reading;
  private @Nullable Reading last;
  private volatile String current = "";
  private volatile Optional<Ledger.Hitch> hitch = Optional.empty();
  private volatile Optional<Ledger.Answer> answer = Optional.empty();

  /** What was read, and with what. */
  private record Reading(
      Target target, Coupling coupling, Map<String, String> sources, Fact<Ledger> ledger) {}

  Workbench(KubernetesClient client, String owner, Clock clock) {
    this.client = client;
    this.owner = owner;
    this.clock = clock;
  }

  /** Reads anew, beside the loop, and takes what is there in time. */
  synchronized Fact<Ledger> look(String namespace, MigrationsSpec spec) {
    if (reading != null && !reading.isDone()) {
      return Fact.unknown("the database of the migrations has not answered an earlier look yet");
    }
    var next = new CompletableFuture<Reading>();
    Optional<Reading> before = Optional.ofNullable(last);
    reading = next;
    Thread.ofVirtual()
        .name("migrations of " + namespace)
        .start(() -> {
          try {
            next.complete(read(namespace, spec, before));
          } catch (RuntimeException e) {
            next.completeExceptionally(e);
          }
        });
    try {
      last = next.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      return last.ledger();
    } catch (TimeoutException e) {
      return Fact.unknown("the database of the migrations did not answer in time");
    } catch (ExecutionException e) {
      return Fact.unknown(words(e.getCause()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Fact.unknown("looking at the migrations was interrupted");
    }
  }

  private static String words(@Nullable Throwable cause) {
    return cause instanceof KubernetesClientException k && k.getStatus() != null
        ? String.valueOf(k.getStatus().getMessage())
        : String.valueOf(cause == null ? "no reason given" : cause.getMessage());
  }

  private Reading read(String namespace, MigrationsSpec spec, Optional<Reading> before) {
    Map<String, String> sources =
        new Secrets(client).texts(namespace, spec.source(), "spec.migrations.source");
    Target target = target(namespace, spec.database());
    // What was refused may have been right for other files, or another database.
    if (before
        .filter(b -> !b.target().equals(target) || !b.sources().equals(sources))
        .isPresent()) {
      hitch = Optional.empty();
    }
    // Whoever is at work is asked until it is through, wherever the next one will be.
    Coupling coupling =
        before
            .filter(b -> b.target().equals(target) || b.coupling().busy())
            .map(Reading::coupling)
            .orElseGet(() -> new Coupling(List.of(target), List.of(), owner));
    // Asked before and after: an operation that ends meanwhile was seen at its beginning.
    boolean busy = coupling.busy();
    var standing = coupling.standing(sources);
    boolean atWork = busy || coupling.busy();
    return new Reading(
        target,
        coupling,
        sources,
        Ledgers.of(standing, clock.instant(), atWork ? current : "", hitch, answer));
  }

  private Target target(String namespace, MigrationsSpec.Database database) {
    Optional<DriverConfig.Auth> auth =
        Optional.ofNullable(database.auth())
            .map(a -> new Secrets(client).auth(namespace, a, "spec.migrations.database.auth"));
    try {
      return new Target(
          database.jdbc(namespace),
          auth.map(DriverConfig.Auth::username).orElse(""),
          auth.map(DriverConfig.Auth::password));
    } catch (Refusal e) {
      throw new IllegalStateException("spec.migrations.database: " + e.getMessage(), e);
    }
  }

  synchronized Acted migrate(Step.Migrate step, Instant decided, Runnable wake) {
    if (last == null) {
      return new Acted(false, "the database was not looked at");
    }
    var operation = step.operation();
    var permit =
        new Permit(
            operation.phase().map(p -> Set.of(Phase.valueOf(p.name()))).orElse(Set.of()),
            operation.custom(),
            operation.key(),
            step.versions()::contains,
            () -> clock.instant().isBefore(decided.plus(STALE)));
    if (!last.coupling().busy()) {
      current = operation.key();
    }
    boolean begun =
        last.coupling()
            .begin(
                last.sources(),
                permit,
                outcome -> {
                  hitch = hitch(outcome);
                  wake.run();
                });
    return new Acted(begun, begun ? "" : "an operation is under way");
  }

  /** What became of the operation is in the queue; only what never began is said here. */
  private Optional<Ledger.Hitch> hitch(Outcome outcome) {
    return switch (outcome.ending()) {
      case RAN, DRAINED, STOPPED -> Optional.empty();
      case WAITING, UNREACHABLE ->
          Optional.of(new Ledger.Hitch(outcome.text(), false, clock.instant()));
      case REFUSED -> Optional.of(new Ledger.Hitch(outcome.text(), true, clock.instant()));
    };
  }

  synchronized Acted settle(Step.Settle step, Runnable wake) {
    if (last == null || !deciding.compareAndSet(false, true)) {
      return new Acted(false, "a decision is being written");
    }
    Reading with = last;
    String by = step.by().isEmpty() ? "a StatefulCluster" : step.by();
    Thread.ofVirtual()
        .name("decision on a migration")
        .start(() -> {
          try {
            answer =
                with.coupling()
                    .decide(
                        step.operation().id(),
                        step.operation().attempt(),
                        Coupling.Decision.valueOf(step.request().verdict().name()),
                        with.sources(),
                        by + " (" + step.request().token() + ")")
                    .map(why -> new Ledger.Answer(step.request().token(), why));
          } finally {
            deciding.set(false);
            wake.run();
          }
        });
    return new Acted(true, "");
  }
}
