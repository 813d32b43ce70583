package dev.belay.governor.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.governor.Coupling;
import dev.belay.governor.Coupling.Outcome;
import dev.belay.governor.Coupling.Outcome.Ending;
import dev.belay.governor.Coupling.Permit;
import dev.belay.governor.Standing;
import dev.belay.governor.files.Migration.Phase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Users with few rights: what a look tells them, and that the cure it names is one. */
@ParameterizedClass
@ValueSource(strings = {"PostgreSQL", "MariaDB"})
class RightsIT {

  private static final AtomicInteger USERS = new AtomicInteger();
  private static final Map<String, String> SOURCES =
      Map.of("V1__note.sql", "INSERT INTO note VALUES (1);");

  @Parameter String database;

  private Target owner;
  private Target clerk;

  @BeforeEach
  void an_owner_and_a_clerk() throws SQLException {
    boolean postgres = database.equals("PostgreSQL");
    owner = postgres ? Postgres.shared().database() : MariaDb.shared().database();
    String name = "clerk" + USERS.incrementAndGet();
    clerk = new Target(owner.url(), name, Optional.of("few-rights"));
    asOwner("CREATE TABLE note (n int)");
    if (postgres) {
      asOwner("CREATE ROLE " + name + " LOGIN PASSWORD 'few-rights'");
      asOwner("GRANT INSERT ON note TO " + name);
    } else {
      asOwner("CREATE USER " + name + "@localhost IDENTIFIED BY 'few-rights'");
      asOwner("GRANT INSERT ON note TO " + name + "@localhost");
    }
  }

  @Test
  void who_may_not_create_the_queue_is_told_what_to_grant() throws Exception {
    Standing.Denied denied = denied(clerk);
    assertThat(denied.words())
        .containsIgnoringCase("denied")
        .contains(clerk.user())
        .doesNotContain("conn=");
    if (database.equals("PostgreSQL")) {
      assertThat(known(clerk).operations()).as("there is no queue: nothing is hidden").hasSize(1);
    } else {
      assertThat(unread(clerk)).as("what is not granted is not shown: it may be there").isNotNull();
    }
    assertThat(begin(clerk).ending()).isEqualTo(Ending.REFUSED);
    grant(denied);
    assertThat(known(clerk).denied()).isEmpty();
    assertThat(begin(clerk).ending()).isEqualTo(Ending.RAN);
  }

  @Test
  void who_may_not_read_the_queue_is_told_what_to_grant() throws Exception {
    assertThat(begin(owner).ending()).isEqualTo(Ending.RAN);
    if (database.equals("MariaDB")) {
      asOwner("GRANT CREATE ON " + database() + ".* TO " + clerk.user() + "@localhost");
    }
    var unread = unread(clerk);
    assertThat(unread.denied().words()).containsIgnoringCase("denied").contains("belay_governor");
    grant(unread.denied());
    var standing = known(clerk);
    assertThat(standing.denied()).isEmpty();
    assertThat(begin(clerk).ending()).isEqualTo(Ending.DRAINED);
  }

  @Test
  void who_may_only_read_the_queue_is_told_what_to_grant_and_reads_it() throws Exception {
    assertThat(begin(owner).ending()).isEqualTo(Ending.RAN);
    for (String table : List.of("queue", "step", "master", "lease")) {
      asOwner("GRANT SELECT ON belay_governor_" + table + " TO " + user());
    }
    var standing = known(clerk);
    assertThat(standing.operations().getFirst().status()).isEqualTo(Standing.Status.DONE);
    assertThat(standing.floor()).isPresent();
    grant(standing.denied().orElseThrow());
    assertThat(known(clerk).denied()).isEmpty();
  }

  @Test
  void a_session_that_holds_the_lock_is_named_and_ended_by_the_statement_that_is_said()
      throws Exception {
    try (Session idle = Session.open(owner, "left over")) {
      assertThat(idle.lock(Options.defaults("left over").lease())).isEmpty();
      Standing.Holder holder = holder(owner);
      assertThat(holder.who()).startsWith("session ").contains(owner.user());
      assertThat(holder.idle()).isPresent();
      assertThat(holder.hidden()).isFalse();
      Outcome outcome = begin(owner);
      assertThat(outcome.ending()).as("nobody takes it away").isEqualTo(Ending.WAITING);
      assertThat(outcome.text()).contains(holder.who());
      asOwner(holder.ending());
    }
    assertThat(begin(owner).ending()).isEqualTo(Ending.RAN);
  }

  @Test
  void a_session_of_another_user_is_seen_although_its_work_is_not() throws Exception {
    grant(denied(clerk));
    try (Session other = Session.open(owner, "another")) {
      assertThat(other.lock(Options.defaults("another").lease())).isEmpty();
      assertThat(holder(clerk).hidden()).isTrue();
      assertThat(begin(clerk).text()).contains("cannot see whether it works");
    }
  }

  private static Standing.Holder holder(Target target) {
    return known(target).holder().orElseThrow();
  }

  private static Standing.Known known(Target target) {
    Standing standing = coupling(target).standing(SOURCES);
    assertThat(standing).isInstanceOf(Standing.Known.class);
    return (Standing.Known) standing;
  }

  private static Standing.Denied denied(Target target) {
    return coupling(target).standing(SOURCES) instanceof Standing.Unread unread
        ? unread.denied()
        : known(target).denied().orElseThrow();
  }

  private static Standing.Unread unread(Target target) {
    Standing standing = coupling(target).standing(SOURCES);
    assertThat(standing).isInstanceOf(Standing.Unread.class);
    return (Standing.Unread) standing;
  }

  private static Coupling coupling(Target target) {
    return new Coupling(List.of(target), List.of(), "operator");
  }

  private static Outcome begin(Target target) throws Exception {
    CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    coupling(target).begin(SOURCES, new Permit(Set.of(Phase.values()), true), outcome::complete);
    return outcome.get(60, TimeUnit.SECONDS);
  }

  private void grant(Standing.Denied denied) throws SQLException {
    for (String statement : denied.grant().split("; ")) {
      asOwner(statement);
    }
  }

  private String user() {
    return database.equals("MariaDB") ? clerk.user() + "@localhost" : clerk.user();
  }

  private String database() {
    String name = owner.name();
    return name.substring(name.lastIndexOf('/') + 1);
  }

  private void asOwner(String sql) throws SQLException {
    try (Connection c =
        database.equals("PostgreSQL") ? Postgres.connect(owner) : MariaDb.connect(owner)) {
      Sql.run(c, sql);
    }
  }
}
