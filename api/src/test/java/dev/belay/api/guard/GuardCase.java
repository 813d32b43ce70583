package dev.belay.api.guard;

import dev.belay.core.guard.Author;
import dev.belay.core.guard.Guard;
import dev.belay.core.guard.Guard.Named;
import dev.belay.core.guard.GuardedSet;
import dev.belay.core.guard.Mark;
import dev.belay.core.model.Workload;
import dev.belay.core.model.Workload.Kind;
import dev.belay.core.model.Workload.Update;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** One line of guard-cases.txt. */
record GuardCase(
    String name,
    String claims,
    Optional<Shape> before,
    String who,
    String verb,
    String manner,
    Shape asked,
    Optional<Shape> stored) {

  static final String OWNER = "system:serviceaccount:belay-system:belay-operator";
  static final String ANOTHER = "system:serviceaccount:belay-canary:belay-operator";
  static final String SET = "db";

  /** A StatefulSet or Deployment as far as the table looks at it. */
  record Shape(
      Kind kind,
      String template,
      boolean restarted,
      Update update,
      int partition,
      int replicas,
      boolean label,
      Optional<Mark> mark) {

    private static final Pattern FORM =
        Pattern.compile(
            "([A-Z])(\\*?)/(OnDelete|frozen|paused|rolls|\\d+)(?: x(\\d+))?( \\+label)?(?: @(\\S+))?");

    static Shape of(String text) {
      var m = FORM.matcher(text);
      if (!m.matches()) {
        throw new IllegalArgumentException("not a set: " + text);
      }
      String state = m.group(3);
      return new Shape(
          state.equals("paused") || state.equals("rolls") ? Kind.DEPLOYMENT : Kind.STATEFUL_SET,
          m.group(1),
          !m.group(2).isEmpty(),
          state.equals("OnDelete") ? Update.ON_DELETE : Update.ROLLING_UPDATE,
          switch (state) {
            case "OnDelete", "rolls" -> 0;
            case "frozen", "paused" -> Workload.FROZEN;
            default -> Integer.parseInt(state);
          },
          m.group(4) == null ? 3 : Integer.parseInt(m.group(4)),
          m.group(5) != null,
          Optional.ofNullable(m.group(6)).map(Shape::mark));
    }

    /** LABEL or LABEL=EPOCH:WHO; a label - is none. */
    private static Mark mark(String text) {
      List<String> parts = List.of(text.split("=", 2));
      String label = parts.getFirst();
      return new Mark(
          label.equals("-") ? Optional.empty() : Optional.of(label),
          parts.size() < 2
              ? Optional.empty()
              : Optional.of(
                  parts.get(1).replaceFirst(":.*", " ")
                      + account(parts.get(1).replaceFirst(".*:", ""))));
    }

    Shape marked(Mark other) {
      return new Shape(
          kind, template, restarted, update, partition, replicas, label, Optional.of(other));
    }

    boolean paused() {
      return partition == Workload.FROZEN;
    }

    /** As kubectl calls it. */
    String address() {
      return (kind == Kind.DEPLOYMENT ? "deploy/" : "sts/") + SET;
    }

    GuardedSet in(String namespace) {
      return new GuardedSet(
          kind,
          namespace,
          SET,
          template + (restarted ? "*" : ""),
          update,
          partition,
          mark.orElse(Mark.NONE));
    }

    Shape at(int other) {
      return new Shape(kind, template, restarted, update, other, replicas, label, mark);
    }
  }

  /** Every line of the table. */
  static List<GuardCase> all() {
    try (var in = GuardCase.class.getResourceAsStream("/guard-cases.txt")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines()
          .filter(l -> !l.isBlank() && !l.startsWith("#"))
          .map(GuardCase::of)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static GuardCase of(String line) {
    List<String> cells = Arrays.stream(line.split("\\|")).map(String::trim).toList();
    if (cells.size() != 7) {
      throw new IllegalArgumentException("seven cells wanted: " + line);
    }
    String[] does = cells.get(4).split(", ", 2);
    return new GuardCase(
            cells.get(0),
            cells.get(1),
            cells.get(2).equals("-") ? Optional.empty() : Optional.of(Shape.of(cells.get(2))),
            cells.get(3),
            does[0],
            does.length > 1 ? does[1] : "",
            Shape.of(cells.get(5)),
            cells.get(6).equals("refused") ? Optional.empty() : Optional.of(Shape.of(cells.get(6))))
        .complete();
  }

  /** With the marks that the table leaves out. */
  private GuardCase complete() {
    Mark owned = Mark.of("one", new Mark.Stamp(1, OWNER));
    Mark usual =
        switch (claims) {
          case "owned", "force", "two", "rivals" -> owned;
          case "unowned" -> Mark.of("one");
          default -> Mark.NONE;
        };
    Mark atFirst = before.flatMap(Shape::mark).orElse(usual);
    boolean fromManifest = created() || verb.equals("replace");
    Mark wanted = fromManifest ? Mark.NONE : atFirst;
    Mark provisional = usual.equals(owned) ? Mark.of("one", new Mark.Stamp(0, OWNER)) : usual;
    Mark result = created() ? provisional : asked.mark().orElse(atFirst);
    return new GuardCase(
        name,
        claims,
        before.map(b -> b.marked(atFirst)),
        who,
        verb,
        manner,
        asked.marked(asked.mark().orElse(wanted)),
        stored.map(s -> s.marked(s.mark().orElse(result))));
  }

  boolean created() {
    return before.isEmpty() || verb.equals("recreate");
  }

  /** What core's function says of it, asked the claims in this order. */
  Guard.Verdict judged(String namespace, List<Guard.Claim> inOrder) {
    var before = verb.equals("recreate") ? Optional.<Shape>empty() : this.before;
    return Guard.judge(
        new Guard.Write(before.map(b -> b.in(namespace)), asked.in(namespace), author()), inOrder);
  }

  private Author author() {
    boolean byHand =
        List.of("edit", "label", "annotate").contains(verb) || verb.startsWith("rollout");
    return new Author(account(who), !who.equals("dev"), byHand);
  }

  /** The user name that the API server knows. */
  static String account(String who) {
    return switch (who) {
      case "owner" -> OWNER;
      case "another" -> ANOTHER;
      case "admin" -> "root-of-all";
      case "boss", "dev" -> who;
      default -> throw new IllegalArgumentException("who is " + who + "?");
    };
  }

  /** The StatefulClusters there are, around a set in this namespace. */
  List<Guard.Claim> claimsIn(String namespace) {
    Optional<String> owner = Optional.of(OWNER);
    Kind other = asked.kind() == Kind.DEPLOYMENT ? Kind.STATEFUL_SET : Kind.DEPLOYMENT;
    List<Named> it = List.of(new Named(asked.kind(), SET));
    var one = new Guard.Claim(namespace, "one", it, owner, false);
    return switch (claims) {
      case "none" -> List.of();
      case "owned", "force" -> List.of(one);
      case "unowned" -> List.of(new Guard.Claim(namespace, "one", it, Optional.empty(), false));
      case "released" -> List.of(new Guard.Claim(namespace, "one", it, owner, true));
      case "two" -> List.of(one, new Guard.Claim(namespace, "two", it, owner, false));
      case "rivals" ->
          List.of(one, new Guard.Claim(namespace, "two", it, Optional.of(ANOTHER), false));
      case "other-set" ->
          List.of(
              new Guard.Claim(
                  namespace, "one", List.of(new Named(asked.kind(), "web")), owner, false));
      case "other-kind" ->
          List.of(new Guard.Claim(namespace, "one", List.of(new Named(other, SET)), owner, false));
      case "other-namespace" ->
          List.of(new Guard.Claim(namespace + "-next", "one", it, owner, false));
      default -> throw new IllegalArgumentException("which claims are " + claims + "?");
    };
  }
}
