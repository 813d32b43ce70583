package dev.belay.core.decide;

import dev.belay.core.driver.WayBack;
import dev.belay.core.model.Action;
import dev.belay.core.model.Check;
import dev.belay.core.model.Component.Guarding;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Fleet;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Workload;
import dev.belay.core.state.Memory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** What a transcript may say of the world: one word and its arguments a line. */
final class Commands {

  private Commands() {}

  static boolean ofCluster(String word) {
    return Set.of(
            "wait",
            "approve",
            "retry",
            "rollback",
            "abort",
            "pause",
            "resume",
            "force",
            "unforce",
            "on-failure-rollback",
            "approval",
            "path",
            "version",
            "operator",
            "selects",
            "owner-gone",
            "uninstalls",
            "deleted",
            "decide")
        .contains(word);
  }

  static void obey(ScriptedWorld w, String[] words) {
    String arg = words.length > 1 ? words[1] : "";
    switch (words[0]) {
      case "template" -> w.template(arg);
      case "bypass" -> {
        w.template(arg);
        w.partition = 0;
      }
      case "down" -> w.down(arg);
      case "silent" -> w.silent(arg);
      case "unwell" -> w.unwell(arg);
      case "voters" -> w.system.voters = Integer.parseInt(arg);
      case "scale" -> w.scale(Integer.parseInt(arg));
      case "up" -> w.up(arg);
      case "leads" -> w.leads(arg);
      case "leaderless" -> w.system.leader = Optional.empty();
      case "replace" -> w.replace(arg);
      case "replaced" -> w.replace(arg).up(arg);
      case "terminating" -> w.pod(arg).terminating = true;
      case "trouble" -> w.pod(arg).trouble = Optional.of(new Pod.Trouble(words[2], rest(words, 3)));
      case "unready" -> w.pod(arg).readiness = Pod.Readiness.UNREADY;
      case "ready" -> w.pod(arg).readiness = Pod.Readiness.READY;
      case "lost" -> w.pods.remove(ScriptedWorld.ordinal(arg));
      case "mended" -> w.mended();
      case "returns" -> {
        w.recreate(arg);
        w.up(arg);
      }
      case "cordoned" -> w.pod(arg).leaving = Fact.known(Optional.of("node n1 is cordoned"));
      case "uncordoned" -> w.pod(arg).leaving = Fact.known(Optional.empty());
      case "node-unknown" -> w.pod(arg).leaving = Fact.unknown("its node cannot be read");
      case "unlisted" -> w.unlisted = rest(words, 1);
      case "names" -> w.set = Optional.of(arg);
      case "no-workload" ->
          w.unseen = "there is no StatefulSet " + w.component + " in namespace db";
      case "workload-unread" -> w.unseen = "reading " + w.component + " was not answered in time";
      case "workload" -> w.unseen = "";
      case "native" ->
          w.rollout =
              new Spec.Rollout(
                  Optional.of(Spec.Strategy.NATIVE),
                  w.rollout.soak(),
                  w.rollout.readyTimeout(),
                  w.rollout.progressDeadline(),
                  1,
                  w.rollout.tolerateUnhealthy(),
                  w.rollout.allowDowntime());
      case "stranger" -> w.system.strangers.add(arg);
      case "budget" ->
          w.budgets =
              Fact.known(
                  List.of(
                      new dev.belay.core.model.Budget(
                          "pdb",
                          Integer.parseInt(arg),
                          Arrays.asList(words).subList(2, words.length))));
      case "wait" -> w.pass(Duration.parse("PT" + arg));
      case "parked" -> w.guard = Guarding.PARKED;
      case "policy" -> w.guard = Guarding.POLICY;
      case "ordered" -> w.order = Workload.Order.ORDERED_READY;
      case "deployment" -> {
        w.kind = Workload.Kind.DEPLOYMENT;
        w.system.memberless = true;
      }
      case "recreates" -> w.update = Workload.Update.RECREATE;
      case "pause-by-hand" -> w.pausedByHand();
      case "rewritten" -> w.rewritten = Optional.of(arg).filter(a -> !a.isEmpty());
      case "written-by" -> w.writer = Optional.of(arg).filter(a -> !a.isEmpty());
      case "stalled" -> w.stalled = rest(words, 1);
      case "batch" ->
          w.rollout =
              new Spec.Rollout(
                  Optional.of(Spec.Strategy.ON_DELETE),
                  w.rollout.soak(),
                  w.rollout.readyTimeout(),
                  w.rollout.progressDeadline(),
                  Integer.parseInt(arg),
                  w.rollout.tolerateUnhealthy(),
                  w.rollout.allowDowntime());
      case "action" ->
          w.actions = Stream.concat(w.actions.stream(), Stream.of(action(words))).toList();
      case "action-first" ->
          w.actions = Stream.concat(Stream.of(action(words)), w.actions.stream()).toList();
      case "refuses" -> w.sent.refuses.add(arg.replace('_', ' '));
      case "accepts" -> w.sent.refuses.remove(arg.replace('_', ' '));
      case "deaf" -> w.sent.deaf = true;
      case "unaddressed" -> w.sent.unaddressed = true;
      case "addressed" -> w.sent.unaddressed = false;
      case "hears" -> {
        w.sent.deaf = false;
        w.sent.results.clear();
      }
      case "ondelete" -> w.update = Workload.Update.ON_DELETE;
      case "partition" -> w.partition = Integer.parseInt(arg);
      case "unobserved" -> w.observed = w.generation - 1;
      case "observed" -> w.observed = w.generation;
      case "approve", "retry", "rollback", "abort" -> request(w, words[0], arg);
      case "decide" ->
          w.requests =
              new Spec.Requests(
                  w.requests.approve(),
                  w.requests.retry(),
                  w.requests.rollback(),
                  w.requests.abort(),
                  "dba",
                  Optional.of(
                      new Spec.MigrationRequest(
                          Long.parseLong(arg), Spec.Verdict.valueOf(words[2]), words[3])),
                  w.requests.approvedBy());
      case "floor" -> w.policy.back = floor(arg);
      case "owes" -> w.policy.owes = Stream.of(rest(words, 1)).filter(o -> !o.isEmpty()).toList();
      case "tends" -> w.policy.tends = rest(words, 1);
      case "objects" -> w.policy.objects = rest(words, 1);
      case "prefers-last" -> w.policy.prefersLast = true;
      case "hands-over-by" -> w.policy.handsOver = rest(words, 1);
      case "stubborn" -> w.policy.stubborn = true;
      case "prepares" -> w.policy.prepares = rest(words, 1);
      case "deadline" ->
          w.rollout =
              new Spec.Rollout(
                  w.rollout.soak(),
                  w.rollout.readyTimeout(),
                  Duration.parse("PT" + arg),
                  w.rollout.tolerateUnhealthy(),
                  w.rollout.allowDowntime());
      case "pause" -> w.paused = true;
      case "resume" -> w.paused = false;
      case "hold" -> w.pod(arg).held = true;
      case "unhold" -> w.pod(arg).held = false;
      case "force" -> w.force = new Spec.Force(true, arg);
      case "unforce" -> w.force = Spec.Force.NONE;
      case "on-failure-rollback" ->
          w.upgrade =
              new Spec.Upgrade(Spec.OnFailure.ROLLBACK, w.upgrade.approval(), w.upgrade.paths());
      case "approval" ->
          w.upgrade =
              new Spec.Upgrade(
                  w.upgrade.onFailure(), Spec.Approval.valueOf(arg), w.upgrade.paths());
      case "path" ->
          w.upgrade =
              new Spec.Upgrade(
                  w.upgrade.onFailure(),
                  w.upgrade.approval(),
                  Stream.concat(
                          w.upgrade.paths().stream(),
                          Stream.of(new Spec.Path(arg, words[2], words.length > 3)))
                      .toList());
      case "check" ->
          w.checks =
              Stream.concat(
                      w.checks.stream(),
                      Stream.of(
                          new Check(
                              Check.Moment.valueOf(arg),
                              Check.On.valueOf(words[2]),
                              rest(words, 3))))
                  .toList();
      case "answer" -> answer(w, arg, Check.State.valueOf(words[2]), rest(words, 3));
      case "version" -> {
        w.trigger = Spec.Trigger.VERSION;
        w.version = Optional.of(arg);
        Stream.concat(Stream.of(w), w.more.stream())
            .forEach(c -> c.images = Map.of(c.component, c.component + ":{version}"));
      }
      case "own-version" -> w.ownVersion = Optional.of(arg);
      case "no-own-version" -> w.ownVersion = Optional.empty();
      case "slow-controller" -> w.slow = true;
      case "quick-controller" -> w.slow = false;
      case "reads" -> w.pod(arg).reads = Optional.of(rest(words, 2)).filter(r -> !r.isEmpty());
      case "sidecar" -> {
        w.sidecar = Optional.of(arg);
        w.images = Map.of("agent", "agent:{version}");
      }
      case "pinned" -> w.images = Map.of(w.component, arg);
      case "image" -> w.images = Map.of(arg, "etcd:{version}");
      case "soak" ->
          w.rollout = rollout(w, Duration.parse("PT" + arg), w.rollout.tolerateUnhealthy(), false);
      case "allow-downtime" ->
          w.rollout = rollout(w, w.rollout.soak(), w.rollout.tolerateUnhealthy(), true);
      case "tolerate" -> w.rollout = rollout(w, w.rollout.soak(), Integer.parseInt(arg), false);
      case "unreadable" -> w.system.lost = Optional.of(rest(words, 1));
      case "readable" -> w.system.lost = Optional.empty();
      case "memberless" -> w.system.memberless = true;
      case "learner" -> w.system.learners.add(ScriptedWorld.ordinal(arg));
      case "peers" -> w.system.peers = true;
      case "rival" -> w.rival = Optional.of(arg);
      case "operator" ->
          w.self = new dev.belay.core.state.Snapshot.Self(arg, words[2], w.self.account());
      case "selects" ->
          w.selection = new dev.belay.core.state.Snapshot.Selection(arg.equals("yes"), false);
      case "uninstalls" -> w.selection = dev.belay.core.state.Snapshot.Selection.UNINSTALLING;
      case "owner-gone" -> w.selection = new dev.belay.core.state.Snapshot.Selection(true, true);
      case "fleet" ->
          w.fleet =
              new Fleet(
                  Integer.parseInt(arg),
                  Stream.of(words).skip(2).map(name -> "db/" + name).toList());
      case "deleted" -> w.deleting = true;
      case "created-again" -> w.memory = Memory.EMPTY;
      default -> throw new IllegalArgumentException("no such command: " + String.join(" ", words));
    }
  }

  private static Action action(String[] words) {
    return new Action(
        Action.Moment.valueOf(words[1]),
        Check.On.TARGET,
        words[2].replace('_', ' '),
        words.length > 3 && !words[3].equals("-") ? words[3].replace('_', ' ') : "",
        Arrays.asList(words).subList(Math.min(4, words.length), words.length));
  }

  /** A system that starts no member below a version, or cannot say. */
  private static WayBack floor(String version) {
    return version.equals("unknown")
        ? WayBack.unknown("nobody answers")
        : WayBack.floor(version, "the data was converted");
  }

  private static Spec.Rollout rollout(
      ScriptedWorld w, Duration soak, int tolerate, boolean downtime) {
    return new Spec.Rollout(
        w.rollout.strategy(),
        soak,
        w.rollout.readyTimeout(),
        w.rollout.progressDeadline(),
        w.rollout.maxUnavailable(),
        tolerate,
        downtime);
  }

  private static void request(ScriptedWorld w, String verb, String token) {
    var old = w.requests;
    Optional<String> asked = Optional.of(token).filter(t -> !t.isEmpty());
    w.requests =
        new Spec.Requests(
            verb.equals("approve") ? asked : old.approve(),
            verb.equals("retry") ? asked : old.retry(),
            verb.equals("rollback") ? asked : old.rollback(),
            verb.equals("abort") ? asked : old.abort(),
            "dba",
            old.migration(),
            verb.equals("approve") ? "ann" : old.approvedBy());
  }

  /** Every check on this pod, or on the service, answers like this from now on. */
  private static void answer(ScriptedWorld w, String pod, Check.State state, String reading) {
    String uid = pod.equals("service") ? "" : w.pod(pod).uid;
    w.results.removeIf(r -> r.uid().equals(uid));
    w.checks.forEach(c -> w.results.add(new Check.Result(c, uid, state, reading, w.now)));
  }

  private static String rest(String[] words, int from) {
    return String.join(" ", Arrays.asList(words).subList(from, words.length));
  }
}
