package dev.belay.drivers.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.driver.Driver;
import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Topology;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.etcd.Answers.Status;
import dev.belay.drivers.wire.Calls;
import dev.belay.drivers.wire.Deadline;
import dev.belay.drivers.wire.Reply;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;

/** etcd over its JSON gateway. */
public final class EtcdDriver implements Driver {

  private static final Set<String> METRICS = Set.of(Metrics.SNAPSHOTS_SAVED, Metrics.PROCESS_START);

  private final DriverConfig config;
  private final Calls calls;
  private final Map<URI, EtcdClient> clients = new ConcurrentHashMap<>();

  public EtcdDriver(DriverConfig config) {
    this.config = config;
    this.calls = new Calls(config);
  }

  @Override
  public SystemPolicy policy() {
    return EtcdPolicy.INSTANCE;
  }

  @Override
  public Fact<Topology> observe(List<Seat> seats, Duration deadline) {
    Deadline until = Deadline.in(deadline);
    clients.keySet().retainAll(seats.stream().map(Seat::address).toList());
    List<Questions> asked = seats.stream().map(seat -> ask(seat, until)).toList();
    return Picture.of(asked.stream().map(q -> q.collect(until)).toList());
  }

  /** The questions to one seat, all under way. */
  private record Questions(
      Seat seat,
      Future<Reply<JsonNode>> status,
      Future<Reply<JsonNode>> members,
      Future<Reply<JsonNode>> alarms,
      Future<Reply<JsonNode>> health,
      Future<Reply<JsonNode>> version,
      Future<Reply<Map<String, String>>> metrics) {

    SeatReport collect(Deadline until) {
      return SeatReport.of(
          seat,
          new SeatReport.Replies(
              Calls.await(status, until),
              Calls.await(members, until),
              Calls.await(alarms, until),
              Calls.await(health, until),
              Calls.await(version, until),
              Calls.await(metrics, until)));
    }
  }

  private Questions ask(Seat seat, Deadline until) {
    EtcdClient client = client(seat);
    return new Questions(
        seat,
        start(client, c -> c.status(until)),
        start(client, c -> c.members(until)),
        start(client, c -> c.alarms(until)),
        start(client, c -> c.health(until)),
        start(client, c -> c.version(until)),
        start(client, c -> c.metrics(METRICS, until)));
  }

  private <T> Future<Reply<T>> start(EtcdClient client, Function<EtcdClient, Reply<T>> question) {
    return calls.start(() -> question.apply(client));
  }

  /**
   * The fence is the term: the leader is asked again who leads in which term, and only if that is
   * what was observed does the command go out, to that member alone. etcd itself refuses it on a
   * member that has lost the lead in between.
   */
  @Override
  public Outcome transferLeader(
      List<Seat> seats, Topology.Leader from, String toMemberId, Duration deadline) {
    Deadline until = Deadline.in(deadline);
    return switch (seatOf(from.memberId(), seats, until)) {
      case Fact.Unknown<Found>(String why) -> new Outcome.Refused(why);
      case Fact.Known<Found>(Found found) -> {
        Status now = found.status;
        String pod = found.seat.pod();
        if (!now.leader().equals(from.memberId()) || !now.term().equals(from.term())) {
          yield new Outcome.Refused(
              "%s was seen leading in term %s; now it says that %s leads in term %s"
                  .formatted(pod, from.term(), now.leader(), now.term()));
        }
        var command = start(client(found.seat), c -> c.transferLeadership(toMemberId, until));
        yield commanded(pod, Calls.await(command, until));
      }
    };
  }

  private static Outcome commanded(String pod, Reply<JsonNode> reply) {
    return switch (reply) {
      case Reply.Ok<JsonNode> ok -> new Outcome.Accepted();
      case Reply.Failed<JsonNode>(String why) ->
          new Outcome.Refused(pod + ": " + why + "; whether it happened is seen at the next look");
      default -> new Outcome.Refused(pod + " " + reply.why());
    };
  }

  private record Found(Seat seat, Status status) {}

  private record Heard(Seat seat, Fact<Status> status) {}

  /** The seat that answers as this member; silent others are not waited for. */
  private Fact<Found> seatOf(String memberId, List<Seat> seats, Deadline until) {
    List<Supplier<Heard>> questions =
        seats.stream()
            .<Supplier<Heard>>map(
                seat -> () -> new Heard(seat, Answers.status(client(seat).status(until))))
            .toList();
    return calls
        .first(questions, heard -> heard.status.map(Status::memberId).is(memberId), until)
        .flatMap(heard -> heard.status.asOptional().map(s -> new Found(heard.seat, s)))
        .<Fact<Found>>map(Fact::known)
        .orElseGet(() ->
            Fact.unknown("no pod answers as member " + memberId + ", the leader that was seen"));
  }

  private EtcdClient client(Seat seat) {
    return clients.computeIfAbsent(
        seat.address(), address -> new EtcdClient(calls.wire(), address, config.auth()));
  }

  @Override
  public void close() {
    calls.close();
  }
}
