package dev.belay.core.decide;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Ledger;
import dev.belay.core.model.Ledger.Operation;
import dev.belay.core.model.Ledger.Phase;
import dev.belay.core.model.Ledger.Status;
import dev.belay.core.model.Spec;
import dev.belay.core.state.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The database's queue in a {@link ScriptedWorld}: an operation ends when the script says so. */
final class ScriptedQueue {

  Optional<Spec.Migrations> declared = Optional.empty();
  private final List<Operation> operations = new ArrayList<>();
  private Optional<Ledger.Closed> closed = Optional.empty();
  private Optional<String> lost = Optional.empty();
  private Optional<Ledger.Answer> answer = Optional.empty();
  private String misfit = "";
  private Optional<Ledger.Holder> holder = Optional.empty();
  private Optional<Ledger.Hitch> hitch = Optional.empty();
  private Optional<Ledger.Denied> denied = Optional.empty();
  private String current = "";
  private long ids;

  Fact<Ledger> ledger() {
    return lost.<Fact<Ledger>>map(Fact::unknown)
        .orElseGet(() ->
            denied
                .filter(Ledger.Denied::unread)
                .map(d -> Fact.known(Ledger.unread(d)))
                .orElseGet(() ->
                    Fact.known(
                        new Ledger(operations, closed, misfit, holder, hitch, answer, denied))));
  }

  /** True when the word was one for the queue. */
  boolean command(String[] words, Instant now) {
    String arg = words.length > 1 ? words[1] : "";
    switch (words[0]) {
      case "migrations" -> declare("etcd", false, Duration.ZERO);
      case "no-migrations" -> declared = Optional.empty();
      case "contract-soak" ->
          declare("etcd", declared.orElseThrow().approval(), Duration.parse("PT" + arg));
      case "contract-approval" -> declare("etcd", true, declared.orElseThrow().soak());
      case "migration" ->
          operations.add(
              new Operation(
                  0,
                  arg,
                  rest(words, 4),
                  Optional.of(Phase.valueOf(words[2])),
                  Status.PENDING,
                  "",
                  words[3].equals("reversible"),
                  0));
      case "by-hand" ->
          operations.add(
              new Operation(
                  ++ids, "", rest(words, 1), Optional.empty(), Status.PENDING, "", false, 0));
      case "migrated" -> end(Status.DONE, "");
      case "migration-fails" -> end(Status.FAILED, rest(words, 1));
      case "left-behind" -> end(Status.valueOf(arg), "");
      case "another-governor" -> holder = Optional.of(Ledger.Holder.working(rest(words, 1)));
      case "idle-governor" ->
          holder =
              Optional.of(
                  new Ledger.Holder(rest(words, 1), Fact.known(Optional.of(now)), "end it"));
      case "hidden-governor" ->
          holder =
              Optional.of(
                  new Ledger.Holder(rest(words, 1), Fact.unknown("no right to see it"), "end it"));
      case "no-governor" -> holder = Optional.empty();
      case "denied", "denied-to-read" ->
          denied =
              Optional.of(
                  new Ledger.Denied(
                      rest(words, 1), "GRANT ALL", words[0].equals("denied-to-read")));
      case "granted" -> denied = Optional.empty();
      case "refused-to-begin", "hindered" -> {
        holder = Optional.empty();
        boolean person = words[0].equals("refused-to-begin");
        hitch = Optional.of(new Ledger.Hitch(rest(words, 1), person, now));
      }
      case "misfit" -> misfit = rest(words, 1);
      case "fits" -> misfit = "";
      case "database-lost" -> lost = Optional.of(rest(words, 1));
      case "database-back" -> lost = Optional.empty();
      default -> {
        return false;
      }
    }
    return true;
  }

  private void declare(String component, boolean approval, Duration soak) {
    declared = Optional.of(new Spec.Migrations(component, approval, soak));
  }

  void begin(Step.Migrate step) {
    operations.replaceAll(
        o -> o.id() == 0 && step.versions().contains(o.version()) ? o.at(++ids, o.status()) : o);
    current = step.operation().key();
    holder = Optional.of(Ledger.Holder.working("this operator"));
  }

  /** As a database with transactional DDL shows it: pending to everybody else until it is done. */
  private void end(Status status, String text) {
    holder = Optional.empty();
    operations.replaceAll(o -> {
      if (!o.key().equals(current)) {
        return o;
      }
      if (!o.reversible() && !o.custom() && status != Status.PENDING) {
        closed = Optional.of(new Ledger.Closed(o.version(), o.title()));
      }
      return with(o, status, text, o.attempt());
    });
  }

  void settle(Step.Settle step) {
    if (step.request().verdict() == Spec.Verdict.NOT_APPLIED) {
      answer =
          Optional.of(
              new Ledger.Answer(
                  step.request().token(),
                  "operation " + step.operation().id() + " is not in doubt"));
      return;
    }
    boolean retry = step.request().verdict() == Spec.Verdict.RETRY;
    operations.replaceAll(o ->
        o.id() == step.operation().id()
            ? with(o, retry ? Status.PENDING : Status.DONE, "", o.attempt() + 1)
            : o);
    operations.removeIf(o -> o.custom() && o.is(Status.DONE));
  }

  private static Operation with(Operation o, Status status, String text, int attempt) {
    return new Operation(
        o.id(), o.version(), o.description(), o.phase(), status, text, o.reversible(), attempt);
  }

  private static String rest(String[] words, int from) {
    return String.join(" ", List.of(words).subList(from, words.length));
  }
}
