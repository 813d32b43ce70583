package dev.belay.governor.jdbc;

import dev.belay.governor.Refusal;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where a database is and how to enter it.
 *
 * @param user empty: whatever the URL or the driver says
 * @param password never printed, never part of {@link #toString()}
 */
public record Target(String url, String user, Optional<String> password) {

  private static final Pattern SECRET =
      Pattern.compile(
          "(?i)(password|passwd|pwd|sslpassword|trustStorePassword|keyStorePassword)=([^&;]*)");
  private static final Pattern USER_INFO = Pattern.compile("//[^/@?;]*:[^/@]*@");

  public Target {
    if (!url.startsWith("jdbc:")) {
      throw new Refusal(
          "url \""
              + redact(url)
              + "\" is not a JDBC URL; write jdbc:postgresql://HOST/DB,"
              + " jdbc:mariadb://HOST/DB or jdbc:h2:file:PATH");
    }
  }

  /** Whether the URL itself holds a password, which the process list would show. */
  public boolean holdsPassword() {
    return !redact(url).equals(url);
  }

  /** How the database is called in messages: the URL without secrets and without parameters. */
  public String name() {
    String safe = redact(url);
    int end = safe.length();
    for (char c : new char[] {'?', ';'}) {
      int i = safe.indexOf(c);
      end = i < 0 ? end : Math.min(end, i);
    }
    return safe.substring("jdbc:".length(), end);
  }

  /** Another one at every look, it would make the same trouble look like a new one. */
  private static final Pattern CONNECTION = Pattern.compile("\\(conn=\\d+\\) ");

  /** A text of a driver, without the secrets it may quote. */
  public String scrub(String text) {
    String clean = CONNECTION.matcher(redact(text)).replaceAll("");
    if (password.isPresent() && password.get().length() > 3) {
      clean = clean.replace(password.get(), "***");
    }
    return clean;
  }

  public static String redact(String text) {
    return USER_INFO.matcher(SECRET.matcher(text).replaceAll("$1=***")).replaceAll("//***@");
  }

  @Override
  public String toString() {
    return name();
  }
}
