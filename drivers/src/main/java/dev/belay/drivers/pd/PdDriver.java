package dev.belay.drivers.pd;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.driver.Driver;
import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Topology;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.pd.Answers.Listed;
import dev.belay.drivers.pd.Answers.MemberList;
import dev.belay.drivers.pd.Answers.Raft;
import dev.belay.drivers.wire.Calls;
import dev.belay.drivers.wire.Deadline;
import dev.belay.drivers.wire.Reply;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;

/** PD over its HTTP API and the gateway of its etcd. */
public final class PdDriver implements Driver {

  private final Calls calls;
  private final Map<URI, PdClient> clients = new ConcurrentHashMap<>();

  public PdDriver(DriverConfig config) {
    this.calls = new Calls(config);
  }

  @Override
  public SystemPolicy policy() {
    return PdPolicy.INSTANCE;
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
      Future<Reply<JsonNode>> raft,
      Future<Reply<JsonNode>> members,
      Future<Reply<Boolean>> ping,
      Future<Reply<JsonNode>> health,
      Future<Reply<JsonNode>> version) {

    SeatReport collect(Deadline until) {
      return SeatReport.of(
          seat,
          new SeatReport.Replies(
              Calls.await(raft, until),
              Calls.await(members, until),
              Calls.await(ping, until),
              Calls.await(health, until),
              Calls.await(version, until)));
    }
  }

  private Questions ask(Seat seat, Deadline until) {
    PdClient client = client(seat);
    return new Questions(
        seat,
        start(client, c -> c.raft(until)),
        start(client, c -> c.members(until)),
        start(client, c -> c.ping(until)),
        start(client, c -> c.health(until)),
        start(client, c -> c.version(until)));
  }

  private <T> Future<Reply<T>> start(PdClient client, Function<PdClient, Reply<T>> question) {
    return calls.start(() -> question.apply(client));
  }

  /**
   * The fence is the term of the etcd in PD and PD's own lead: the leader is asked again whether it
   * is both leaders in the term that was observed, and only then does the command go out, to that
   * member alone and marked as passed on, so that PD refuses it where it does not lead any more.
   */
  @Override
  public Outcome transferLeader(
      List<Seat> seats, Topology.Leader from, String toMemberId, Duration deadline) {
    Deadline until = Deadline.in(deadline);
    return switch (leaderSeat(from, seats, until)) {
      case Fact.Unknown<Seat>(String why) -> new Outcome.Refused(why);
      case Fact.Known<Seat>(Seat seat) ->
          switch (Answers.members(ask(seat, c -> c.members(until), until))) {
            case Fact.Unknown<MemberList>(String why) ->
                new Outcome.Refused(seat.pod() + " " + why);
            case Fact.Known<MemberList>(MemberList list) ->
                list.leader().equals(Optional.of(from.memberId()))
                    ? handOver(new Hall(seat, seats, list), toMemberId, until)
                    : new Outcome.Refused(
                        seat.pod() + " leads its etcd, but not PD: leadership is on its way");
          };
    };
  }

  /** Where a hand-over happens: the leader's seat, all seats, and who belongs. */
  private record Hall(Seat leader, List<Seat> seats, MemberList list) {}

  /**
   * PD takes the successor by name. Where it takes no name (the member has none, PD does not know
   * it, or has no such route) it can still resign.
   */
  private Outcome handOver(Hall hall, String toMemberId, Deadline until) {
    Optional<String> name =
        hall.list.members().stream()
            .filter(m -> m.id().equals(toMemberId))
            .map(Listed::name)
            .findFirst();
    if (name.isEmpty()) {
      return new Outcome.Refused("no member has the id " + toMemberId);
    }
    if (name.get().isEmpty()) {
      return resign(hall, "the successor has no name", until);
    }
    Reply<JsonNode> reply = ask(hall.leader, c -> c.transferLeader(name.get(), until), until);
    boolean nameless =
        reply instanceof Reply.Rejected<JsonNode>(int status, String message)
            && (status == 404 || message.contains("no valid pd"));
    return nameless
        ? resign(hall, hall.leader.pod() + " " + reply.why(), until)
        : commanded(hall.leader.pod(), reply);
  }

  /** Resigning, PD hands over to anybody, even to the dead; so everybody has to answer first. */
  private Outcome resign(Hall hall, String because, Deadline until) {
    List<Future<Reply<JsonNode>>> asked =
        hall.seats.stream().map(seat -> start(client(seat), c -> c.raft(until))).toList();
    long alive =
        asked.stream()
            .map(future -> Answers.raft(Calls.await(future, until)))
            .filter(raft -> raft instanceof Fact.Known<Raft>)
            .count();
    int all = hall.list.members().size();
    return alive < all
        ? new Outcome.Refused(
            "%s; it is not asked to resign, for only %d of %d members answer"
                .formatted(because, alive, all))
        : commanded(hall.leader.pod(), ask(hall.leader, c -> c.resign(until), until));
  }

  private static Outcome commanded(String pod, Reply<JsonNode> reply) {
    return switch (reply) {
      case Reply.Ok<JsonNode>(JsonNode node) when node.isTextual() -> new Outcome.Accepted();
      case Reply.Ok<JsonNode> ok -> new Outcome.Refused(pod + " answers, but not as PD does");
      case Reply.Failed<JsonNode>(String why) ->
          new Outcome.Refused(pod + ": " + why + "; whether it happened is seen at the next look");
      default -> new Outcome.Refused(pod + " " + reply.why());
    };
  }

  private record Heard(Seat seat, Fact<Raft> raft) {}

  /** The seat of the leader that was seen, if it still leads its etcd in that term. */
  private Fact<Seat> leaderSeat(Topology.Leader from, List<Seat> seats, Deadline until) {
    List<Supplier<Heard>> questions =
        seats.stream()
            .<Supplier<Heard>>map(
                seat -> () -> new Heard(seat, Answers.raft(client(seat).raft(until))))
            .toList();
    Optional<Heard> heard =
        calls.first(questions, h -> h.raft.map(Raft::memberId).is(from.memberId()), until);
    if (heard.isEmpty() || !(heard.get().raft instanceof Fact.Known<Raft>(Raft now))) {
      return Fact.unknown(
          "no pod answers as member " + from.memberId() + ", the leader that was seen");
    }
    Seat seat = heard.get().seat;
    return now.leader().equals(from.memberId()) && now.term().equals(from.term())
        ? Fact.known(seat)
        : Fact.unknown(
            "%s was seen leading in term %s; now it says that %s leads in term %s"
                .formatted(seat.pod(), from.term(), now.leader(), now.term()));
  }

  private <T> Reply<T> ask(Seat seat, Function<PdClient, Reply<T>> question, Deadline until) {
    return Calls.await(start(client(seat), question), until);
  }

  private PdClient client(Seat seat) {
    return clients.computeIfAbsent(seat.address(), address -> new PdClient(calls.wire(), address));
  }

  @Override
  public void close() {
    calls.close();
  }
}
