package dev.belay.drivers.tikv;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.core.model.Fact;
import dev.belay.drivers.tikv.Answers.Gap;
import dev.belay.drivers.tikv.Answers.Regions;
import dev.belay.drivers.tikv.Answers.Store;
import dev.belay.drivers.wire.Reply;
import java.util.List;

/**
 * All that PD answered in one look.
 *
 * @param evicted the ids of the stores that leaders are moved off
 * @param regions asked for only where it matters
 */
record PdReport(
    String clusterId,
    Fact<List<Store>> stores,
    Fact<Integer> maxReplicas,
    Fact<List<String>> evicted,
    Fact<List<Gap>> down,
    Fact<List<Gap>> missing,
    Fact<Regions> regions) {

  /** The raw replies, before they are understood. */
  record Replies(
      Reply<JsonNode> stores,
      Reply<JsonNode> replication,
      Reply<JsonNode> schedulers,
      Reply<JsonNode> scheduling,
      Reply<JsonNode> evictions,
      Reply<JsonNode> downPeers,
      Reply<JsonNode> missingPeers) {}

  static PdReport of(String clusterId, Replies replies) {
    return new PdReport(
        clusterId,
        Answers.stores(replies.stores),
        Answers.maxReplicas(replies.replication),
        Answers.evictions(
            Answers.running(replies.schedulers),
            Answers.kept(replies.scheduling),
            Answers.evicted(replies.evictions)),
        Answers.gaps(replies.downPeers),
        Answers.gaps(replies.missingPeers),
        Fact.unknown("nobody asked for the regions"));
  }

  PdReport knowing(Fact<Regions> all) {
    return new PdReport(clusterId, stores, maxReplicas, evicted, down, missing, all);
  }

  /** Somebody may be taken down soon because it leads nothing, which should be true then. */
  boolean needsRegions() {
    List<String> emptied = evicted.asOptional().orElse(List.of());
    return stores.asOptional().stream()
        .flatMap(List::stream)
        .anyMatch(s -> s.leaders() == 0 && emptied.contains(s.id()));
  }
}
