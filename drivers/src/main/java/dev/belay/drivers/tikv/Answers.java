package dev.belay.drivers.tikv;

import static dev.belay.drivers.wire.Fields.bareId;
import static dev.belay.drivers.wire.Fields.flag;
import static dev.belay.drivers.wire.Fields.list;
import static dev.belay.drivers.wire.Fields.read;
import static dev.belay.drivers.wire.Fields.text;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.model.Fact;
import dev.belay.drivers.wire.Malformed;
import dev.belay.drivers.wire.Reply;
import dev.belay.drivers.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** PD's answers about stores as types; ids stay digits, and what has another type is malformed. */
final class Answers {

  private static final Pattern OF_ONE = Pattern.compile(PdClient.SCHEDULER + "-(\\d{1,20})");

  private Answers() {}

  /** The cluster that a member of PD is of, and where the leader of PD answers. */
  record Cluster(String id, List<String> leaderUrls) {}

  /**
   * One store by PD's account.
   *
   * @param columnar whether it is TiFlash, which keeps copies that have no vote
   */
  record Store(
      String id,
      String address,
      String state,
      String version,
      String started,
      long leaders,
      boolean columnar) {}

  /** A region that lacks peers, and the stores on which they are missed, where that is known. */
  record Gap(String region, List<String> stores) {}

  /** What runs: whether leaders are moved off stores, and by old names off which. */
  record Running(boolean evicting, List<String> named) {}

  /** How many regions there are, and how many each store leads of those whose leader is known. */
  record Regions(long all, Map<String, Long> ledBy) {

    long led() {
      return ledBy.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  static Fact<Cluster> cluster(Reply<JsonNode> reply) {
    return read(
        reply,
        node ->
            new Cluster(
                bareId(node.path("header"), "cluster_id"),
                texts(list(node.path("leader"), "client_urls"))));
  }

  private static List<String> texts(JsonNode list) {
    var texts = new ArrayList<String>();
    list.forEach(t -> texts.add(t.asText()));
    return List.copyOf(texts);
  }

  static Fact<List<Store>> stores(Reply<JsonNode> reply) {
    return read(
        reply,
        node -> {
          if (!node.path("stores").isArray()) {
            throw new Malformed("there is no list of stores");
          }
          var stores = new ArrayList<Store>();
          node.path("stores").forEach(s -> stores.add(store(s.path("store"), s.path("status"))));
          return List.copyOf(stores);
        });
  }

  private static Store store(JsonNode store, JsonNode status) {
    boolean columnar = false;
    for (JsonNode label : list(store, "labels")) {
      columnar |= text(label, "key").equals("engine") && text(label, "value").startsWith("tiflash");
    }
    return new Store(
        bareId(store, "id"),
        text(store, "address"),
        text(store, "state_name"),
        text(store, "version"),
        store.path("start_timestamp").asText(""),
        count(status, "leader_count"),
        columnar);
  }

  static Fact<Integer> maxReplicas(Reply<JsonNode> reply) {
    return read(
        reply,
        node -> {
          long replicas = count(node, "max-replicas");
          if (replicas < 1 || replicas > 1000) {
            throw new Malformed("max-replicas is " + replicas);
          }
          return (int) replicas;
        });
  }

  /** PD 4 and newer have one scheduler for all stores; before, each store had its own. */
  static Fact<Running> running(Reply<JsonNode> reply) {
    return read(
        reply,
        node -> {
          if (!node.isArray()) {
            throw new Malformed("the schedulers are no list");
          }
          List<String> names = texts(node);
          return new Running(
              names.contains(PdClient.SCHEDULER),
              names.stream()
                  .map(OF_ONE::matcher)
                  .filter(Matcher::matches)
                  .map(m -> m.group(1))
                  .toList());
        });
  }

  /** Whether PD has it on record that leaders are moved off some store. */
  static Fact<Boolean> kept(Reply<JsonNode> reply) {
    return read(
        reply,
        node -> {
          if (!node.has("schedulers-v2")) {
            throw new Malformed("there are no schedulers-v2");
          }
          boolean kept = false;
          for (JsonNode scheduler : node.path("schedulers-v2")) {
            kept |= text(scheduler, "type").equals("evict-leader") && !flag(scheduler, "disable");
          }
          return kept;
        });
  }

  static Fact<List<String>> evicted(Reply<JsonNode> reply) {
    return read(
        reply,
        node -> {
          JsonNode ranges = node.path("store-id-ranges");
          if (!ranges.isObject()) {
            throw new Malformed("there are no store-id-ranges");
          }
          var ids = new ArrayList<String>();
          ranges.fieldNames().forEachRemaining(ids::add);
          return List.copyOf(ids);
        });
  }

  /** Regions with peers that do not answer, each with the stores of those. */
  static Fact<List<Gap>> gaps(Reply<JsonNode> reply) {
    return read(
        reply,
        node -> {
          if (!node.path("count").isIntegralNumber()) {
            throw new Malformed("there is no count");
          }
          var gaps = new ArrayList<Gap>();
          for (JsonNode region : list(node, "regions")) {
            var stores = new ArrayList<String>();
            list(region, "down_peers")
                .forEach(down -> stores.add(bareId(down.path("peer"), "store_id")));
            gaps.add(new Gap(bareId(region, "id"), List.copyOf(stores)));
          }
          if (gaps.size() != node.path("count").asLong()) {
            throw new Malformed("there are other than count regions");
          }
          return List.copyOf(gaps);
        });
  }

  static Fact<Regions> regions(Reply<JsonNode> reply) {
    return read(
        reply,
        node -> {
          JsonNode leaders = node.path("store_leader_count");
          if (!leaders.isObject()) {
            throw new Malformed("there is no store_leader_count");
          }
          var ledBy = new TreeMap<String, Long>();
          leaders
              .fieldNames()
              .forEachRemaining(id -> ledBy.put(id, whole("store_leader_count", leaders.get(id))));
          return new Regions(count(node, "count"), ledBy);
        });
  }

  private static long count(JsonNode node, String field) {
    return whole(field, node.path(field));
  }

  private static long whole(String field, JsonNode value) {
    if (!value.isIntegralNumber() || !value.canConvertToLong() || value.asLong() < 0) {
      throw new Malformed(field + " is " + Wire.clip(value.toString()) + ", not a count");
    }
    return value.asLong();
  }

  /** The stores off which leaders are moved. What PD keeps but does not run yet will run soon. */
  static Fact<List<String>> evictions(
      Fact<Running> running, Fact<Boolean> kept, Fact<List<String>> evicted) {
    return running.flatMap(now ->
        kept.flatMap(shall -> {
          if (shall && !now.evicting() && now.named().isEmpty()) {
            return Fact.unknown(
                "PD has not started its schedulers yet, among them " + PdClient.SCHEDULER);
          }
          return now.evicting()
              ? evicted.map(
                  ids -> Stream.concat(ids.stream(), now.named().stream()).distinct().toList())
              : Fact.known(now.named());
        }));
  }

  static Optional<Store> byId(List<Store> stores, String id) {
    return stores.stream().filter(s -> s.id().equals(id)).findFirst();
  }
}
