package dev.belay.core.decide;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.model.Among;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Ledger;
import dev.belay.core.model.Ledger.Operation;
import dev.belay.core.model.Spec.MigrationRequest;
import dev.belay.core.model.Spec.Requests;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.Course;
import dev.belay.core.rules.Floor;
import dev.belay.core.rules.Reasons;
import dev.belay.core.state.Decision;
import dev.belay.core.state.Decision.Perform;
import dev.belay.core.state.Fence;
import dev.belay.core.state.Memory.Handled;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Recording;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.core.state.Step.Request;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a person asks for once. A token counts until it was handled; what stops more goes first, so
 * that two of them in one write mean the more careful one, and then the other.
 */
public record Asked(Snapshot snapshot, Function<Component, SystemPolicy> policies) {

  /**
   * What was asked for before this cluster was first looked at was said about an earlier life of
   * it: whoever said it did not see what is there now. It is handled with the first look.
   */
  static List<String> leftOver(Snapshot snapshot) {
    if (snapshot.memory().owner().isPresent()) {
      return List.of();
    }
    return Arrays.stream(Request.values())
        .flatMap(r -> token(snapshot.spec().requests(), r).map(t -> r + " (" + t + ")").stream())
        .toList();
  }

  /** What is asked for, handled or not. */
  public static Optional<String> token(Requests requests, Request request) {
    return switch (request) {
      case RETRY -> requests.retry();
      case ROLLBACK -> requests.rollback();
      case ABORT -> requests.abort();
      case MIGRATION -> requests.migration().map(MigrationRequest::token);
    };
  }

  Optional<Decision> first() {
    if (unseen().isPresent()) {
      return Optional.empty();
    }
    Requests asked = snapshot.spec().requests();
    Handled handled = snapshot.memory().handled();
    // Of several that nobody has heard yet, going on comes first: the others take it back.
    return fresh(asked.retry(), handled.retry())
        .map(token -> heed(Request.RETRY, token))
        .or(() -> fresh(asked.abort(), handled.abort()).map(token -> heed(Request.ABORT, token)))
        .or(() -> fresh(asked.rollback(), handled.rollback()).map(this::rollback))
        .or(() ->
            asked
                .migration()
                .filter(m -> !m.token().equals(handled.migration()))
                .flatMap(m ->
                    snapshot
                        .ledger()
                        .asOptional()
                        .filter(Ledger::isRead)
                        .flatMap(l -> verdict(m, l))));
  }

  private Optional<Component> unseen() {
    return Among.first(
        snapshot.components(), c -> c.workload().asOptional().filter(Workload::observed).isEmpty());
  }

  /**
   * What cannot be seen cannot be stopped or turned back: the request is kept until it can. That is
   * said, and meanwhile nobody is taken further where a person wants the contrary.
   */
  Decision keeping(Decision next) {
    Requests asked = snapshot.spec().requests();
    Handled handled = snapshot.memory().handled();
    Optional<String> kept =
        fresh(asked.abort(), handled.abort())
            .map(token -> Request.ABORT + " (" + token + ")")
            .or(() ->
                fresh(asked.rollback(), handled.rollback())
                    .map(token -> Request.ROLLBACK + " (" + token + ")"));
    boolean stays =
        next instanceof Perform(Step step)
            && !(step instanceof Step.SetTemplate)
            && (!(step instanceof Step.Disruptive) || (step instanceof Step.Tell t && t.mends()));
    return unseen()
        .filter(_ -> kept.isPresent() && !stays)
        .<Decision>map(c -> {
          var objections = new ArrayList<Objection>();
          objections.add(
              Reasons.WORKLOAD_IS_OBSERVED.objection(
                  c.spec().workload(),
                  "the request to "
                      + kept.get()
                      + " is kept until it can be seen: "
                      + (c.workload() instanceof Fact.Unknown<Workload>(String why)
                          ? why
                          : "its controller has not seen its newest spec"),
                  "see that it can be read, and that its controller works",
                  c.workload() instanceof Fact.Unknown
                      ? Objection.Weight.WAIT
                      : Objection.Weight.PROGRESS));
          if (next instanceof Decision.Hold) {
            return next.also(objections);
          }
          objections.addAll(next.objections());
          return new Decision.Wait(objections);
        })
        .orElse(next);
  }

  /** Heard once the operation is no failed one any more: that is what was asked for. */
  private Optional<Decision> verdict(MigrationRequest asked, Ledger ledger) {
    Optional<Operation> operation = Among.first(ledger.operations(), o -> o.id() == asked.id());
    Optional<String> refused =
        ledger.answer().filter(a -> a.token().equals(asked.token())).map(Ledger.Answer::why);
    // What somebody queued by hand and was left out is in sight no more.
    boolean told =
        snapshot.memory().step().filter(s -> Recording.settles(s, asked.token())).isPresent();
    boolean over = operation.map(o -> !o.is(Ledger.Status.FAILED)).orElse(told);
    if (over) {
      return Optional.of(heed(Request.MIGRATION, asked.token()));
    }
    if (operation.isEmpty() || refused.isPresent()) {
      return Optional.of(
          Decision.because(
              List.of(
                  Reasons.MIGRATIONS_SUCCEED.objection(
                      "spec.requests.migration",
                      refused.orElse("there is no operation " + asked.id() + " that is not over"),
                      "correct it and give it another token, or take it away",
                      Objection.Weight.HUMAN))));
    }
    Operation failed = operation.get();
    var fence = new Fence.Verdict(failed.key(), failed.attempt());
    return Optional.of(
        new Perform(new Step.Settle("", fence, failed, asked, snapshot.spec().requests().by())));
  }

  private static Optional<String> fresh(Optional<String> token, String handled) {
    return token.filter(t -> !t.equals(handled));
  }

  /** Asked to go back, Belay does not go on forward: it goes back or says why it cannot. */
  private Decision rollback(String token) {
    List<Objection> closed =
        firstToGoBack().stream()
            .flatMap(c -> new Floor(snapshot, c, policies.apply(c)).objection().stream())
            .map(o ->
                o.reason()
                    .objection(
                        o.object(),
                        o.reading(),
                        "take spec.requests.rollback away, and " + o.cure(),
                        o.weight()))
            .toList();
    return closed.isEmpty() ? heed(Request.ROLLBACK, token) : Decision.because(closed);
  }

  /**
   * Components go back in reverse: the last one with a member on the new revision begins. The
   * others speak when it is their turn.
   */
  private Optional<Component> firstToGoBack() {
    List<Component> underWay = Among.those(snapshot.components(), this::underWay);
    return Among.first(
        underWay.reversed(),
        c -> underWay.size() == 1 || !new Course(snapshot, c).arrived().isEmpty());
  }

  /** Whether there is something to go back from. */
  private boolean underWay(Component component) {
    return component.workload() instanceof Fact.Known<Workload>(Workload w)
        && snapshot
            .memory()
            .component(component.name())
            .target()
            .filter(t -> t.revision().equals(w.updateRevision()))
            .isPresent();
  }

  private Decision heed(Request request, String token) {
    return new Perform(
        new Step.Heed("", new Fence.Cluster(snapshot.subject().name()), request, token));
  }
}
