package dev.belay.api.v1alpha1;

import static dev.belay.api.v1alpha1.StatusMapping.text;

import dev.belay.core.model.Ledger;
import dev.belay.core.model.Spec;
import dev.belay.core.report.Report;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Migrations between the resource and core, both ways. */
final class Migrating {

  static Optional<Spec.Migrations> spec(StatefulClusterSpec spec) {
    return Optional.ofNullable(spec.migrations())
        .map(m ->
            new Spec.Migrations(
                Optional.ofNullable(m.component())
                    .orElseGet(() -> spec.components().getFirst().name()),
                m.approval() == MigrationsSpec.Approval.BEFORE_CONTRACT,
                m.soak() == null
                    ? Duration.ZERO
                    : Durations.parse("spec.migrations.soak", m.soak())));
  }

  static Optional<Spec.MigrationRequest> request(MigrationsSpec.@Nullable Request request) {
    return Optional.ofNullable(request)
        .map(r ->
            new Spec.MigrationRequest(
                r.id(),
                switch (r.action()) {
                  case RETRY -> Spec.Verdict.RETRY;
                  case SKIP -> Spec.Verdict.SKIP;
                  case RESOLVE ->
                      Boolean.TRUE.equals(r.applied())
                          ? Spec.Verdict.APPLIED
                          : Spec.Verdict.NOT_APPLIED;
                },
                r.token()));
  }

  static StatefulClusterStatus.@Nullable Migrations status(Report report) {
    return report
        .migrations()
        .map(m ->
            new StatefulClusterStatus.Migrations(
                phase(m, Ledger.Phase.EXPAND),
                phase(m, Ledger.Phase.FINALIZE),
                phase(m, Ledger.Phase.CONTRACT),
                m.pending(),
                m.done(),
                m.operation().map(Migrating::operation).orElse(null),
                text(m.trouble())))
        .orElse(null);
  }

  private static @Nullable String phase(
      dev.belay.core.report.Migrating migrating, Ledger.Phase phase) {
    return Optional.ofNullable(migrating.phases().get(phase))
        .map(Ledger.Status::toString)
        .orElse(null);
  }

  private static StatefulClusterStatus.Operation operation(Ledger.Operation o) {
    return new StatefulClusterStatus.Operation(
        o.id() == 0 ? null : o.id(),
        text(o.version()),
        text(o.description()),
        o.phase().map(Ledger.Phase::toString).orElse(null),
        o.status().toString(),
        o.reversible(),
        text(o.text()));
  }

  private Migrating() {}
}
