package dev.belay.drivers.bookkeeper;

import com.fasterxml.jackson.databind.JsonNode;
import dev.belay.drivers.wire.Deadline;
import dev.belay.drivers.wire.Reply;
import dev.belay.drivers.wire.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;

/** Speaks with one bookie over its admin API. */
final class BookieClient {

  private final Wire wire;
  private final URI base;

  BookieClient(Wire wire, URI base) {
    this.wire = wire;
    this.base = base;
  }

  Reply<JsonNode> state(Deadline deadline) {
    return get("bookie/state", deadline, Wire::json);
  }

  /** Whether it serves; the whole answer is a word. */
  Reply<String> ready(Deadline deadline) {
    return get("bookie/is_ready", deadline, BookieClient::text);
  }

  /** What ZooKeeper knows of all; there since 4.16. */
  Reply<JsonNode> info(Deadline deadline) {
    return get("bookie/cluster_info", deadline, Wire::json);
  }

  /** Who is registered as writable. */
  Reply<JsonNode> writable(Deadline deadline) {
    return get("bookie/list_bookies?type=rw", deadline, Wire::json);
  }

  /** Who is registered as read-only. */
  Reply<JsonNode> readOnly(Deadline deadline) {
    return get("bookie/list_bookies?type=ro", deadline, Wire::json);
  }

  Reply<JsonNode> underReplicated(Deadline deadline) {
    return get("autorecovery/list_under_replicated_ledger", deadline, Wire::anyJson);
  }

  Reply<String> delay(Deadline deadline) {
    return get("autorecovery/lost_bookie_recovery_delay", deadline, BookieClient::text);
  }

  Reply<String> setReadOnly(boolean readOnly, Deadline deadline) {
    return put("bookie/state/readonly", "{\"readOnly\":" + readOnly + "}", deadline);
  }

  /** The switch is in the query; a body would be ignored. */
  Reply<String> setAutorecovery(boolean enabled, Deadline deadline) {
    return put("autorecovery/status?enabled=" + enabled, "", deadline);
  }

  Reply<String> setDelay(long seconds, Deadline deadline) {
    return put(
        "autorecovery/lost_bookie_recovery_delay", "{\"delay_seconds\":" + seconds + "}", deadline);
  }

  private <T> Reply<T> get(String path, Deadline deadline, Wire.Body<T> body) {
    return wire.send(
        HttpRequest.newBuilder(api(path)).GET(), Wire.Times.AGAIN_IF_CUT, deadline, body);
  }

  private Reply<String> put(String path, String body, Deadline deadline) {
    var request = HttpRequest.newBuilder(api(path)).PUT(HttpRequest.BodyPublishers.ofString(body));
    return wire.send(request, Wire.Times.ONCE, deadline, BookieClient::text);
  }

  private URI api(String path) {
    return base.resolve("/api/v1/" + path);
  }

  private static Reply<String> text(InputStream in) throws IOException {
    byte[] bytes = in.readNBytes(Wire.JSON_LIMIT + 1);
    return bytes.length > Wire.JSON_LIMIT
        ? new Reply.Failed<>("answers with more than " + Wire.JSON_LIMIT / 1024 + " KiB")
        : new Reply.Ok<>(new String(bytes, StandardCharsets.UTF_8).strip());
  }
}
