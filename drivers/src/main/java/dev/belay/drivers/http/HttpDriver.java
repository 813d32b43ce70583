package dev.belay.drivers.http;

import dev.belay.core.driver.Driver;
import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Topology.Leader;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.http.Declaration.SendTo;
import dev.belay.drivers.http.Declaration.Transfer;
import dev.belay.drivers.wire.Calls;
import dev.belay.drivers.wire.Deadline;
import dev.belay.drivers.wire.Reply;
import dev.belay.drivers.wire.Wire;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;

/** Any system over HTTP, as it is declared. */
public final class HttpDriver implements Driver {

  private final Declaration declared;
  private final Requests requests;
  private final Calls calls;

  /**
   * @throws IllegalArgumentException when the declaration cannot be carried out, naming the field
   *     and the cure
   */
  public HttpDriver(DriverConfig config) {
    this.declared =
        config
            .http()
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "driver.type http needs driver.http, which says what the members are asked"))
            .checked();
    this.requests = new Requests(declared, config.auth());
    this.calls = new Calls(config);
  }

  @Override
  public SystemPolicy policy() {
    return HttpPolicy.INSTANCE;
  }

  @Override
  public Fact<Topology> observe(List<Seat> seats, Duration deadline) {
    return look(seats, Deadline.in(deadline));
  }

  private Fact<Topology> look(List<Seat> seats, Deadline until) {
    List<Questions> asked = seats.stream().map(seat -> ask(seat, until)).toList();
    return Picture.of(declared, asked.stream().map(q -> q.collect(declared, until)).toList());
  }

  /** The questions to one seat, all under way. */
  private record Questions(Seat seat, Map<String, Future<Reply<String>>> pages) {

    SeatReport collect(Declaration declared, Deadline until) {
      var heard = new LinkedHashMap<String, Page>();
      pages.forEach((path, future) -> heard.put(path, new Page(path, Calls.await(future, until))));
      return new SeatReport(seat, declared, heard);
    }
  }

  private Questions ask(Seat seat, Deadline until) {
    Wire wire = calls.wire();
    var pages = new LinkedHashMap<String, Future<Reply<String>>>();
    for (String path : declared.paths()) {
      var request = requests.get(seat, path);
      pages.put(
          path, calls.start(() -> wire.send(request, Wire.Times.AGAIN_IF_CUT, until, Page::body)));
    }
    return new Questions(seat, pages);
  }

  /**
   * The fence is leader and term: leader and successor are asked once more, and only if they still
   * agree on what was observed does the request go out, once, to the one it is declared for.
   */
  @Override
  public Outcome transferLeader(
      List<Seat> seats, Leader from, String toMemberId, Duration deadline) {
    Deadline until = Deadline.in(deadline);
    Optional<Seat> leader = seat(seats, from.memberId());
    Optional<Seat> successor = seat(seats, toMemberId);
    if (declared.leadership().isEmpty() || leader.isEmpty() || successor.isEmpty()) {
      return new Outcome.Refused(
          declared.leadership().isEmpty()
              ? "driver.http declares no leader"
              : "there is no pod for member " + (leader.isEmpty() ? from.memberId() : toMemberId));
    }
    // Half the time is for looking: a silent successor must not eat the time of the request.
    var now = look(List.of(leader.get(), successor.get()), Deadline.in(deadline.dividedBy(2)));
    Optional<String> changed = changed(now, from, toMemberId);
    if (changed.isPresent()) {
      return new Outcome.Refused(changed.get());
    }
    Transfer transfer = declared.leadership().get().transfer();
    Seat target = transfer.sendTo() == SendTo.LEADER ? leader.get() : successor.get();
    var places =
        Map.of("{leader}", from.memberId(), "{successor}", toMemberId, "{term}", from.term());
    return send(target, requests.transfer(target, transfer, places), until);
  }

  private Outcome send(Seat target, HttpRequest.Builder request, Deadline until) {
    var command = calls.start(() -> calls.wire().send(request, Wire.Times.ONCE, until, Page::body));
    return switch (Calls.await(command, until)) {
      case Reply.Ok<String> _ -> new Outcome.Accepted();
      case Reply.Rejected<String>(int status, String _) when status / 100 == 2 ->
          new Outcome.Accepted();
      case Reply.Failed<String>(String why) ->
          new Outcome.Refused(
              target.pod() + ": " + why + "; whether it happened is seen at the next look");
      case Reply<String> no -> new Outcome.Refused(target.pod() + " " + no.why());
    };
  }

  /** Why the request must not be sent any more; empty when all is as it was. */
  private static Optional<String> changed(Fact<Topology> now, Leader from, String toMemberId) {
    return switch (now.flatMap(Topology::leader)) {
      case Fact.Unknown<Leader>(String why) -> Optional.of("who leads is not known now: " + why);
      case Fact.Known<Leader>(Leader leader) when !leader.equals(from) ->
          Optional.of(
              "%s was seen leading%s; now it is %s%s"
                  .formatted(from.memberId(), term(from), leader.memberId(), term(leader)));
      case Fact.Known<Leader> _ ->
          now.asOptional()
                  .flatMap(t -> t.member(toMemberId))
                  .filter(m -> m.healthy() && m.role() == Member.Role.FOLLOWER)
                  .isPresent()
              ? Optional.empty()
              : Optional.of(toMemberId + " is no healthy follower any more");
    };
  }

  private static String term(Leader leader) {
    return leader.term().isEmpty() ? "" : " in term " + leader.term();
  }

  private static Optional<Seat> seat(List<Seat> seats, String memberId) {
    return seats.stream().filter(s -> s.memberName().equals(memberId)).findFirst();
  }

  @Override
  public void close() {
    calls.close();
  }
}
