package dev.belay.governor.jdbc;

import dev.belay.governor.Refusal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The H2 user that operations run as. H2 lives in the governor's process, and an administrator of
 * H2 reads files and runs code there (FILE_READ, CREATE ALIAS); this user changes schemas and
 * tables only.
 */
final class H2User {

  static final String NAME = "BELAY_GOVERNOR";

  private static final int WRONG_USER_OR_PASSWORD = 28000;

  /** A backslash escapes a semicolon in the URL. */
  private static final Pattern LOGIN =
      Pattern.compile("(?i);(USER|PASSWORD)=((?:\\\\.|[^;\\\\])*)");

  private static final Pattern CIPHER = Pattern.compile("(?i);CIPHER=");

  private final String url;
  private final Properties login = new Properties();

  private H2User(String url, Properties given) {
    this.url = LOGIN.matcher(url).replaceAll("");
    String password = given.getProperty("password", "");
    for (Matcher m = LOGIN.matcher(url); m.find(); ) {
      if (m.group(1).equalsIgnoreCase("PASSWORD")) {
        password = m.group(2).replaceAll("\\\\(.)", "$1");
      }
    }
    login.setProperty("user", NAME);
    login.setProperty("password", password);
    // Only an administrator may apply some settings of a URL; the first session applied them.
    login.setProperty("IGNORE_UNKNOWN_SETTINGS", "TRUE");
  }

  /** Opens a session without an administrator's rights; one that has none is left as it is. */
  static Connection connect(String url, Properties given) throws SQLException {
    Connection first = DriverManager.getConnection(url, given);
    try {
      if (!isAdmin(first)) {
        return first;
      }
      Connection own = new H2User(url, given).enter(first);
      first.close();
      return own;
    } catch (SQLException | RuntimeException e) {
      first.close();
      throw e;
    }
  }

  private Connection enter(Connection admin) throws SQLException {
    // Two governors may start together; a login between the statements of setUp would fail.
    synchronized (H2User.class) {
      if (!isSetUp(admin)) {
        setUp(admin);
      }
    }
    Connection c;
    try {
      c = DriverManager.getConnection(url, login);
    } catch (SQLException e) {
      if (e.getErrorCode() != WRONG_USER_OR_PASSWORD) {
        throw e;
      }
      // The administrator has another password since.
      setUp(admin);
      c = DriverManager.getConnection(url, login);
    }
    if (isAdmin(c)) {
      c.close();
      throw new Refusal(
          "the H2 user "
              + NAME
              + " is an administrator, so that SQL could read files of this machine; fix: ALTER"
              + " USER "
              + NAME
              + " ADMIN FALSE");
    }
    return c;
  }

  /** The password is the administrator's own: whoever knows that one gains nothing by this user. */
  private void setUp(Connection admin) throws SQLException {
    String password = login.getProperty("password");
    // With a cipher it is the password of the file, a space, and the password of the user.
    String own =
        CIPHER.matcher(url).find() ? password.substring(password.indexOf(' ') + 1) : password;
    String literal = "'" + own.replace("'", "''") + "'";
    Sql.run(admin, "CREATE USER IF NOT EXISTS \"" + NAME + "\" PASSWORD " + literal);
    Sql.run(admin, "ALTER USER \"" + NAME + "\" SET PASSWORD " + literal);
    Sql.run(admin, "GRANT ALTER ANY SCHEMA TO \"" + NAME + "\"");
  }

  /** The right is granted last. */
  private static boolean isSetUp(Connection c) throws SQLException {
    return Sql.query(
            c,
            "SELECT 1 FROM INFORMATION_SCHEMA.RIGHTS WHERE UPPER(GRANTEE) = ?"
                + " AND RIGHTS = 'ALTER ANY SCHEMA'",
            r -> r.getInt(1),
            NAME)
        .isPresent();
  }

  private static boolean isAdmin(Connection c) throws SQLException {
    return Sql.query(
            c,
            "SELECT IS_ADMIN FROM INFORMATION_SCHEMA.USERS WHERE USER_NAME = CURRENT_USER",
            r -> r.getBoolean(1))
        .orElse(true);
  }
}
