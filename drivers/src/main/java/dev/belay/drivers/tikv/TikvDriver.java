package dev.belay.drivers.tikv;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.driver.Driver;
import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Topology;
import dev.belay.core.state.Command;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.DriverConfig.PlacementDriver;
import dev.belay.drivers.tikv.Answers.Cluster;
import dev.belay.drivers.wire.Calls;
import dev.belay.drivers.wire.Deadline;
import dev.belay.drivers.wire.Hosts;
import dev.belay.drivers.wire.Reply;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * TiKV over the HTTP API of the PD that places its regions; the stores themselves are not asked.
 */
public final class TikvDriver implements Driver {

  private final PlacementDriver pd;
  private final Calls calls;

  public TikvDriver(DriverConfig config) {
    this.pd =
        config
            .placementDriver()
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "driver.tikv.pd is not set; say where PD answers, such as pd-0.pd:2379"));
    this.calls = new Calls(config);
  }

  @Override
  public SystemPolicy policy() {
    return TikvPolicy.INSTANCE;
  }

  @Override
  public Fact<Topology> observe(List<Seat> seats, Duration deadline) {
    // A member of PD that is silent must not cost the time in which the others would answer.
    Deadline finding = Deadline.in(deadline.dividedBy(2));
    Deadline until = Deadline.in(deadline);
    return spokesman(finding)
        .flatMap(found -> Picture.of(seats, report(found, until), pd.evictLeaderTimeout()));
  }

  /** The member of PD that is asked for all, and the cluster it is of. */
  private record Spokesman(URI address, PdClient client, Cluster cluster) {}

  private record Heard(URI address, Fact<Cluster> cluster) {}

  /** All members of PD are of one cluster; the leader among them speaks for it, or else anyone. */
  private Fact<Spokesman> spokesman(Deadline until) {
    List<Future<Reply<JsonNode>>> asked =
        pd.addresses().stream().map(a -> start(client(a), PdClient::members, until)).toList();
    var heard = new ArrayList<Heard>();
    for (int i = 0; i < asked.size(); i++) {
      heard.add(
          new Heard(pd.addresses().get(i), Answers.cluster(Calls.await(asked.get(i), until))));
    }
    var clusters = new LinkedHashMap<String, String>();
    heard.forEach(
        h -> h.cluster.asOptional().ifPresent(c -> clusters.putIfAbsent(c.id(), name(h.address))));
    return switch (clusters.size()) {
      case 0 -> Fact.unknown("PD does not answer: " + troubles(heard));
      case 1 -> Fact.known(best(heard));
      default ->
          Fact.unknown(
              clusters.entrySet().stream()
                  .map(c -> c.getValue() + " is of cluster " + c.getKey())
                  .collect(Collectors.joining(", ")));
    };
  }

  private Spokesman best(List<Heard> heard) {
    List<Spokesman> able =
        heard.stream()
            .flatMap(h ->
                h.cluster.asOptional().stream()
                    .map(c -> new Spokesman(h.address, client(h.address), c)))
            .toList();
    return able.stream()
        .filter(s -> Hosts.of(s.cluster.leaderUrls()).contains(s.address.getHost()))
        .findFirst()
        .orElseGet(able::getFirst);
  }

  private static String troubles(List<Heard> heard) {
    return heard.stream()
        .flatMap(h ->
            h.cluster instanceof Fact.Unknown<Cluster>(String why)
                ? Stream.of(name(h.address) + " " + why)
                : Stream.empty())
        .collect(Collectors.joining("; "));
  }

  private static String name(URI address) {
    return Objects.requireNonNullElse(address.getAuthority(), address.toString());
  }

  private PdReport report(Spokesman spokesman, Deadline until) {
    PdClient client = spokesman.client;
    var stores = start(client, PdClient::stores, until);
    var replication = start(client, PdClient::replication, until);
    var schedulers = start(client, PdClient::schedulers, until);
    var scheduling = start(client, PdClient::scheduling, until);
    var evictions = start(client, PdClient::evictions, until);
    var downPeers = start(client, PdClient::downPeers, until);
    var missingPeers = start(client, PdClient::missingPeers, until);
    PdReport report =
        PdReport.of(
            spokesman.cluster.id(),
            new PdReport.Replies(
                Calls.await(stores, until),
                Calls.await(replication, until),
                Calls.await(schedulers, until),
                Calls.await(scheduling, until),
                Calls.await(evictions, until),
                Calls.await(downPeers, until),
                Calls.await(missingPeers, until)));
    return report.needsRegions()
        ? report.knowing(
            Answers.regions(Calls.await(start(client, PdClient::regions, until), until)))
        : report;
  }

  @Override
  public Outcome transferLeader(
      List<Seat> seats, Topology.Leader from, String toMemberId, Duration deadline) {
    return new Outcome.Refused("nobody leads stores; regions have leaders, and PD moves those");
  }

  /**
   * PD is asked once more, and told only if the eviction is still what it was: PD itself takes such
   * a command at any time.
   */
  @Override
  public Outcome tell(List<Seat> seats, Command command, Duration deadline) {
    // Half the time is for looking, so that enough is left for the command.
    Deadline look = Deadline.in(deadline.dividedBy(2));
    Deadline until = Deadline.in(deadline);
    return switch (spokesman(look)) {
      case Fact.Unknown<Spokesman>(String why) -> new Outcome.Refused(why);
      case Fact.Known<Spokesman>(Spokesman found) ->
          switch (Picture.term(command.memberId(), evicted(found.client, look))) {
            case Fact.Unknown<String>(String why) ->
                new Outcome.Refused(name(found.address) + " " + why);
            case Fact.Known<String>(String now) when !now.equals(command.term()) ->
                new Outcome.Refused("%s was seen; now %s".formatted(command.term(), now));
            case Fact.Known<String> _ -> send(found, command, until);
          };
    };
  }

  private Fact<List<String>> evicted(PdClient client, Deadline until) {
    var schedulers = start(client, PdClient::schedulers, until);
    var scheduling = start(client, PdClient::scheduling, until);
    var evictions = start(client, PdClient::evictions, until);
    return Answers.evictions(
        Answers.running(Calls.await(schedulers, until)),
        Answers.kept(Calls.await(scheduling, until)),
        Answers.evicted(Calls.await(evictions, until)));
  }

  private Outcome send(Spokesman to, Command command, Deadline until) {
    Reply<JsonNode> reply =
        Calls.await(start(to.client, (c, d) -> Orders.send(c, command, d), until), until);
    return switch (reply) {
      case Reply.Ok<JsonNode> _ -> new Outcome.Accepted();
      case Reply.Rejected<JsonNode> _ when Orders.isAlreadySo(command, reply) ->
          new Outcome.Accepted();
      case Reply.Failed<JsonNode>(String why) ->
          new Outcome.Refused(
              name(to.address) + ": " + why + "; whether it happened is seen at the next look");
      default -> new Outcome.Refused(name(to.address) + " " + reply.why());
    };
  }

  private Future<Reply<JsonNode>> start(
      PdClient client, BiFunction<PdClient, Deadline, Reply<JsonNode>> question, Deadline until) {
    return calls.start(() -> question.apply(client, until));
  }

  private PdClient client(URI address) {
    return new PdClient(calls.wire(), address);
  }

  @Override
  public void close() {
    calls.close();
  }
}
