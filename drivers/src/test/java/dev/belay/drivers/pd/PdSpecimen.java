package dev.belay.drivers.pd;

import dev.belay.core.driver.Driver;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.contract.FakeMember;
import dev.belay.drivers.contract.LedSpecimen;
import dev.belay.drivers.contract.ListedSpecimen;
import java.util.List;
import java.util.stream.Stream;

/** A recorded PD of April 2024. */
public final class PdSpecimen implements LedSpecimen, ListedSpecimen {

  private static final String LEADER = "605955677181484900";
  private static final String THIRD = "8153151487107119784";

  private final Driver driver = new PdDriver(DriverConfig.PLAIN);
  private final List<FakeMember> members =
      Stream.of("pd-1", "pd-2", "pd-3").map(n -> FakePd.replaying("2024.4.7", n)).toList();

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
    return List.of(FakePd.PING, FakePd.MEMBERS, FakePd.RAFT);
  }

  @Override
  public String identity() {
    return FakePd.RAFT;
  }

  @Override
  public String wrongType() {
    return members.getLast().recorded("raft.json").replace("\"raftTerm\":\"2\"", "\"raftTerm\":2");
  }

  @Override
  public String command() {
    return FakePd.TRANSFER + "pd-3";
  }

  @Override
  public FakeMember.Answer acknowledgement() {
    return FakeMember.body(200, "\"The transfer command is submitted.\"\n");
  }

  @Override
  public void unlist() {
    members.forEach(m -> m.omit(FakePd.MEMBERS, "members", THIRD));
  }

  @Override
  public void joinOther(FakeMember member) {
    member.edit(FakePd.MEMBERS, "7708627043157041649", "42");
  }

  @Override
  public void loseLeader(FakeMember member) {
    member.edit(FakePd.RAFT, "\"leader\":\"" + LEADER + "\",", "");
  }

  @Override
  public void seeThirdLead(FakeMember member) {
    member.edit(FakePd.RAFT, "\"leader\":\"" + LEADER, "\"leader\":\"" + THIRD);
    String list = member.recorded("members.json");
    int leaders = list.indexOf("\"leader\":");
    member.on(
        FakePd.MEMBERS,
        FakeMember.body(
            200, list.substring(0, leaders) + list.substring(leaders).replace(LEADER, THIRD)));
  }
}
