package dev.belay.drivers.mysql;

import dev.belay.core.state.Command;
import dev.belay.drivers.mysql.Roles.Stand;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The next command of a planned switchover. The old primary is made read-only; whoever follows it
 * and may follow the successor is pointed there; the successor has everything, and is made
 * writable; the old primary follows it, as soon as it may. Wherever that was cut short, the same
 * reading gives the same next command.
 */
record Switchover(Roles roles) {

  static final String CLOSE = "close";
  static final String FOLLOW = "follow";
  static final String LEAD = "lead";

  static final String SOURCE = "source";
  static final String ADDRESS = "address";
  static final String FROM = "from";
  static final String TO = "to";

  /** Whether this command is the one that begins a switchover. */
  static boolean begins(Command command) {
    return command.verb().equals(CLOSE);
  }

  /** Begins it; empty while it would not end well. */
  Optional<Command> begin(String from, String to) {
    Optional<Stand> primary = roles.named(from).filter(Stand::open).filter(Stand::free);
    Optional<Stand> successor =
        roles.named(to).filter(s -> s.follows(from) && s.readOnly() && s.logs());
    if (primary.isEmpty() || successor.isEmpty()) {
      return Optional.empty();
    }
    boolean alone = roles.open().size() == 1;
    boolean allMayFollow =
        roles.others(successor.get()).stream()
            .filter(s -> !s.name().equals(from))
            .allMatch(s -> s.mayFollow(successor.get()));
    return alone && allMayFollow
        ? Optional.of(
            command(
                CLOSE,
                primary.get(),
                "make " + from + " read-only so that " + to + " can take over",
                Map.of(FROM, from, TO, to)))
        : Optional.empty();
  }

  /** Goes on with what was begun; empty when it is done, or when nobody can tell what to do. */
  Optional<Command> goOn(HandOver handOver, Instant now) {
    List<Stand> open = roles.open();
    if (open.size() > 1) {
      return Optional.empty();
    }
    return open.isEmpty() ? closed(handOver, now) : settle(handOver, open.getFirst());
  }

  /** One takes writes: it forgets whom it followed, and all others follow it who may. */
  private Optional<Command> settle(HandOver handOver, Stand primary) {
    if (!primary.free()) {
      return Optional.of(lead(primary, handOver.from()));
    }
    return roles.others(primary).stream()
        .filter(s -> s.readOnly() && (!s.follows(primary.name()) || handOver.stopped(s)))
        .filter(s -> s.mayFollow(primary) && primary.reaches(s))
        .findFirst()
        .map(s -> follow(s, primary, handOver));
  }

  /** Nobody takes writes: forward while that can be done in time, else back. */
  private Optional<Command> closed(HandOver handOver, Instant now) {
    Optional<Stand> from = roles.named(handOver.from()).filter(Stand::answers);
    Optional<Stand> to = roles.named(handOver.to()).filter(Stand::answers);
    if (from.isEmpty() || !from.get().free()) {
      return Optional.empty();
    }
    if (to.filter(s -> canLead(handOver, from.get(), s, now)).isPresent()) {
      return Optional.of(forward(handOver, from.get(), to.get()));
    }
    // A successor that is silent and may have taken writes has what nobody else has.
    boolean hasAll = roles.others(from.get()).stream().allMatch(from.get()::reaches);
    return hasAll && handOver.expired(now) && (to.isPresent() || !handOver.led())
        ? Optional.of(
            command(
                LEAD, from.get(), "make " + from.get().pod() + " writable again", Map.of(FROM, "")))
        : Optional.empty();
  }

  private static boolean canLead(HandOver handOver, Stand from, Stand to, Instant now) {
    boolean stands = to.logs() && (to.follows(handOver.from()) || to.free());
    boolean hasMore = to.reaches(from) && !from.reaches(to);
    return hasMore || (stands && !handOver.expired(now));
  }

  private Command forward(HandOver handOver, Stand from, Stand to) {
    return roles.others(to).stream()
        .filter(s -> s.follows(from.name()) && s.mayFollow(to))
        .findFirst()
        .map(s -> follow(s, to, handOver))
        .orElseGet(() -> lead(to, from.name()));
  }

  private Command lead(Stand successor, String from) {
    return command(
        LEAD,
        successor,
        "make " + successor.name() + " the writable primary in place of " + from,
        Map.of(FROM, from, TO, successor.name()));
  }

  private Command follow(Stand replica, Stand source, HandOver handOver) {
    return command(
        FOLLOW,
        replica,
        "point %s at %s".formatted(replica.pod(), source.pod()),
        Map.of(SOURCE, source.name(), FROM, handOver.from(), ADDRESS, address(source, handOver)));
  }

  /** Named as replicas name the old primary: who is mysql-0.mysql to them has mysql-1.mysql. */
  private static String address(Stand source, HandOver handOver) {
    String known = handOver.address();
    int colon = known.lastIndexOf(':');
    if (colon < 0) {
      return "";
    }
    String host = known.substring(0, colon);
    boolean byName = host.equals(handOver.from()) || host.startsWith(handOver.from() + ".");
    return (byName
            ? source.name() + host.substring(handOver.from().length())
            : source.member().hosts().getFirst())
        + known.substring(colon);
  }

  private Command command(String verb, Stand to, String what, Map<String, String> arguments) {
    return new Command(verb, to.member().id(), to.pod(), what, roles.term(), arguments);
  }
}
