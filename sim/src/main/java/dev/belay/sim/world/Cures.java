package dev.belay.sim.world;

import dev.belay.core.report.Phase;
import dev.belay.core.report.Report;
import dev.belay.core.snapshot.Memory.Refused;
import dev.belay.core.snapshot.Workload.Update;
import java.util.List;
import java.util.Optional;

/** A person who reads the status and does what its cure says, and nothing else. */
public final class Cures {

  /** After how many looks at members that are down the gates are not waited for any longer. */
  private static final int PATIENCE = 12;

  private final World world;
  private final User user;
  private final Rng rng;
  private int waits;

  public Cures(World world, User user, Rng rng) {
    this.world = world;
    this.user = user;
    this.rng = rng;
  }

  public void follow() {
    if (world.api.set().spec().update() == Update.ON_DELETE) {
      user.switchStrategy();
    }
    if (world.api.cluster().filter(c -> c.spec().paused()).isPresent()) {
      user.pause(false);
    }
    world.api.pods().stream().filter(p -> p.state().held()).forEach(p -> user.hold(p, false));
    world.raft.voters().stream()
        .map(v -> v.ordinal)
        .filter(o -> !world.api.set().inRange(o) && world.api.podAt(o).isEmpty())
        .forEach(world.raft::remove);
    world.api.cluster().flatMap(ClusterObject::status).ifPresent(this::follow);
  }

  private void follow(Report report) {
    boolean broken = world.api.set().spec().template().broken();
    waits = report.phase() != Phase.IDLE && (broken || stuck()) ? waits + 1 : 0;
    boolean asked = world.api.cluster().filter(c -> c.spec().force().asked()).isPresent();
    if (asked && spent(report)) {
      user.force(false);
    } else if (waits > PATIENCE && broken) {
      waits = 0;
      correct(report);
    } else if (waits > PATIENCE && !asked) {
      // Members are down and the gates cannot pass: what force is for.
      waits = 0;
      user.force(true);
      user.writeWantedTemplate();
      if (withdrawing(report)) {
        user.retry();
      }
    } else if (!report.waitingFor().isEmpty()) {
      user.approve(report.waitingFor());
    } else if (report.blockedBy().isPresent()) {
      cure(report, report.blockedBy().get().rule());
    } else if (report.phase() == Phase.IDLE && failing()) {
      user.forward();
    }
  }

  /** A sound template, and a pod that does not come up. */
  private boolean stuck() {
    return !world.api.set().spec().template().broken() && failing();
  }

  private static boolean spent(Report report) {
    return report.conditions().stream()
        .anyMatch(c -> c.type().equals("Forced") && c.reason().equals("Spent"));
  }

  private void cure(Report report, String rule) {
    switch (rule) {
      case "RevisionIsNotRefused", "UpdatedMembersServe" -> correct(report);
      case "LeaderTransferFailed", "ProgressDeadline" -> {
        if (report.phase() == Phase.FAILED) {
          correct(report);
        }
      }
      case "WayBackIsOpen" -> {
        if (asksForRollback(report)) {
          user.dropRollback();
        } else {
          correct(report);
        }
      }
      case "EveryGroupSurvives" -> {
        if (report.phase() == Phase.HELD) {
          user.allowDowntime();
        }
      }
      case "BrokenMemberOutOfOrder" -> backToWhatRuns();
      case "TemplateOwnedElsewhere", "VersionGoesForward", "OneMinorAtATime" -> {
        if (report.phase() != Phase.WAITING) {
          user.forward();
        }
      }
      default -> {}
    }
  }

  /** A broken template is corrected or reverted; a sound one gets another try. */
  private void correct(Report report) {
    if (world.api.set().spec().template().broken()) {
      if (rng.chance(60)) {
        user.revert();
      } else {
        user.forward();
      }
      return;
    }
    boolean person = report.phase() == Phase.FAILED || report.phase() == Phase.HELD;
    if (!person) {
      return;
    }
    if (withdrawing(report) && report.memory().component(Setup.COMPONENT).target().isPresent()) {
      user.abort();
    } else if (rng.chance(75)) {
      user.retry();
    } else {
      user.forward();
    }
  }

  private static boolean withdrawing(Report report) {
    return report
        .memory()
        .component(Setup.COMPONENT)
        .refused()
        .filter(Refused::withdrawing)
        .isPresent();
  }

  /** Reverted to what the members above run, only the broken one is outdated. */
  private void backToWhatRuns() {
    List<PodObject> outdated = world.outdated();
    Optional<Template> above =
        outdated.reversed().stream()
            .map(PodObject::template)
            .filter(t -> !t.broken() && t.minor() >= world.raft.clusterMinor())
            .findFirst();
    above.ifPresentOrElse(user::roll, user::forward);
  }

  private boolean asksForRollback(Report report) {
    Optional<String> asked = world.api.cluster().flatMap(c -> c.spec().requests().rollback());
    return asked.filter(t -> !t.equals(report.memory().handled().rollback())).isPresent();
  }

  private boolean failing() {
    return world.api.pods().stream().anyMatch(p -> !p.ready() && cannotStart(p));
  }

  private boolean cannotStart(PodObject pod) {
    return pod.template().broken() || pod.template().minor() < world.raft.clusterMinor();
  }
}
