package dev.belay.core.decide;

import static dev.belay.core.state.Objection.Weight.WAIT;

import dev.belay.core.driver.SystemPolicy;
import dev.belay.core.driver.WayBack;
import dev.belay.core.model.Component;
import dev.belay.core.model.Member;
import dev.belay.core.model.Pod;
import dev.belay.core.state.Command;
import dev.belay.core.state.Note;
import dev.belay.core.state.Reason;
import dev.belay.core.state.Rule;
import dev.belay.core.state.Snapshot;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A system that demands what a script says, until it was told once. */
final class ScriptedPolicy implements SystemPolicy {

  WayBack back = WayBack.open("nothing read by Belay closes it");
  List<String> owes = List.of();
  String tends = "";
  String prepares = "";
  String objects = "";
  String handsOver = "";
  boolean prefersLast;
  boolean stubborn;

  void told(Command command) {
    tends = command.verb().equals("tend") ? "" : tends;
    prepares = command.verb().equals("prepare") ? "" : prepares;
    handsOver = command.verb().equals("hand over") ? "" : handsOver;
  }

  private static final Reason SYSTEM_AGREES =
      new Reason("SystemAgrees", "What this system alone knows of.", "As it says.", "A test.");

  @Override
  public List<Rule> rules() {
    return List.of(
        new Rule(
            SYSTEM_AGREES,
            (_, _, step) ->
                Optional.of(objects)
                    .filter(o -> !o.isEmpty() && step.takesDown().isPresent())
                    .map(o -> SYSTEM_AGREES.objection(step.object(), o, "wait", WAIT))));
  }

  @Override
  public Comparator<Member> successors(Component component) {
    Comparator<Member> byName = Comparator.comparing(Member::name);
    return prefersLast ? byName.reversed() : byName;
  }

  @Override
  public List<Note> remember(Snapshot snapshot, Component component) {
    return List.of();
  }

  @Override
  public WayBack wayBack(Component component) {
    return back;
  }

  @Override
  public List<String> owes(Component component, List<Note> notes) {
    return owes;
  }

  @Override
  public Optional<Command> tend(Snapshot snapshot, Component component, Optional<Pod> busy) {
    String when = busy.map(p -> " while " + p.name() + " goes").orElse(" while nobody goes");
    return Optional.of(tends).filter(t -> !t.isEmpty()).map(t -> command("tend", t + when));
  }

  @Override
  public Optional<Command> prepare(Snapshot snapshot, Component component, Pod target) {
    return Optional.of(prepares)
        .filter(p -> !p.isEmpty())
        .map(p -> command("prepare", p + " for " + target.name()));
  }

  @Override
  public Optional<Command> handOver(
      Snapshot snapshot, Component component, Member from, Member successor) {
    return Optional.of(handsOver)
        .filter(h -> !h.isEmpty())
        .map(h -> command("hand over", h + " for " + successor.name()));
  }

  private static Command command(String verb, String what) {
    return new Command(verb, "m0", "etcd-0", what, "", Map.of("for", what));
  }
}
