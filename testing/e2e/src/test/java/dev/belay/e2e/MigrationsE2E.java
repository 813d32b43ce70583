package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.api.v1alpha1.StatefulClusterStatus.Migrations;
import dev.belay.api.v1alpha1.StatefulClusterStatus.WayBack;
import dev.belay.demo.BelayView;
import dev.belay.e2e.PostgresServer.Database;
import io.fabric8.kubernetes.api.model.Condition;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Members and schema change together: real pods, a real PostgreSQL. */
@ExtendWith(Arena.Provider.class)
class MigrationsE2E {

  private static @Nullable PostgresServer started;

  @BeforeAll
  static void a_database() {
    started = PostgresServer.start();
  }

  @AfterAll
  static void ends() throws IOException {
    postgres().close();
  }

  private static PostgresServer postgres() {
    return Objects.requireNonNull(started);
  }

  @Test
  void expand_finalize_contract_and_a_failed_one_goes_on_after_a_decision(Arena arena) {
    Database db = postgres().database("shop");
    db.run("CREATE TABLE customer (first_name text, last_name text)");
    db.run("INSERT INTO customer VALUES ('Ada', 'Lovelace')");
    db.run("CREATE VIEW greeting AS SELECT 'Dear ' || first_name AS hello FROM customer");
    try (Place place = arena.place("migrations")) {
      assertThat(place.apply(shop().statefulSet()).ok()).isTrue();
      place.await("all members", () -> place.ready() == 3);
      place.kubectl("apply", "-f", "examples/migrations.yaml");
      BelayView belay = place.adopted("shop");
      place.patch("shop", migrations("\"database\":{\"url\":\"%s\"},\"soak\":\"1s\"", db.url()));
      place.await("the database is seen", () -> seen(belay));

      place.kubectl("set", "image", "sts/shop", "tiny=tiny:2.0");
      place.await(
          "an approval is asked for", () -> waitingFor(belay).equals("2.0/migrations/contract"));
      assertThat(place.images()).isEqualTo(Set.of("tiny:2.0"));
      assertThat(migrations(belay).expand()).isEqualTo("done");
      assertThat(migrations(belay).finalizing()).isEqualTo("done");
      assertThat(migrations(belay).contract()).isEqualTo("pending");
      assertThat(db.ask("SELECT name FROM customer")).isEqualTo("Ada Lovelace");
      assertThat(wayBack(belay)).as("before it begins").isEmpty();

      place.patch("shop", "\"requests\":{\"approve\":\"2.0/migrations/contract\"}");
      place.await("the line stops", () -> belay.phase().equals("Failed"));
      Condition error = condition(belay, "Error");
      assertThat(error.getReason()).isEqualTo("MigrationFailed");
      assertThat(error.getMessage()).contains("greeting depends on column first_name");
      assertThat(migrations(belay).contract()).isEqualTo("failed");
      assertThat(wayBack(belay)).isEqualTo("2.0");
      assertThat(belay.is("Upgrading")).isFalse();

      db.run("DROP VIEW greeting");
      long id = failed(belay);
      place.patch(
          "shop",
          "\"requests\":{\"migration\":{\"id\":%d,\"action\":\"retry\",\"token\":\"now\"}}"
              .formatted(id));
      place.await("it ends", () -> belay.phase().equals("Idle"));
      assertThat(migrations(belay).contract()).isEqualTo("done");
      assertThat(migrations(belay).pending()).isZero();
      assertThat(
              db.ask(
                  "SELECT string_agg(column_name, ' ') FROM information_schema.columns WHERE"
                      + " table_name = 'customer'"))
          .isEqualTo("name");
      assertThat(belay.is("Error")).isFalse();
      place.await(
          "history has it", () -> belay.status().filter(s -> s.history().size() == 1).isPresent());
    }
  }

  @Test
  void back_before_an_irreversible_one_and_not_after_it(Arena arena) {
    Database db = postgres().database("back");
    try (Place place = arena.place("migrations-back")) {
      BelayView belay =
          adopted(
              place,
              db,
              Map.of(
                  "V2.1.1__a.sql", "-- belay:reversible yes\nCREATE TABLE a (n int);",
                  "V2.2.1__b.sql", "CREATE TABLE b (n int);"));
      place.kubectl("set", "image", "sts/shop", "tiny=tiny:" + TinySet.CRASHES);
      place.await("it fails", () -> belay.phase().equals("Failed"));
      assertThat(db.ask("SELECT COUNT(*) FROM a")).isEqualTo("0");
      place.patch("shop", "\"requests\":{\"rollback\":\"one\"}");
      place.await(
          "everyone is back",
          () ->
              place.images().equals(Set.of("tiny:1.0"))
                  && place.ready() == 3
                  && !belay.is("Upgrading"));

      place.kubectl("set", "image", "sts/shop", "tiny=tiny:" + TinySet.HANGS);
      place.await("the floor is said", () -> wayBack(belay).equals("2.2-hangs"));
      place.await("a member has gone", () -> place.images().contains("tiny:" + TinySet.HANGS));
      place.patch("shop", "\"requests\":{\"rollback\":\"two\"}");
      place.await("it is refused", () -> belay.rule().equals("WayBackIsOpen"));
      assertThat(belay.sentence()).contains("migration 2.2.1 (b) cannot be taken back");
      assertThat(belay.phase()).isEqualTo("Held");
      assertThat(place.images()).contains("tiny:" + TinySet.HANGS);
    }
  }

  @Test
  void an_operator_that_dies_meanwhile_runs_nothing_twice_and_members_wait(Arena arena) {
    Database db = postgres().database("killed");
    db.run("CREATE TABLE ran (what text)");
    try (Place place = arena.place("migrations-killed")) {
      BelayView belay =
          adopted(
              place,
              db,
              Map.of(
                  "V2.0.1__slow.sql",
                  "INSERT INTO ran VALUES ('expand');\nSELECT pg_sleep(8);",
                  "V2.0.2__after.sql",
                  "-- belay:phase finalize\nINSERT INTO ran VALUES ('finalize');"));
      Map<String, String> before = place.uids();
      place.kubectl("set", "image", "sts/shop", "tiny=tiny:2.0");
      place.await("it runs", () -> sleeps(db));
      assertThat(wayBack(belay)).as("said before it began").isEqualTo("2.0");
      assertThat(place.uids()).isEqualTo(before);
      arena.killOperator();
      assertThat(place.uids()).isEqualTo(before);
      place.await(
          "it runs again, or its end is known",
          () ->
              place.uids().equals(before)
                  ? ran(db, "expand").equals("1")
                  : fails("a member was touched before the migration was through"));
      place.await(
          "it ends",
          () -> belay.phase().equals("Idle") && place.images().equals(Set.of("tiny:2.0")));
      assertThat(ran(db, "expand")).isEqualTo("1");
      assertThat(ran(db, "finalize")).isEqualTo("1");
    }
  }

  private static boolean fails(String why) {
    throw new AssertionError(why);
  }

  private static String ran(Database db, String what) {
    return db.ask("SELECT COUNT(*) FROM ran WHERE what = '" + what + "'");
  }

  private static boolean sleeps(Database db) {
    return !db.ask(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = 'killed' AND query LIKE"
                + " '%pg_sleep(8)%' AND query NOT LIKE '%pg_stat_activity%' AND state = 'active'")
        .equals("0");
  }

  private static TinySet shop() {
    return new TinySet("shop", 3, 0, "Parallel");
  }

  /** Three members on 1.0, and these migrations for what comes after. */
  private static BelayView adopted(Place place, Database db, Map<String, String> files) {
    var map =
        new StringBuilder("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: files}\ndata:\n");
    files.forEach(
        (name, text) -> map.append("  ").append(name).append(": |\n").append(text.indent(4)));
    assertThat(place.apply(map.toString()).ok()).isTrue();
    place.kubectl(
        "create",
        "secret",
        "generic",
        "pw",
        "--from-literal=username=" + PostgresServer.USER,
        "--from-literal=password=" + PostgresServer.PASSWORD);
    return shop()
        .in(
            place,
            "migrations:",
            "  database: {url: \"%s\", auth: {secretName: pw}}".formatted(db.url()),
            "  source: files");
  }

  private static String migrations(String fields, String url) {
    return "\"migrations\":{" + fields.formatted(url) + "}";
  }

  private static boolean seen(BelayView belay) {
    return belay
        .status()
        .map(StatefulClusterStatus::migrations)
        .filter(m -> m.trouble() == null)
        .isPresent();
  }

  private static Migrations migrations(BelayView belay) {
    return belay.status().map(StatefulClusterStatus::migrations).orElseThrow();
  }

  private static long failed(BelayView belay) {
    return Optional.ofNullable(migrations(belay).operation()).map(o -> o.id()).orElse(0L);
  }

  private static String waitingFor(BelayView belay) {
    return text(belay, StatefulClusterStatus::waitingFor);
  }

  private static String wayBack(BelayView belay) {
    return belay.status().map(StatefulClusterStatus::wayBack).map(WayBack::floor).orElse("");
  }

  private static String text(
      BelayView belay, Function<StatefulClusterStatus, @Nullable String> of) {
    return belay.status().map(s -> Objects.requireNonNullElse(of.apply(s), "")).orElse("");
  }

  private static Condition condition(BelayView belay, String type) {
    return belay.status().stream()
        .flatMap(s -> s.conditions().stream())
        .filter(c -> c.getType().equals(type))
        .findFirst()
        .orElseThrow();
  }
}
