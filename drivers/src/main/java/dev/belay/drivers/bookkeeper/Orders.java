package dev.belay.drivers.bookkeeper;

import dev.belay.core.model.Member;
import dev.belay.core.state.Command;
import dev.belay.drivers.wire.Deadline;
import dev.belay.drivers.wire.Reply;
import java.util.Map;
import java.util.Optional;

/** The commands to bookies. */
final class Orders {

  private static final String READ_ONLY = "readOnly";
  private static final String AUTORECOVERY = "autorecovery";
  private static final String DELAY = "delay";

  private static final String TO = "to";

  /** The delay before the command, in seconds. */
  private static final String BEFORE = "before";

  /** Tells a command that makes the cluster again what it was from one that prepares a restart. */
  private static final String RESTORES = "restores";

  private Orders() {}

  /** Clients turn to other bookies at once, without waiting for one that does not answer. */
  static Command drain(Member bookie, String pod) {
    return command(
        bookie,
        pod,
        READ_ONLY,
        "make " + bookie.name() + " read-only before it goes down",
        Map.of(TO, "true"));
  }

  static Command reopen(Member bookie, String pod) {
    return restore(bookie, pod, READ_ONLY, "make " + bookie.name() + " writable again", "false");
  }

  /** A bookie forgets by its restart what its user had told it. */
  static Command close(Member bookie, String pod) {
    return restore(
        bookie,
        pod,
        READ_ONLY,
        "make " + bookie.name() + " read-only again, as it was before its restart",
        "true");
  }

  static Command stopRecovery(Member through, String pod) {
    return command(
        through,
        pod,
        AUTORECOVERY,
        "turn autorecovery off while " + pod + " is down: it hosts the auditor",
        Map.of(TO, "false"));
  }

  static Command resumeRecovery(Member through, String pod) {
    return restore(through, pod, AUTORECOVERY, "turn autorecovery on again", "true");
  }

  static Command delay(Member through, String pod, long before, long seconds) {
    return command(
        through,
        pod,
        DELAY,
        "recover lost bookies after " + seconds + " s instead of " + before + " s",
        Map.of(TO, Long.toString(seconds), BEFORE, Long.toString(before)));
  }

  static Command restoreDelay(Member through, String pod, long before) {
    return restore(
        through,
        pod,
        DELAY,
        "recover lost bookies after " + before + " s again",
        Long.toString(before));
  }

  private static Command restore(
      Member bookie, String pod, String verb, String what, String value) {
    return command(bookie, pod, verb, what, Map.of(TO, value, RESTORES, "true"));
  }

  private static Command command(
      Member bookie, String pod, String verb, String what, Map<String, String> arguments) {
    String term = bookie.reading(Command.TERM).asOptional().orElse("");
    return new Command(verb, bookie.id(), pod, what, term, arguments);
  }

  private static boolean restores(Command command) {
    return command.argument(RESTORES).equals("true");
  }

  /** Whether it makes a bookie read-only before the bookie goes down. */
  static boolean drains(Command command) {
    return command.verb().equals(READ_ONLY) && !restores(command);
  }

  /** Whether it makes a bookie again as writable or read-only as it was. */
  static boolean restoresMode(Command command) {
    return command.verb().equals(READ_ONLY) && restores(command);
  }

  /** Whether it turns autorecovery off, for the pod that is its object. */
  static boolean stopsRecovery(Command command) {
    return command.verb().equals(AUTORECOVERY) && !restores(command);
  }

  /** The delay before and after a command that changes it for the upgrade. */
  static Optional<Debts.Delay> delayed(Command command) {
    return command.verb().equals(DELAY) && !restores(command)
        ? Debts.Delay.parse(command.argument(BEFORE), command.argument(TO))
        : Optional.empty();
  }

  static Reply<String> send(BookieClient client, Command command, Deadline until) {
    String value = command.argument(TO);
    return switch (command.verb()) {
      case READ_ONLY -> client.setReadOnly(Boolean.parseBoolean(value), until);
      case AUTORECOVERY -> client.setAutorecovery(Boolean.parseBoolean(value), until);
      case DELAY -> client.setDelay(Long.parseLong(value), until);
      default -> new Reply.Failed<>("knows no command " + command.verb());
    };
  }

  /** The key of the reading that a command changes, and what it makes of it. */
  static Map.Entry<String, String> effect(Command command) {
    String value = command.argument(TO);
    return switch (command.verb()) {
      case READ_ONLY ->
          Map.entry(Readings.MODE, value.equals("true") ? Readings.READ_ONLY : Readings.WRITABLE);
      case AUTORECOVERY ->
          Map.entry(Readings.AUTORECOVERY, value.equals("true") ? Readings.ON : Readings.OFF);
      default -> Map.entry(Readings.DELAY, value);
    };
  }
}
