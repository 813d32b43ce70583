package dev.belay.drivers.http;

import dev.belay.core.model.Fact;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Topology.Leader;
import dev.belay.drivers.http.Declaration.Source;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Who leads, in which term, by the account of every voter that answers. Whoever answers and cannot
 * be read may know of another leader, so nobody is known to lead then.
 */
final class Leading {

  private Leading() {}

  static Fact<Leader> of(Declaration declared, List<SeatReport> reports) {
    if (declared.leadership().isEmpty()) {
      return Fact.known(Leader.NOBODY);
    }
    List<SeatReport> voters =
        reports.stream()
            .filter(SeatReport::speaksOfLeader)
            .filter(r -> !r.knownNotToVote())
            .toList();
    Fact<SeatReport> leader =
        switch (declared.leadership().get().source()) {
          case Source.OwnRole _ -> claimed(voters);
          case Source.Named named -> named(named, voters, reports);
        };
    return leader.flatMap(
        l -> oneTerm(voters).map(term -> new Leader(l.seat().memberName(), term)));
  }

  private static Fact<SeatReport> claimed(List<SeatReport> voters) {
    for (SeatReport r : voters) {
      if (r.role() instanceof Fact.Unknown<Role>(String why)) {
        return Fact.unknown(r.pod() + " " + why);
      }
    }
    List<SeatReport> claims = voters.stream().filter(r -> r.role().is(Role.LEADER)).toList();
    return switch (claims.size()) {
      case 0 -> Fact.unknown("no member says that it leads");
      case 1 -> Fact.known(claims.getFirst());
      default ->
          Fact.unknown(
              claims.stream().map(SeatReport::pod).collect(Collectors.joining(" and "))
                  + " both say that they lead");
    };
  }

  private static Fact<SeatReport> named(
      Source.Named source, List<SeatReport> voters, List<SeatReport> reports) {
    var named = new LinkedHashMap<String, String>();
    for (SeatReport r : voters) {
      switch (r.names(source)) {
        case Fact.Unknown<String>(String why) -> {
          return Fact.unknown(r.pod() + " " + why);
        }
        case Fact.Known<String>(String name) -> named.putIfAbsent(name, r.pod());
      }
    }
    if (named.size() != 1) {
      return Fact.unknown(
          named.isEmpty()
              ? "no member names a leader"
              : named.entrySet().stream()
                  .map(e -> e.getValue() + " says " + e.getKey())
                  .collect(Collectors.joining(", ")));
    }
    String name = named.keySet().iterator().next();
    List<SeatReport> meant = Names.meant(name, reports, SeatReport::seat);
    return meant.size() == 1
        ? Fact.known(meant.getFirst())
        : Fact.unknown("the leader " + name + " is no pod of this component");
  }

  private static Fact<String> oneTerm(List<SeatReport> voters) {
    var terms = new LinkedHashMap<String, String>();
    for (SeatReport r : voters) {
      switch (r.term()) {
        case Fact.Unknown<String>(String why) -> {
          return Fact.unknown(r.pod() + " " + why);
        }
        case Fact.Known<String>(String term) -> terms.putIfAbsent(term, r.pod());
      }
    }
    return terms.size() == 1
        ? Fact.known(terms.keySet().iterator().next())
        : Fact.unknown(
            terms.entrySet().stream()
                .map(e -> e.getValue() + " is in term " + e.getKey())
                .collect(Collectors.joining(", ")));
  }
}
