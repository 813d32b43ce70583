package dev.belay.drivers.mysql;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import java.util.List;
import java.util.Optional;

/** Who is what in a component, as far as its members' readings tell; pure. */
record Roles(List<Stand> stands) {

  static Roles of(Component component) {
    return new Roles(
        component.topology().asOptional().stream()
            .flatMap(t -> t.members().stream())
            .map(m -> new Stand(m, component.podOf(m).map(Pod::name).orElse(m.name())))
            .toList());
  }

  /** One member and its pod. */
  record Stand(Member member, String pod) {

    String name() {
      return member.name();
    }

    boolean answers() {
      return member.reading(Readings.READ_ONLY) instanceof Fact.Known<String>;
    }

    boolean readOnly() {
      return member.reading(Readings.READ_ONLY).is("true");
    }

    /** Takes writes, and no other server's. */
    boolean open() {
      return member.reading(Readings.READ_ONLY).is("false")
          && member.reading(Readings.RUNS).is("false")
          && member.reading(Readings.SOURCE) instanceof Fact.Known<String>;
    }

    boolean free() {
      return follows("");
    }

    boolean follows(String source) {
      return member.reading(Readings.SOURCE).is(source);
    }

    boolean logs() {
      return member.reading(Readings.LOGS).is("true");
    }

    Fact<Series> series() {
      return Series.of(member);
    }

    Optional<Gtids> gtids() {
      return member
          .reading(Readings.POSITION)
          .flatMap(position ->
              member
                  .reading(Readings.FLAVOR)
                  .map(flavor -> Gtids.of(Flavor.valueOf(flavor), position)))
          .asOptional();
    }

    /** Whether it is known to have all that the other one has. */
    boolean reaches(Stand other) {
      return gtids().flatMap(mine -> other.gtids().map(mine::reaches)).orElse(false);
    }

    /** Whether it may follow that one: never one of a newer series, and not unless both tell. */
    boolean mayFollow(Stand primary) {
      return series().flatMap(mine -> primary.series().map(mine::mayFollow)).is(true);
    }
  }

  Optional<Stand> named(String name) {
    return stands.stream().filter(s -> s.name().equals(name)).findFirst();
  }

  List<Stand> open() {
    return stands.stream().filter(Stand::open).toList();
  }

  /** Those that answer, but for one. */
  List<Stand> others(Stand one) {
    return stands.stream().filter(s -> s.answers() && !s.name().equals(one.name())).toList();
  }

  boolean everybodyAnswers() {
    return !stands.isEmpty() && stands.stream().allMatch(Stand::answers);
  }

  /** The fence of every command: who is what. */
  String term() {
    return stands.stream()
        .findFirst()
        .flatMap(s -> s.member().reading(Readings.ROLES).asOptional())
        .orElse("");
  }
}
