package dev.belay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonPointer;
import dev.belay.api.v1alpha1.DriverSpec;
import dev.belay.drivers.http.Declaration;
import dev.belay.drivers.http.Declaration.Flag;
import dev.belay.drivers.http.Declaration.Lag;
import dev.belay.drivers.http.Declaration.Leadership;
import dev.belay.drivers.http.Declaration.MemberList;
import dev.belay.drivers.http.Declaration.Place;
import dev.belay.drivers.http.Declaration.SendTo;
import dev.belay.drivers.http.Declaration.Serving;
import dev.belay.drivers.http.Declaration.Source;
import dev.belay.drivers.http.Declaration.Transfer;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DeclarationsTest {

  @Test
  void every_field_finds_its_place() {
    assertThat(
            declaration(
                """
                path: /status
                headers: {X-Token: "{password}"}
                healthy: {path: /ready, pointer: /ok, is: [yes-sir]}
                voter: {pointer: /voter, is: ["1"]}
                lag: {path: /lag, max: 7}
                version: {pointer: /version}
                clusterId: {path: /id}
                members: {path: /members, pointer: /list, name: /name}
                minHealthy: 2
                leader:
                  role: {pointer: /role, leader: [l], follower: [f], learner: [o]}
                  term: {pointer: /term}
                  transfer: {method: PUT, path: /go, body: b, sendTo: Successor}
                """))
        .isEqualTo(
            new Declaration(
                Map.of("X-Token", "{password}"),
                new Serving.ByValue(new Flag(Place.of("/ready", "/ok"), List.of("yes-sir"))),
                Optional.of(
                    new Leadership(
                        new Source.OwnRole(
                            Place.of("/status", "/role"), List.of("l"), List.of("f"), List.of("o")),
                        Optional.of(Place.of("/status", "/term")),
                        new Transfer("PUT", "/go", "b", SendTo.SUCCESSOR))),
                Optional.of(new Flag(Place.of("/status", "/voter"), List.of("1"))),
                Optional.of(new Lag(Place.body("/lag"), 7)),
                Optional.of(Place.of("/status", "/version")),
                Optional.of(Place.body("/id")),
                Optional.of(
                    new MemberList(
                        Place.of("/members", "/list"), Optional.of(JsonPointer.compile("/name")))),
                Optional.of(2)));
  }

  @Test
  void what_is_left_out_has_its_default() {
    Declaration declaration =
        declaration(
            """
            path: /status
            healthy: {pointer: /ok}
            leader: {named: {path: /leader}, transfer: {path: /go}}
            """);
    assertThat(declaration.serving())
        .isEqualTo(new Serving.ByValue(new Flag(Place.of("/status", "/ok"), List.of("true"))));
    assertThat(declaration.leadership())
        .contains(
            new Leadership(
                new Source.Named(Place.body("/leader")),
                Optional.empty(),
                new Transfer("POST", "/go", "", SendTo.LEADER)));
    assertThat(declaration.minHealthy()).isEmpty();
    assertThat(declaration("path: /status\nhealthy: {status: 204}").serving())
        .isEqualTo(new Serving.ByStatus("/status", 204));
  }

  private static Declaration declaration(String http) {
    DriverSpec spec =
        Serialization.unmarshal("type: http\nport: 80\nhttp:\n" + http.indent(2), DriverSpec.class);
    return Declarations.of(Objects.requireNonNull(spec.http()));
  }
}
