package dev.belay.governor.jdbc;

import dev.belay.governor.Refusal;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The databases of one cluster: home, where the queue is, and the other masters. */
final class Masters implements AutoCloseable {

  private final List<Target> targets;
  private final Options options;
  private final Map<String, Peer> peers = new LinkedHashMap<>();
  private @Nullable Session home;
  private @Nullable Lease lease;

  /** A master besides home, entered and locked. */
  record Peer(Session session, Lease lease) {}

  Masters(List<Target> targets, Options options) {
    this.targets = List.copyOf(targets);
    this.options = options;
    Class<?> kind = Dialect.of(targets.getFirst()).getClass();
    for (Target t : targets) {
      if (Dialect.of(t).getClass() != kind) {
        throw new Refusal(
            "master "
                + t.name()
                + " is another kind of database than "
                + targets.getFirst().name()
                + "; masters of one cluster are of one kind");
      }
      if (targets.stream().filter(o -> o.name().equals(t.name())).count() > 1) {
        throw new Refusal("master " + t.name() + " is given twice; give each once");
      }
    }
  }

  Dialect dialect() {
    return Dialect.of(targets.getFirst());
  }

  List<Target> others() {
    return targets.subList(1, targets.size());
  }

  String homeName() {
    return targets.getFirst().name();
  }

  /** The home database, locked, with its tables, ruled by a new epoch. */
  Session home() throws SQLException {
    Session h = home;
    if (h != null) {
      return h;
    }
    Session s = Session.open(targets.getFirst(), options.owner());
    try {
      enter(s);
    } catch (SQLException | RuntimeException e) {
      s.close();
      throw e;
    }
    home = s;
    return s;
  }

  private void enter(Session s) throws SQLException {
    refuseUnfit(s, !others().isEmpty());
    lockOrBar(s);
    Optional<Lease> found = Lease.read(s);
    Lease l = found.isPresent() ? found.get() : s.create(newCluster());
    s.check(l);
    if (options.cluster().isPresent() && !options.cluster().get().equals(l.cluster())) {
      throw new Refusal(
          homeName()
              + " belongs to cluster "
              + l.cluster()
              + ", not to "
              + options.cluster().get()
              + "; check the URL");
    }
    int registered = registered(s);
    if (registered > others().size()) {
      throw new Refusal(
          homeName()
              + " has "
              + registered
              + " other masters and "
              + others().size()
              + " were given; give --master for each");
    }
    s.rule(l.epoch() + 1);
    lease = l;
  }

  private String newCluster() {
    if (options.cluster().isPresent()) {
      throw new Refusal(
          homeName()
              + " has no queue, so it is not cluster "
              + options.cluster().get()
              + "; check the URL, or run init without --cluster if it is new");
    }
    return UUID.randomUUID().toString();
  }

  /** The home session, if it stands. */
  @Nullable Session entered() {
    return home;
  }

  /** The session to the master that a copy stems from. */
  Optional<Session> ofMember(String member) {
    Session h = home;
    if (h != null && homeLease().member().equals(member)) {
      return Optional.of(h);
    }
    return peers.values().stream()
        .filter(p -> p.lease().member().equals(member))
        .map(Peer::session)
        .findFirst();
  }

  /** A driver's text without secrets. */
  String explain(SQLException e) {
    return homeName() + ": " + targets.getFirst().scrub(String.valueOf(e.getMessage()).strip());
  }

  Lease homeLease() {
    Lease l = lease;
    if (l == null) {
      throw new IllegalStateException("home has not been entered");
    }
    return l;
  }

  /** Another master, locked and known to belong to this cluster. */
  Peer peer(Target target) throws SQLException {
    Session h = home();
    Peer known = peers.get(target.name());
    if (known != null) {
      return known;
    }
    Session s = Session.open(target, options.owner());
    try {
      Peer p = new Peer(s, admit(h, s));
      peers.put(target.name(), p);
      return p;
    } catch (SQLException | RuntimeException e) {
      s.close();
      throw e;
    }
  }

  private Lease admit(Session h, Session s) throws SQLException {
    refuseUnfit(s, true);
    Optional<Lease> seen = Lease.read(s);
    if (seen.isPresent()) {
      refuseStranger(seen.get());
    }
    lockOrBar(s);
    Optional<Lease> found = Lease.read(s);
    boolean fresh = !begun(h);
    if (found.isEmpty() && !fresh) {
      throw new Refusal(
          "it has no governor's tables, while operations were run without it; check the URL");
    }
    Lease l = found.isPresent() ? found.get() : s.create(homeLease().cluster());
    s.check(l);
    register(h, s, l, fresh);
    s.follow(h.epoch());
    return l;
  }

  private void refuseStranger(Lease l) {
    if (!l.cluster().equals(homeLease().cluster())) {
      throw new Refusal(
          "it belongs to cluster " + l.cluster() + ", not to " + homeLease().cluster());
    }
    if (l.member().equals(homeLease().member())) {
      throw new Refusal("it is the home database itself, or a copy of it");
    }
    if (peers.values().stream().anyMatch(p -> p.lease().member().equals(l.member()))) {
      throw new Refusal("it is another given master, or a copy of it");
    }
  }

  private static void register(Session h, Session s, Lease l, boolean fresh) throws SQLException {
    boolean known =
        Sql.query(
                h.connection(),
                "SELECT member FROM " + h.table("master") + " WHERE member = ?",
                r -> r.getString(1),
                l.member())
            .isPresent();
    if (!known && !fresh) {
      throw new Refusal("it is not a registered master, and operations were run without it");
    }
    if (!known) {
      Sql.update(
          h.connection(),
          "INSERT INTO " + h.table("master") + " (member, name) VALUES (?, ?)",
          l.member(),
          s.target().name());
    }
  }

  private static int registered(Session h) throws SQLException {
    return Sql.query(h.connection(), "SELECT COUNT(*) FROM " + h.table("master"), r -> r.getInt(1))
        .orElse(0);
  }

  private static boolean begun(Session h) throws SQLException {
    return Sql.query(
            h.connection(),
            "SELECT id FROM "
                + h.table("queue")
                + " WHERE status <> 'pending' OR started_at IS NOT NULL LIMIT 1",
            r -> r.getLong(1))
        .isPresent();
  }

  static void refuseUnfit(Session s, boolean several) throws SQLException {
    Optional<String> unfit = s.dialect().unfit(s.connection(), several);
    if (unfit.isPresent()) {
      throw new Refusal(s.target().name() + " cannot be a master: " + unfit.get());
    }
  }

  private void lockOrBar(Session s) throws SQLException {
    Optional<String> held = s.lock(options.lease());
    if (held.isPresent()) {
      throw new Barred(held.get());
    }
  }

  /** Forgets a master whose connection is gone. */
  void drop(String name) {
    Peer p = peers.remove(name);
    if (p != null) {
      p.session().close();
    }
  }

  @Override
  public void close() {
    List.copyOf(peers.keySet()).forEach(this::drop);
    Session h = home;
    if (h != null) {
      h.close();
    }
    home = null;
    lease = null;
  }
}
