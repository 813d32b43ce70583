package dev.belay.drivers.pd;

import static dev.belay.drivers.wire.Fields.bareId;
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
import java.util.Optional;

/**
 * PD's answers as types. PD writes its ids as bare numbers beyond 2^53, its etcd writes the same
 * ids as text; both leave out what is zero, false or empty. Anything else is malformed.
 */
final class Answers {

  private Answers() {}

  /** What a member's etcd says about itself. */
  record Raft(
      String clusterId,
      String memberId,
      String leader,
      String term,
      long index,
      long applied,
      boolean learner) {}

  /** The members of a cluster and its two leaders, as one of them sees it. */
  record MemberList(
      String clusterId,
      List<Listed> members,
      Optional<String> leader,
      Optional<String> etcdLeader) {}

  record Listed(String id, String name, List<String> urls, int priority) {}

  /** Whether one member reached another one. */
  record Reached(String id, boolean good) {}

  static Fact<Raft> raft(Reply<JsonNode> reply) {
    return read(
        reply,
        node -> {
          JsonNode header = node.path("header");
          return new Raft(
              id(header, "cluster_id"),
              id(header, "member_id"),
              number(node, "leader"),
              number(node, "raftTerm"),
              index(node, "raftIndex"),
              index(node, "raftAppliedIndex"),
              flag(node, "isLearner"));
        });
  }

  static Fact<MemberList> members(Reply<JsonNode> reply) {
    return read(
        reply,
        node -> {
          var members = new ArrayList<Listed>();
          list(node, "members").forEach(m -> members.add(listed(m)));
          if (members.isEmpty()) {
            throw new Malformed("the member list is empty");
          }
          return new MemberList(
              bareId(node.path("header"), "cluster_id"),
              List.copyOf(members),
              leader(node, "leader"),
              leader(node, "etcd_leader"));
        });
  }

  private static Listed listed(JsonNode m) {
    var urls = new ArrayList<String>();
    list(m, "peer_urls").forEach(url -> urls.add(url.asText()));
    list(m, "client_urls").forEach(url -> urls.add(url.asText()));
    JsonNode priority = m.path("leader_priority");
    if (!priority.isMissingNode() && !priority.isInt()) {
      throw new Malformed("leader_priority is " + priority + ", not a number");
    }
    return new Listed(bareId(m, "member_id"), text(m, "name"), List.copyOf(urls), priority.asInt());
  }

  private static Optional<String> leader(JsonNode node, String field) {
    JsonNode leader = node.path(field);
    return leader.isMissingNode() || leader.isNull()
        ? Optional.empty()
        : Optional.of(bareId(leader, "member_id"));
  }

  static Fact<List<Reached>> health(Reply<JsonNode> reply) {
    return read(
        reply,
        node -> {
          if (!node.isArray()) {
            throw new Malformed("health is no list");
          }
          var reached = new ArrayList<Reached>();
          node.forEach(m -> reached.add(new Reached(bareId(m, "member_id"), flag(m, "health"))));
          return List.copyOf(reached);
        });
  }

  /** The version a member was built as; PD says "None" where the builder gave it none. */
  static Fact<String> version(Reply<JsonNode> reply) {
    return read(reply, node -> text(node, "version"))
        .flatMap(version ->
            version.isEmpty() || version.equals("None")
                ? Fact.unknown("this build of PD carries no version")
                : Fact.known(version));
  }
}
