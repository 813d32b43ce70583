package dev.belay.drivers.etcd;

import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Group;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Version;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Which versions run, and which one the cluster has agreed on. */
final class Versions {

  private Versions() {}

  /** What a member runs: what it says, else the tag of its pod's image when it says nothing. */
  static Fact<Version> running(Component component, Member member) {
    return switch (member.version()) {
      case Fact.Known<String>(String text) -> parsed(text);
      case Fact.Unknown<String>(String why) ->
          component
              .podOf(member)
              .flatMap(pod -> tag(component, pod))
              .map(Fact::known)
              .orElse(Fact.unknown(why));
    };
  }

  private static Optional<Version> tag(Component component, Pod pod) {
    return component
        .workload()
        .asOptional()
        .flatMap(workload -> Version.ofImage(Target.image(pod, workload)));
  }

  static Fact<Version> parsed(String text) {
    return Version.parse(text)
        .map(Fact::known)
        .orElse(Fact.unknown("\"" + text + "\" is no version"));
  }

  /**
   * The cluster version by the account of each member, by name. It is one replicated value that
   * moves only when every member is new, so a quorum that reads it is enough where a member cannot
   * answer because it is down, is not ready, or is the one to be replaced: recovery must not wait
   * for those. Anybody else who cannot be read makes it unknown.
   */
  static Fact<Map<String, Version>> agreed(Component component, Optional<String> replaced) {
    return component.topology().flatMap(topology -> agreed(component, topology, replaced));
  }

  private static Fact<Map<String, Version>> agreed(
      Component component, Topology topology, Optional<String> replaced) {
    var read = new LinkedHashMap<String, Version>();
    int voters = 0;
    List<String> voting =
        topology.groups().stream().map(Group::memberIds).flatMap(List::stream).toList();
    for (Member member : topology.members()) {
      switch (member.reading(Readings.CLUSTER_VERSION).flatMap(Versions::parsed)) {
        case Fact.Known<Version>(Version version) -> {
          read.put(name(member), version);
          voters += voting.contains(member.id()) ? 1 : 0;
        }
        case Fact.Unknown<Version>(String why) -> {
          if (!excused(component, member, replaced)) {
            return Fact.unknown("cluster version of " + name(member) + ": " + why);
          }
        }
      }
    }
    int required = topology.groups().stream().mapToInt(Group::required).max().orElse(1);
    return voters >= required
        ? Fact.known(read)
        : Fact.unknown(
            "only " + voters + " voters tell the cluster version, " + required + " are needed");
  }

  private static boolean excused(Component component, Member member, Optional<String> replaced) {
    Optional<Pod> pod = component.podOf(member);
    return member.knownDown()
        || pod.map(p -> !p.ready()).orElse(false)
        || (replaced.isPresent() && pod.map(Pod::name).equals(replaced));
  }

  /** How a member is called in messages. */
  static String name(Member member) {
    return member.name().isEmpty() ? "member " + member.id() : member.name();
  }
}
