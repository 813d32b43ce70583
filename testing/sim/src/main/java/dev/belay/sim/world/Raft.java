package dev.belay.sim.world;

import dev.belay.core.model.Among;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A replicated system in the manner of Raft: terms, one leader, votes, lag, a cluster version.
 * Facts it takes from etcd: a leader needs a majority of the voters and steps down without; only a
 * voter whose log is complete can win; a member's own health is false while there is no leader; the
 * cluster version follows the lowest member version, seconds later, and then an older binary does
 * not start; a binary two minors ahead does not start either; data outlives the pod.
 */
public final class Raft {

  /** One voter. */
  public static final class Voter {
    public final int ordinal;
    public boolean running;
    public boolean paused;
    public boolean cut;
    public boolean lags;
    public boolean hangs;
    public long log;
    public int minor;
    public String version = "";
    private int life;

    Voter(int ordinal) {
      this.ordinal = ordinal;
    }

    public boolean votes() {
      return running && !paused && !cut && !hangs;
    }

    public String id() {
      return "m" + ordinal;
    }
  }

  private static final Duration MONITOR = Duration.ofSeconds(4);

  /** How often a client writes. */
  private static final Duration EVERY = Duration.ofMillis(250);

  private final Timeline time;
  private final Weather weather;
  private final Trace trace;
  private final Rng rng;
  private final boolean versioned;
  private final String who;
  private final TreeMap<Integer, Voter> voters = new TreeMap<>();
  private List<Voter> listed = List.of();
  private int leader = -1;
  private long term = 1;
  private boolean electing;
  private long changes;
  private long written;
  private long acknowledged;
  private long refusedWrites;
  private int clusterMinor = -1;
  private String lost = "";

  /** By which name the members of a component are told of in the trace. */
  public static String who(String component) {
    return component.equals(Setup.COMPONENT) ? "members" : "in " + component;
  }

  /**
   * @param versioned whether members refuse to run next to a cluster version that does not fit
   * @param who speaks of them in the trace
   */
  public Raft(Timeline time, Weather weather, Trace trace, Rng rng, boolean versioned, String who) {
    this.who = who;
    this.versioned = versioned;
    this.time = time;
    this.weather = weather;
    this.trace = trace;
    this.rng = rng;
  }

  public List<Voter> voters() {
    return listed;
  }

  public Optional<Voter> voter(int ordinal) {
    return Optional.ofNullable(voters.get(ordinal));
  }

  public int leader() {
    return leader;
  }

  public long term() {
    return term;
  }

  public int clusterMinor() {
    return clusterMinor;
  }

  public long acknowledged() {
    clientWrote();
    return acknowledged;
  }

  public long refusedWrites() {
    clientWrote();
    return refusedWrites;
  }

  /** Not empty once an acknowledged write was lost: which. */
  public String lost() {
    return lost;
  }

  public int majority() {
    return voters.size() / 2 + 1;
  }

  public boolean healthy(int ordinal) {
    Voter voter = leader >= 0 ? voters.get(ordinal) : null;
    return voter != null && voter.votes() && !voter.lags;
  }

  public boolean quorate() {
    int voting = 0;
    for (Voter voter : voters.values()) {
      voting += voter.votes() ? 1 : 0;
    }
    return voting >= majority();
  }

  /** Starts the program of a member; false when it refuses to run in this cluster. */
  public boolean start(int ordinal, Template template) {
    boolean fits =
        !versioned
            || clusterMinor < 0
            || (template.minor() >= clusterMinor && template.minor() <= clusterMinor + 1);
    if (template.crashes() || !fits) {
      return false;
    }
    clientWrote();
    Voter voter = voters.computeIfAbsent(ordinal, Voter::new);
    listed = List.copyOf(voters.values());
    voter.running = true;
    voter.paused = false;
    voter.hangs = template.hangs();
    voter.version = template.tag();
    voter.minor = template.minor();
    voter.lags = acknowledged > voter.log;
    int life = ++voter.life;
    time.after(
        rng.millis(100, 1500),
        () -> {
          if (voter.life == life) {
            catchUp(voter);
          }
        });
    changed();
    return true;
  }

  public void stop(int ordinal) {
    clientWrote();
    voter(ordinal)
        .ifPresent(v -> {
          v.running = false;
          v.paused = false;
          v.life++;
          changed();
        });
  }

  public void remove(int ordinal) {
    clientWrote();
    if (voters.remove(ordinal) != null) {
      // Whoever throws the last copy away by hand knows it.
      long left = voters.values().stream().mapToLong(v -> v.log).max().orElse(acknowledged);
      acknowledged = Math.min(acknowledged, left);
      listed = List.copyOf(voters.values());
      changed();
    }
  }

  public void pause(int ordinal, boolean paused) {
    clientWrote();
    voter(ordinal)
        .ifPresent(v -> {
          v.paused = paused && v.running;
          changed();
        });
  }

  public void cut(int ordinal, boolean cut) {
    clientWrote();
    voter(ordinal)
        .ifPresent(v -> {
          v.cut = cut;
          if (!cut) {
            catchUp(v);
          }
          changed();
        });
  }

  public void slow(int ordinal, boolean slow) {
    clientWrote();
    voter(ordinal)
        .ifPresent(v -> {
          v.lags = slow;
          if (!slow) {
            catchUp(v);
          }
          changed();
        });
  }

  private void catchUp(Voter voter) {
    clientWrote();
    if (voter.votes() && !weather.holds(Fault.SLOW_DISK)) {
      voter.log = Math.max(voter.log, acknowledged);
      voter.lags = false;
      changed();
    }
  }

  /** Asked of the leader of a term; refused by anybody else, or towards one that lags. */
  public boolean transfer(String from, long inTerm, String to) {
    Optional<Voter> target = Among.first(voters.values(), v -> v.id().equals(to));
    boolean leads = voter(leader).filter(v -> v.id().equals(from)).isPresent() && term == inTerm;
    if (!leads || target.isEmpty() || !complete(target.get())) {
      return false;
    }
    int before = leader;
    lead(target.get());
    if (weather.strikes(Fault.LEADER_MOVES_BACK)) {
      time.after(rng.millis(50, 2500), () -> voter(before).ifPresent(this::takeOver));
    }
    return true;
  }

  public void flap() {
    voters.values().stream()
        .filter(v -> v.ordinal != leader && v.votes() && !v.lags)
        .skip(rng.below(2))
        .findFirst()
        .ifPresent(this::takeOver);
  }

  private boolean complete(Voter voter) {
    clientWrote();
    return voter.votes() && !voter.lags && voter.log >= acknowledged;
  }

  private void takeOver(Voter voter) {
    if (leader >= 0 && complete(voter) && voters.get(voter.ordinal) == voter && quorate()) {
      lead(voter);
    }
  }

  private void lead(Voter voter) {
    leader = voter.ordinal;
    term++;
    trace.say(who, voter.id() + " leads in term " + term);
    if (voter.log < acknowledged) {
      lost = voter.id() + " leads with " + voter.log + " of " + acknowledged + " writes";
    }
    changed();
  }

  /** Moves with every change of a member or of leadership. */
  public long changes() {
    return changes;
  }

  private void changed() {
    changes++;
    Voter current = voters.get(leader);
    if (leader >= 0 && (current == null || !current.votes() || !quorate())) {
      trace.say(who, "no leader: m" + leader + (quorate() ? " is gone" : " has no quorum"));
      leader = -1;
    }
    if (leader < 0 && !electing) {
      electing = true;
      time.after(rng.millis(200, 1200), this::elect);
    }
    watchVersions();
  }

  private void elect() {
    clientWrote();
    electing = false;
    if (leader >= 0) {
      return;
    }
    if (!quorate()) {
      return;
    }
    long longest =
        voters.values().stream().filter(Voter::votes).mapToLong(v -> v.log).max().orElse(0);
    List<Voter> able = Among.those(voters.values(), v -> v.votes() && v.log == longest);
    Voter winner = rng.pick(able);
    winner.lags = false;
    lead(winner);
  }

  /** The cluster version goes up when every member has gone up. */
  private void watchVersions() {
    int lowest = voters.values().stream().mapToInt(v -> v.minor).min().orElse(-1);
    boolean all = Among.all(voters.values(), v -> v.running && v.minor > 0);
    if (all && lowest > clusterMinor) {
      if (clusterMinor < 0) {
        clusterMinor = lowest;
        return;
      }
      time.after(
          MONITOR,
          () -> {
            boolean still = Among.all(voters.values(), v -> v.running && v.minor >= lowest);
            if (still && leader >= 0 && lowest > clusterMinor) {
              clusterMinor = lowest;
              trace.say(who, "the cluster version is 3." + lowest);
            }
          });
    }
  }

  /**
   * What a client wrote since anybody last cared, once every 250 ms: between two changes of the
   * members one write goes as the other.
   */
  private void clientWrote() {
    long due = time.millis() / EVERY.toMillis();
    for (; written < due; written++) {
      write();
    }
  }

  private void write() {
    if (leader >= 0 && quorate()) {
      // A voter that only lags still stores what a majority needs; it answers late.
      long next = acknowledged + 1;
      int stored = 0;
      for (Voter v : voters.values()) {
        v.log = v.votes() && !v.lags ? next : v.log;
        stored += v.log >= next ? 1 : 0;
      }
      if (stored >= majority()) {
        acknowledged = next;
      } else {
        refusedWrites++;
      }
    } else {
      refusedWrites++;
    }
  }
}
