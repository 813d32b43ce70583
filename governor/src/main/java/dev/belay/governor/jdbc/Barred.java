package dev.belay.governor.jdbc;

import java.sql.SQLException;

/** A database that cannot be entered now, because another governor is in it. */
public final class Barred extends SQLException {
  Barred(String why) {
    super(why);
  }
}
