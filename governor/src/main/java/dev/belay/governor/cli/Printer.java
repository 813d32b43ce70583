package dev.belay.governor.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.belay.governor.files.Migration.Phase;
import dev.belay.governor.jdbc.Row;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;

/** Answers for people, or as JSON, one value per line. */
final class Printer {

  private final ObjectMapper mapper = new ObjectMapper();
  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean json;

  Printer(PrintWriter out, PrintWriter err, boolean json) {
    this.out = out;
    this.err = err;
    this.json = json;
  }

  /** A sentence, or an object of the given fields: key, value, key, value. */
  synchronized void say(String sentence, Object... fields) {
    if (json) {
      ObjectNode o = mapper.createObjectNode();
      for (int i = 0; i + 1 < fields.length; i += 2) {
        o.set(fields[i].toString(), mapper.valueToTree(fields[i + 1]));
      }
      out.println(o);
    } else {
      out.println(plain(sentence));
    }
    out.flush();
  }

  synchronized int error(String sentence, int code) {
    if (json) {
      ObjectNode o = mapper.createObjectNode();
      o.put("error", sentence);
      o.put("exitCode", code);
      out.println(o);
      out.flush();
    } else {
      err.println(plain(sentence));
      err.flush();
    }
    return code;
  }

  void rows(List<Row> rows) {
    if (json) {
      ArrayNode all = mapper.createArrayNode();
      rows.forEach(r -> all.add(node(r)));
      out.println(all);
    } else if (rows.isEmpty()) {
      out.println("the queue is empty");
    } else {
      out.printf(
          "%6s  %-8s %-8s %-10s %-9s %s%n", "ID", "STATUS", "KIND", "BATCH", "PHASE", "WHAT");
      rows.forEach(this::line);
    }
    out.flush();
  }

  void row(Row r) {
    if (json) {
      out.println(node(r));
    } else {
      line(r);
    }
    out.flush();
  }

  private void line(Row r) {
    out.printf(
        "%6d  %-8s %-8s %-10s %-9s %s%n",
        r.id(),
        r.settled() ? r.status() : r.status() + "*",
        r.kind(),
        plain(r.batch().orElse("-")),
        r.phase().map(Phase::text).orElse("-"),
        plain(r.title()));
    r.statusDescription()
        .ifPresent(d -> out.printf("        %s%n", plain(d).replace("\n", "\n        ")));
  }

  private ObjectNode node(Row r) {
    ObjectNode o = mapper.createObjectNode();
    o.put("id", r.id());
    put(o, "batch", r.batch());
    o.put("status", r.status());
    put(o, "statusDescription", r.statusDescription());
    o.put("settled", r.settled());
    o.put("kind", r.kind());
    put(o, "phase", r.phase().map(Phase::text));
    put(o, "description", r.description());
    o.put("op", r.op());
    o.put("opFormat", r.format());
    o.put("reversible", r.reversible());
    put(o, "undo", r.undo());
    put(o, "verify", r.verify());
    put(o, "checksum", r.checksum());
    o.put("attempt", r.attempt());
    o.put("created", r.created().toString());
    put(o, "started", r.started().map(Object::toString));
    put(o, "finished", r.finished().map(Object::toString));
    o.put("who", r.who());
    return o;
  }

  private static void put(ObjectNode o, String key, Optional<String> value) {
    value.ifPresent(v -> o.put(key, v));
  }

  /** Free text comes from anybody with INSERT: it must not drive the terminal. */
  private static String plain(String text) {
    return text.replaceAll("[\\p{Cntrl}&&[^\n]]|[\u202A-\u202E\u2066-\u2069]", "?");
  }
}
