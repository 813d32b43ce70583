package dev.belay.drivers.http;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.driver.WayBack;
import dev.belay.core.model.Component;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Note;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** A declared system has no rules beyond those that hold for all: the pure half of its driver. */
public final class HttpPolicy implements SystemPolicy {

  public static final HttpPolicy INSTANCE = new HttpPolicy();

  /** The reading of how far a member is behind, where it is declared and can be read. */
  static final String LAG = "lag";

  private static final BigDecimal UNREAD = new BigDecimal("1e19");

  private HttpPolicy() {}

  @Override
  public List<Rule> rules() {
    return List.of();
  }

  /** An updated successor need not be moved off again; then the least lag, then the name. */
  @Override
  public Comparator<Member> successors(Component component) {
    return Comparator.comparingInt((Member m) -> updated(component, m) ? 0 : 1)
        .thenComparing(HttpPolicy::lag)
        .thenComparing(Member::name);
  }

  private static boolean updated(Component component, Member member) {
    Optional<String> wanted = component.workload().asOptional().map(Workload::updateRevision);
    return wanted.isPresent() && component.podOf(member).map(Pod::revision).equals(wanted);
  }

  private static BigDecimal lag(Member member) {
    return member.reading(LAG).map(BigDecimal::new).asOptional().orElse(UNREAD);
  }

  @Override
  public List<Note> remember(Snapshot snapshot, Component component) {
    return List.of();
  }

  @Override
  public WayBack wayBack(Component component) {
    return SystemPolicy.NONE.wayBack(component);
  }
}
