package dev.belay.api.v1alpha1;

import dev.belay.core.driver.WayBack;
import dev.belay.core.forecast.Outlook;
import dev.belay.core.model.Fact;
import dev.belay.core.report.Report;
import dev.belay.core.state.Memory;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** From core's report to the status that people and the next look read. */
public final class StatusMapping {

  /**
   * The status to write. Equal reports give equal statuses whatever the time: a condition keeps its
   * time while its status stays.
   *
   * @param cluster the resource as observed, whose spec the report speaks of
   */
  public static StatefulClusterStatus status(
      Report report, Outlook outlook, StatefulCluster cluster, Instant now) {
    long generation = Optional.ofNullable(cluster.getMetadata().getGeneration()).orElse(0L);
    int replicas = report.replicas();
    int members = report.components().stream().mapToInt(c -> c.members().size()).sum();
    Memory memory = report.memory();
    return new StatefulClusterStatus(
        generation,
        report.phase().toString(),
        text(report.currentVersion()),
        text(report.targetVersion()),
        replicas,
        report.ready(),
        members - report.updated(),
        report.updated(),
        report.updated() + "/" + replicas,
        report.ready() + "/" + replicas,
        members(report),
        components(report, cluster.getStatus(), now),
        blockedBy(report),
        text(report.waitingFor()),
        memory.step().map(RecordedSteps::written).orElse(null),
        memory.steps(),
        Mapping.STATE_VERSION,
        wayBack(report.wayBack()),
        Migrating.status(report),
        new TreeMap<>(memory.components())
            .entrySet().stream()
                .flatMap(e ->
                    e.getValue().refused().stream().map(r -> Chronicles.refused(e.getKey(), r)))
                .toList(),
        Obligations.of(memory),
        Chronicles.handled(memory.handled()),
        memory.forced().map(Chronicles::forced).orElse(null),
        memory.run().map(Chronicles::run).orElse(null),
        memory.history().stream().map(Chronicles::past).toList(),
        outlook.plan(),
        outlook
            .whatIf()
            .map(w -> new StatefulClusterStatus.Planned(w.to(), w.steps()))
            .orElse(null),
        memory.owner().map(StatusMapping::owner).orElse(null),
        conditions(report.conditions(), cluster.getStatus(), generation, now));
  }

  private static StatefulClusterStatus.Members members(Report report) {
    var all = report.components().stream().flatMap(c -> c.members().stream()).toList();
    return new StatefulClusterStatus.Members(
        all.stream().filter(Report.MemberReport::ready).map(Report.MemberReport::pod).toList(),
        all.stream().filter(m -> !m.ready()).map(Report.MemberReport::pod).toList());
  }

  /** Those seen now in their order, then those only remembered. */
  private static List<ComponentStatus> components(
      Report report, @Nullable StatefulClusterStatus before, Instant now) {
    var seen = new LinkedHashMap<String, Report.ComponentReport>();
    report.components().forEach(c -> seen.put(c.name(), c));
    var names = new LinkedHashSet<>(seen.keySet());
    names.addAll(new TreeSet<>(report.memory().components().keySet()));
    var holding = new Holding(before, now);
    return names.stream()
        .map(name -> component(name, seen.get(name), report.memory().component(name), holding))
        .toList();
  }

  private static ComponentStatus component(
      String name,
      Report.@Nullable ComponentReport seen,
      Memory.ComponentMemory memory,
      Holding holding) {
    var servingSince = new HashMap<String, String>();
    memory.servingSince().forEach((uid, since) -> servingSince.put(uid, since.toString()));
    return new ComponentStatus(
        name,
        text(memory.workload()),
        seen == null ? null : seen.phase().toString(),
        seen == null ? null : text(seen.currentVersion()),
        seen == null ? null : text(seen.targetVersion()),
        seen == null ? null : text(seen.guard()),
        seen == null
            ? List.of()
            : seen.members().stream().map(m -> member(m, holding.by(m))).toList(),
        memory.adopted(),
        memory
            .lastGood()
            .map(g -> new ComponentStatus.Good(text(g.revision()), text(g.version()), g.images()))
            .orElse(null),
        memory
            .target()
            .map(t ->
                new ComponentStatus.Target(
                    text(t.revision()),
                    text(t.version()),
                    t.since().toString(),
                    t.tried().toString(),
                    t.moved().toString(),
                    t.through(),
                    t.before().stream().sorted().toList()))
            .orElse(null),
        memory
            .written()
            .map(w -> new ComponentStatus.Written(text(w.version()), w.images()))
            .orElse(null),
        servingSince,
        memory.served().stream().sorted().toList(),
        memory.notes().stream().map(Observations::written).toList(),
        Observations.written(memory.observed()),
        seen == null ? List.of() : seen.owes());
  }

  private static ComponentStatus.Member member(
      Report.MemberReport member, StatefulClusterStatus.@Nullable Blocked heldBy) {
    return new ComponentStatus.Member(
        member.pod(),
        text(member.uid()),
        member.ordinal() < 0 ? null : member.ordinal(),
        text(member.revision()),
        text(member.version()),
        text(member.role()),
        member.voter(),
        text(member.healthy()),
        heldBy);
  }

  private static StatefulClusterStatus.@Nullable Blocked blockedBy(Report report) {
    return report
        .blockedBy()
        .map(StatusMapping::blocked)
        .or(() -> report.memory().blocked().map(StatusMapping::remembered))
        .orElse(null);
  }

  private static StatefulClusterStatus.Blocked blocked(Report.Blocked blocked) {
    return new StatefulClusterStatus.Blocked(
        text(blocked.rule()),
        text(blocked.object()),
        text(blocked.reading()),
        blocked.since().toString(),
        text(blocked.cure()));
  }

  private static StatefulClusterStatus.Blocked remembered(Memory.Blocked blocked) {
    return new StatefulClusterStatus.Blocked(
        text(blocked.rule()), text(blocked.object()), null, blocked.since().toString(), null);
  }

  private static StatefulClusterStatus.Owner owner(Memory.Owner owner) {
    return new StatefulClusterStatus.Owner(
        text(owner.install()),
        text(owner.instance()),
        text(owner.account()),
        owner.epoch(),
        text(owner.lease()),
        owner.released() ? true : null);
  }

  private static StatefulClusterStatus.WayBack wayBack(WayBack wayBack) {
    return new StatefulClusterStatus.WayBack(
        switch (wayBack.floor()) {
          case Fact.Known<Optional<String>>(Optional<String> floor) -> floor.orElse(null);
          case Fact.Unknown<Optional<String>> unknown -> "unknown";
        },
        text(wayBack.reason()));
  }

  private static List<Condition> conditions(
      List<Report.Condition> conditions,
      @Nullable StatefulClusterStatus before,
      long generation,
      Instant now) {
    Map<String, Condition> earlier = new HashMap<>();
    Stream.ofNullable(before)
        .flatMap(s -> s.conditions().stream())
        .forEach(c -> earlier.put(c.getType(), c));
    // Kubernetes writes these times in whole seconds.
    String moment = now.truncatedTo(ChronoUnit.SECONDS).toString();
    var result = new ArrayList<Condition>();
    for (Report.Condition condition : conditions) {
      Condition old = earlier.get(condition.type());
      String since =
          old != null && condition.status().equals(old.getStatus())
              ? old.getLastTransitionTime()
              : moment;
      result.add(
          new ConditionBuilder()
              .withType(condition.type())
              .withStatus(condition.status())
              .withReason(condition.reason())
              .withMessage(condition.message())
              .withObservedGeneration(generation)
              .withLastTransitionTime(since)
              .build());
    }
    return result;
  }

  /** What is empty in core is absent in JSON. */
  static @Nullable String text(String text) {
    return text.isEmpty() ? null : text;
  }

  private StatusMapping() {}
}
