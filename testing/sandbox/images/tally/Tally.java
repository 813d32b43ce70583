import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * A list that a few processes keep together by the rules of Raft: one leader per term, elected by a
 * majority; an entry is acknowledged when a majority has written it down. It exists so that driver
 * http can be tried on a cluster that no driver was written for. Files are not synced: processes
 * die here, machines do not.
 */
public final class Tally {

  private static final int HEARTBEAT = 100;
  private static final int PATIENCE = 1000;
  private static final int BATCH = 500;

  private enum Role {
    FOLLOWER,
    CANDIDATE,
    LEADER
  }

  /** What is known of another member while this one leads. */
  private static final class Peer {
    final String host;
    int next;
    int match;
    long heard;

    Peer(String host) {
      this.host = host;
    }
  }

  private final String name;
  private final String cluster;
  private final Disk disk;
  private final Map<String, Peer> peers = new HashMap<>();
  private final List<Entry> log;
  private final Web web = new Web(Duration.ofMillis(PATIENCE));
  private Role role = Role.FOLLOWER;
  private String leader = "";
  private long term;
  private String votedFor = "";
  private int commit;
  private int leaderLast;
  private long heard = now();
  private int patience = PATIENCE;
  private boolean handingOver;
  private Disk.Drain drain;

  private Tally(String name, String cluster, Disk disk) throws IOException {
    this.name = name;
    this.cluster = cluster;
    this.disk = disk;
    this.log = disk.log();
    this.term = disk.vote().term();
    this.votedFor = disk.vote().candidate();
    this.drain = disk.drain();
  }

  /** NAME CLUSTER LISTEN_ADDRESS PORT DATA_FOLDER MEMBER=HOST… */
  public static void main(String[] args) throws Exception {
    var tally = new Tally(args[0], args[1], new Disk(Path.of(args[4])));
    int port = Integer.parseInt(args[3]);
    for (String member : Arrays.asList(args).subList(5, args.length)) {
      String[] pair = member.split("=", 2);
      if (!pair[0].equals(tally.name)) {
        tally.peers.put(pair[0], new Peer(pair[1] + ":" + port));
      }
    }
    HttpServer server = HttpServer.create(new InetSocketAddress(args[2], port), 64);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", tally::handle);
    server.start();
    tally.watch();
  }

  // ---- elections

  private void watch() throws InterruptedException {
    while (true) {
      Thread.sleep(20);
      synchronized (this) {
        if (role == Role.LEADER && !quorumHeard()) {
          follow(term, "");
        } else if (role != Role.LEADER && !drain.drained() && now() - heard > patience) {
          campaign(false);
        }
      }
    }
  }

  private void campaign(boolean asked) {
    vote(term + 1, name);
    role = Role.CANDIDATE;
    leader = "";
    rest();
    long campaign = term;
    int[] votes = {1};
    String question =
        "/vote?term=%d&candidate=%s&last=%d&lastTerm=%d&asked=%s"
            .formatted(term, name, log.size(), lastTerm(), asked);
    for (Peer peer : peers.values()) {
      Thread.ofVirtual()
          .start(() -> {
            String[] answer = web.ask(peer.host, question, "");
            synchronized (this) {
              if (answer.length == 2 && Long.parseLong(answer[0]) > term) {
                follow(Long.parseLong(answer[0]), "");
              } else if (answer.length == 2 && answer[1].equals("yes") && term == campaign) {
                votes[0]++;
                if (votes[0] > (peers.size() + 1) / 2 && role == Role.CANDIDATE) {
                  lead();
                }
              }
            }
          });
    }
  }

  private void lead() {
    role = Role.LEADER;
    leader = name;
    handingOver = false;
    add(List.of(new Entry(term, "")));
    for (Peer peer : peers.values()) {
      peer.next = log.size();
      peer.match = 0;
      peer.heard = now();
      long reign = term;
      Thread.ofVirtual().start(() -> replicate(peer, reign));
    }
  }

  private void follow(long newTerm, String newLeader) {
    if (newTerm > term) {
      vote(newTerm, "");
    }
    role = Role.FOLLOWER;
    leader = newLeader;
    rest();
    notifyAll();
  }

  private void rest() {
    heard = now();
    patience = PATIENCE + ThreadLocalRandom.current().nextInt(PATIENCE);
  }

  /** Whoever hears a leader elects no other, unless that leader asked for it. */
  private synchronized String onVote(Map<String, String> q) {
    boolean content = role == Role.LEADER || (!leader.isEmpty() && now() - heard < PATIENCE);
    if (content && !q.get("asked").equals("true")) {
      return term + " no";
    }
    if (number(q, "term") > term) {
      follow(number(q, "term"), "");
    }
    boolean current =
        number(q, "lastTerm") > lastTerm()
            || (number(q, "lastTerm") == lastTerm() && number(q, "last") >= log.size());
    boolean free = votedFor.isEmpty() || votedFor.equals(q.get("candidate"));
    if (number(q, "term") < term || !current || !free) {
      return term + " no";
    }
    vote(term, q.get("candidate"));
    rest();
    return term + " yes";
  }

  // ---- replication

  private void replicate(Peer peer, long reign) {
    while (true) {
      String question;
      String body;
      int sent;
      synchronized (this) {
        if (role != Role.LEADER || term != reign) {
          return;
        }
        int from = peer.next - 1;
        sent = Math.min(log.size(), from + BATCH);
        body = Disk.text(log.subList(from, sent));
        question =
            "/append?term=%d&leader=%s&prev=%d&prevTerm=%d&commit=%d&last=%d"
                .formatted(
                    term, name, from, from == 0 ? 0 : log.get(from - 1).term(), commit, log.size());
      }
      String[] answer = web.ask(peer.host, question, body);
      synchronized (this) {
        if (role != Role.LEADER || term != reign) {
          return;
        }
        if (answer.length == 3) {
          peer.heard = now();
          if (Long.parseLong(answer[0]) > term) {
            follow(Long.parseLong(answer[0]), "");
            return;
          }
          if (answer[1].equals("yes")) {
            peer.match = sent;
            peer.next = sent + 1;
            commitWhatAMajorityHas();
          } else {
            peer.next = Math.max(1, Math.min(peer.next - 1, Integer.parseInt(answer[2]) + 1));
            continue;
          }
        }
        if (peer.next > log.size() || answer.length != 3) {
          pause(HEARTBEAT);
        }
      }
    }
  }

  private void commitWhatAMajorityHas() {
    List<Integer> matches =
        new ArrayList<>(peers.values().stream().map(p -> p.match).sorted().toList());
    matches.add(log.size());
    matches.sort(null);
    int held = matches.get((matches.size() - 1) / 2);
    if (held > commit && log.get(held - 1).term() == term) {
      commit = held;
      notifyAll();
    }
  }

  private synchronized String onAppend(Map<String, String> q, String body) {
    if (number(q, "term") < term) {
      return term + " no 0";
    }
    follow(number(q, "term"), q.get("leader"));
    leaderLast = (int) number(q, "last");
    int prev = (int) number(q, "prev");
    if (prev > log.size() || (prev > 0 && log.get(prev - 1).term() != number(q, "prevTerm"))) {
      return term + " no " + Math.min(prev - 1, log.size());
    }
    List<Entry> entries = body.lines().map(Entry::parse).toList();
    int same = 0;
    while (same < entries.size()
        && prev + same < log.size()
        && log.get(prev + same).term() == entries.get(same).term()) {
      same++;
    }
    if (same < entries.size()) {
      if (prev + same < log.size()) {
        log.subList(prev + same, log.size()).clear();
        disk.rewrite(log);
      }
      add(entries.subList(same, entries.size()));
    }
    commit = Math.max(commit, Math.min((int) number(q, "commit"), prev + entries.size()));
    return term + " yes " + log.size();
  }

  // ---- clients

  /** The index of the entry once a majority has it; empty when that cannot be said. */
  private synchronized String append(String text) {
    if (role != Role.LEADER || handingOver) {
      return "";
    }
    long reign = term;
    add(List.of(new Entry(term, text)));
    int index = log.size();
    boolean done =
        await(2 * PATIENCE, () -> commit >= index || term != reign || role != Role.LEADER);
    return done && commit >= index && log.get(index - 1).term() == reign ? "" + index : "";
  }

  /** All that is acknowledged, as a majority confirms at this moment; empty when it does not. */
  private synchronized String entries() {
    String index = append("");
    return index.isEmpty()
        ? ""
        : log.subList(0, Integer.parseInt(index)).stream()
                .map(Entry::text)
                .filter(t -> !t.isEmpty())
                .collect(Collectors.joining("\n"))
            + "\n";
  }

  /** Hands over to a member that has everything; nothing is accepted meanwhile. */
  private boolean stepDown(String to, long reign) {
    Peer peer = peers.get(to);
    synchronized (this) {
      if (role != Role.LEADER || term != reign || peer == null) {
        return false;
      }
      handingOver = true;
      if (!await(PATIENCE, () -> peer.match == log.size()) || role != Role.LEADER) {
        handingOver = false;
        return false;
      }
    }
    web.ask(peer.host, "/campaign?term=" + reign, "");
    synchronized (this) {
      boolean moved = await(PATIENCE, () -> role != Role.LEADER);
      handingOver = false;
      return moved;
    }
  }

  private synchronized String onCampaign(Map<String, String> q) {
    if (number(q, "term") == term && role == Role.FOLLOWER && !drain.drained()) {
      campaign(true);
    }
    return "";
  }

  /**
   * Drained, it follows and votes and takes no new work: it does not lead, which is all the work
   * there is here. Whoever leads has to hand over first. It stays so over restarts.
   */
  private synchronized boolean drain(boolean drained) {
    if (drained && role == Role.LEADER) {
      return false;
    }
    if (drained != drain.drained()) {
      drain = new Disk.Drain(drained, drain.times() + (drained ? 1 : 0));
      disk.drain(drain);
    }
    return true;
  }

  private synchronized String drained() {
    return "{\"drained\": %s, \"times\": %d}\n".formatted(drain.drained(), drain.times());
  }

  private synchronized boolean serves() {
    return switch (role) {
      case LEADER -> quorumHeard();
      case FOLLOWER -> !leader.isEmpty() && now() - heard < 2 * PATIENCE;
      case CANDIDATE -> false;
    };
  }

  private synchronized String status() {
    String lag = role == Role.LEADER ? "" : ", \"lag\": " + Math.max(0, leaderLast - log.size());
    return """
    {"name": "%s", "cluster": "%s", "version": "%s", "serves": %s,
     "raft": {"role": "%s", "leader": "%s", "term": %d, "entries": %d, "committed": %d%s}}
    """
        .formatted(
            name,
            cluster,
            System.getProperty("tally.version", "unknown"),
            serves(),
            role.name().toLowerCase(java.util.Locale.ROOT),
            leader,
            term,
            log.size(),
            commit,
            lag);
  }

  private void handle(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    Map<String, String> q = Web.query(exchange.getRequestURI());
    String body = Web.body(exchange);
    boolean post = exchange.getRequestMethod().equals("POST");
    switch (path) {
      case "/status" -> Web.answer(exchange, 200, status());
      case "/ready" -> Web.answer(exchange, serves() ? 200 : 503, "");
      case "/vote" -> Web.answer(exchange, 200, onVote(q));
      case "/append" -> Web.answer(exchange, 200, onAppend(q, body));
      case "/campaign" -> Web.answer(exchange, 200, onCampaign(q));
      case "/stepdown" ->
          Web.answer(
              exchange, stepDown(q.getOrDefault("to", ""), number(q, "term")) ? 204 : 409, "");
      case "/drain", "/undrain" -> {
        boolean put = exchange.getRequestMethod().equals("PUT");
        boolean taken = !put || drain(path.equals("/drain"));
        Web.answer(exchange, taken ? 200 : 409, taken ? drained() : "it leads\n");
      }
      case "/entries" -> {
        String done = post ? append(body.strip()) : entries();
        Web.answer(exchange, done.isEmpty() ? 503 : 200, done);
      }
      default -> Web.answer(exchange, 404, "");
    }
  }

  // ---- plumbing

  private static long number(Map<String, String> q, String key) {
    return Long.parseLong(q.getOrDefault(key, "-1"));
  }

  private long lastTerm() {
    return log.isEmpty() ? 0 : log.getLast().term();
  }

  private boolean quorumHeard() {
    long present = peers.values().stream().filter(p -> now() - p.heard < 2 * PATIENCE).count();
    return present + 1 > (peers.size() + 1) / 2;
  }

  private void vote(long newTerm, String candidate) {
    term = newTerm;
    votedFor = candidate;
    disk.vote(new Disk.Vote(term, votedFor));
  }

  private void add(List<Entry> entries) {
    disk.append(entries);
    log.addAll(entries);
    notifyAll();
  }

  private boolean await(int millis, BooleanSupplier condition) {
    long end = now() + millis;
    while (!condition.getAsBoolean()) {
      if (now() >= end) {
        return false;
      }
      pause(HEARTBEAT);
    }
    return true;
  }

  private void pause(int millis) {
    try {
      wait(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static long now() {
    return System.nanoTime() / 1_000_000;
  }
}
