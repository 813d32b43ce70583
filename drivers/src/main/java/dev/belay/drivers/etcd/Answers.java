package dev.belay.drivers.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.snapshot.Fact;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * etcd's answers as types. Ids, terms and indexes are uint64, which JSON carries as text; etcd
 * leaves out what is zero, false or empty. Anything else is malformed.
 */
final class Answers {

  private static final Pattern NUMBER = Pattern.compile("\\d{1,20}");

  private Answers() {}

  /** What a member says about itself. */
  record Status(
      String clusterId,
      String memberId,
      String version,
      String leader,
      String term,
      long index,
      long applied,
      String storageVersion,
      boolean learner) {}

  /** The members of a cluster as a quorum has them. */
  record MemberList(String clusterId, List<Listed> members) {}

  record Listed(String id, String name, List<String> urls, boolean learner) {}

  record Alarm(String memberId, String kind) {}

  static Fact<Status> status(Reply<JsonNode> reply) {
    return read(
        reply,
        node -> {
          JsonNode header = node.path("header");
          return new Status(
              id(header, "cluster_id"),
              id(header, "member_id"),
              text(node, "version"),
              number(node, "leader"),
              number(node, "raftTerm"),
              index(node, "raftIndex"),
              index(node, "raftAppliedIndex"),
              text(node, "storageVersion"),
              flag(node, "isLearner"));
        });
  }

  static Fact<MemberList> members(Reply<JsonNode> reply) {
    return read(
        reply,
        node -> {
          var members = new ArrayList<Listed>();
          for (JsonNode m : list(node, "members")) {
            var urls = new ArrayList<String>();
            list(m, "peerURLs").forEach(url -> urls.add(url.asText()));
            list(m, "clientURLs").forEach(url -> urls.add(url.asText()));
            members.add(
                new Listed(id(m, "ID"), text(m, "name"), List.copyOf(urls), flag(m, "isLearner")));
          }
          if (members.isEmpty()) {
            throw new Malformed("the member list is empty");
          }
          return new MemberList(id(node.path("header"), "cluster_id"), List.copyOf(members));
        });
  }

  static Fact<List<Alarm>> alarms(Reply<JsonNode> reply) {
    return read(
        reply,
        node -> {
          var alarms = new ArrayList<Alarm>();
          for (JsonNode alarm : list(node, "alarms")) {
            alarms.add(new Alarm(number(alarm, "memberID"), text(alarm, "alarm")));
          }
          return List.copyOf(alarms);
        });
  }

  static Fact<Boolean> healthy(Reply<JsonNode> reply) {
    return read(
        reply,
        node ->
            switch (text(node, "health")) {
              case "true" -> true;
              case "false" -> false;
              default -> throw new Malformed("health is " + node.path("health"));
            });
  }

  /** One field of /version; "not_decided" and absent are not yet known. */
  static Fact<String> version(Reply<JsonNode> reply, String field) {
    return read(reply, node -> text(node, field))
        .flatMap(text ->
            switch (text) {
              case "" -> Fact.unknown("etcd reports no " + field);
              case "not_decided" -> Fact.unknown("etcd has not decided it yet");
              default -> Fact.known(text);
            });
  }

  private static <T> Fact<T> read(Reply<JsonNode> reply, Function<JsonNode, T> parse) {
    if (!(reply instanceof Reply.Ok<JsonNode>(JsonNode node))) {
      return Fact.unknown(reply.why());
    }
    try {
      return Fact.known(parse.apply(node));
    } catch (Malformed e) {
      return Fact.unknown("malformed answer: " + Wire.clip(String.valueOf(e.getMessage())));
    }
  }

  private static String text(JsonNode node, String field) {
    JsonNode value = node.path(field);
    if (value.isMissingNode()) {
      return "";
    }
    if (!value.isTextual()) {
      throw new Malformed(field + " is " + value + ", not text");
    }
    return value.textValue();
  }

  private static String number(JsonNode node, String field) {
    String text = text(node, field);
    if (text.isEmpty()) {
      return "0";
    }
    if (!NUMBER.matcher(text).matches()) {
      throw new Malformed(field + " is \"" + text + "\", not a number");
    }
    return text;
  }

  private static String id(JsonNode node, String field) {
    String id = number(node, field);
    if (id.equals("0")) {
      throw new Malformed("no " + field);
    }
    return id;
  }

  private static long index(JsonNode node, String field) {
    try {
      return Long.parseLong(number(node, field));
    } catch (NumberFormatException e) {
      throw new Malformed(field + " is beyond any log");
    }
  }

  private static boolean flag(JsonNode node, String field) {
    JsonNode value = node.path(field);
    if (!value.isMissingNode() && !value.isBoolean()) {
      throw new Malformed(field + " is " + value + ", not true or false");
    }
    return value.asBoolean(false);
  }

  private static JsonNode list(JsonNode node, String field) {
    JsonNode value = node.path(field);
    if (!value.isMissingNode() && !value.isArray()) {
      throw new Malformed(field + " is no list");
    }
    return value;
  }

  /** Ends the parsing of one answer; never leaves this class. */
  private static final class Malformed extends RuntimeException {
    Malformed(String what) {
      super(what);
    }
  }
}
