package dev.belay.drivers.bookkeeper;

import dev.belay.core.driver.Command;
import dev.belay.core.snapshot.Member;
import dev.belay.drivers.wire.Deadline;
import dev.belay.drivers.wire.Reply;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What bookies are told, and the words for it. The words of what has to be taken back are read
 * again from the record of the step: whoever recorded it may be gone.
 */
final class Orders {

  private static final String READ_ONLY = "readOnly";
  private static final String AUTORECOVERY = "autorecovery";
  private static final String DELAY = "delay";
  private static final String TO = "to";

  private static final Pattern DRAINS =
      Pattern.compile("make (\\S+) read-only before it goes down");
  private static final Pattern REOPENS = Pattern.compile("make (\\S+) writable again");
  private static final Pattern CLOSES =
      Pattern.compile("make (\\S+) read-only again, as it was before its restart");
  private static final Pattern STOPS =
      Pattern.compile("turn autorecovery off while (\\S+) is down: it hosts the auditor");
  private static final Pattern DELAYS =
      Pattern.compile("recover lost bookies after (\\d{1,9}) s instead of (\\d{1,9}) s");

  private Orders() {}

  /** Clients turn to other bookies at once, without waiting for one that does not answer. */
  static Command drain(Member bookie, String pod) {
    return to(
        bookie, pod, READ_ONLY, "true", "make " + bookie.name() + " read-only before it goes down");
  }

  static Command reopen(Member bookie, String pod) {
    return to(bookie, pod, READ_ONLY, "false", "make " + bookie.name() + " writable again");
  }

  /** A bookie forgets by its restart what its user had told it. */
  static Command close(Member bookie, String pod) {
    return to(
        bookie,
        pod,
        READ_ONLY,
        "true",
        "make " + bookie.name() + " read-only again, as it was before its restart");
  }

  static Command stopRecovery(Member through, String pod) {
    return to(
        through,
        pod,
        AUTORECOVERY,
        "false",
        "turn autorecovery off while " + pod + " is down: it hosts the auditor");
  }

  static Command resumeRecovery(Member through, String pod) {
    return to(through, pod, AUTORECOVERY, "true", "turn autorecovery on again");
  }

  static Command delay(Member through, String pod, long before, long seconds) {
    return to(
        through,
        pod,
        DELAY,
        Long.toString(seconds),
        "recover lost bookies after " + seconds + " s instead of " + before + " s");
  }

  static Command restoreDelay(Member through, String pod, long before) {
    return to(
        through,
        pod,
        DELAY,
        Long.toString(before),
        "recover lost bookies after " + before + " s again");
  }

  private static Command to(Member bookie, String pod, String verb, String value, String what) {
    return new Command(
        verb,
        bookie.id(),
        pod,
        what,
        bookie.reading(Command.TERM).asOptional().orElse(""),
        Map.of(TO, value));
  }

  /** The bookie that a step of these words makes read-only. */
  static Optional<String> drained(String what) {
    return found(DRAINS, what).map(m -> m.group(1));
  }

  /** The bookie that a step of these words makes writable again. */
  static Optional<String> reopened(String what) {
    return found(REOPENS, what).map(m -> m.group(1));
  }

  /** The bookie that a step of these words makes what its user had made it. */
  static Optional<String> closed(String what) {
    return found(CLOSES, what).map(m -> m.group(1));
  }

  /** The pod for which a step of these words turns autorecovery off. */
  static Optional<String> stoppedFor(String what) {
    return found(STOPS, what).map(m -> m.group(1));
  }

  /** What the delay was and what a step of these words makes it. */
  static Optional<Debts.Delay> delayed(String what) {
    return found(DELAYS, what)
        .map(m -> new Debts.Delay(Long.parseLong(m.group(2)), Long.parseLong(m.group(1))));
  }

  private static Optional<Matcher> found(Pattern words, String what) {
    return Optional.of(words.matcher(what)).filter(Matcher::matches);
  }

  static Reply<String> send(BookieClient client, Command command, Deadline until) {
    String value = command.arguments().getOrDefault(TO, "");
    return switch (command.verb()) {
      case READ_ONLY -> client.setReadOnly(Boolean.parseBoolean(value), until);
      case AUTORECOVERY -> client.setAutorecovery(Boolean.parseBoolean(value), until);
      case DELAY -> client.setDelay(Long.parseLong(value), until);
      default -> new Reply.Failed<>("knows no command " + command.verb());
    };
  }

  /** The key of the reading that a command changes, and what it makes of it. */
  static Map.Entry<String, String> effect(Command command) {
    String value = command.arguments().getOrDefault(TO, "");
    return switch (command.verb()) {
      case READ_ONLY ->
          Map.entry(Readings.MODE, value.equals("true") ? Readings.READ_ONLY : Readings.WRITABLE);
      case AUTORECOVERY ->
          Map.entry(Readings.AUTORECOVERY, value.equals("true") ? Readings.ON : Readings.OFF);
      default -> Map.entry(Readings.DELAY, value);
    };
  }
}
