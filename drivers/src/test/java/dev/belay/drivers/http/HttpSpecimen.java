package dev.belay.drivers.http;

import dev.belay.core.driver.Driver;
import dev.belay.core.model.Member.Health;
import dev.belay.drivers.DriverConfig;
import dev.belay.drivers.contract.FakeMember;
import dev.belay.drivers.contract.LedSpecimen;
import dev.belay.drivers.contract.PasswordedSpecimen;
import dev.belay.drivers.http.Declaration.Flag;
import dev.belay.drivers.http.Declaration.Lag;
import dev.belay.drivers.http.Declaration.Leadership;
import dev.belay.drivers.http.Declaration.Place;
import dev.belay.drivers.http.Declaration.SendTo;
import dev.belay.drivers.http.Declaration.Serving;
import dev.belay.drivers.http.Declaration.Source;
import dev.belay.drivers.http.Declaration.Transfer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A recorded tally 1.0, declared as in examples/http.yaml. */
public final class HttpSpecimen implements PasswordedSpecimen, LedSpecimen {

  static final String STATUS = "/status";
  static final String STEPDOWN = "/stepdown";

  static final Source ROLE =
      new Source.OwnRole(at("/raft/role"), List.of("leader"), List.of("follower"), List.of());

  static final Transfer TRANSFER =
      new Transfer("POST", STEPDOWN + "?to={successor}&term={term}", "", SendTo.LEADER);

  public static final DriverConfig TALLY =
      config(
          new Declaration(
              Map.of(),
              new Serving.ByValue(new Flag(at("/serves"), List.of("true"))),
              Optional.of(new Leadership(ROLE, Optional.of(at("/raft/term")), TRANSFER)),
              Optional.empty(),
              Optional.of(new Lag(at("/raft/lag"), 100)),
              Optional.of(at("/version")),
              Optional.of(at("/cluster")),
              Optional.empty(),
              Optional.empty()));

  private final Driver driver = new HttpDriver(TALLY);
  private final List<FakeMember> members = recorded("1.0");

  static DriverConfig config(Declaration declaration) {
    return new DriverConfig(Optional.empty(), Optional.empty(), Optional.of(declaration));
  }

  static Place at(String pointer) {
    return Place.of(STATUS, pointer);
  }

  static List<FakeMember> recorded(String version) {
    return Stream.of("tally-0", "tally-1", "tally-2")
        .map(n -> FakeMember.replaying("/http/tally-" + version, n, Map.of(STATUS, "status.json")))
        .toList();
  }

  @Override
  public Driver driver() {
    return driver;
  }

  @Override
  public Driver driver(DriverConfig config) {
    return new HttpDriver(new DriverConfig(config.tls(), config.auth(), TALLY.http()));
  }

  @Override
  public void demand(String password) {
    String pass =
        "Basic "
            + Base64.getEncoder()
                .encodeToString(("root:" + password).getBytes(StandardCharsets.UTF_8));
    for (FakeMember member : members) {
      member.on(
          STATUS,
          exchange ->
              (pass.equals(exchange.getRequestHeaders().getFirst("Authorization"))
                      ? FakeMember.body(200, member.recorded("status.json"))
                      : FakeMember.body(401, "who is it?"))
                  .to(exchange));
    }
  }

  @Override
  public List<FakeMember> members() {
    return members;
  }

  @Override
  public List<String> essential() {
    return List.of(STATUS);
  }

  @Override
  public String identity() {
    return STATUS;
  }

  @Override
  public String wrongType() {
    return members.getLast().recorded("status.json").replace("\"follower\"", "[\"follower\"]");
  }

  @Override
  public String command() {
    return STEPDOWN;
  }

  @Override
  public FakeMember.Answer acknowledgement() {
    return FakeMember.body(204, "");
  }

  /** Another port of it may still serve. */
  @Override
  public Health ended() {
    return new Health(false, MemberHealth.REFUSED);
  }

  @Override
  public void joinOther(FakeMember member) {
    member.edit(STATUS, "tally-example", "another");
  }

  @Override
  public void loseLeader(FakeMember member) {
    String mine = member.recorded("status.json").contains("\"leader\", ") ? "leader" : "follower";
    member.edit(STATUS, "\"role\": \"" + mine + "\"", "\"role\": \"candidate\"");
  }

  @Override
  public void seeThirdLead(FakeMember member) {
    String role = member == members.getLast() ? "leader" : "follower";
    String before = member.recorded("status.json");
    String after =
        before
            .replace("\"leader\": \"tally-1\"", "\"leader\": \"tally-2\"")
            .replaceFirst("\"role\": \"[a-z]+\"", "\"role\": \"" + role + "\"");
    member.on(STATUS, FakeMember.body(200, after));
  }
}
