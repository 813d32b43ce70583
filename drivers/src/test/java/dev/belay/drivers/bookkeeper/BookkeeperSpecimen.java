package dev.belay.drivers.bookkeeper;

import dev.belay.core.driver.Driver;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.contract.FakeMember;
import dev.belay.drivers.contract.ListedSpecimen;
import java.util.List;
import java.util.stream.Stream;

/** Three recorded bookies of 4.18 for ensembles of two. */
public final class BookkeeperSpecimen implements ListedSpecimen {

  private final Driver driver = new BookkeeperDriver(DriverConfig.PLAIN.withEnsembleSize(2));
  private final List<FakeMember> members;

  public BookkeeperSpecimen() {
    this("4.18.0");
  }

  BookkeeperSpecimen(String version) {
    members =
        Stream.of("bookie-0", "bookie-1", "bookie-2")
            .map(n -> FakeBookie.replaying(version, n))
            .toList();
  }

  @Override
  public Driver driver() {
    return driver;
  }

  @Override
  public List<FakeMember> members() {
    return members;
  }

  @Override
  public List<String> essential() {
    return List.of(FakeBookie.STATE, FakeBookie.READY);
  }

  @Override
  public String identity() {
    return FakeBookie.STATE;
  }

  @Override
  public String wrongType() {
    return members
        .getLast()
        .recorded("state.json")
        .replace("\"running\" : true", "\"running\" : 1");
  }

  /** Its registration ends with its session. */
  @Override
  public void end(FakeMember member) {
    member.close();
    unlist();
  }

  @Override
  public void unlist() {
    String rest = members.getFirst().recorded("rw-lost.json");
    members.forEach(m -> m.on(FakeBookie.WRITABLE, FakeMember.body(200, rest)));
  }

  @Override
  public void joinOther(FakeMember member) {
    member.on(FakeBookie.WRITABLE, FakeMember.body(200, "{\"other-0\":null,\"other-1\":null}"));
  }
}
