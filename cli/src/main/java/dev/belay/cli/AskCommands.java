package dev.belay.cli;

import dev.belay.cli.Asking.Answer;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The verbs by which a person takes part: each writes one field of the spec. */
final class AskCommands {

  static final String EXIT_CODES = "%nExit codes:%n";
  private static final String DONE = "0:written, or it was so already";
  private static final String NOT = "4:refused, no such cluster, no access, wrong arguments";

  static List<Object> all(Terminal terminal, Clock clock) {
    return List.of(
        new Pause(new Subject(terminal, clock)),
        new Resume(new Subject(terminal, clock)),
        new Approve(new Subject(terminal, clock)),
        new Retry(new Subject(terminal, clock)),
        new Rollback(new Subject(terminal, clock)),
        new Abort(new Subject(terminal, clock)));
  }

  /** What all of them take. */
  static final class Subject {

    /** The operator writes the status all the time, and each of its writes can be in the way. */
    private static final int TRIES = 8;

    @Parameters(index = "0", paramLabel = "NAME", description = "The StatefulCluster.")
    private String name = "";

    @Option(
        names = {"-o", "--output"},
        paramLabel = "FORMAT",
        description = "Prints the object as it is then: ${COMPLETION-CANDIDATES}.")
    private @Nullable Format format;

    @Mixin private CommonOptions common = new CommonOptions();

    private final Terminal process;
    private final Clock clock;

    Subject(Terminal process, Clock clock) {
      this.process = process;
      this.clock = clock;
    }

    int ask(Function<Asking, Answer> question) {
      Terminal terminal = common.on(process);
      try (Clusters clusters = common.open()) {
        for (int i = 0; i < TRIES; i++) {
          GenericKubernetesResource raw = clusters.get(name);
          Answer answer =
              question.apply(
                  new Asking(clusters.read(raw), common.commands(), clock.instant(), person()));
          Optional<GenericKubernetesResource> written =
              switch (answer) {
                case Answer.Already _ -> Optional.of(raw);
                case Answer.Write(var spec, var _) -> clusters.write(raw, spec);
              };
          if (written.isPresent()) {
            say(terminal, clusters, answer, written.get());
            return Exit.OK.code();
          }
        }
        throw new Trouble(
            "%s was changed by somebody else %d times while it was read".formatted(name, TRIES),
            "run it again");
      }
    }

    private void say(
        Terminal terminal, Clusters clusters, Answer answer, GenericKubernetesResource now) {
      if (format == null) {
        terminal.print(List.of(Line.of(answer.says()).hanging(2)));
        return;
      }
      now.getMetadata().setManagedFields(List.of());
      terminal.out().println(clusters.document(format, now).stripTrailing());
      terminal.out().flush();
    }

    private static String person() {
      return System.getProperty("user.name", "");
    }
  }

  /** {@code belay pause}. */
  @Command(
      name = "pause",
      description = {
        "Touches no member until resumed.",
        "",
        "Sets spec.paused. What is under way stays as it is: a member that restarts comes back, a"
            + " release that has not struck is taken back, the partition stays. Changes of the"
            + " template are frozen as always.",
        ""
      },
      sortOptions = false,
      exitCodeListHeading = EXIT_CODES,
      exitCodeList = {DONE, NOT})
  static final class Pause implements Callable<Integer> {

    @Mixin private final Subject subject;

    Pause(Subject subject) {
      this.subject = subject;
    }

    @Override
    public Integer call() {
      return subject.ask(Asking::pause);
    }
  }

  /** {@code belay resume}. */
  @Command(
      name = "resume",
      description = {"Goes on after a pause: sets spec.paused to false.", ""},
      sortOptions = false,
      exitCodeListHeading = EXIT_CODES,
      exitCodeList = {DONE, NOT})
  static final class Resume implements Callable<Integer> {

    @Mixin private final Subject subject;

    Resume(Subject subject) {
      this.subject = subject;
    }

    @Override
    public Integer call() {
      return subject.ask(Asking::resume);
    }
  }

  /** {@code belay approve}. */
  @Command(
      name = "approve",
      description = {
        "Agrees to what status.waitingFor names, and to nothing else.",
        "",
        "Sets spec.requests.approve. Refused when nothing waits.",
        ""
      },
      sortOptions = false,
      exitCodeListHeading = EXIT_CODES,
      exitCodeList = {DONE, NOT})
  static final class Approve implements Callable<Integer> {

    @Option(
        names = "--token",
        paramLabel = "TEXT",
        description =
            "What is agreed to; refused when it is not what waits now. Default: what waits now.")
    private @Nullable String token;

    @Mixin private final Subject subject;

    Approve(Subject subject) {
      this.subject = subject;
    }

    @Override
    public Integer call() {
      return subject.ask(asking -> asking.approve(token));
    }
  }

  /** {@code belay retry}. */
  @Command(
      name = "retry",
      description = {
        "Tries a revision again that failed, was rolled back or aborted.",
        "",
        "Sets spec.requests.retry. A member that is stuck is made anew, times count from now, and"
            + " all gates hold as before. Refused when no revision is.",
        ""
      },
      sortOptions = false,
      exitCodeListHeading = EXIT_CODES,
      exitCodeList = {DONE, NOT})
  static final class Retry implements Callable<Integer> {

    @Mixin private final Subject subject;

    Retry(Subject subject) {
      this.subject = subject;
    }

    @Override
    public Integer call() {
      return subject.ask(Asking::retry);
    }
  }

  /** {@code belay rollback}. */
  @Command(
      name = "rollback",
      description = {
        "Takes the updated members back to the last good revision, one by one.",
        "",
        "Sets spec.requests.rollback. The set is frozen, then every updated member is made anew"
            + " through the same gates and comes back old; the template is not written, so that Git"
            + " is not contradicted. Refused when no roll-out is under way, and below the floor in"
            + " status.wayBack.",
        ""
      },
      sortOptions = false,
      exitCodeListHeading = EXIT_CODES,
      exitCodeList = {DONE, NOT})
  static final class Rollback implements Callable<Integer> {

    @Mixin private final Subject subject;

    Rollback(Subject subject) {
      this.subject = subject;
    }

    @Override
    public Integer call() {
      return subject.ask(Asking::rollback);
    }
  }

  /** {@code belay abort}. */
  @Command(
      name = "abort",
      description = {
        "Stops a roll-out where it stands.",
        "",
        "Sets spec.requests.abort. The set is frozen and the members stay as they are, old ones and"
            + " new ones, until retry, rollback or another template. Refused when no roll-out is"
            + " under way.",
        ""
      },
      sortOptions = false,
      exitCodeListHeading = EXIT_CODES,
      exitCodeList = {DONE, NOT})
  static final class Abort implements Callable<Integer> {

    @Mixin private final Subject subject;

    Abort(Subject subject) {
      this.subject = subject;
    }

    @Override
    public Integer call() {
      return subject.ask(Asking::abort);
    }
  }

  private AskCommands() {}
}
