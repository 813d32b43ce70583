package dev.belay.api.v1alpha1;

import dev.belay.api.v1alpha1.ActionSpec.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * An HTTP request of the user's that changes something. Its words hold all of it, so that what was
 * recorded can be taken back although the spec does not name it any more.
 *
 * @param service whether it goes to the service in front of the members, and not to one of them
 * @param body empty when nothing is sent along
 * @param statuses the codes that are good; empty: any 2xx
 */
public record Request(
    Method method, boolean service, int port, String path, String body, List<Integer> statuses) {

  private static final int SHOWN = 60;

  private static final Pattern WORDS =
      Pattern.compile(
          "(GET|POST|PUT|PATCH|DELETE) (service)?:([0-9]{1,5})(/\\S*)"
              + "(?: = ([0-9]{3}(?: or [0-9]{3})*))?(?: sending (.+))?",
          Pattern.DOTALL);

  public Request {
    statuses = List.copyOf(statuses);
  }

  /** The request in words, such as {@code PUT :8080/undrain = 200 or 404 sending {"a":1}}. */
  public String words() {
    return start() + (body.isEmpty() ? "" : " sending " + body);
  }

  /** The same without the end of a long body, and still unlike that of another request. */
  public String brief() {
    String line = body.replaceAll("\\s+", " ");
    if (line.length() <= SHOWN && line.equals(body)) {
      return words();
    }
    String shown = line.length() <= SHOWN ? line : line.substring(0, SHOWN) + "…";
    return "%s sending %s (#%08x)".formatted(start(), shown, body.hashCode());
  }

  private String start() {
    String codes = statuses.stream().map(String::valueOf).collect(Collectors.joining(" or "));
    return method
        + (service ? " service:" : " :")
        + port
        + path
        + (codes.isEmpty() ? "" : " = " + codes);
  }

  /** What {@link #words} said; empty when it did not. */
  public static Optional<Request> read(String words) {
    var match = WORDS.matcher(words);
    if (!match.matches()) {
      return Optional.empty();
    }
    String codes = match.group(5);
    return Optional.of(
        new Request(
            Method.valueOf(match.group(1)),
            match.group(2) != null,
            Integer.parseInt(match.group(3)),
            match.group(4),
            Optional.ofNullable(match.group(6)).orElse(""),
            codes == null
                ? List.of()
                : Arrays.stream(codes.split(" or ", -1)).map(Integer::valueOf).toList()));
  }
}
