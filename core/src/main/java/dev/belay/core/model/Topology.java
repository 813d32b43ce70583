package dev.belay.core.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The clustered system as its driver sees it: who is in it, who leads, and what must stay. */
public record Topology(
    String clusterId, List<Member> members, Fact<Leader> leader, List<Group> groups) {

  /** A kind of system in which there is nothing to know beyond the readiness of its pods. */
  public static final Topology NONE =
      new Topology("", List.of(), Fact.unknown("this kind of system has no leader"), List.of());

  /** Who leads, in which term. */
  public record Leader(String memberId, String term) {

    /** Known to be nobody: in this kind of system all members are equal. */
    public static final Leader NOBODY = new Leader("", "");
  }

  public Topology {
    members = List.copyOf(members);
    groups = List.copyOf(groups);
    leader = among(members, leader);
  }

  /**
   * A leader that is no member is a contradiction, and whoever contradicts himself is not believed.
   */
  private static Fact<Leader> among(List<Member> members, Fact<Leader> leader) {
    return leader.flatMap(l ->
        l.equals(Leader.NOBODY) || Among.any(members, m -> m.id().equals(l.memberId()))
            ? leader
            : Fact.unknown("the leader " + l.memberId() + " is no member"));
  }

  /** Whether members, leaders and groups mean nothing here. */
  public boolean memberless() {
    return members.isEmpty() && equals(NONE);
  }

  public Optional<Member> member(String id) {
    for (Member member : members) {
      if (member.id().equals(id)) {
        return Optional.of(member);
      }
    }
    return Optional.empty();
  }

  /** Those of a group that are members. */
  public List<Member> membersOf(Group group) {
    var of = new ArrayList<Member>(group.memberIds().size());
    for (String id : group.memberIds()) {
      member(id).ifPresent(of::add);
    }
    return of;
  }

  public List<Group> groupsOf(String memberId) {
    var of = new ArrayList<Group>(groups.size());
    for (Group group : groups) {
      if (group.memberIds().contains(memberId)) {
        of.add(group);
      }
    }
    return of;
  }
}
