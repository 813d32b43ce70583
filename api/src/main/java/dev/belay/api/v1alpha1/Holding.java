package dev.belay.api.v1alpha1;

import dev.belay.api.v1alpha1.StatefulClusterStatus.Blocked;
import dev.belay.core.report.Report;
import dev.belay.core.report.Report.Held;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Since when each member is held: as long as the same rule holds the same pod, whatever else is
 * read and whoever else is held meanwhile. Nothing in it ticks.
 *
 * @param before the status as it was
 */
record Holding(@Nullable StatefulClusterStatus before, Instant now) {

  @Nullable Blocked by(Report.MemberReport member) {
    return member.heldBy().map(held -> blocked(member, held)).orElse(null);
  }

  private Blocked blocked(Report.MemberReport member, Held held) {
    return new Blocked(
        StatusMapping.text(held.rule()),
        StatusMapping.text(held.object()),
        StatusMapping.text(held.reading()),
        known(member, held).orElse(now.toString()),
        StatusMapping.text(held.cure()));
  }

  private Optional<String> known(Report.MemberReport member, Held held) {
    List<ComponentStatus> components = before == null ? List.of() : before.components();
    return components.stream()
        .flatMap(component -> component.members().stream())
        .filter(m -> member.uid().equals(m.uid()))
        .flatMap(m -> Stream.ofNullable(m.heldBy()))
        .filter(b -> held.rule().equals(b.rule()))
        .flatMap(b -> Stream.ofNullable(b.since()))
        .findFirst();
  }
}
