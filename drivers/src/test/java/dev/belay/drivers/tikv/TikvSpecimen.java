package dev.belay.drivers.tikv;

import dev.belay.core.driver.Driver;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Member.Health;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.DriverConfig.PlacementDriver;
import dev.belay.drivers.contract.FakeMember;
import dev.belay.drivers.contract.ListedSpecimen;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Three stores, and the three members of a recorded PD of April 2024 that are asked about them:
 * what PD leaves unsaid is unknown of all stores.
 */
public final class TikvSpecimen implements ListedSpecimen {

  static final List<Seat> STORES =
      IntStream.range(0, 3)
          .mapToObj(i ->
              new Seat("tikv-" + i, "tikv-" + i, URI.create("http://127.77.3.1" + i + ":2379")))
          .toList();

  private static final String THIRD = "127.77.3.12:20160";

  private final List<FakeMember> members =
      Stream.of("2024.4.7", "2024.4.7", "2024.4.7").map(FakePd::of).toList();
  private final Driver driver =
      new TikvDriver(
          DriverConfig.PLAIN.withPlacementDriver(
              new PlacementDriver(
                  members.stream().map(m -> m.seat().address()).toList(), Optional.empty())));

  @Override
  public Driver driver() {
    return driver;
  }

  @Override
  public List<FakeMember> members() {
    return members;
  }

  @Override
  public List<Seat> seats() {
    return STORES;
  }

  /** Any member of PD may speak for all. */
  @Override
  public void upset(String question, Function<FakeMember, FakeMember.Answer> how) {
    members.forEach(m -> m.on(question, how.apply(m)));
  }

  @Override
  public String called(FakeMember member) {
    return member.seat().address().getAuthority();
  }

  @Override
  public List<String> essential() {
    return List.of(FakePd.MEMBERS, FakePd.STORES, FakePd.REPLICATE);
  }

  @Override
  public String identity() {
    return FakePd.STORES;
  }

  @Override
  public String wrongType() {
    return members
        .getLast()
        .recorded("stores.json")
        .replace("\"leader_count\": 4", "\"leader_count\": \"4\"");
  }

  /** Nobody asks a store: PD calls it down when it has not heard of it for long. */
  @Override
  public void end(FakeMember member) {
    members.forEach(m ->
        m.on(
            FakePd.STORES,
            FakeMember.body(
                200, m.recorded("stores-disconnected.json").replace("Disconnected", "Down"))));
  }

  @Override
  public Health ended() {
    return Health.down("PD says that store 2 is Down");
  }

  @Override
  public void unlist() {
    members.forEach(m -> m.omit(FakePd.STORES, "stores", THIRD));
  }

  @Override
  public void joinOther(FakeMember member) {
    member.edit(FakePd.MEMBERS, "\"cluster_id\": ", "\"cluster_id\": 4");
  }
}
