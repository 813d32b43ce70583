package dev.belay.governor.files;

/**
 * Where the databases' SQL differs for somebody who only wants to find the semicolons.
 *
 * @param backslash a backslash escapes a quote in every string
 * @param backticks identifiers stand in backticks, # starts a comment, DELIMITER is understood
 * @param dollars strings stand in $tag$
 * @param nested block comments nest
 */
public record Syntax(boolean backslash, boolean backticks, boolean dollars, boolean nested) {
  public static final Syntax POSTGRES = new Syntax(false, false, true, true);
  public static final Syntax MARIADB = new Syntax(true, true, false, false);
  public static final Syntax H2 = new Syntax(false, false, true, true);
}
