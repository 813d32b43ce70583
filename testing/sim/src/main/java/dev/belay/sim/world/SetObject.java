package dev.belay.sim.world;

import dev.belay.core.guard.Mark;
import dev.belay.core.model.Workload.Order;
import dev.belay.core.model.Workload.Update;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A StatefulSet as the API server stores it. */
public record SetObject(
    String name,
    String uid,
    long version,
    long generation,
    Spec spec,
    Status status,
    String note,
    Mark mark) {

  /** What people and Belay write. */
  public record Spec(
      int replicas,
      int firstOrdinal,
      Update update,
      int partition,
      Order order,
      Duration minReady,
      Template template) {

    public Spec withPartition(int p) {
      int kept = update == Update.ON_DELETE ? 0 : p;
      return new Spec(replicas, firstOrdinal, update, kept, order, minReady, template);
    }

    public Spec withReplicas(int r) {
      return new Spec(r, firstOrdinal, update, partition, order, minReady, template);
    }

    public Spec withTemplate(Template t) {
      return new Spec(replicas, firstOrdinal, update, partition, order, minReady, t);
    }

    /** OnDelete has no partition: nobody may set one, and whoever switches to it loses it. */
    public Spec withUpdate(Update u) {
      int kept = u == Update.ON_DELETE ? 0 : partition;
      return new Spec(replicas, firstOrdinal, u, kept, order, minReady, template);
    }
  }

  /** What the StatefulSet controller writes. */
  public record Status(
      long observedGeneration,
      String currentRevision,
      String updateRevision,
      int replicas,
      int ready,
      int updated) {

    public static final Status NONE = new Status(0, "", "", 0, 0, 0);
  }

  SetObject specified(long at, Spec other) {
    return new SetObject(name, uid, at, generation + 1, other, status, note, mark);
  }

  SetObject reporting(long at, Status other) {
    return new SetObject(name, uid, at, generation, spec, other, note, mark);
  }

  SetObject annotated(long at, String other) {
    return new SetObject(name, uid, at, generation, spec, status, other, mark);
  }

  SetObject marked(long at, Mark other) {
    return new SetObject(name, uid, at, generation, spec, status, note, other);
  }

  public String fence() {
    return uid + "/" + version;
  }

  public String podName(int ordinal) {
    return name + "-" + ordinal;
  }

  /** The pods that belong to its size. */
  public Set<String> names() {
    return IntStream.range(0, spec.replicas())
        .mapToObj(i -> podName(spec.firstOrdinal() + i))
        .collect(Collectors.toSet());
  }

  public boolean inRange(int ordinal) {
    int index = ordinal - spec.firstOrdinal();
    return index >= 0 && index < spec.replicas();
  }
}
