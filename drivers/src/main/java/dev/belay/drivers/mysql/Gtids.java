package dev.belay.drivers.mysql;

import dev.belay.drivers.wire.Malformed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Which transactions a server has, as far as it tells. */
sealed interface Gtids {

  /** Whether it has all that the other one has. */
  boolean reaches(Gtids other);

  /** What it has that a primary lacks and did not write itself; empty when there is nothing. */
  List<String> beyond(Gtids primary, String primaryId);

  /** What it has of which the primary does not tell whether it has it. */
  List<String> doubtful(Gtids primary, String primaryId);

  /** Who ever wrote: servers of one cluster have writers in common. */
  Set<String> origins();

  /** As the server writes it, to be waited for. */
  String text();

  /** All of it in one text, which {@link #of} reads again. */
  String whole();

  static Gtids of(Flavor flavor, String whole) {
    return switch (flavor) {
      case MARIADB -> Domains.parse(whole);
      case MYSQL -> Sets.parse(whole);
    };
  }

  /**
   * MariaDB's. Numbers count on in each domain, and unless gtid_strict_mode is on two servers may
   * give the same one to different transactions: a number alone does not say who has what.
   *
   * @param whole what was logged last in each domain, what was replicated last, and how far each
   *     server's own are logged, as in 0-1-9;0-2-5;0-1-9,0-2-5
   * @param positions the first two of them
   * @param replicated how far by replication, by domain
   * @param written how far with what each server wrote, by domain and server, as in 0-1
   */
  record Domains(
      String whole,
      String text,
      List<String> positions,
      Map<String, Long> replicated,
      Map<String, Long> written)
      implements Gtids {

    private static final Pattern GTID = Pattern.compile("(\\d+)-(\\d+)-(\\d{1,18})");

    static Domains parse(String whole) {
      String[] parts = whole.split(";", -1);
      if (parts.length != 3) {
        throw new Malformed("\"" + whole + "\" is no state of MariaDB");
      }
      List<String> positions = items(parts[0] + "," + parts[1]);
      var furthest = new TreeMap<String, String>();
      for (String gtid : positions) {
        furthest.merge(matched(gtid).group(1), gtid, (a, b) -> number(b) >= number(a) ? b : a);
      }
      var replicated = new TreeMap<String, Long>();
      items(parts[1]).forEach(g -> replicated.merge(matched(g).group(1), number(g), Math::max));
      var written = new TreeMap<String, Long>();
      items(parts[2]).forEach(g -> written.merge(writer(g), number(g), Math::max));
      return new Domains(
          whole, String.join(",", furthest.values()), positions, replicated, written);
    }

    private static String writer(String gtid) {
      return gtid.substring(0, matched(gtid).start(3) - 1);
    }

    private static long number(String gtid) {
      return Long.parseLong(matched(gtid).group(3));
    }

    private static java.util.regex.Matcher matched(String gtid) {
      var matcher = GTID.matcher(gtid);
      if (!matcher.matches()) {
        throw new Malformed("\"" + gtid + "\" is no GTID of MariaDB");
      }
      return matcher;
    }

    @Override
    public boolean reaches(Gtids other) {
      return other instanceof Domains that && that.positions.stream().allMatch(this::has);
    }

    /** By its log where that knows the writer, else because replication is past that number. */
    private boolean has(String gtid) {
      Long logged = written.get(writer(gtid));
      return (logged != null ? logged : replicated.getOrDefault(matched(gtid).group(1), -1L))
          >= number(gtid);
    }

    @Override
    public List<String> beyond(Gtids primary, String primaryId) {
      return primary instanceof Domains that
          ? foreign(primaryId).filter(g -> !that.has(g)).toList()
          : List.of();
    }

    /**
     * A primary that was seeded from a backup knows its position, not who wrote what before. That
     * of a writer it never heard of it may have, or a replica wrote it when that number was still
     * free.
     */
    @Override
    public List<String> doubtful(Gtids primary, String primaryId) {
      return primary instanceof Domains that
          ? foreign(primaryId)
              .filter(g -> that.has(g) && !that.written.containsKey(writer(g)))
              .toList()
          : List.of();
    }

    private Stream<String> foreign(String primaryId) {
      return written.entrySet().stream()
          .filter(e -> !e.getKey().endsWith("-" + primaryId))
          .map(e -> e.getKey() + "-" + e.getValue());
    }

    @Override
    public Set<String> origins() {
      return Set.copyOf(written.keySet());
    }
  }

  /** MySQL's: intervals of numbers by the server that wrote them. */
  record Sets(String text, Map<String, List<Interval>> byServer) implements Gtids {

    @Override
    public String whole() {
      return text;
    }

    /** A set says of every single transaction whether it is there. */
    @Override
    public List<String> doubtful(Gtids primary, String primaryId) {
      return List.of();
    }

    /** From one number to another, both included. */
    record Interval(long from, long to) {}

    private static final Pattern INTERVAL = Pattern.compile("(\\d{1,18})(?:-(\\d{1,18}))?");

    static Sets parse(String executed) {
      String text = executed.replaceAll("\\s", "").toLowerCase(Locale.ROOT);
      var byServer = new TreeMap<String, List<Interval>>();
      for (String item : items(text)) {
        List<String> parts = Arrays.asList(item.split(":", -1));
        if (parts.size() < 2) {
          throw new Malformed("\"" + item + "\" is no GTID set of MySQL");
        }
        String server = parts.getFirst();
        for (String part : parts.subList(1, parts.size())) {
          var interval = INTERVAL.matcher(part);
          if (interval.matches()) {
            long from = Long.parseLong(interval.group(1));
            long to = interval.group(2) == null ? from : Long.parseLong(interval.group(2));
            byServer.computeIfAbsent(server, _ -> new ArrayList<>()).add(new Interval(from, to));
          } else if (part.matches("[a-z_][a-z0-9_]{0,31}")) {
            // Tagged transactions count as those of a writer of their own.
            server = parts.getFirst() + ":" + part;
          } else {
            throw new Malformed("\"" + item + "\" is no GTID set of MySQL");
          }
        }
      }
      return new Sets(text, byServer);
    }

    @Override
    public boolean reaches(Gtids other) {
      return other instanceof Sets that
          && that.byServer.entrySet().stream()
              .allMatch(e -> e.getValue().stream().allMatch(i -> has(e.getKey(), i)));
    }

    private boolean has(String server, Interval wanted) {
      return byServer.getOrDefault(server, List.of()).stream()
          .anyMatch(i -> i.from <= wanted.from && wanted.to <= i.to);
    }

    @Override
    public List<String> beyond(Gtids primary, String primaryId) {
      return primary instanceof Sets that
          ? byServer.entrySet().stream()
              .filter(e -> !e.getKey().startsWith(primaryId))
              .filter(e -> e.getValue().stream().anyMatch(i -> !that.has(e.getKey(), i)))
              .map(Map.Entry::getKey)
              .toList()
          : List.of();
    }

    @Override
    public Set<String> origins() {
      return Set.copyOf(byServer.keySet());
    }
  }

  private static List<String> items(String text) {
    return Arrays.stream(text.split(",", -1)).map(String::strip).filter(s -> !s.isEmpty()).toList();
  }
}
