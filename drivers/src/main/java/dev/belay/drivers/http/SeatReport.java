package dev.belay.drivers.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.driver.Driver.Seat;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member.Health;
import dev.belay.core.model.Member.Role;
import dev.belay.drivers.http.Declaration.Flag;
import dev.belay.drivers.http.Declaration.Leadership;
import dev.belay.drivers.http.Declaration.Place;
import dev.belay.drivers.http.Declaration.Serving;
import dev.belay.drivers.http.Declaration.Source;
import dev.belay.drivers.wire.Reply;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/** All that one seat answered in one look, read as the declaration says. */
record SeatReport(Seat seat, Declaration declared, Map<String, Page> pages) {

  /** Negative lags exist, and mean that the system does not know. */
  private static final Pattern AMOUNT = Pattern.compile("\\d{1,18}(\\.\\d{1,18})?");

  String pod() {
    return seat.pod();
  }

  /** Somebody is there, whatever he says. */
  boolean answered() {
    return pages.values().stream()
        .anyMatch(p -> p.answered() || p.reply() instanceof Reply.Rejected<String>);
  }

  /** Nobody listens there. */
  boolean refused() {
    return pages.values().stream().allMatch(p -> p.reply() instanceof Reply.Refused<String>);
  }

  /** Why nothing was read; only where nothing was. */
  String silence() {
    Page first = page(declared.serving().path());
    return pod() + " " + first.trouble();
  }

  Fact<String> clusterId() {
    return declared.clusterId().map(this::value).orElse(Fact.known(""));
  }

  Fact<String> version() {
    return declared
        .version()
        .map(this::value)
        .orElse(Fact.unknown("driver.http does not say where the version is read"));
  }

  Fact<String> term() {
    return declared.leadership().flatMap(Leadership::term).map(this::value).orElse(Fact.known(""));
  }

  /** What the member says of itself; a follower where somebody else has to say who leads. */
  Fact<Role> role() {
    Fact<Role> own =
        declared
            .leadership()
            .map(l ->
                switch (l.source()) {
                  case Source.OwnRole words -> value(words.at()).flatMap(word -> role(words, word));
                  case Source.Named _ -> Fact.known(Role.FOLLOWER);
                })
            .orElse(Fact.known(Role.PEER));
    return own.flatMap(role -> votes().map(votes -> votes ? role : Role.LEARNER));
  }

  private Fact<Role> role(Source.OwnRole words, String word) {
    if (words.leader().contains(word)) {
      return Fact.known(Role.LEADER);
    }
    if (words.follower().contains(word)) {
      return Fact.known(Role.FOLLOWER);
    }
    return words.learner().contains(word)
        ? Fact.known(Role.LEARNER)
        : Fact.unknown(
            "%s: %s is \"%s\", which is in no list of driver.http.leader.role"
                .formatted(words.at().path(), words.at().name(), word));
  }

  private Fact<Boolean> votes() {
    return declared.voter().map(this::flag).orElse(Fact.known(true));
  }

  /** Whether it is known not to vote; whoever is not, counts among the voters. */
  boolean knownNotToVote() {
    return role().is(Role.LEARNER);
  }

  /** Whether the page that tells who leads was answered, readable or not. */
  boolean speaksOfLeader() {
    return declared.leadership().map(l -> page(l.source().at().path()).answered()).orElse(false);
  }

  /** Whom the member names as leader. */
  Fact<String> names(Source.Named source) {
    return value(source.at());
  }

  /** Empty where none is declared. */
  Fact<Optional<BigDecimal>> lag() {
    return declared
        .lag()
        .map(lag ->
            value(lag.at())
                .flatMap(text ->
                    AMOUNT.matcher(text).matches()
                        ? Fact.known(Optional.of(new BigDecimal(text)))
                        : Fact.<Optional<BigDecimal>>unknown(
                            "%s: %s is \"%s\", not a number from 0 on"
                                .formatted(lag.at().path(), lag.at().name(), text))))
        .orElse(Fact.known(Optional.empty()));
  }

  /** The names in the system's own list of members. */
  Fact<List<String>> list(Declaration.MemberList list) {
    Page page = page(list.at().path());
    String where = list.at().name();
    return page.node(list.at())
        .flatMap(node -> {
          if (!node.isArray() || node.isEmpty()) {
            return Fact.unknown(
                page.malformed(where + (node.isArray() ? " is empty" : " is no list")));
          }
          var names = new ArrayList<String>();
          for (JsonNode entry : node) {
            switch (page.entry(entry, where, list.name())) {
              case Fact.Known<String>(String name) -> names.add(name);
              case Fact.Unknown<String>(String why) -> {
                return Fact.unknown(why);
              }
            }
          }
          return Fact.known(names.stream().sorted().distinct().toList());
        });
  }

  /** Whether it serves, by the declared page alone; 503 is a "no" in any form. */
  Fact<Health> serving() {
    Page page = page(declared.serving().path());
    return switch (declared.serving()) {
      case Serving.ByStatus(String path, int wanted) ->
          switch (page.reply()) {
            case Reply.Ok<String> _ -> byStatus(path, 200, wanted);
            case Reply.Rejected<String>(int status, String _) -> byStatus(path, status, wanted);
            default -> Fact.unknown(page.trouble());
          };
      case Serving.ByValue(Flag flag) ->
          page.reply() instanceof Reply.Rejected<String>(int status, String _) && status == 503
              ? Fact.known(new Health(false, page.path() + " " + page.reply().why()))
              : value(flag.at())
                  .map(value ->
                      flag.is().contains(value)
                          ? new Health(true, "serves")
                          : new Health(
                              false,
                              "%s: %s is \"%s\", healthy is %s"
                                  .formatted(
                                      page.path(),
                                      flag.at().name(),
                                      value,
                                      String.join(" or ", flag.is()))));
    };
  }

  private static Fact<Health> byStatus(String path, int status, int wanted) {
    return Fact.known(
        status == wanted
            ? new Health(true, "serves")
            : new Health(false, "%s answers %d, healthy is %d".formatted(path, status, wanted)));
  }

  private Fact<Boolean> flag(Flag flag) {
    return value(flag.at()).map(flag.is()::contains);
  }

  private Fact<String> value(Place place) {
    return page(place.path()).value(place);
  }

  private Page page(String path) {
    return Objects.requireNonNull(pages.get(path), path);
  }
}
