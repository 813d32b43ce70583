package dev.belay.sim.world;

import dev.belay.core.report.Phase;
import dev.belay.core.report.Report;
import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Workload.Update;
import java.util.List;
import java.util.Optional;

/** The people around the cluster: what they do at any moment, and what they do about a cure. */
public final class User {

  private static final String NAME = "alice";

  private final World world;
  private final Rng rng;
  private Template good = new Template(Setup.FIRST, 0);
  private int patch = 1;
  private int restarts;
  private boolean wantsCluster;

  public User(World world, Rng rng) {
    this.world = world;
    this.rng = rng;
  }

  public void createCluster() {
    wantsCluster = true;
    if (world.api.cluster().isEmpty()) {
      say("creates the StatefulCluster");
      String tag = world.api.set().spec().template().tag();
      world.api.createCluster(
          "my-db", world.setup.clusterSpec(tag, world.setup.rollout(), Optional.empty()));
    }
  }

  public void deleteCluster() {
    say("deletes the StatefulCluster");
    wantsCluster = false;
    world.api.deleteCluster();
  }

  public boolean wantsCluster() {
    return wantsCluster;
  }

  /** One minor further, or another patch: a legal step from what runs. */
  public void upgrade() {
    Template template = world.api.set().spec().template();
    if (!template.broken()) {
      good = template;
    }
    boolean minor = world.raft.clusterMinor() == good.minor() && rng.chance(60);
    roll(new Template("3." + (good.minor() + (minor ? 1 : 0)) + "." + ++patch, restarts));
  }

  public void breakIt() {
    Template template = world.api.set().spec().template();
    if (!template.broken()) {
      good = template;
    }
    String how = rng.pick(List.of("-crash", "-hang", "-missing"));
    roll(new Template("3." + good.minor() + "." + ++patch + how, restarts));
  }

  public void revert() {
    roll(good);
  }

  public void restart() {
    if (world.setup.trigger() == Spec.Trigger.TEMPLATE) {
      Template template = world.api.set().spec().template();
      roll(new Template(template.tag(), ++restarts));
    }
  }

  /** Whoever writes the template: a person, or Belay on account of spec.version. */
  private void roll(Template template) {
    if (world.setup.trigger() == Spec.Trigger.VERSION && world.api.cluster().isPresent()) {
      say("wants version " + template.tag());
      Spec old = world.api.cluster().get().spec();
      world.api.writeClusterSpec(spec ->
          world.setup.clusterSpec(
              template.tag(), old.components().getFirst().rollout(), spec.approve()));
    } else {
      var answer = world.api.writeSet(NAME, Optional.empty(), spec -> spec.withTemplate(template));
      say("sets the template to " + template.revision() + ": " + answer);
    }
  }

  public void scale(int by) {
    int replicas = Math.clamp(world.api.set().spec().replicas() + by, 1, 9);
    var answer = world.api.writeSet(NAME, Optional.empty(), spec -> spec.withReplicas(replicas));
    say("scales to " + replicas + ": " + answer);
  }

  public void setPartition(int partition) {
    var answer = world.api.writeSet(NAME, Optional.empty(), spec -> spec.withPartition(partition));
    say("sets the partition to " + partition + ": " + answer);
  }

  public void switchStrategy() {
    Update other =
        world.api.set().spec().update() == Update.ON_DELETE
            ? Update.ROLLING_UPDATE
            : Update.ON_DELETE;
    var answer = world.api.writeSet(NAME, Optional.empty(), spec -> spec.withUpdate(other));
    say("switches to " + other + ": " + answer);
  }

  public void recreateSet() {
    say("deletes the set with --cascade=orphan and creates it again");
    SetObject.Spec spec = world.api.set().spec();
    world.api.recreateSet(NAME, spec.withPartition(0).withUpdate(Update.ROLLING_UPDATE));
  }

  public void evict(PodObject pod) {
    say("deletes " + pod.name());
    world.api.writePod(pod.uid(), Optional.empty(), PodObject.State::terminate);
  }

  /** Reads the status as a person would and follows the cure it names. */
  public void followCures() {
    if (world.api.set().spec().update() == Update.ON_DELETE) {
      switchStrategy();
    }
    Optional<Report> status = world.api.cluster().flatMap(ClusterObject::status);
    if (status.isEmpty()) {
      return;
    }
    Report report = status.get();
    boolean failing =
        world.api.pods().stream().anyMatch(p -> !p.ready() && cannotStart(p.template()));
    if (failing && report.phase() == Phase.IDLE) {
      forward();
      return;
    }
    if (report.blockedBy().isEmpty()) {
      return;
    }
    String rule = report.blockedBy().get().rule();
    if (!report.waitingFor().isEmpty()) {
      say("approves " + report.waitingFor());
      world.api.writeClusterSpec(spec ->
          new Spec(
              spec.trigger(), spec.version(), spec.components(), Optional.of(report.waitingFor())));
      return;
    }
    switch (rule) {
      case "UpdatedMembersServe" -> repairTemplate();
      case "EveryGroupSurvives" -> {
        allowDowntime();
        forceOut();
      }
      case "LeaderTransferFailed", "TemplateOwnedElsewhere" -> forward();
      case "VersionGoesForward" -> forward();
      case "OneMinorAtATime" -> {
        if (report.phase() == Phase.WAITING) {
          forceOut();
        } else {
          forward();
        }
      }
      default -> forceOut();
    }
  }

  /**
   * What only a person can do as yet: with one or two voters, take out one that hangs (nothing
   * tells it from a slow one), or the last one when nobody answers; and take out a broken pod below
   * an outdated one, which the partition does not reach.
   */
  private void forceOut() {
    List<PodObject> outdated = world.outdated();
    boolean few = world.raft.voters().size() < 3;
    boolean silent = world.raft.voters().stream().noneMatch(v -> v.running);
    outdated.stream()
        .filter(p -> cannotStart(p.template()) && !p.ready() && !p.terminating())
        .filter(
            p -> few ? silent || p.template().hangs() : p.ordinal() != outdated.getLast().ordinal())
        .findFirst()
        .ifPresent(this::evict);
  }

  private boolean cannotStart(Template template) {
    return template.broken() || template.minor() < world.raft.clusterMinor();
  }

  private void repairTemplate() {
    if (!world.api.set().spec().template().broken()) {
      forceOut();
      return;
    }
    if (rng.chance(60)) {
      revert();
    } else {
      forward();
    }
  }

  /** A working version that is not below any that ran. */
  private void forward() {
    int minor =
        world.raft.voters().stream()
            .filter(v -> v.running)
            .mapToInt(v -> v.minor)
            .reduce(Math.max(world.raft.clusterMinor(), good.minor()), Math::max);
    roll(new Template("3." + minor + "." + ++patch, restarts));
  }

  private void allowDowntime() {
    world
        .api
        .cluster()
        .filter(c -> !c.spec().components().getFirst().rollout().allowDowntime())
        .filter(c -> world.raft.voters().size() < 3)
        .ifPresent(c -> {
          say("accepts downtime");
          Spec.Rollout old = c.spec().components().getFirst().rollout();
          var rollout =
              new Spec.Rollout(old.soak(), old.readyTimeout(), old.tolerateUnhealthy(), true);
          world.api.writeClusterSpec(
              spec -> world.setup.clusterSpec(spec.version().orElse(""), rollout, spec.approve()));
        });
  }

  private void say(String what) {
    world.trace.say("user", what);
  }
}
