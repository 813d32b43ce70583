package dev.belay.drivers.mysql;

import dev.belay.drivers.wire.Deadline;
import dev.belay.drivers.wire.Reply;
import dev.belay.drivers.wire.Wire;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** What a failed conversation means. */
final class Trouble {

  private static final int NOT_LET_IN = 1045;
  private static final int RIGHT_MISSING = 1227;

  private Trouble() {}

  static <T> Reply<T> of(SQLException e, Deadline until) {
    Optional<String> closed =
        cause(e, ConnectException.class).map(c -> String.valueOf(c.getMessage()));
    if (closed.isPresent()) {
      // No route and no answer to the first packet come as the same exception, and prove nothing.
      return closed.get().contains("refused")
          ? new Reply.Refused<>()
          : new Reply.Failed<>("cannot be reached: " + Wire.clip(closed.get()));
    }
    if (cause(e, SocketTimeoutException.class).isPresent()) {
      return new Reply.Failed<>(until.missed());
    }
    return new Reply.Failed<>(why(e));
  }

  /** In words; a message never carries a password, and only its first line is for people. */
  static String why(SQLException e) {
    if (e.getErrorCode() == NOT_LET_IN) {
      return "does not let Belay in: check user and password";
    }
    if (e.getErrorCode() == RIGHT_MISSING) {
      return "Belay's user lacks a right: " + message(e);
    }
    Optional<UnknownHostException> name = cause(e, UnknownHostException.class);
    if (name.isPresent()) {
      return "its name does not resolve: " + name.get().getMessage();
    }
    Optional<SSLException> tls = cause(e, SSLException.class);
    return tls.map(t -> "TLS: " + t.getMessage())
        .orElseGet(() ->
            e.getErrorCode() == 0 || state(e).startsWith("08")
                ? "the conversation broke off: " + message(e)
                : "answers error " + e.getErrorCode() + ": " + message(e));
  }

  private static String state(SQLException e) {
    return e.getSQLState() == null ? "" : e.getSQLState();
  }

  private static String message(SQLException e) {
    String said = e.getMessage() == null ? "" : e.getMessage();
    String line = said.lines().findFirst().orElse("").replaceAll("^\\(conn=\\d+\\) ", "");
    return line.length() > 200 ? line.substring(0, 200) + "…" : line;
  }

  private static <T extends Throwable> Optional<T> cause(Throwable e, Class<T> type) {
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (type.isInstance(t)) {
        return Optional.of(type.cast(t));
      }
    }
    return Optional.empty();
  }
}
