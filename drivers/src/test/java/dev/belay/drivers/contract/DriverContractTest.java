package dev.belay.drivers.contract;

import static dev.belay.drivers.contract.FakeMember.body;
import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Health;
import dev.belay.core.model.Topology;
import dev.belay.drivers.bookkeeper.BookkeeperSpecimen;
import dev.belay.drivers.etcd.EtcdSpecimen;
import dev.belay.drivers.http.HttpSpecimen;
import dev.belay.drivers.pd.PdSpecimen;
import dev.belay.drivers.tikv.TikvSpecimen;
import dev.belay.drivers.wire.Wire;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every driver of a system with members does with what it is told. */
@ParameterizedClass(name = "{0}")
@MethodSource("drivers")
class DriverContractTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Short, for what never answers. */
  private static final Duration BRIEF = Duration.ofMillis(1500);

  private static final String WELL = "it is well";

  private final Specimen system;
  private final FakeMember third;

  /** A new driver adds its line here. */
  static Stream<Named<Supplier<Specimen>>> drivers() {
    return Stream.of(
        Named.of("etcd", EtcdSpecimen::new),
        Named.of("pd", PdSpecimen::new),
        Named.of("bookkeeper", BookkeeperSpecimen::new),
        Named.of("tikv", TikvSpecimen::new),
        Named.of("http", HttpSpecimen::new));
  }

  DriverContractTest(Supplier<Specimen> driver) {
    system = driver.get();
    third = system.members().get(2);
    system.members().forEach(FakeMember::keep);
  }

  @AfterEach
  void stop() {
    system.close();
  }

  @Test
  void sees_members_and_how_many_are_needed() {
    Topology t = look();
    assertThat(t.members()).hasSize(3).allMatch(Member::healthy);
    assertThat(t.groups()).singleElement().extracting(Group::required).isEqualTo(2);
    assertThat(t.clusterId()).isNotBlank();
  }

  @Test
  void a_late_answer_is_unknown_and_the_look_ends_without_it() {
    for (String question : system.essential()) {
      system.upset(question, FakeMember::never);
      assertThat(why(BRIEF)).as(question).contains("no answer in ");
    }
  }

  @Test
  void half_an_answer_is_unknown() {
    system.upset(system.identity(), FakeMember::half);
    assertThat(why(BRIEF)).contains("no answer in 1500 ms");
    upset(system.identity(), FakeMember.cut());
    assertThat(why()).contains("the connection broke off: ");
  }

  @Test
  void a_huge_answer_is_not_swallowed() {
    upset(system.identity(), body(200, "{\"a\":\"" + "x".repeat(Wire.JSON_LIMIT) + "\"}"));
    assertThat(why()).endsWith("answers with more than 1024 KiB");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"header\":", "[]", "null", "hello", "", "{} {}", "{}"})
  void a_malformed_answer_is_unknown(String text) {
    upset(system.identity(), body(200, text));
    assertThat(why()).contains("malformed answer: ");
  }

  @Test
  void an_answer_of_the_wrong_type_is_unknown() {
    upset(system.identity(), body(200, system.wrongType()));
    assertThat(why()).contains("malformed answer: ").contains(" is ");
  }

  @Test
  void a_redirect_is_not_followed() {
    for (String question : system.essential()) {
      try (FakeMember elsewhere = FakeMember.replaying("", "elsewhere", Map.of())) {
        upset(question, FakeMember.redirect(elsewhere, question));
        assertThat(why()).as(question).contains("redirects elsewhere (307)");
        assertThat(elsewhere.asked).isEmpty();
      }
    }
  }

  @Test
  void not_found_is_never_good() {
    for (String question : system.essential()) {
      upset(question, body(404, "404 page not found"));
      assertThat(why()).as(question).contains("404");
    }
  }

  @Test
  void health_that_flaps_is_followed_look_by_look() {
    for (String question : system.essential()) {
      for (int i = 0; i < 3; i++) {
        assertThat(why()).isEqualTo(WELL);
        upset(question, body(500, "not now"));
        assertThat(why()).as(question).isNotEqualTo(WELL);
        system.members().forEach(FakeMember::calm);
      }
    }
  }

  @Test
  void another_clusters_answer_spoils_the_picture_and_both_are_named() {
    system.joinOther(third);
    assertThat(system.driver().observe(system.seats(), PATIENCE))
        .isInstanceOfSatisfying(
            Fact.Unknown.class,
            unknown ->
                assertThat(unknown.why())
                    .contains(
                        system.called(system.members().getFirst()) + " is of ",
                        system.called(third) + " is of "));
  }

  @Test
  void a_cluster_id_that_flaps_is_believed_only_while_it_is_the_same() {
    String id = look().clusterId();
    for (int i = 0; i < 3; i++) {
      system.joinOther(third);
      assertThat(system.driver().observe(system.seats(), PATIENCE))
          .isInstanceOf(Fact.Unknown.class);
      third.calm();
      assertThat(look().clusterId()).isEqualTo(id);
    }
  }

  @Test
  void a_closed_port_is_what_the_system_makes_of_it_and_the_end_of_the_picture_for_all() {
    system.end(third);
    assertThat(last(look()).health()).isEqualTo(Fact.known(system.ended()));
    system.members().forEach(FakeMember::close);
    assertThat(system.driver().observe(system.seats(), PATIENCE)).isInstanceOf(Fact.Unknown.class);
    assertThat(system.driver().observe(List.of(), PATIENCE)).isInstanceOf(Fact.Unknown.class);
  }

  private void upset(String question, FakeMember.Answer answer) {
    system.upset(question, _ -> answer);
  }

  private Topology look() {
    Fact<Topology> seen = system.driver().observe(system.seats(), PATIENCE);
    assertThat(seen).isInstanceOf(Fact.Known.class);
    return seen.asOptional().orElseThrow();
  }

  private static Member last(Topology t) {
    return t.members().getLast();
  }

  private String why() {
    return why(PATIENCE);
  }

  /** Why the last member is not known to be well; of some systems all is known, or nothing. */
  private String why(Duration deadline) {
    Fact<Topology> seen = system.driver().observe(system.seats(), deadline);
    return switch (seen.flatMap(t -> last(t).health())) {
      case Fact.Unknown<Health>(String why) -> why;
      case Fact.Known<Health>(Health h) -> h.good() ? WELL : h.reading();
    };
  }
}
