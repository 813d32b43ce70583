package dev.belay.drivers.etcd;

import static dev.belay.drivers.wire.Fields.flag;
import static dev.belay.drivers.wire.Fields.id;
import static dev.belay.drivers.wire.Fields.index;
import static dev.belay.drivers.wire.Fields.list;
import static dev.belay.drivers.wire.Fields.number;
import static dev.belay.drivers.wire.Fields.read;
import static dev.belay.drivers.wire.Fields.text;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.model.Fact;
import dev.belay.drivers.wire.Malformed;
import dev.belay.drivers.wire.Reply;
import java.util.ArrayList;
import java.util.List;

/**
 * etcd's answers as types. Ids, terms and indexes are uint64, which JSON carries as text; etcd
 * leaves out what is zero, false or empty. Anything else is malformed.
 */
final class Answers {

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
}
