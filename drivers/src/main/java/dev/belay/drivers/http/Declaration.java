package dev.belay.drivers.http;

import com.fasterxml.jackson.core.JsonPointer;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the user says about a system: where its members are asked, and what their answers mean.
 *
 * @param headers of every request; {username} and {password} stand for the credentials
 * @param leadership empty: all members are equal
 * @param voter empty: every member votes that is no learner
 * @param members empty: the seats are the members
 * @param minHealthy empty: more than half of the voters
 */
public record Declaration(
    Map<String, String> headers,
    Serving serving,
    Optional<Leadership> leadership,
    Optional<Flag> voter,
    Optional<Lag> lag,
    Optional<Place> version,
    Optional<Place> clusterId,
    Optional<MemberList> members,
    Optional<Integer> minHealthy) {

  /**
   * One value in the answers of a member: a path, and a pointer into its JSON or the whole body.
   */
  public record Place(String path, Optional<JsonPointer> pointer) {

    public static Place of(String path, String pointer) {
      return new Place(path, Optional.of(JsonPointer.compile(pointer)));
    }

    public static Place body(String path) {
      return new Place(path, Optional.empty());
    }

    /** How the value is called in a reason. */
    String name() {
      return pointer.map(JsonPointer::toString).orElse("the body");
    }
  }

  /** A value that means yes when it is one of these. */
  public record Flag(Place at, List<String> is) {
    public Flag {
      is = List.copyOf(is);
    }
  }

  /** Whether a member serves. */
  public sealed interface Serving {

    record ByValue(Flag flag) implements Serving {}

    /**
     * Whatever the body says: systems that say "no" with 200 exist, so this has to be asked for.
     */
    record ByStatus(String path, int status) implements Serving {}

    default String path() {
      return switch (this) {
        case ByValue(Flag flag) -> flag.at().path();
        case ByStatus(String path, int _) -> path;
      };
    }
  }

  /** How far a member is behind, and how far it may be. */
  public record Lag(Place at, long max) {}

  /** The system's own list of members; without a pointer to the name the entries are the names. */
  public record MemberList(Place at, Optional<JsonPointer> name) {}

  /** How the leader is known and moved. */
  public record Leadership(Source source, Optional<Place> term, Transfer transfer) {}

  /** Who says who leads. */
  public sealed interface Source {

    Place at();

    /** Each member says what it is itself; a word that is in no list is an unknown role. */
    record OwnRole(Place at, List<String> leader, List<String> follower, List<String> learner)
        implements Source {
      public OwnRole {
        leader = List.copyOf(leader);
        follower = List.copyOf(follower);
        learner = List.copyOf(learner);
      }
    }

    /** Each member names the leader. */
    record Named(Place at) implements Source {}
  }

  /** The request that moves leadership; path and body have places for names and term. */
  public record Transfer(String method, String path, String body, SendTo sendTo) {}

  /** The two members that a transfer is about. */
  public enum SendTo {
    LEADER,
    SUCCESSOR
  }

  public Declaration {
    headers = Map.copyOf(headers);
  }

  /**
   * The schema refuses bad paths too, with more words; a driver can be made without it.
   *
   * @throws IllegalArgumentException naming the path and the cure
   */
  Declaration checked() {
    paths().forEach(Declaration::check);
    leadership.ifPresent(l -> check(l.transfer().path().replaceAll("[{}]", "")));
    return this;
  }

  private static void check(String path) {
    if (!path.startsWith("/") || !parses("http://member" + path)) {
      throw new IllegalArgumentException(
          "driver.http: \"" + path + "\" is no path; begin with /, and write blanks as %20");
    }
  }

  private static boolean parses(String uri) {
    try {
      return new URI(uri).getHost() != null;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  /** Every path that has to be asked, each once. */
  List<String> paths() {
    return Stream.of(
            Stream.of(serving.path()),
            leadership.stream().map(l -> l.source().at().path()),
            leadership.stream().flatMap(l -> l.term().stream()).map(Place::path),
            voter.stream().map(v -> v.at().path()),
            lag.stream().map(l -> l.at().path()),
            version.stream().map(Place::path),
            clusterId.stream().map(Place::path),
            members.stream().map(m -> m.at().path()))
        .flatMap(s -> s)
        .distinct()
        .toList();
  }

  /** The headers with the credentials in their places. */
  Map<String, String> headers(Map<String, String> credentials) {
    var filled = new LinkedHashMap<String, String>();
    headers.forEach((name, value) -> {
      String text = value;
      for (var credential : credentials.entrySet()) {
        text = text.replace(credential.getKey(), credential.getValue());
      }
      filled.put(name, text);
    });
    return filled;
  }
}
