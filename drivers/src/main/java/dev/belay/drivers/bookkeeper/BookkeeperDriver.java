package dev.belay.drivers.bookkeeper;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.driver.Driver;
import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.wire.Calls;
import dev.belay.drivers.wire.Deadline;
import dev.belay.drivers.wire.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Function;

/** BookKeeper over the admin API of its bookies. */
public final class BookkeeperDriver implements Driver {

  private final Optional<Integer> ensembleSize;
  private final Calls calls;

  public BookkeeperDriver(DriverConfig config) {
    this.ensembleSize = config.ensembleSize();
    this.calls = new Calls(config);
  }

  @Override
  public SystemPolicy policy() {
    return BookkeeperPolicy.INSTANCE;
  }

  @Override
  public Fact<Topology> observe(List<Seat> seats, Duration deadline) {
    Deadline until = Deadline.in(deadline);
    List<Questions> asked = seats.stream().map(seat -> ask(seat, until)).toList();
    return Picture.of(asked.stream().map(q -> q.collect(until)).toList(), ensembleSize);
  }

  /** The questions to one seat, all under way. */
  private record Questions(
      Seat seat,
      Future<Reply<JsonNode>> state,
      Future<Reply<String>> ready,
      Future<Reply<JsonNode>> info,
      Future<Reply<JsonNode>> writable,
      Future<Reply<JsonNode>> readOnly,
      Future<Reply<JsonNode>> underReplicated,
      Future<Reply<String>> delay) {

    SeatReport collect(Deadline until) {
      return SeatReport.of(
          seat,
          new SeatReport.Replies(
              Calls.await(state, until),
              Calls.await(ready, until),
              Calls.await(info, until),
              Calls.await(writable, until),
              Calls.await(readOnly, until),
              Calls.await(underReplicated, until),
              Calls.await(delay, until)));
    }
  }

  private Questions ask(Seat seat, Deadline until) {
    BookieClient client = client(seat);
    return new Questions(
        seat,
        start(client, c -> c.state(until)),
        start(client, c -> c.ready(until)),
        start(client, c -> c.info(until)),
        start(client, c -> c.writable(until)),
        start(client, c -> c.readOnly(until)),
        start(client, c -> c.underReplicated(until)),
        start(client, c -> c.delay(until)));
  }

  private <T> Future<Reply<T>> start(
      BookieClient client, Function<BookieClient, Reply<T>> question) {
    return calls.start(() -> question.apply(client));
  }

  @Override
  public Outcome transferLeader(
      List<Seat> seats, Topology.Leader from, String toMemberId, Duration deadline) {
    return new Outcome.Refused("nobody leads bookies");
  }

  /**
   * The bookie is asked once more, and told only if everything that commands change is still as it
   * was: BookKeeper itself takes any of them at any time.
   */
  @Override
  public Outcome tell(List<Seat> seats, Command command, Duration deadline) {
    Optional<Seat> seat =
        seats.stream().filter(s -> s.memberName().equals(command.memberId())).findFirst();
    if (seat.isEmpty()) {
      return new Outcome.Refused("there is no pod for bookie " + command.memberId());
    }
    // Half the time is for looking, so that enough is left for the command.
    Deadline look = Deadline.in(deadline.dividedBy(2));
    Deadline until = Deadline.in(deadline);
    BookieClient client = client(seat.get());
    var state = start(client, c -> c.state(look));
    var info = start(client, c -> c.info(look));
    var delay = start(client, c -> c.delay(look));
    Fact<String> term =
        Picture.term(
            Map.of(
                Readings.MODE,
                Answers.state(Calls.await(state, look)).map(Picture::mode),
                Readings.AUTORECOVERY,
                Answers.info(Calls.await(info, look)).map(Picture::recovery),
                Readings.DELAY,
                Answers.delay(Calls.await(delay, look)).map(String::valueOf)));
    return switch (term) {
      case Fact.Unknown<String>(String why) -> new Outcome.Refused(seat.get().pod() + " " + why);
      case Fact.Known<String>(String now) when !now.equals(command.term()) ->
          new Outcome.Refused(
              "%s was seen %s; now it is %s".formatted(seat.get().pod(), command.term(), now));
      case Fact.Known<String> _ ->
          told(seat.get(), Calls.await(start(client, c -> Orders.send(c, command, until)), until));
    };
  }

  private static Outcome told(Seat seat, Reply<String> reply) {
    return switch (reply) {
      case Reply.Ok<String> _ -> new Outcome.Accepted();
      case Reply.Failed<String>(String why) ->
          new Outcome.Refused(
              seat.pod() + ": " + why + "; whether it happened is seen at the next look");
      default -> new Outcome.Refused(seat.pod() + " " + reply.why());
    };
  }

  private BookieClient client(Seat seat) {
    return new BookieClient(calls.wire(), seat.address());
  }

  @Override
  public void close() {
    calls.close();
  }
}
