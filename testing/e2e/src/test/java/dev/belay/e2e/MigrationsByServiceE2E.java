package dev.belay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulClusterStatus;
import dev.belay.demo.BelayView;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Members and schema change together: a MariaDB in a pod, found by its Service. */
@ExtendWith(Arena.Provider.class)
class MigrationsByServiceE2E {

  private static final TinySet SHOP = new TinySet("shop", 2, 0, "Parallel");

  private static final String DATABASE =
      """
      apiVersion: v1
      kind: Secret
      metadata: {name: migrator}
      stringData: {username: migrator, password: change-me}
      ---
      apiVersion: v1
      kind: Service
      metadata: {name: db}
      spec:
        clusterIP: None
        selector: {app: db}
        ports: [{name: mysql, port: 3306}]
      ---
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: first}
      data:
        first.sql: |
          CREATE DATABASE shop;
          CREATE USER boss@'%' IDENTIFIED BY 'change-me-too';
          GRANT ALL ON *.* TO boss@'%' WITH GRANT OPTION;
          CREATE USER migrator@'%' IDENTIFIED BY 'change-me';
          GRANT SELECT ON shop.* TO migrator@'%';
      ---
      apiVersion: apps/v1
      kind: StatefulSet
      metadata: {name: db}
      spec:
        serviceName: db
        replicas: 1
        selector: {matchLabels: {app: db}}
        template:
          metadata: {labels: {app: db}}
          spec:
            terminationGracePeriodSeconds: 1
            containers:
            - name: mariadb
              image: mariadb:11.4
              args: [--bind-address=$(POD_IP), --skip-name-resolve, --innodb-buffer-pool-size=32M]
              env:
              - name: POD_IP
                valueFrom: {fieldRef: {fieldPath: status.podIP}}
              readinessProbe:
                tcpSocket: {port: 3306}
                periodSeconds: 1
              volumeMounts:
              - {name: data, mountPath: /var/lib/mysql}
              - {name: first, mountPath: /docker-entrypoint-initdb.d}
            volumes:
            - name: data
              emptyDir: {}
            - name: first
              configMap: {name: first}
      """;

  private static final String FILES =
      """
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: files}
      data:
        V2.0.1__orders.sql: |
          -- belay:reversible yes
          CREATE TABLE orders (n int);
          INSERT INTO imported SELECT 1;
        V2.0.2__fill.sql: |
          -- belay:phase finalize
          INSERT INTO orders SELECT n FROM imported;
      """;

  @Test
  void missing_rights_a_foreign_lock_and_half_a_script_each_stop_the_line_and_say_the_way_out(
      Arena arena) throws SQLException {
    try (Place place = arena.place("migrations-service")) {
      BelayView belay = adopted(place);
      Map<String, String> before = place.uids();
      try (Connection boss = boss(place)) {
        lock(boss);
        place.kubectl("set", "image", "sts/shop", "tiny=tiny:2.0");
        place.await("rights are missing", () -> belay.rule().equals("MigratorHasRights"));
        assertThat(belay.phase()).isEqualTo("Held");
        assertThat(belay.sentence())
            .contains("CREATE command denied to user 'migrator'@")
            .contains("cure: GRANT SELECT, INSERT");
        run(boss, cure(belay));

        place.await("the lock is seen", () -> belay.rule().equals("NoMigrationRunning"));
        assertThat(belay.sentence())
            .contains("holds the lock of the migrations")
            .contains("KILL CONNECTION " + ask(boss, "SELECT CONNECTION_ID()"));
        assertThat(place.uids()).isEqualTo(before);
      }

      place.await("half of it is there", () -> belay.phase().equals("Failed"));
      assertThat(belay.rule()).isEqualTo("MigrationsSucceed");
      assertThat(belay.sentence()).contains("imported' doesn't exist");
      assertThat(place.uids()).isEqualTo(before);

      try (Connection boss = boss(place)) {
        assertThat(ask(boss, "SELECT COUNT(*) FROM orders")).isEqualTo("0");
        run(boss, "CREATE TABLE imported (n int)");
        place.patch(
            "shop",
            "\"requests\":{\"migration\":{\"id\":1,\"action\":\"retry\",\"token\":\"there\"}}");
        place.await(
            "it ends",
            () ->
                belay.phase().equals("Idle")
                    && place.images().equals(Set.of("tiny:2.0", "mariadb:11.4")));
        assertThat(ask(boss, "SELECT COUNT(*) FROM imported")).as("once").isEqualTo("1");
        assertThat(ask(boss, "SELECT COUNT(*) FROM orders")).as("finalize").isEqualTo("1");
      }
    }
  }

  private static BelayView adopted(Place place) {
    assertThat(place.apply(SHOP.statefulSet()).ok()).isTrue();
    assertThat(place.apply(DATABASE).ok()).isTrue();
    assertThat(place.apply(FILES).ok()).isTrue();
    place.await("members and database", () -> place.ready() == 3);
    String migrations =
        """
        migrations:
          database: {service: db, name: shop, dialect: mariadb, auth: {secretName: migrator}}
          source: files
        """;
    var applied = place.apply(SHOP.statefulCluster() + migrations.indent(2));
    assertThat(applied.ok()).as(applied.output()).isTrue();
    return place.adopted("shop");
  }

  private static String cure(BelayView belay) {
    return belay.status().map(StatefulClusterStatus::blockedBy).map(b -> b.cure()).orElseThrow();
  }

  private static void lock(Connection c) throws SQLException {
    String name = "CONCAT('belay_governor_', LEFT(SHA2(DATABASE(), 256), 40))";
    assertThat(ask(c, "SELECT GET_LOCK(" + name + ", 0)")).isEqualTo("1");
  }

  private static Connection boss(Place place) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:mariadb://%s:3306/shop?sslMode=disable"
            .formatted(place.pods().get("db-0").getStatus().getPodIP()),
        "boss",
        "change-me-too");
  }

  private static void run(Connection c, String sql) throws SQLException {
    try (Statement s = c.createStatement()) {
      s.execute(sql);
    }
  }

  private static String ask(Connection c, String sql) throws SQLException {
    try (Statement s = c.createStatement();
        ResultSet r = s.executeQuery(sql)) {
      return r.next() ? r.getString(1) : "";
    }
  }
}
