package dev.belay.sim.world;

import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload.Update;
import dev.belay.core.report.Phase;
import dev.belay.core.report.Report;
import dev.belay.core.state.Memory.Refused;
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
    world.parts().stream()
        .filter(p -> p.setup.update() == Update.ROLLING_UPDATE)
        .filter(p -> p.set().spec().update() == Update.ON_DELETE)
        .forEach(user::switchStrategy);
    if (world.api.cluster().filter(c -> c.spec().paused()).isPresent()) {
      user.pause(false);
    }
    world.parts().forEach(this::tidyUp);
    world.api.cluster().flatMap(ClusterObject::status).ifPresent(this::follow);
  }

  private void tidyUp(Part part) {
    part.pods().stream().filter(p -> p.state().held()).forEach(p -> user.hold(p, false));
    part.raft.voters().stream()
        .map(v -> v.ordinal)
        .filter(o -> !part.set().inRange(o) && part.store.podAt(o).isEmpty())
        .forEach(part.raft::remove);
  }

  private void follow(Report report) {
    boolean broken = world.parts().stream().anyMatch(this::broken);
    waits = report.phase() != Phase.IDLE && (broken || stuck()) ? waits + 1 : 0;
    boolean asked = world.api.cluster().filter(c -> c.spec().force().asked()).isPresent();
    if (asked && spent(report)) {
      user.force(false);
    } else if (waits > PATIENCE && broken) {
      waits = 0;
      correct(report, concerned(report));
    } else if (waits > PATIENCE && !asked) {
      // Members are down and the gates cannot pass: what force is for.
      waits = 0;
      user.force(true);
      user.writeWantedTemplate();
      if (withdrawing(report)) {
        user.retry();
      }
    } else if (!report.waitingFor().isEmpty() && !leavesSomething(report)) {
      user.approve(report.waitingFor());
    } else if (report.blockedBy().isPresent()) {
      cure(report, report.blockedBy().get().rule());
    } else if (report.phase() == Phase.IDLE) {
      world.parts().stream().filter(this::failing).findFirst().ifPresent(user::forward);
    }
  }

  /** What is owed is better paid: the member will answer again. */
  private static boolean leavesSomething(Report report) {
    return report.waitingFor().startsWith("undo/");
  }

  /** One version is for all: what is asked for counts, be it written or not. */
  private boolean broken(Part part) {
    boolean byVersion = world.setup.trigger() == Spec.Trigger.VERSION;
    Template written = (byVersion ? world.first() : part).set().spec().template();
    return world
        .api
        .cluster()
        .flatMap(c -> c.spec().version())
        .map(v -> new Template(v, 0))
        .orElse(written)
        .broken();
  }

  /** The component that the status speaks of; a broken template elsewhere comes first. */
  private Part concerned(Report report) {
    Part named = report.blockedBy().flatMap(b -> world.owner(b.object())).orElseGet(world::first);
    return broken(named)
        ? named
        : world.parts().stream().filter(this::broken).findFirst().orElse(named);
  }

  /** A sound template, and a pod that does not come up. */
  private boolean stuck() {
    return world.parts().stream().anyMatch(p -> !broken(p) && failing(p));
  }

  private static boolean spent(Report report) {
    return report.conditions().stream()
        .anyMatch(c -> c.type().equals("Forced") && c.reason().equals("Spent"));
  }

  private void cure(Report report, String rule) {
    Part part = concerned(report);
    switch (rule) {
      case "RevisionIsNotRefused", "UpdatedMembersServe" -> correct(report, part);
      case "LeaderTransferFailed", "ProgressDeadline" -> {
        if (report.phase() == Phase.FAILED) {
          correct(report, part);
        }
      }
      case "WayBackIsOpen" -> {
        if (asksForRollback(report)) {
          user.dropRollback();
        } else {
          correct(report, part);
        }
      }
      case "EveryGroupSurvives" -> {
        if (report.phase() == Phase.HELD) {
          user.allowDowntime(part);
        }
      }
      case "ActionsSucceed", "ChecksPass" -> {
        if (report.phase() == Phase.FAILED) {
          correct(report, part);
        }
      }
      case "StrategyFits" -> user.dropStrategy(part);
      case "BrokenMemberOutOfOrder" -> backToWhatRuns(part);
      case "TemplateOwnedElsewhere", "VersionGoesForward", "OneMinorAtATime" -> {
        if (report.phase() != Phase.WAITING) {
          user.forward(part);
        }
      }
      default -> {}
    }
  }

  /** A broken template is corrected or reverted; a sound one gets another try. */
  private void correct(Report report, Part part) {
    if (broken(part)) {
      if (rng.chance(60)) {
        user.revert(part);
      } else {
        user.forward(part);
      }
      return;
    }
    boolean person = report.phase() == Phase.FAILED || report.phase() == Phase.HELD;
    if (!person) {
      return;
    }
    // No try helps a version that the others refuse to run next to.
    if (part.set().spec().template().minor() < part.raft.clusterMinor()) {
      user.forward(part);
      return;
    }
    if (goesBack(report)) {
      user.abort();
    } else if (rng.chance(75)) {
      user.retry();
    } else {
      user.forward(part);
    }
  }

  /** A way back that is not at its end; one that never began has nothing to be aborted. */
  private static boolean goesBack(Report report) {
    return report.memory().components().values().stream()
        .anyMatch(
            c -> c.target().isPresent() && c.refused().filter(Refused::withdrawing).isPresent());
  }

  private static boolean withdrawing(Report report) {
    return report.memory().components().values().stream()
        .anyMatch(c -> c.refused().filter(Refused::withdrawing).isPresent());
  }

  /** Reverted to what the members above run, only the broken one is outdated. */
  private void backToWhatRuns(Part part) {
    Optional<Template> above =
        part.outdated().reversed().stream()
            .map(PodObject::template)
            .filter(t -> !t.broken() && t.minor() >= part.raft.clusterMinor())
            .findFirst();
    above.ifPresentOrElse(t -> user.roll(List.of(t)), () -> user.forward(part));
  }

  private boolean asksForRollback(Report report) {
    Optional<String> asked = world.api.cluster().flatMap(c -> c.spec().requests().rollback());
    return asked.filter(t -> !t.equals(report.memory().handled().rollback())).isPresent();
  }

  private boolean failing(Part part) {
    return part.pods().stream().anyMatch(p -> !p.ready() && cannotStart(part, p));
  }

  private static boolean cannotStart(Part part, PodObject pod) {
    return pod.template().broken() || pod.template().minor() < part.raft.clusterMinor();
  }
}
