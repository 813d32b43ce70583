package dev.belay.governor.jdbc;

import dev.belay.governor.queue.Operation.Ticket;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The transactions that one PostgreSQL master holds prepared for this cluster's governor. */
final class Prepared {

  private final Session s;
  private final String prefix;

  /** One server may hold several masters, so the member is part of the name. */
  Prepared(Session s, Lease lease) {
    this.s = s;
    this.prefix = "belay:" + lease.cluster() + ":" + lease.member() + ":";
  }

  private String name(Ticket t) {
    return "'" + prefix + t.id() + ":" + t.attempt() + "'";
  }

  List<Ticket> list() throws SQLException {
    List<Ticket> out = new ArrayList<>();
    for (String gid :
        Sql.list(
            s.connection(),
            "SELECT gid FROM pg_prepared_xacts WHERE database = current_database()"
                + " AND starts_with(gid, ?) ORDER BY prepared",
            r -> r.getString(1),
            prefix)) {
      List<String> part = List.of(gid.substring(prefix.length()).split(":", -1));
      out.add(new Ticket(Long.parseLong(part.get(0)), Integer.parseInt(part.get(1))));
    }
    return out;
  }

  void prepare(Ticket t) throws SQLException {
    Sql.run(s.connection(), "PREPARE TRANSACTION " + name(t));
  }

  void tell(Ticket t, boolean commit) throws SQLException {
    Sql.run(s.connection(), (commit ? "COMMIT" : "ROLLBACK") + " PREPARED " + name(t));
  }
}
