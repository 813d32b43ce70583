package dev.belay.core.forecast;

import dev.belay.core.model.Action;
import dev.belay.core.model.Check;
import dev.belay.core.model.Check.Result;
import dev.belay.core.model.Component;
import dev.belay.core.model.Fact;
import dev.belay.core.model.Fleet;
import dev.belay.core.model.Ledger;
import dev.belay.core.model.Member;
import dev.belay.core.model.Member.Health;
import dev.belay.core.model.Member.Role;
import dev.belay.core.model.Pod;
import dev.belay.core.model.Spec;
import dev.belay.core.model.Topology;
import dev.belay.core.model.Workload;
import dev.belay.core.rules.Versions;
import dev.belay.core.state.Snapshot;
import dev.belay.core.state.Step;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The world after a step that went as it should. */
record Effects(Snapshot world) {

  private static final Duration MOMENT = Duration.ofSeconds(1);

  Snapshot of(Step step) {
    Snapshot after =
        switch (step) {
          case Step.Release release -> released(release);
          case Step.Evict evict -> in(evict, c -> evicted(c, evict.pod()));
          case Step.LetRoll roll -> in(roll, c -> replaced(at(c, 0), _ -> true, updateRevision(c)));
          case Step.Act act -> in(act, c -> sent(c, act.obligation().id(), false));
          case Step.Undo undo -> in(undo, c -> sent(c, undo.obligation().id(), true));
          case Step.Tell _ -> world;
          case Step.Migrate migrate -> migrated(migrate.operation(), Ledger.Status.DONE);
          case Step.Settle settle -> settled(settle);
          case Step.Force force -> in(force, c -> forced(c, force.partition()));
          case Step.PartitionWrite write -> in(write, c -> at(c, write.partition()));
          case Step.SetTemplate set -> in(set, c -> templated(c, set.version(), set.images()));
          case Step.RecreatePod recreate -> in(recreate, c -> recreated(c, recreate));
          case Step.TransferLeader transfer -> in(transfer, c -> led(c, transfer));
          case Step.Revoke revoke -> in(revoke, c -> at(c, partition(c)));
          case Step.Unforce _ -> world.asking(world.spec().withForce(Spec.Force.NONE));
          case Step.Recorded _ -> world;
        };
    return after.later(MOMENT);
  }

  /** Whoever had to agree did. */
  Snapshot approved(String token) {
    return world.asking(world.spec().withRequests(world.spec().requests().approving(token)));
  }

  /** What is only read during a roll-out is expected to be in nobody's way. */
  Snapshot asIfRead() {
    return every(c ->
        new Component(
            c.spec(),
            c.workload(),
            c.pods().map(pods -> pods.stream().map(Effects::staying).toList()),
            c.topology(),
            Fact.known(c.budgets().asOptional().orElse(List.of())),
            c.guard(),
            c.rival(),
            c.checks(),
            c.acts()));
  }

  /** Where others may go meanwhile, it is down until it is waited for. */
  private static Component evicted(Component c, String pod) {
    Component after = replaced(c, p -> p.name().equals(pod), updateRevision(c));
    return c.spec().rollout().maxUnavailable() > 1 ? down(after, pod) : after;
  }

  private static Component down(Component c, String pod) {
    Optional<Member> member =
        c.podList().stream()
            .filter(p -> p.name().equals(pod))
            .findFirst()
            .flatMap(p -> c.memberOf(p).asOptional());
    return c.withPods(
            c.pods()
                .map(pods ->
                    pods.stream().map(p -> p.name().equals(pod) ? starting(p) : p).toList()))
        .withTopology(
            c.topology()
                .map(t ->
                    withMembers(
                        t,
                        t.members().stream()
                            .map(m -> Optional.of(m).equals(member) ? out(m) : m)
                            .toList())));
  }

  /** Whoever was taken down for the upgrade is back, and serves. */
  Snapshot back(Collection<String> pods) {
    return every(
            c -> {
              List<Member> members =
                  c.podList().stream()
                      .filter(p -> pods.contains(p.name()))
                      .flatMap(p -> c.memberOf(p).asOptional().stream())
                      .toList();
              return c.withPods(
                      c.pods()
                          .map(all ->
                              all.stream()
                                  .map(p -> pods.contains(p.name()) ? serving(p, p.revision()) : p)
                                  .toList()))
                  .withTopology(
                      c.topology()
                          .map(t ->
                              withMembers(
                                  t,
                                  t.members().stream()
                                      .map(m -> members.contains(m) ? well(m) : m)
                                      .toList())));
            })
        .later(MOMENT);
  }

  /** Time passes: what only needed time is there. */
  Snapshot ofTime() {
    Duration longest =
        Stream.concat(
                world.components().stream().map(c -> c.spec().rollout().soak()),
                world.spec().migrations().stream().map(Spec.Migrations::soak))
            .reduce(Duration.ofSeconds(10), (a, b) -> a.compareTo(b) > 0 ? a : b);
    Snapshot later = every(c -> c.withChecks(List.of())).later(longest.plus(MOMENT));
    return new Effects(later).worked();
  }

  /** Whoever was not asked yet will answer well; a bad answer stands until it is cured. */
  Snapshot answered() {
    return every(c ->
        c.withChecks(
            Stream.concat(
                    c.checks().stream(),
                    c.spec().checks().stream().flatMap(check -> expected(c, check)))
                .toList()));
  }

  private Stream<Result> expected(Component c, Check check) {
    return Stream.concat(Stream.of(""), c.podList().stream().map(Pod::uid))
        .filter(uid ->
            c.checks().stream().noneMatch(r -> r.check().equals(check) && r.uid().equals(uid)))
        .map(uid -> new Result(check, uid, Check.State.PASSED, "expected to pass", world.at()));
  }

  /** Whoever was down is back, whoever was leaving stays, budgets and others allow it. */
  Snapshot cured() {
    return every(c ->
            new Component(
                c.spec(),
                c.workload(),
                c.pods().map(pods -> pods.stream().map(p -> serving(p, p.revision())).toList()),
                c.topology()
                    .map(t -> withMembers(t, t.members().stream().map(Effects::well).toList())),
                Fact.known(List.of()),
                c.guard(),
                c.rival(),
                List.of(),
                c.acts()))
        .among(Fleet.UNLIMITED)
        .later(MOMENT);
  }

  private Snapshot migrated(Ledger.Operation operation, Ledger.Status status) {
    return world.knowing(
        world
            .ledger()
            .map(l ->
                new Ledger(
                    l.operations().stream()
                        .map(o ->
                            o.key().equals(operation.key()) ? o.at(Math.max(1, o.id()), status) : o)
                        .toList(),
                    operation.reversible() || operation.custom()
                        ? l.closed()
                        : Optional.of(new Ledger.Closed(operation.version(), operation.title())))));
  }

  private Snapshot settled(Step.Settle settle) {
    boolean leftOut =
        settle.request().verdict() == Spec.Verdict.SKIP
            || settle.request().verdict() == Spec.Verdict.APPLIED;
    return migrated(settle.operation(), leftOut ? Ledger.Status.DONE : Ledger.Status.PENDING);
  }

  /** Whoever was at work in the database is through. */
  private Snapshot worked() {
    Optional<Ledger.Operation> running =
        world.ledger().asOptional().flatMap(l -> l.first(Ledger.Status.RUNNING));
    Snapshot after = running.map(o -> migrated(o, Ledger.Status.DONE)).orElse(world);
    return after.knowing(after.ledger().map(l -> new Ledger(l.operations(), l.closed())));
  }

  private Snapshot released(Step.Release release) {
    return in(
        release,
        c ->
            replaced(
                at(c, release.partition()),
                p -> p.name().equals(release.pod()),
                updateRevision(c)));
  }

  /** All that the controller reaches; frozen, a Deployment's reaches none. */
  private static Component forced(Component c, int partition) {
    Component let = at(c, partition);
    return replaced(
        let,
        p -> let.workload().asOptional().filter(w -> reached(w, p)).isPresent(),
        updateRevision(c));
  }

  private static boolean reached(Workload workload, Pod pod) {
    return !workload.frozen() && workload.comesBackAt(pod).equals(workload.updateRevision());
  }

  private static Component sent(Component c, String id, boolean undo) {
    var passed = new Action.Result(id, undo, Action.State.PASSED, "expected to pass");
    return c.withActs(Stream.concat(c.acts().stream(), Stream.of(passed)).toList());
  }

  private Component recreated(Component c, Step.RecreatePod step) {
    Workload w = c.workload().asOptional().orElseThrow();
    String revision =
        c.podList().stream()
            .filter(p -> p.name().equals(step.pod()))
            .map(w::comesBackAt)
            .findFirst()
            .orElse(w.updateRevision());
    return replaced(c, p -> p.name().equals(step.pod()), revision);
  }

  static Component templated(Component c, String version, Map<String, String> images) {
    return c.withWorkload(
        c.workload()
            .map(w ->
                new Workload(
                    w.kind(),
                    w.name(),
                    w.uid(),
                    w.resourceVersion() + "+",
                    w.generation(),
                    w.observedGeneration(),
                    w.replicas(),
                    w.firstOrdinal(),
                    w.update(),
                    Workload.FROZEN,
                    w.order(),
                    w.currentRevision(),
                    "of " + version,
                    merged(w.images(), images),
                    w.mainContainer(),
                    w.deleting(),
                    "")));
  }

  private static Map<String, String> merged(Map<String, String> old, Map<String, String> images) {
    var all = new HashMap<>(old);
    all.putAll(images);
    return all;
  }

  /** These pods come back at this revision, and serve; the last one ends the roll-out. */
  private static Component replaced(Component c, Predicate<Pod> whom, String revision) {
    Workload w = c.workload().asOptional().orElseThrow();
    Map<String, String> images =
        revision.equals(w.updateRevision())
            ? w.images()
            : c.podList().stream()
                .filter(p -> p.revision().equals(revision))
                .map(Pod::images)
                .findFirst()
                .orElse(w.images());
    List<Pod> pods =
        c.podList().stream()
            .map(p -> whom.test(p) ? serving(p, revision).anew(images) : p)
            .toList();
    boolean complete = pods.stream().allMatch(p -> p.revision().equals(w.updateRevision()));
    Component after =
        c.withPods(Fact.known(pods))
            .withWorkload(
                Fact.known(
                    w.at(w.partition(), complete ? w.updateRevision() : w.currentRevision())));
    List<String> names = c.podList().stream().filter(whom).map(Pod::name).toList();
    return after.withTopology(c.topology().map(t -> withMembers(t, renewed(c, after, t, names))));
  }

  /** The members in replaced pods are well, and run what their image says. */
  private static List<Member> renewed(
      Component before, Component after, Topology topology, List<String> pods) {
    return topology.members().stream()
        .map(m -> {
          Optional<Pod> pod = before.podOf(m).filter(p -> pods.contains(p.name()));
          if (pod.isEmpty()) {
            return m;
          }
          Optional<Pod> now =
              after.podList().stream().filter(p -> p.name().equals(pod.get().name())).findFirst();
          Fact<String> version =
              now.map(p -> Versions.ofImages(after, p)).orElse(Fact.unknown("no pod"));
          return new Member(
              m.id(), m.name(), m.hosts(), m.role(), well(m).health(), version, m.readings());
        })
        .toList();
  }

  private static Member well(Member m) {
    return new Member(
        m.id(),
        m.name(),
        m.hosts(),
        m.role() == Role.UNKNOWN ? Role.FOLLOWER : m.role(),
        Fact.known(new Health(true, "expected to serve")),
        m.version(),
        m.readings());
  }

  private static Member out(Member m) {
    return new Member(
        m.id(),
        m.name(),
        m.hosts(),
        m.role(),
        Fact.known(Health.down("expected to restart")),
        m.version(),
        m.readings());
  }

  private static Pod serving(Pod p, String revision) {
    return at(p, revision, Pod.Readiness.AVAILABLE);
  }

  private static Pod starting(Pod p) {
    return at(p, p.revision(), Pod.Readiness.UNREADY);
  }

  private static Pod at(Pod p, String revision, Pod.Readiness readiness) {
    return new Pod(
        p.name(),
        p.uid(),
        p.resourceVersion() + "+",
        p.ordinal(),
        revision,
        readiness,
        false,
        Optional.empty(),
        p.created(),
        p.images(),
        p.hosts(),
        Fact.known(Optional.empty()),
        p.held());
  }

  /** Where it was not read whether its node is leaving, it is expected to stay. */
  private static Pod staying(Pod p) {
    return p.leaving() instanceof Fact.Unknown<Optional<String>>
        ? new Pod(
            p.name(),
            p.uid(),
            p.resourceVersion(),
            p.ordinal(),
            p.revision(),
            p.readiness(),
            p.terminating(),
            p.trouble(),
            p.created(),
            p.images(),
            p.hosts(),
            Fact.known(Optional.empty()),
            p.held())
        : p;
  }

  private static Component led(Component c, Step.TransferLeader step) {
    return c.withTopology(
        c.topology()
            .map(t ->
                new Topology(
                    t.clusterId(),
                    t.members().stream().map(m -> roled(m, step)).toList(),
                    Fact.known(new Topology.Leader(step.toId(), step.fence().term() + "+")),
                    t.groups())));
  }

  private static Member roled(Member m, Step.TransferLeader step) {
    Role role =
        m.id().equals(step.toId())
            ? Role.LEADER
            : m.id().equals(step.fromId()) ? Role.FOLLOWER : m.role();
    return new Member(m.id(), m.name(), m.hosts(), role, m.health(), m.version(), m.readings());
  }

  private static Topology withMembers(Topology t, List<Member> members) {
    return t.memberless() ? t : new Topology(t.clusterId(), members, t.leader(), t.groups());
  }

  private static Component at(Component c, int partition) {
    return c.withWorkload(c.workload().map(w -> w.at(partition, w.currentRevision())));
  }

  private static int partition(Component c) {
    return c.workload().asOptional().map(Workload::partition).orElse(0);
  }

  private static String updateRevision(Component c) {
    return c.workload().asOptional().map(Workload::updateRevision).orElse("");
  }

  private Snapshot in(Step step, UnaryOperator<Component> change) {
    return every(c -> c.name().equals(step.component()) ? change.apply(c) : c);
  }

  private Snapshot every(UnaryOperator<Component> change) {
    return world.seeing(world.components().stream().map(change).toList());
  }
}
