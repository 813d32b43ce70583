package dev.belay.cli;

import static dev.belay.cli.Cluster.lower;
import static dev.belay.cli.Cluster.word;

import dev.belay.api.v1alpha1.Component;
import dev.belay.api.v1alpha1.ComponentStatus;
import dev.belay.api.v1alpha1.ComponentStatus.Member;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Blocked;
import dev.belay.cli.Line.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A cluster with its components and members, and below it what stands in the way. */
record TreeView(Cluster cluster, Sight sight) {

  List<Line> lines() {
    var lines = new ArrayList<Line>();
    lines.add(head());
    List<Component> components = cluster.resource().getSpec().components();
    for (int i = 0; i < components.size(); i++) {
      component(lines, components.get(i), i == components.size() - 1);
    }
    lines.addAll(new Footer(cluster, sight).lines());
    return lines;
  }

  private Line head() {
    var cells = new ArrayList<Span>();
    cells.add(new Span(cluster.name(), Hue.STRONG));
    cells.add(new Span(cluster.phase(), Hue.ofPhase(cluster.phase())));
    cells.add(new Span(cluster.versions(sight.glyphs()), Hue.PLAIN));
    cells.add(labelled("updated", cluster.updated()));
    cells.add(labelled("ready", cluster.ready()));
    cells.add(labelled("guard", cluster.guards()));
    return new Table(List.of(cells), "  ").lines().getFirst().hanging(2);
  }

  private static Span labelled(String label, String value) {
    return new Span(value.isEmpty() ? "" : label + " " + value, Hue.PLAIN);
  }

  private void component(List<Line> lines, Component component, boolean last) {
    Glyphs glyphs = sight.glyphs();
    lines.add(
        Line.of(last ? glyphs.last() : glyphs.branch(), Hue.QUIET)
            .and(component.name(), Hue.STRONG)
            .and("  " + component.workload().kindOrDefault().word(), Hue.QUIET)
            .and(" " + component.workload().name(), Hue.QUIET)
            .and(", driver " + component.driver().type().word(), Hue.QUIET)
            .plus(ofSeveral(component)));
    String trunk = last ? glyphs.gap() : glyphs.trunk();
    cluster.component(component.name()).ifPresent(c -> lines.addAll(members(c, trunk)));
    for (String owed : new Owed(cluster, sight).of(component.name())) {
      lines.add(
          Line.of(trunk, Hue.QUIET).and("owes: ", Hue.CARE).and(owed).hanging(trunk.length() + 2));
    }
  }

  /** What the head says of the only component is said of each where there are more. */
  private List<Span> ofSeveral(Component component) {
    return cluster.resource().getSpec().components().size() == 1
        ? List.of()
        : cluster
            .component(component.name())
            .filter(c -> !word(c.phase()).isEmpty())
            .map(c ->
                List.of(
                    new Span("  " + c.phase(), Hue.ofPhase(word(c.phase()))),
                    new Span("  " + cluster.versions(c, sight.glyphs()), Hue.PLAIN)))
            .orElse(List.of());
  }

  private List<Line> members(ComponentStatus component, String trunk) {
    List<Member> members =
        component.members().stream()
            .sorted(Comparator.comparingInt(m -> m.ordinal() == null ? 0 : m.ordinal()))
            .toList();
    List<Line> table =
        new Table(members.stream().map(m -> row(component, m)).toList(), "  ").lines();
    var lines = new ArrayList<Line>();
    for (int i = 0; i < table.size(); i++) {
      boolean last = i == table.size() - 1;
      String branch = trunk + (last ? sight.glyphs().last() : sight.glyphs().branch());
      lines.add(
          Line.of(branch, Hue.QUIET)
              .plus(table.get(i).spans())
              .hanging(branch.length() + table.get(i).hang()));
    }
    return lines;
  }

  private List<Span> row(ComponentStatus component, Member member) {
    boolean unready = cluster.unready(member.pod());
    return List.of(
        new Span(member.pod(), Hue.PLAIN),
        new Span(word(member.version()), Hue.PLAIN),
        role(member),
        new Span(unready ? "not ready" : "ready", unready ? Hue.BAD : Hue.GOOD),
        health(member),
        revision(component, member),
        held(member));
  }

  private static Span role(Member member) {
    String role = lower(member.role());
    boolean silent =
        !role.isEmpty() && !role.equals("learner") && Boolean.FALSE.equals(member.voter());
    return new Span(
        silent ? role + ", no vote" : role, role.equals("leader") ? Hue.STRONG : Hue.PLAIN);
  }

  private static Span health(Member member) {
    return switch (word(member.healthy())) {
      case "true" -> new Span("healthy", Hue.GOOD);
      case "false" -> new Span("unhealthy", Hue.BAD);
      case "" -> new Span("", Hue.PLAIN);
      default -> new Span("health " + member.healthy(), Hue.CARE);
    };
  }

  private Span revision(ComponentStatus component, Member member) {
    String wanted = cluster.wantedRevision(component);
    if (wanted.isEmpty() || word(member.revision()).isEmpty()) {
      return new Span("", Hue.PLAIN);
    }
    boolean back = cluster.withdrawn(component).isPresent();
    return wanted.equals(member.revision())
        ? new Span(back ? "last good" : "updated", Hue.GOOD)
        : new Span(back ? "refused" : "outdated", Hue.CARE);
  }

  /** What the line below the tree says in full is only named here. */
  private Span held(Member member) {
    Blocked held = member.heldBy();
    if (held == null) {
      return new Span("", Hue.PLAIN);
    }
    boolean below =
        cluster
            .blockedBy()
            .filter(b ->
                word(b.rule()).equals(word(held.rule()))
                    && word(b.object()).equals(word(held.object())))
            .isPresent();
    String reading = below || word(held.reading()).isEmpty() ? "" : ", " + held.reading();
    return new Span(word(held.rule()) + reading, below ? Hue.CARE : Hue.QUIET);
  }
}
