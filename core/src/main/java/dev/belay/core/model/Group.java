package dev.belay.core.model;

import java.util.List;

/** Members that share data, and how many of them must stay in sync. */
public record Group(String name, List<String> memberIds, int required) {

  public Group {
    memberIds = List.copyOf(memberIds);
  }
}
