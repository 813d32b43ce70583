package dev.belay.drivers.mysql;

import dev.belay.core.driver.Driver.Outcome;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Fact;
import dev.belay.core.state.Command;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.wire.Deadline;
import dev.belay.drivers.wire.Hosts;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One session with every server that answers, each holding Belay's lock there: nobody else of Belay
 * acts meanwhile, and what was read in them is what the command meets.
 */
record Conference(Map<String, Session> sessions, Relations relations, DriverConfig config) {

  /**
   * Held in the database for as long as a session lasts, so that two of Belay never act at once.
   */
  static final String LOCK = "SELECT GET_LOCK('belay.hand-over', 1) AS got";

  /** Time that is kept back so that the server gives up before Belay does. */
  private static final Duration MARGIN = Duration.ofSeconds(1);

  Outcome carryOut(Command command, Deadline until) throws SQLException {
    String now = relations.roles();
    if (!now.equals(command.term())) {
      return new Outcome.Refused(
          "the roles were %s when this was decided; now they are %s"
              .formatted(command.term(), now));
    }
    Optional<SeatReport> target =
        relations.heard().stream().filter(r -> r.id().equals(command.memberId())).findFirst();
    if (target.isEmpty()) {
      return new Outcome.Refused("no pod answers as server " + command.memberId());
    }
    return switch (command.verb()) {
      case Switchover.CLOSE -> {
        run(target.get(), words(target.get()).close(left(until)));
        yield new Outcome.Accepted();
      }
      case Switchover.LEAD -> lead(target.get(), command, until);
      case Switchover.FOLLOW -> follow(target.get(), command, until);
      default -> new Outcome.Refused("mysql knows no command " + command.verb());
    };
  }

  /**
   * Writes are taken before the source is forgotten: cut short anywhere, the server is the only one
   * that takes writes, or none does.
   */
  private Outcome lead(SeatReport target, Command command, Deadline until) throws SQLException {
    Server self = relations.server(target);
    Words words = words(target);
    if (!self.open()) {
      Optional<SeatReport> old = named(command.arguments().getOrDefault(Switchover.FROM, ""));
      Optional<Outcome> behind = behind(target, old, until);
      if (behind.isPresent()) {
        return behind.get();
      }
      var statements = new ArrayList<String>();
      if (!self.free()) {
        statements.add(words.stop());
      }
      old.flatMap(o -> o.server().asOptional())
          .ifPresent(o -> statements.addAll(Words.waitAs(o.semiSync(), self.semiSync())));
      statements.addAll(words.open());
      run(target, statements);
    }
    if (!self.free()) {
      run(target, List.of(words.forget()));
    }
    return new Outcome.Accepted();
  }

  private Outcome follow(SeatReport target, Command command, Deadline until) throws SQLException {
    Optional<SeatReport> source =
        named(command.arguments().getOrDefault(Switchover.SOURCE, ""))
            .filter(s -> s.server() instanceof Fact.Known<Server>);
    if (source.isEmpty()) {
      return new Outcome.Refused("the server to follow does not answer");
    }
    Server to = relations.server(source.get());
    Optional<SeatReport> old = named(command.arguments().getOrDefault(Switchover.FROM, ""));
    Optional<Outcome> behind = to.open() ? Optional.empty() : behind(source.get(), old, until);
    if (behind.isPresent()) {
      return behind.get();
    }
    Server self = relations.server(target);
    Words words = words(target);
    Address address = Address.of(command.arguments().get(Switchover.ADDRESS), source.get().seat());
    var statements = new ArrayList<String>();
    statements.add(words.stop());
    statements.addAll(Words.waitNoMore(self.semiSync()));
    statements.addAll(Words.confirmAs(to.semiSync(), self.semiSync()));
    if (self.free()) {
      statements.addAll(words.begin(address.host, address.port, config, self));
    } else {
      statements.add(
          followsAsBelay(self)
              ? words.turnAsBelay(address.host, address.port, config.auth())
              : words.turnTo(address.host, address.port));
    }
    statements.add(words.start());
    run(target, statements);
    return new Outcome.Accepted();
  }

  private boolean followsAsBelay(Server self) {
    Optional<String> belay = config.auth().map(DriverConfig.Auth::username);
    return belay.isPresent() && self.channel().map(Server.Channel::user).equals(belay);
  }

  /** Why it may not lead yet: it has not applied all that the read-only old primary has. */
  private Optional<Outcome> behind(SeatReport who, Optional<SeatReport> old, Deadline until)
      throws SQLException {
    if (old.isEmpty()) {
      return Optional.empty();
    }
    if (!(old.get().server() instanceof Fact.Known<Server>(Server before))) {
      return Optional.of(new Outcome.Refused(old.get().seat().pod() + " does not answer"));
    }
    if (relations.server(who).gtids().reaches(before.gtids())) {
      return Optional.empty();
    }
    Session session = session(who);
    List<Map<String, String>> waited = session.ask(words(who).await(before.gtids(), left(until)));
    return !waited.isEmpty() && "0".equals(waited.getFirst().get("waited"))
        ? Optional.empty()
        : Optional.of(
            new Outcome.Refused(
                "%s has not applied all that %s wrote".formatted(who.name(), old.get().name())));
  }

  private void run(SeatReport on, List<String> statements) throws SQLException {
    for (String statement : statements) {
      session(on).run(statement);
    }
  }

  private Session session(SeatReport of) throws SQLException {
    Session session = sessions.get(of.name());
    if (session == null) {
      throw new SQLException("the session with " + of.name() + " is gone");
    }
    return session;
  }

  private Words words(SeatReport of) {
    return new Words(relations.server(of).flavor());
  }

  private Optional<SeatReport> named(String name) {
    return relations.reports().stream().filter(r -> r.name().equals(name)).findFirst();
  }

  private static Duration left(Deadline until) {
    return until.left().minus(MARGIN);
  }

  /** Where replicas find a server. */
  private record Address(String host, int port) {

    static Address of(@org.jspecify.annotations.Nullable String text, Seat seat) {
      int colon = text == null ? -1 : text.lastIndexOf(':');
      return text == null || colon < 0
          ? new Address(Hosts.of(seat), seat.address().getPort())
          : new Address(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }
  }
}
