package dev.belay.sim.picture;

import dev.belay.core.model.Workload;
import dev.belay.core.report.Report;
import dev.belay.sim.operator.Seams;
import dev.belay.sim.world.Part;
import dev.belay.sim.world.PodObject;
import dev.belay.sim.world.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What was seen of a run from outside: who held which state, from when to when. */
final class Film {

  /** Something that lasted; {@code to} is exclusive. */
  record Span(long from, long to, String state) {}

  /** The states of one thing, one after the other. */
  private static final class Track {
    private final List<Span> spans = new ArrayList<>();
    private long since;
    private String state = "";

    void now(long millis, String next) {
      if (!next.equals(state)) {
        close(millis);
        since = millis;
        state = next;
      }
    }

    void close(long millis) {
      if (!state.isEmpty() && millis > since) {
        spans.add(new Span(since, millis, state));
      }
      since = millis;
    }
  }

  private final Map<String, TreeMap<Integer, Track>> members = new HashMap<>();
  private final Map<String, Track> partitions = new HashMap<>();
  private final Track phase = new Track();
  private boolean rolling;
  private long start;

  /** Looks on from the moment the first operator starts. */
  Seams seams() {
    return Seams.NONE.withObserver((world, observer) -> {
      if (!rolling) {
        rolling = true;
        start = world.time.millis();
        world.api.watch(kind -> look(world));
        look(world);
      }
      return observer;
    });
  }

  private void look(World world) {
    long now = world.time.millis();
    for (Part part : world.parts()) {
      var lanes = members.computeIfAbsent(part.name(), _ -> new TreeMap<>());
      lanes.values().forEach(t -> t.now(now, ""));
      for (PodObject pod : part.pods()) {
        lanes.computeIfAbsent(pod.ordinal(), _ -> new Track()).now(now, state(pod));
      }
      partitions.computeIfAbsent(part.name(), _ -> new Track()).now(now, partition(part));
    }
    phase.now(
        now,
        world
            .api
            .cluster()
            .map(c -> c.status().map(Report::phase).map(Object::toString).orElse("new"))
            .orElse(""));
  }

  private static String partition(Part part) {
    var spec = part.set().spec();
    if (spec.update() == Workload.Update.ON_DELETE) {
      return "OnDelete";
    }
    return spec.partition() == Workload.FROZEN ? "frozen" : Integer.toString(spec.partition());
  }

  /** The version, and what the pod is at. */
  private static String state(PodObject pod) {
    String trouble = pod.state().trouble().map(t -> " " + t.reason()).orElse("");
    String at = pod.terminating() ? "leaving" : pod.ready() ? "ready" : "unready" + trouble;
    return pod.template().tag() + " " + at;
  }

  void ends(long millis) {
    members.values().forEach(lanes -> lanes.values().forEach(t -> t.close(millis)));
    partitions.values().forEach(t -> t.close(millis));
    phase.close(millis);
  }

  long start() {
    return start;
  }

  List<Integer> ordinals(String part) {
    return List.copyOf(members.getOrDefault(part, new TreeMap<>()).keySet());
  }

  List<Span> member(String part, int ordinal) {
    Track track = members.getOrDefault(part, new TreeMap<>()).get(ordinal);
    return track == null ? List.of() : merged(track.spans);
  }

  List<Span> partition(String part) {
    Track track = partitions.get(part);
    return track == null ? List.of() : merged(track.spans);
  }

  List<Span> phase() {
    return merged(phase.spans);
  }

  /** What went on without a gap is one span. */
  private static List<Span> merged(List<Span> spans) {
    var whole = new ArrayList<Span>();
    for (Span span : spans) {
      boolean goesOn =
          !whole.isEmpty()
              && whole.getLast().to() == span.from()
              && whole.getLast().state().equals(span.state());
      if (goesOn) {
        whole.set(whole.size() - 1, new Span(whole.getLast().from(), span.to(), span.state()));
      } else {
        whole.add(span);
      }
    }
    return whole;
  }
}
