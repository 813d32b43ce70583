package dev.belay.drivers.etcd;

import com.sun.net.httpserver.HttpExchange;
import dev.belay.core.driver.Driver;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.contract.FakeMember;
import dev.belay.drivers.contract.LedSpecimen;
import dev.belay.drivers.contract.ListedSpecimen;
import dev.belay.drivers.contract.PasswordedSpecimen;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A recorded etcd 3.6. */
public final class EtcdSpecimen implements PasswordedSpecimen, LedSpecimen, ListedSpecimen {

  private static final String LEADER = "\"leader\":\"3256694602668281802\"";
  private static final String THIRD = "16047066878455438489";

  private final Driver driver = new EtcdDriver(DriverConfig.PLAIN);
  private final List<FakeMember> members =
      Stream.of("etcd-1", "etcd-2", "etcd-3").map(n -> FakeEtcd.replaying("3.6.16", n)).toList();

  @Override
  public Driver driver() {
    return driver;
  }

  @Override
  public Driver driver(DriverConfig config) {
    return new EtcdDriver(config);
  }

  /** The token of the fake is the password itself; one that is rotated away is not valid either. */
  @Override
  public void demand(String password) {
    for (FakeMember member : members) {
      member.on(FakeEtcd.LOGIN, exchange -> logIn(exchange, password));
      Map.of(
              FakeEtcd.STATUS, "status.json",
              FakeEtcd.MEMBERS, "members.json",
              FakeEtcd.ALARMS, "alarms.json")
          .forEach((path, file) ->
              member.on(
                  path,
                  exchange ->
                      (password.equals(exchange.getRequestHeaders().getFirst("Authorization"))
                              ? FakeMember.body(200, member.recorded(file))
                              : refusal("etcdserver: invalid auth token"))
                          .to(exchange)));
    }
  }

  private static void logIn(HttpExchange exchange, String password) throws IOException {
    String said = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    (said.contains("\"password\":\"" + password + "\"")
            ? FakeMember.body(200, "{\"token\":\"" + password + "\"}")
            : refusal("etcdserver: authentication failed, invalid user ID or password"))
        .to(exchange);
  }

  private static FakeMember.Answer refusal(String message) {
    return FakeMember.body(401, "{\"code\":16,\"message\":\"" + message + "\"}");
  }

  @Override
  public List<FakeMember> members() {
    return members;
  }

  @Override
  public List<String> essential() {
    return List.of(FakeEtcd.HEALTH, FakeEtcd.STATUS);
  }

  @Override
  public String identity() {
    return FakeEtcd.STATUS;
  }

  @Override
  public String wrongType() {
    return members
        .getLast()
        .recorded("status.json")
        .replace("\"raftTerm\":\"2\"", "\"raftTerm\":2");
  }

  @Override
  public String command() {
    return FakeEtcd.TRANSFER;
  }

  @Override
  public FakeMember.Answer acknowledgement() {
    return FakeMember.body(200, "{}");
  }

  @Override
  public void unlist() {
    members.forEach(m -> m.omit(FakeEtcd.MEMBERS, "members", THIRD));
  }

  @Override
  public void joinOther(FakeMember member) {
    member.edit(FakeEtcd.STATUS, "16572348699001324854", "42");
  }

  @Override
  public void loseLeader(FakeMember member) {
    member.edit(FakeEtcd.STATUS, LEADER + ",", "");
  }

  @Override
  public void seeThirdLead(FakeMember member) {
    member.edit(FakeEtcd.STATUS, LEADER, "\"leader\":\"" + THIRD + "\"");
  }
}
