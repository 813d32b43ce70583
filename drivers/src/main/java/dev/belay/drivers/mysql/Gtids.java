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

/** Which transactions a server has, as far as it tells. */
sealed interface Gtids {

  /** Whether it has all that the other one has. */
  boolean reaches(Gtids other);

  /** What it has that a primary lacks and did not write itself; empty when there is nothing. */
  List<String> beyond(Gtids primary, String primaryId);

  /** Who ever wrote: servers of one cluster have writers in common. */
  Set<String> origins();

  /** As the server writes it, to be waited for. */
  String text();

  static Gtids of(Flavor flavor, String position, String state) {
    return switch (flavor) {
      case MARIADB -> Domains.parse(position, state);
      case MYSQL -> Sets.parse(position);
    };
  }

  /**
   * MariaDB's: how far it is in each domain, and how far with what each server wrote into it.
   *
   * @param reached by domain
   * @param written by domain and server, as in 0-1
   */
  record Domains(String text, Map<String, Long> reached, Map<String, Long> written)
      implements Gtids {

    private static final Pattern GTID = Pattern.compile("(\\d+)-(\\d+)-(\\d{1,18})");

    static Domains parse(String position, String state) {
      var reached = new TreeMap<String, Long>();
      var furthest = new TreeMap<String, String>();
      for (String gtid : items(position)) {
        var parts = matched(gtid);
        long number = Long.parseLong(parts.group(3));
        if (number >= reached.getOrDefault(parts.group(1), -1L)) {
          reached.put(parts.group(1), number);
          furthest.put(parts.group(1), gtid);
        }
      }
      var written = new TreeMap<String, Long>();
      for (String gtid : items(state)) {
        var parts = matched(gtid);
        written.merge(
            parts.group(1) + "-" + parts.group(2), Long.parseLong(parts.group(3)), Math::max);
      }
      return new Domains(String.join(",", furthest.values()), reached, written);
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
      return other instanceof Domains that
          && that.reached.entrySet().stream()
              .allMatch(e -> reached.getOrDefault(e.getKey(), -1L) >= e.getValue());
    }

    @Override
    public List<String> beyond(Gtids primary, String primaryId) {
      return primary instanceof Domains that
          ? written.entrySet().stream()
              .filter(e -> !e.getKey().endsWith("-" + primaryId))
              .filter(e -> e.getValue() > that.has(e.getKey()))
              .map(e -> e.getKey() + "-" + e.getValue())
              .toList()
          : List.of();
    }

    /** A primary that was seeded from a backup knows its position, not who wrote what before. */
    private long has(String writer) {
      Long own = written.get(writer);
      return own != null ? own : reached.getOrDefault(writer.substring(0, writer.indexOf('-')), 0L);
    }

    @Override
    public Set<String> origins() {
      return Set.copyOf(written.keySet());
    }
  }

  /** MySQL's: intervals of numbers by the server that wrote them. */
  record Sets(String text, Map<String, List<Interval>> byServer) implements Gtids {

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
