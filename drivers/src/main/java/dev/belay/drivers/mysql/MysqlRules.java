package dev.belay.drivers.mysql;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Version;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.Versions;
import dev.belay.core.state.Objection;
import dev.belay.core.state.Objection.Weight;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import dev.belay.drivers.RecordedState;
import java.util.List;
import java.util.Optional;

/** What MySQL and MariaDB demand of an upgrade, beyond what holds for every system. */
final class MysqlRules {

  static final Reason MEMBER_STARTS_WRITABLE =
      new Reason(
          "MemberStartsWritable",
          "A server that is writable by its own configuration takes writes from the moment it"
              + " starts, as a second primary: a former primary that comes back like that splits the"
              + " data.",
          "Put read_only = 1 into the configuration of the new revision; whoever is to take writes"
              + " is told so by SQL.",
          "read_only is not kept over a restart: what counts is the configuration. MOCO"
              + " writes super_read_only into it for that reason.");

  static final Reason SERIES_GOES_FORWARD =
      new Reason(
          "SeriesGoesForward",
          "Neither MySQL nor MariaDB starts an older series on data that a newer one has run on, or"
              + " promises that it works.",
          "Stay on the series that runs, or restore a backup.",
          "A newer series upgrades the data dictionary or the system tables when it first"
              + " starts; neither manual has a way down.");

  static final List<Rule> ALL =
      List.of(
          new Rule(MEMBER_STARTS_WRITABLE, MysqlRules::memberStartsWritable),
          new Rule(SERIES_GOES_FORWARD, MysqlRules::seriesGoesForward));

  private MysqlRules() {}

  /**
   * How the new revision starts is seen on those that started on it. Before the first one nobody
   * knows, and a replica that starts writable does no harm that the next look does not show; a
   * former primary would.
   */
  private static Optional<Objection> memberStartsWritable(
      Snapshot snapshot, Component component, Step step) {
    Optional<String> target = step.takesDown();
    if (target.isEmpty() || component.podList().size() < 2) {
      return Optional.empty();
    }
    List<Member> started =
        component.podList().stream()
            .filter(p -> updated(component, p) && !p.name().equals(target.get()))
            .flatMap(p -> component.memberOf(p).asOptional().stream())
            .toList();
    Optional<Member> writable =
        started.stream().filter(m -> m.reading(Readings.STARTS).is("writable")).findFirst();
    if (writable.isPresent()) {
      return Optional.of(
          objection(
              writable.get().name(),
              writable.get().name() + " started writable: read_only is not in its configuration"));
    }
    boolean proven = started.stream().anyMatch(m -> m.reading(Readings.STARTS).is("read-only"));
    return formerPrimary(component, target.get()) && !proven
        ? Optional.of(
            objection(
                target.get(),
                target.get()
                    + " was a primary, and no server has shown that the new revision starts"
                    + " read-only"))
        : Optional.empty();
  }

  /** By what the server itself said last; one that never came up has run nothing on its data. */
  private static Optional<Objection> seriesGoesForward(
      Snapshot snapshot, Component component, Step step) {
    return component.podList().stream()
        .filter(p -> step.takesDown().filter(p.name()::equals).isPresent())
        .flatMap(p -> older(snapshot, component, p, step).stream())
        .findFirst();
  }

  private static Optional<Objection> older(
      Snapshot snapshot, Component component, Pod pod, Step step) {
    Optional<Fact<String>> told = Versions.target(component, pod, step);
    if (told.isPresent() && told.get() instanceof Fact.Unknown<String>(String why)) {
      return wasGood(snapshot, component) ? Optional.empty() : Optional.of(untold(pod, why));
    }
    Optional<Series> to = told.flatMap(Fact::asOptional).flatMap(Version::parse).map(Series::of);
    Optional<Series> ran =
        Ran.of(component, RecordedState.notes(snapshot, component)).on(component, pod.name());
    return ran.filter(r -> to.isPresent() && to.get().compareTo(r) < 0)
        .map(r ->
            SERIES_GOES_FORWARD.objection(
                pod.name(),
                "it has run %s on its data, and %s is older".formatted(r, to.get()),
                "stay on %s, or restore a backup".formatted(r),
                Weight.HUMAN));
  }

  private static Objection untold(Pod pod, String why) {
    return SERIES_GOES_FORWARD.objection(
        pod.name(),
        why + ": whether it is an older series than has run cannot be told",
        "give a version, as in mariadb:11.4.5 (a digest may follow the tag)",
        Weight.HUMAN);
  }

  /** What the template says is what was good before. */
  private static boolean wasGood(Snapshot snapshot, Component component) {
    return snapshot
        .memory()
        .component(component.name())
        .lastGood()
        .filter(g -> component.workload().map(Workload::images).is(g.images()))
        .isPresent();
  }

  private static Objection objection(String object, String reading) {
    return MEMBER_STARTS_WRITABLE.objection(
        object,
        reading,
        "put read_only = 1 into the configuration of the new revision",
        Weight.HUMAN);
  }

  private static boolean formerPrimary(Component component, String pod) {
    return component.podList().stream()
        .filter(p -> p.name().equals(pod))
        .flatMap(p -> component.memberOf(p).asOptional().stream())
        .anyMatch(m -> m.role() == Member.Role.FOLLOWER && m.reading(Readings.SOURCE).is(""));
  }

  static boolean updated(Component component, Pod pod) {
    return component
        .workload()
        .asOptional()
        .map(Workload::updateRevision)
        .filter(pod.revision()::equals)
        .isPresent();
  }
}
