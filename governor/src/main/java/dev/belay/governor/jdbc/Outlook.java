package dev.belay.governor.jdbc;

import dev.belay.governor.Refusal;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * What a look from outside finds, whether step zero has been done or not.
 *
 * @param lack the right that is missing to keep the queue
 * @param holder which session holds the lock, if the database can tell
 * @param desk empty without a queue, and where it cannot be read
 */
public record Outlook(
    Optional<Dialect.Lack> lack, Optional<Dialect.Holder> holder, Optional<Desk> desk) {

  /**
   * Looks; creates nothing and locks nothing.
   *
   * @throws Refusal when the database cannot be migrated at all, as a replica
   */
  public static Outlook on(List<Target> targets, String who) throws SQLException {
    Session home = Session.open(targets.getFirst(), who);
    try {
      Masters.refuseUnfit(home, targets.size() > 1);
      Optional<Dialect.Lack> lack = home.dialect().lacking(home.connection(), home.schema());
      Optional<Dialect.Holder> holder = home.dialect().holder(home.connection(), home.schema());
      if (lack.filter(Dialect.Lack::unread).isPresent()) {
        home.close();
        return new Outlook(lack, holder, Optional.empty());
      }
      return new Outlook(lack, holder, Desk.at(home, targets, who));
    } catch (SQLException | RuntimeException e) {
      home.close();
      throw e;
    }
  }
}
