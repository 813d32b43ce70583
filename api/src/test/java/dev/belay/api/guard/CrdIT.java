package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.belay.api.v1alpha1.Mapping;
import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.snapshot.Spec;
import dev.belay.core.snapshot.Workload;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The schema on a real API server: what it refuses and how, what it fills in, how it reads. */
class CrdIT {

  private static final String DRY_RUN =
      "/apis/belay.dev/v1alpha1/namespaces/default/statefulclusters?dryRun=All&fieldValidation=Strict";

  /** A spec that is refused, and what the refusal must say: field, value, cure. */
  private record Bad(String name, String spec, List<String> says) {}

  private static final List<Bad> BAD =
      List.of(
          bad("version text", version("latest"), "spec.version", "\"latest\"", "such as 3.6.1"),
          bad(
              "version text of a component",
              version("3.6.1").replace("name: db,", "name: db, version: x1,"),
              "spec.components[0].version",
              "\"x1\"",
              "such as 3.6.1"),
          bad(
              "Version without a version",
              "{trigger: Version, components: [{name: db, workload: {name: db}, driver: {type:"
                  + " etcd}, images: {db: \"db:{version}\"}}]}",
              "spec.version",
              "Required value",
              "set spec.version"),
          bad(
              "Version without images",
              "{trigger: Version, version: 3.6.1, components: [{name: db, workload: {name: db},"
                  + " driver: {type: etcd}}]}",
              "spec.components",
              "Required value",
              "give the component images"),
          bad(
              "Version with no image in images",
              version("3.6.1").replace("db: \"db:{version}\"", ""),
              "spec.components[0].images",
              "at least 1"),
          bad(
              "an image without its place for the version",
              version("3.6.1").replace("db:{version}", "db:3.6"),
              "spec.components[0].images",
              "every image needs {version}"),
          bad(
              "an image with a blank",
              version("3.6.1").replace("db:{version}", "db :{version}"),
              "spec.components[0].images",
              "no image has",
              "write it like registry.example:5000/team/etcd:{version}"),
          bad(
              "an image with a command",
              version("3.6.1").replace("db:{version}", "db:{version};id"),
              "spec.components[0].images",
              "no image has",
              "write it like registry.example:5000/team/etcd:{version}"),
          bad(
              "an image with a substitution",
              version("3.6.1").replace("db:{version}", "db:$(id){version}"),
              "spec.components[0].images",
              "no image has",
              "write it like registry.example:5000/team/etcd:{version}"),
          bad(
              "an image with another place",
              version("3.6.1").replace("db:{version}", "db:{version}-{arch}"),
              "spec.components[0].images",
              "no image has",
              "write it like registry.example:5000/team/etcd:{version}"),
          bad(
              "an image that ends nowhere",
              version("3.6.1").replace("db:{version}", "db:{version}/"),
              "spec.components[0].images",
              "no image has",
              "write it like registry.example:5000/team/etcd:{version}"),
          bad(
              "an image that is empty",
              version("3.6.1").replace("db:{version}", ""),
              "spec.components[0].images",
              "every image needs {version}"),
          bad(
              "an image for what is no container",
              version("3.6.1").replace("{db: \"", "{D B: \""),
              "spec.components[0].images",
              "name of a container"),
          bad(
              "Template with a version",
              template("", "").replace("{components", "{version: 3.6.1, components"),
              "spec.version",
              "Forbidden",
              "remove spec.version, or set spec.trigger to Version"),
          bad(
              "Template with a component's version",
              component("version: 3.6.1"),
              "spec.components",
              "Forbidden",
              "remove the component's version"),
          bad(
              "Template with images",
              component("images: {db: \"db:{version}\"}"),
              "spec.components",
              "Forbidden",
              "remove the component's images"),
          bad(
              "an unknown trigger",
              template("", "").replace("{components", "{trigger: Manual, components"),
              "spec.trigger",
              "\"Manual\"",
              "\"Template\", \"Version\""),
          bad(
              "migrations without a database",
              migrations("database: {}"),
              "spec.migrations.database",
              "needs either url"),
          bad(
              "migrations of two databases",
              migrations("database: {url: \"jdbc:postgresql://h/d\", service: db}"),
              "spec.migrations.database",
              "needs either url"),
          bad(
              "a service that is no database",
              migrations("database: {service: db}"),
              "spec.migrations.database",
              "set name, and dialect"),
          bad(
              "an embedded database",
              migrations("database: {url: \"jdbc:h2:mem:x;INIT=RUNSCRIPT\"}"),
              "spec.migrations.database.url",
              "write jdbc:postgresql://HOST:PORT/DB"),
          bad(
              "a password in the address",
              migrations("database: {url: \"jdbc:postgresql://h:5432/d?password=x\"}"),
              "spec.migrations.database.url",
              "belong into auth"),
          bad(
              "migrations of no component",
              migrations("database: {url: \"jdbc:postgresql://h/d\"}, component: nobody"),
              "spec.migrations.component",
              "names no component"),
          bad(
              "a decision that decides nothing",
              template("", "")
                  .replace(
                      "{components",
                      "{requests: {migration: {id: 1, action: resolve, token: a}}, components"),
              "spec.requests.migration",
              "set applied to true or false"),
          bad(
              "a negative soak",
              rollout("soak: -5s"),
              "spec.components[0].rollout.soak",
              "\"-5s\"",
              "from 0s to 24h",
              "10m"),
          bad(
              "a huge soak",
              rollout("soak: 25h"),
              "spec.components[0].rollout.soak",
              "\"25h\"",
              "from 0s to 24h"),
          bad(
              "a soak beyond all numbers",
              rollout("soak: 99999999999999h"),
              "spec.components[0].rollout.soak",
              "\"99999999999999h\"",
              "from 0s to 24h"),
          bad(
              "a sum beyond all numbers",
              rollout("soak: 99999h99999h"),
              "spec.components[0].rollout.soak",
              "from 0s to 24h"),
          bad(
              "a soak without a unit",
              rollout("soak: \"10\""),
              "spec.components[0].rollout.soak",
              "\"10\"",
              "write it like 500ms, 30s"),
          bad(
              "a negative readyTimeout",
              rollout("readyTimeout: -1m"),
              "spec.components[0].rollout.readyTimeout",
              "\"-1m\"",
              "above 0s, up to 24h"),
          bad(
              "a huge readyTimeout",
              rollout("readyTimeout: 1441m"),
              "spec.components[0].rollout.readyTimeout",
              "\"1441m\"",
              "above 0s, up to 24h"),
          bad(
              "no time to be ready in",
              rollout("readyTimeout: 0s"),
              "spec.components[0].rollout.readyTimeout",
              "\"0s\"",
              "every member would count as failed",
              "10m"),
          bad(
              "no time to get on in",
              rollout("readyTimeout: 1s, progressDeadline: 0m"),
              "spec.components[0].rollout.progressDeadline",
              "\"0m\"",
              "above 0s, up to 24h"),
          bad(
              "words instead of a time",
              rollout("readyTimeout: 5 minutes"),
              "spec.components[0].rollout.readyTimeout",
              "\"5 minutes\"",
              "write it like 30s"),
          bad(
              "a negative tolerance",
              rollout("tolerateUnhealthy: -1"),
              "spec.components[0].rollout.tolerateUnhealthy",
              "-1",
              "greater than or equal to 0"),
          bad(
              "a progressDeadline that is no time",
              rollout("progressDeadline: never"),
              "spec.components[0].rollout.progressDeadline",
              "\"never\"",
              "above 0s, up to 24h"),
          bad(
              "a progressDeadline below readyTimeout",
              rollout("readyTimeout: 31m"),
              "spec.components[0].rollout.progressDeadline",
              "shorter than soak plus readyTimeout",
              "raise progressDeadline (30m unless set)"),
          bad(
              "a progressDeadline below soak plus readyTimeout",
              rollout("soak: 6m, readyTimeout: 5m, progressDeadline: 10m"),
              "spec.components[0].rollout.progressDeadline",
              "shorter than soak plus readyTimeout",
              "lower the other two"),
          bad(
              "a request that would write a log of its own: approve",
              requests("approve: \"2.0/db\\nERROR forged\""),
              "spec.requests.approve",
              "a control character",
              "plain letters"),
          bad(
              "a request that would write a log of its own: retry",
              requests("retry: \"a\\u0000b\""),
              "spec.requests.retry",
              "a control character",
              "plain letters"),
          bad(
              "a request that would write a log of its own: rollback",
              requests("rollback: \"\\u202Enow\""),
              "spec.requests.rollback",
              "a control character",
              "plain letters"),
          bad(
              "a request that would write a log of its own: abort",
              requests("abort: \"now \\U0001F680\""),
              "spec.requests.abort",
              "a control character",
              "plain letters"),
          bad(
              "a decision that would write a log of its own",
              requests("migration: {id: 1, action: skip, token: \"a\\tb\"}"),
              "spec.requests.migration.token",
              "a control character",
              "plain letters"),
          bad(
              "a request that is a book",
              requests("retry: " + "x".repeat(254)),
              "spec.requests.retry",
              "253"),
          bad(
              "a pause that is a word",
              template("", "").replace("{components", "{paused: \"yes\", components"),
              "spec.paused",
              "boolean"),
          bad(
              "two components of one name",
              components("{name: a, %s}, {name: a, %s}", "{name: x}", "{name: y}"),
              "spec.components",
              "a"),
          bad(
              "a name that no pod could have",
              template("", "").replace("name: my-db", "name: " + "x".repeat(254)),
              "spec.components[0].workload.name",
              "253"),
          bad(
              "an unknown answer to failure",
              upgrade("onFailure: Retry"),
              "spec.upgrade.onFailure",
              "\"Retry\"",
              "\"Hold\", \"Rollback\""),
          bad(
              "an unknown approval",
              upgrade("approval: Always"),
              "spec.upgrade.approval",
              "\"Always\"",
              "\"BeforeComponent\", \"BeforeIrreversible\", \"BeforeLeader\", \"None\""),
          bad(
              "a path from what is no version",
              upgrade("paths: [{from: 3.5.*, to: 3.6.x}]"),
              "spec.upgrade.paths[0].from",
              "\"3.5.*\"",
              "3.5.*\": is neither a version nor the beginning of one",
              "0.12.x for all that begin with 0.12"),
          bad(
              "a path to a suffix",
              upgrade("paths: [{from: 3.5.x, to: 3.6.0-r1}]"),
              "spec.upgrade.paths[0].to",
              "\"3.6.0-r1\"",
              "a suffix is not compared, leave it out"),
          bad(
              "a path that leads nowhere",
              upgrade("paths: [{from: 3.5.x}]"),
              "spec.upgrade.paths[0].to",
              "Required value"),
          bad(
              "paused in words",
              template("", "").replace("{components", "{paused: \"yes\", components"),
              "spec.paused",
              "\"string\"",
              "boolean"),
          bad(
              "a token beyond all measure",
              template("", "")
                  .replace(
                      "{components", "{requests: {retry: " + "x".repeat(254) + "}, components"),
              "spec.requests.retry",
              "may not be more than 253"),
          bad("no component", "{components: []}", "spec.components", "at least 1"),
          bad(
              "two components of one name",
              components("{name: a, %s}, {name: a, %s}", "{name: x}", "{name: y}"),
              "spec.components[1]",
              "Duplicate value"),
          bad(
              "two components of one workload",
              components("{name: a, %s}, {name: b, %s}", "{name: x}", "{name: x}"),
              "spec.components",
              "two components name the same workload",
              "correct its workload.name or workload.kind"),
          bad(
              "a kind that is no workload",
              template("kind: DaemonSet, ", ""),
              "spec.components[0].workload.kind",
              "\"DaemonSet\"",
              "\"Deployment\", \"StatefulSet\""),
          bad(
              "a Deployment by partition",
              rollout("strategy: Partition")
                  .replace("{name: db},", "{kind: Deployment, name: db},"),
              "spec.components[0].rollout.strategy",
              "workload.kind is Deployment",
              "leave strategy out, or set it to Native"),
          bad(
              "a Deployment by eviction",
              rollout("strategy: OnDelete").replace("{name: db},", "{kind: Deployment, name: db},"),
              "spec.components[0].rollout.strategy",
              "leave strategy out, or set it to Native"),
          bad(
              "a check on the service of a Deployment after its last member",
              component("checks: {afterComponent: [{tcp: {port: 80}, ask: service}]}")
                  .replace("{name: db},", "{kind: Deployment, name: db},"),
              "spec.components[0].checks",
              "a Deployment has no governing service"),
          bad(
              "a check on the service of a Deployment",
              component("checks: {afterMember: [{tcp: {port: 80}, ask: service}]}")
                  .replace("{name: db},", "{kind: Deployment, name: db},"),
              "spec.components[0].checks",
              "a Deployment has no governing service",
              "set workload.service, or set ask to each or target"),
          bad(
              "an action around a Deployment that has no service",
              component(
                      "actions: {beforeComponent: [{http: {method: PUT, path: /quiet, port: 80}}]}")
                  .replace("{name: db},", "{kind: Deployment, name: db},"),
              "spec.components[0].actions",
              "a Deployment has no governing service",
              "set workload.service"),
          bad(
              "a quorum behind a Deployment",
              template("kind: Deployment, ", ""),
              "spec.components[0].driver.type",
              "without a look at quorum or leader",
              "use driver none, or http with minHealthy 0 and no leader"),
          bad(
              "a quorum that its controller rolls",
              rollout("strategy: Native"),
              "spec.components[0].driver.type",
              "or a StatefulSet with strategy Partition or OnDelete"),
          bad(
              "a declared quorum that its controller rolls",
              rollout("strategy: Native")
                  .replace(
                      "{type: etcd}",
                      "{type: http, port: 80, http: {path: /, healthy: {is: [ok]}}}"),
              "spec.components[0].driver.type",
              "http with minHealthy 0"),
          bad(
              "actions around members that its controller replaces",
              component(
                      "rollout: {strategy: Native}, actions: {beforeMember: [{http: {method: PUT,"
                          + " path: /drain, port: 80}}]}")
                  .replace("{type: etcd}", "{type: none}"),
              "spec.components[0].actions",
              "use beforeComponent and afterComponent"),
          bad(
              "actions after members of a Deployment",
              component("actions: {afterMember: [{http: {method: PUT, path: /warm, port: 80}}]}")
                  .replace("{type: etcd}", "{type: none}")
                  .replace("{name: db},", "{kind: Deployment, name: db},"),
              "spec.components[0].actions",
              "use beforeComponent and afterComponent"),
          bad(
              "an unknown strategy",
              rollout("strategy: Recreate"),
              "spec.components[0].rollout.strategy",
              "\"Recreate\"",
              "\"Native\", \"OnDelete\", \"Partition\""),
          bad(
              "no member at a time",
              rollout("maxUnavailable: 0"),
              "spec.components[0].rollout.maxUnavailable",
              "0",
              "greater than or equal to 1"),
          bad(
              "two at a time by partition",
              rollout("strategy: Partition, maxUnavailable: 2"),
              "spec.components[0].rollout.maxUnavailable",
              "only with strategy OnDelete",
              "set strategy to OnDelete, or leave maxUnavailable out"),
          bad(
              "two at a time by the set's own strategy",
              rollout("maxUnavailable: 2"),
              "spec.components[0].rollout.maxUnavailable",
              "set strategy to OnDelete"),
          bad(
              "a workload's name that is none",
              template("", "").replace("name: my-db", "name: My_DB"),
              "spec.components[0].workload.name",
              "\"My_DB\""),
          bad(
              "an unknown driver",
              template("", "").replace("type: etcd", "type: oracle"),
              "spec.components[0].driver.type",
              "\"oracle\"",
              "\"bookkeeper\", \"etcd\", \"http\", \"mysql\", \"none\", \"pd\", \"tikv\""),
          bad(
              "options for a system that has none",
              template("", ", options: {ensembleSize: 3}"),
              "spec.components[0].driver",
              "options are for driver bookkeeper"),
          bad(
              "a user for bookies",
              template("", ", auth: {secretName: bk}").replace("type: etcd", "type: bookkeeper"),
              "spec.components[0].driver",
              "knows no users"),
          bad(
              "an ensemble of nobody",
              template("", ", options: {ensembleSize: 0}")
                  .replace("type: etcd", "type: bookkeeper"),
              "spec.components[0].driver.options.ensembleSize",
              "equal to 1"),
          bad(
              "stores without their PD",
              template("", "").replace("type: etcd", "type: tikv"),
              "spec.components[0].driver",
              "say in tikv.pd where PD answers"),
          bad(
              "a PD for a system that has none",
              template("", ", tikv: {pd: [pd]}"),
              "spec.components[0].driver",
              "belong together"),
          bad(
              "nobody to ask for stores",
              template("", ", tikv: {pd: []}").replace("type: etcd", "type: tikv"),
              "spec.components[0].driver.tikv.pd",
              "at least 1 items"),
          bad(
              "a PD that is a URL",
              template("", ", tikv: {pd: [\"http://pd:2379\"]}")
                  .replace("type: etcd", "type: tikv"),
              "spec.components[0].driver.tikv.pd",
              "http://pd:2379"),
          bad(
              "a port of stores, which nobody asks",
              template("", ", port: 20180, tikv: {pd: [pd]}").replace("type: etcd", "type: tikv"),
              "spec.components[0].driver",
              "PD's port is part of tikv.pd"),
          bad(
              "a time for leaders that is none",
              template("", ", tikv: {pd: [pd], evictLeaderTimeout: soon}")
                  .replace("type: etcd", "type: tikv"),
              "spec.components[0].driver.tikv.evictLeaderTimeout",
              "is not a time from 0s to 24h"),
          bad(
              "no driver", "{components: [{name: db, workload: {name: db}}]}",
              "spec.components[0].driver", "Required value"),
          bad(
              "port 0",
              template("", ", port: 0"),
              "spec.components[0].driver.port",
              "0",
              "equal to 1"),
          bad(
              "port 65536",
              template("", ", port: 65536"),
              "spec.components[0].driver.port",
              "65536",
              "equal to 65535"),
          bad(
              "an unknown address",
              template("", ", address: NodeIP"),
              "spec.components[0].driver.address",
              "\"NodeIP\"",
              "\"PodDNS\", \"PodIP\""),
          bad(
              "driver none with a port",
              template("", ", port: 5").replace("type: etcd", "type: none"),
              "spec.components[0].driver",
              "Forbidden",
              "driver none asks nobody"),
          bad(
              "driver pd with a password",
              template("", ", auth: {secretName: pd}").replace("type: etcd", "type: pd"),
              "spec.components[0].driver",
              "Forbidden",
              "PD knows no users: remove auth, and give a client certificate in tls"),
          bad(
              "tls without a Secret",
              template("", ", tls: {}"),
              "spec.components[0].driver.tls.secretName",
              "Required value"),
          bad("no spec", "null", "spec", "Required value"),
          bad("a spec in words", "upgrade", "spec", "\"string\"", "object"),
          bad(
              "requests in words",
              template("", "").replace("{components", "{requests: retry, components"),
              "spec.requests",
              "\"string\"",
              "object"));

  @BeforeAll
  static void installed() {
    Plane.installed();
  }

  @TestFactory
  Stream<DynamicTest> refuses_bad_input_with_field_value_and_cure() {
    return BAD.stream().map(b -> DynamicTest.dynamicTest(b.name, () -> refused(b)));
  }

  private static void refused(Bad bad) {
    var refusal = catchThrowableOfType(KubernetesClientException.class, () -> post(bad.spec));
    assertThat(refusal).as("accepted: " + bad.spec).isNotNull();
    assertThat(refusal.getCode()).isEqualTo(422);
    assertThat(refusal.getMessage()).contains(bad.says);
  }

  @Test
  void an_unknown_field_is_named() {
    var refusal =
        catchThrowableOfType(KubernetesClientException.class, () -> post(rollout("surge: 1")));
    assertThat(refusal).hasMessageContaining("unknown field \"spec.components[0].rollout.surge\"");
  }

  @Test
  void ten_lines_are_enough_and_the_rest_is_filled_in() throws Exception {
    String example = Files.readString(Path.of("../examples/etcd-statefulcluster.yaml"));
    long lines = example.lines().filter(l -> !l.isBlank() && !l.startsWith("#")).count();
    assertThat(lines).isLessThanOrEqualTo(10);
    var answered = post(Serialization.unmarshal(example, Map.class));
    var component = answered.getSpec().components().getFirst();
    assertThat(answered.getSpec().trigger()).hasToString("TEMPLATE");
    assertThat(component.workload().kind()).hasToString("STATEFUL_SET");
    assertThat(component.rollout().soak()).isEqualTo("0s");
    assertThat(component.rollout().readyTimeout()).isEqualTo("10m");
    assertThat(component.rollout().progressDeadline()).isEqualTo("30m");
    assertThat(answered.getSpec().paused()).isFalse();
    assertThat(answered.getSpec().upgrade().onFailure()).hasToString("HOLD");
    assertThat(answered.getSpec().upgrade().approval()).hasToString("NONE");
    assertThat(component.rollout().tolerateUnhealthy()).isZero();
    assertThat(component.rollout().allowDowntime()).isFalse();
    assertThat(Mapping.spec(answered).components().getFirst().rollout())
        .isEqualTo(Spec.Rollout.DEFAULT);
  }

  @Test
  void good_input_is_taken() {
    for (String version : List.of("3.6.1", "v3.6.1-debian-12-r3", "0", "3.6.1+x")) {
      assertThat(post(version(version)).getSpec().version()).isEqualTo(version);
    }
    for (String soak : List.of("0s", "500ms", "20m", "1200s", "1200000ms")) {
      assertThat(post(rollout("soak: " + soak)).getSpec().components()).hasSize(1);
    }
    for (String most :
        List.of(
            "soak: 23h30m, readyTimeout: 30m, progressDeadline: 24h",
            "soak: 0s, readyTimeout: 1ms, progressDeadline: 1ms")) {
      assertThat(post(rollout(most)).getSpec().components()).hasSize(1);
    }
    for (String image :
        List.of(
            "db:{version}",
            "{registry}/db:{version}".replace("{registry}", "registry.example:5000"),
            "db-{version}:latest",
            "Registry.example/a_b/c--d:v{version}-alpine3.20",
            "registry.example/db:{version}@sha256:" + "0".repeat(64))) {
      assertThat(post(version("3.6.1").replace("db:{version}", image)).getSpec().components())
          .hasSize(1);
    }
    assertThat(
            post(requests("approve: 2.0/db/leader, retry: 2026-11-17 09:30, abort: \"\""))
                .getSpec()
                .requests()
                .retry())
        .isEqualTo("2026-11-17 09:30");
    assertThat(
            post(upgrade(
                    "onFailure: Rollback, paths: [{from: v3.5.x, to: 3.6.0}, {from: 3.x, to:"
                        + " \"4\"}]"))
                .getSpec()
                .upgrade()
                .paths())
        .extracting(p -> p.irreversible())
        .containsExactly(false, false);
    var tls = post(template("", ", tls: {secretName: t}, auth: {secretName: a}"));
    var driver = tls.getSpec().components().getFirst().driver();
    assertThat(driver.tls().caKey()).isEqualTo("ca.crt");
    assertThat(driver.tls().certKey()).isEqualTo("tls.crt");
    assertThat(driver.tls().keyKey()).isEqualTo("tls.key");
    assertThat(driver.auth().usernameKey()).isEqualTo("username");
    assertThat(driver.auth().passwordKey()).isEqualTo("password");
  }

  @Test
  void several_components_of_every_kind_and_strategy_are_taken() {
    var answered =
        post(
            components(
                "{name: a, %s, rollout: {strategy: OnDelete, maxUnavailable: 3}}, {name: b, %s}",
                "{name: x}", "{kind: Deployment, name: x}"));
    var core = Mapping.spec(answered).components();
    assertThat(core.getFirst().kind()).isEqualTo(Workload.Kind.STATEFUL_SET);
    assertThat(core.getFirst().rollout().strategy()).contains(Spec.Strategy.ON_DELETE);
    assertThat(core.getFirst().rollout().maxUnavailable()).isEqualTo(3);
    assertThat(core.getLast().kind()).isEqualTo(Workload.Kind.DEPLOYMENT);
    assertThat(core.getLast().rollout()).isEqualTo(Spec.Rollout.DEFAULT);
    String asked = "checks: {beforeUpgrade: [{tcp: {port: 80}, ask: each}]}";
    assertThat(
            post(component(asked)
                    .replace("{type: etcd}", "{type: none}")
                    .replace("{name: db},", "{kind: Deployment, name: db},"))
                .getSpec()
                .components())
        .hasSize(1);
    for (String good : List.of("strategy: Partition", "maxUnavailable: 1")) {
      assertThat(post(rollout(good)).getSpec().components()).as(good).hasSize(1);
    }
    String http = "{type: http, port: 80, http: {path: /, healthy: {is: [ok]}, minHealthy: 0}}";
    for (String driver : List.of("{type: none}", http)) {
      String set = rollout("strategy: Native").replace("{type: etcd}", driver);
      String deployment = set.replace("{name: db},", "{kind: Deployment, name: db},");
      assertThat(post(set).getSpec().components()).as(set).hasSize(1);
      assertThat(post(deployment).getSpec().components()).as(deployment).hasSize(1);
    }
    assertThat(Mapping.spec(post(upgrade("approval: BeforeComponent"))).upgrade().approval())
        .isEqualTo(Spec.Approval.BEFORE_COMPONENT);
  }

  @Test
  void explain_reads_well() {
    Plane.eventually(
        "the schema is published",
        () -> Plane.kubectl(Plane.adminKubeconfig(), "", "explain", "stc").exit() == 0);
    assertThat(words(Plane.must("", "explain", "stc")))
        .contains("DESCRIPTION: Deleting a StatefulCluster deletes and restarts nothing.");
    assertThat(words(Plane.must("", "explain", "stc.spec.components.checks")))
        .contains("before the first member of any component is touched")
        .contains("before the first member of this component is touched");
    assertThat(words(Plane.must("", "explain", "stc.spec.components.rollout")))
        .contains("soak <string>")
        .contains("How long each updated member must have been ready and healthy")
        .contains("Belay evicts the pods of a StatefulSet");
    assertThat(words(Plane.must("", "explain", "stc.status.blockedBy")))
        .contains("What makes it go away.");
    assertThat(words(Plane.must("", "explain", "stc.spec.requests")))
        .contains("Stop the roll-out where it stands");
    assertThat(words(Plane.must("", "explain", "stc.status.history")))
        .contains("How it ended: Completed, RolledBack, Failed or Aborted");
  }

  @Test
  void the_columns_are_those_of_the_design() {
    Plane.must(
        "{\"apiVersion\": \"belay.dev/v1alpha1\", \"kind\": \"StatefulCluster\", \"metadata\":"
            + " {\"name\": \"columns\", \"namespace\": \"default\"}, \"spec\": {\"components\":"
            + " [{\"name\": \"x\", \"workload\": {\"name\": \"x\"}, \"driver\": {\"type\":"
            + " \"none\"}}]}}",
        "apply",
        "-f",
        "-");
    assertThat(words(Plane.must("", "get", "stc", "columns")))
        .startsWith("NAME VERSION TARGET PHASE UPDATED READY BLOCKED-BY AGE");
    assertThat(Plane.must("", "get", "belay", "-o", "name")).contains("columns");
  }

  @Test
  void describe_reads_well() {
    Plane.must(
        """
        apiVersion: belay.dev/v1alpha1
        kind: StatefulCluster
        metadata: {name: described, namespace: default}
        spec: {components: [{name: front, workload: {kind: Deployment, name: web}, driver: {type: none}}]}
        """,
        "apply",
        "-f",
        "-");
    Plane.must(
        "",
        "patch",
        "stc",
        "described",
        "--subresource=status",
        "--type=merge",
        "-p",
        """
        {"status": {"phase": "Waiting", "components": [{"name": "front", "workload": "Deployment/web", "phase": "Waiting",
          "targetVersion": "2.0", "members": [{"pod": "web-1", "revision": "5d", "healthy": "true",
          "heldBy": {"rule": "OneAtATime", "object": "web-1", "reading": "web-0 goes first"}}]}]}}
        """);
    assertThat(words(Plane.must("", "describe", "stc", "described")))
        .contains("Status: Components:")
        .contains("Name: front Phase: Waiting Target Version: 2.0 Workload: Deployment/web")
        .contains("Reading: web-0 goes first Rule: OneAtATime Pod: web-1");
  }

  private static String words(String text) {
    return text.replaceAll("\\s+", " ");
  }

  private static StatefulCluster post(String spec) {
    return post(
        Serialization.unmarshal(
            """
            apiVersion: belay.dev/v1alpha1
            kind: StatefulCluster
            metadata: {name: x}
            spec: %s
            """
                .formatted(spec),
            Map.class));
  }

  private static StatefulCluster post(Map<?, ?> object) {
    return Serialization.unmarshal(
        Plane.admin().raw(DRY_RUN, "POST", Serialization.asJson(object)), StatefulCluster.class);
  }

  private static Bad bad(String name, String spec, String... says) {
    return new Bad(name, spec, List.of(says));
  }

  private static String version(String version) {
    return "{trigger: Version, version: \""
        + version
        + "\", components: [{name: db, workload: {name: db}, driver: {type: etcd}, images: {db:"
        + " \"db:{version}\"}}]}";
  }

  private static String template(String workload, String driver) {
    return "{components: [{name: db, workload: {"
        + workload
        + "name: my-db}, driver: {type: etcd"
        + driver
        + "}}]}";
  }

  /** Components with driver none, the workloads put in their places. */
  private static String components(String form, String... workloads) {
    Object[] filled =
        Stream.of(workloads).map(w -> "workload: " + w + ", driver: {type: none}").toArray();
    return "{components: [" + form.formatted(filled) + "]}";
  }

  private static String component(String more) {
    return "{components: [{name: db, workload: {name: db}, driver: {type: etcd}, " + more + "}]}";
  }

  private static String migrations(String more) {
    return template("", "")
        .replace("{components", "{migrations: {source: files, " + more + "}, components");
  }

  private static String upgrade(String more) {
    return template("", "").replace("{components", "{upgrade: {" + more + "}, components");
  }

  private static String requests(String more) {
    return template("", "").replace("{components", "{requests: {" + more + "}, components");
  }

  private static String rollout(String more) {
    return component("rollout: {" + more + "}");
  }
}
