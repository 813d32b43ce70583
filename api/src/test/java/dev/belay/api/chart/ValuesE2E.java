package dev.belay.api.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every value of the chart: where it takes effect, and where it is listed. */
class ValuesE2E {

  private static final Path DOCS = Path.of("../docs/install.md");

  /** Values that a user fills in as in a pod. */
  private static final Set<String> FREE = Set.of("resources", "affinity");

  /** VALUES | OBJECT | FIELD | RESULT. The last value is tried; those before it are set anyway. */
  private static final String EFFECTS =
      """
      image.repository=reg/op        | Deployment/belay-operator | /spec/template/spec/containers/0/image | reg/op:0.1.0
      image.tag=v2                   | Deployment/belay-operator | /spec/template/spec/containers/0/image | registry.example.com/belay-operator:v2
      image.tag=v2                   | Job/belay-uninstall | /spec/template/spec/containers/0/image | registry.example.com/belay-operator:v2
      image.digest=sha256:eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee | Deployment/belay-operator | /spec/template/spec/containers/0/image | registry.example.com/belay-operator:0.1.0@sha256:eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee
      image.pullPolicy=Always        | Deployment/belay-operator | /spec/template/spec/containers/0/imagePullPolicy | Always
      image.pullPolicy=Always        | Job/belay-uninstall | /spec/template/spec/containers/0/imagePullPolicy | Always
      imagePullSecrets[0].name=pull  | Deployment/belay-operator | /spec/template/spec/imagePullSecrets | [{"name":"pull"}]
      imagePullSecrets[0].name=pull  | Job/belay-uninstall | /spec/template/spec/imagePullSecrets | [{"name":"pull"}]
      replicas=3                     | Deployment/belay-operator | /spec/replicas | 3
      replicas=1                     | PodDisruptionBudget/belay-operator | /kind |
      podDisruptionBudget.enabled=false | PodDisruptionBudget/belay-operator | /kind |
      labelSelector=tier=gold        | Deployment/belay-operator | /spec/template/spec/containers/0/args | ["--install=belay","--selector=tier=gold"]
      labelSelector=tier=gold        | Job/belay-uninstall | /spec/template/spec/containers/0/args | ["--install=belay","--selector=tier=gold","--uninstall"]
      namespaces={db}                | Deployment/belay-operator | /spec/template/spec/containers/0/args | ["--install=belay","--namespace=db"]
      namespaces={db}                | Job/belay-uninstall | /spec/template/spec/containers/0/args | ["--install=belay","--namespace=db","--uninstall"]
      namespaces={db}                | ClusterRole/belay-operator | /kind |
      namespaces={db}                | Role/belay-operator | /metadata/namespace | db
      maxUpgrades=7                  | Deployment/belay-operator | /spec/template/spec/containers/0/args | ["--install=belay","--max-upgrades=7"]
      secrets.namespaces={db}        | RoleBinding/belay-operator-secrets | /metadata/namespace | db
      namespaces={db} nodes.read=false | ClusterRole/belay-operator-nodes | /kind |
      namespaces={db} otherInstalls.namespaces={canary} | RoleBinding/belay-operator-leases@canary | /kind | RoleBinding
      shared.create=false            | CustomResourceDefinition/statefulclusters.belay.dev | /kind |
      shared.create=false            | ClusterRole/belay-admin | /kind |
      shared.create=false            | ValidatingAdmissionPolicy/belay-guard | /kind |
      guard.mode=policy              | MutatingAdmissionPolicy/belay-guard | /kind | MutatingAdmissionPolicy
      uninstall.hook=false           | Job/belay-uninstall | /kind |
      namespaces={db} uninstall.hook=false | Role/belay-operator-leases | /rules/2/resources | ["leases"]
      resources.limits.memory=1Gi    | Deployment/belay-operator | /spec/template/spec/containers/0/resources | {"limits":{"memory":"1Gi"},"requests":{"cpu":"50m","memory":"128Mi"}}
      resources.requests.cpu=2       | Job/belay-uninstall | /spec/template/spec/containers/0/resources/requests/cpu | 2
      nodeSelector.disk=fast         | Deployment/belay-operator | /spec/template/spec/nodeSelector | {"disk":"fast"}
      nodeSelector.disk=fast         | Job/belay-uninstall | /spec/template/spec/nodeSelector | {"disk":"fast"}
      tolerations[0].operator=Exists | Deployment/belay-operator | /spec/template/spec/tolerations | [{"operator":"Exists"}]
      tolerations[0].operator=Exists | Job/belay-uninstall | /spec/template/spec/tolerations | [{"operator":"Exists"}]
      affinity.podAffinity.x=y       | Deployment/belay-operator | /spec/template/spec/affinity | {"podAffinity":{"x":"y"}}
      priorityClassName=high         | Deployment/belay-operator | /spec/template/spec/priorityClassName | high
      priorityClassName=high         | Job/belay-uninstall | /spec/template/spec/priorityClassName | high
      networkPolicy.enabled=true     | NetworkPolicy/belay-operator | /spec/ingress | [{"ports":[{"port":"metrics","protocol":"TCP"}]}]
      networkPolicy.enabled=true     | NetworkPolicy/belay-operator | /spec/policyTypes | ["Ingress"]
      networkPolicy.enabled=true networkPolicy.from[0].podSelector.matchLabels.app=prom | NetworkPolicy/belay-operator | /spec/ingress | [{"ports":[{"port":"metrics","protocol":"TCP"}],"from":[{"podSelector":{"matchLabels":{"app":"prom"}}}]}]
      podMonitor.enabled=true        | PodMonitor/belay-operator | /spec/podMetricsEndpoints/0/port | metrics
      podMonitor.enabled=true        | Deployment/belay-operator | /spec/template/metadata/annotations |
      podMonitor.enabled=true podMonitor.interval=5s | PodMonitor/belay-operator | /spec/podMetricsEndpoints/0/interval | 5s
      podMonitor.enabled=true podMonitor.labels.release=prom | PodMonitor/belay-operator | /metadata/labels/release | prom
      podMonitor.enabled=true prometheusRule.enabled=true | PrometheusRule/belay-operator | /spec/groups/0/rules/0/expr | absent(up{job=~"belay-system/belay-operator"} == 1)
      podMonitor.enabled=true prometheusRule.enabled=true prometheusRule.labels.release=prom | PrometheusRule/belay-operator | /metadata/labels/release | prom
      podMonitor.enabled=true prometheusRule.enabled=true prometheusRule.job=my.* | PrometheusRule/belay-operator | /spec/groups/0/rules/0/expr | absent(up{job=~"my.*"} == 1)
      """;

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = EFFECTS)
  void a_value_changes_its_field(
      String values, String object, String field, @Nullable String result) {
    List<String> set = List.of(values.split(" ", -1));
    String expected = result == null ? "" : result;
    assertThat(text(render(set.subList(0, set.size() - 1)), object, field))
        .as("without %s", set.getLast())
        .isNotEqualTo(expected);
    assertThat(text(render(set), object, field)).isEqualTo(expected);
  }

  @Test
  void the_table_above_has_every_value() throws IOException {
    var tried =
        EFFECTS
            .lines()
            .map(row -> row.substring(0, row.indexOf('|')).strip())
            .map(values -> values.substring(values.lastIndexOf(' ') + 1))
            .map(value -> value.substring(0, value.indexOf('=')))
            .toList();
    assertThat(defaults())
        .allSatisfy(key ->
            assertThat(tried)
                .as(key)
                .anyMatch(value -> value.equals(key) || value.matches(key + "[.\\[].*")));
  }

  @Test
  void every_alert_of_an_install_reads_its_own_job() {
    var rules =
        find(
                render(List.of("prometheusRule.enabled=true", "prometheusRule.job=my.*")),
                "PrometheusRule/belay-operator")
            .at("/spec/groups/0/rules");
    assertThat(rules).hasSizeGreaterThan(5);
    rules.forEach(rule ->
        assertThat(rule.get("expr").asText().split("\\{", -1))
            .as(rule.get("alert").asText())
            .hasSizeGreaterThan(1)
            .satisfies(parts ->
                assertThat(parts)
                    .filteredOn(part -> !part.startsWith("job=~\"my.*\""))
                    .hasSize(1)));
  }

  @Test
  void values_schema_and_docs_list_the_same_values() throws IOException {
    assertThat(schema()).containsExactlyInAnyOrderElementsOf(defaults());
    assertThat(documented()).containsExactlyInAnyOrderElementsOf(defaults());
  }

  private static List<String> defaults() throws IOException {
    List<String> keys = new ArrayList<>();
    addDefaults("", read(Helm.CHART.resolve("values.yaml")), keys);
    return keys;
  }

  private static void addDefaults(String key, JsonNode value, List<String> keys) {
    if (!value.isObject() || value.isEmpty() || FREE.contains(key)) {
      keys.add(key);
      return;
    }
    value
        .properties()
        .forEach(each -> addDefaults(under(key, each.getKey()), each.getValue(), keys));
  }

  private static List<String> schema() throws IOException {
    List<String> keys = new ArrayList<>();
    addSchema("", read(Helm.CHART.resolve("values.schema.json")), keys);
    // Helm passes it to every chart.
    keys.remove("global");
    return keys;
  }

  private static void addSchema(String key, JsonNode schema, List<String> keys) {
    if (!schema.has("properties") || FREE.contains(key)) {
      keys.add(key);
      return;
    }
    assertThat(schema.path("additionalProperties").asText()).as(key).isEqualTo("false");
    schema
        .get("properties")
        .properties()
        .forEach(each -> addSchema(under(key, each.getKey()), each.getValue(), keys));
  }

  /** The first column; in a row of several values a dot stands for the prefix of the first one. */
  private static List<String> documented() throws IOException {
    List<String> keys = new ArrayList<>();
    String section = Files.readString(DOCS).split("(?m)^## Values$", -1)[1].split("\n## ", -1)[0];
    for (String row : section.lines().filter(line -> line.startsWith("| `")).toList()) {
      String first = "";
      for (String key : names(row.split("\\|", -1)[1])) {
        first = first.isEmpty() ? key : first;
        keys.add(
            key.startsWith(".") ? first.substring(0, Math.max(first.indexOf('.'), 0)) + key : key);
      }
    }
    return keys;
  }

  private static List<String> names(String cell) {
    return Pattern.compile("`([^`]+)`").matcher(cell).results().map(m -> m.group(1)).toList();
  }

  private static String under(String key, String name) {
    return key.isEmpty() ? name : key + "." + name;
  }

  private static JsonNode read(Path file) throws IOException {
    return Serialization.unmarshal(Files.readString(file), JsonNode.class);
  }

  private static List<GenericKubernetesResource> render(List<String> values) {
    return Helm.FOUR.render(
        "belay",
        Stream.concat(Stream.of("--namespace=belay-system"), values.stream().map(v -> "--set=" + v))
            .toArray(String[]::new));
  }

  /** Empty where the object or the field is missing. */
  private static String text(List<GenericKubernetesResource> objects, String object, String field) {
    JsonNode value = find(objects, object).at(field);
    return value.isContainerNode() ? value.toString() : value.asText();
  }

  /** KIND/NAME, or KIND/NAME@NAMESPACE. */
  private static JsonNode find(List<GenericKubernetesResource> objects, String object) {
    return objects.stream()
        .filter(o -> {
          String name = o.getKind() + "/" + o.getMetadata().getName();
          return object.equals(name) || object.equals(name + "@" + o.getMetadata().getNamespace());
        })
        .map(o -> Serialization.unmarshal(Serialization.asJson(o), JsonNode.class))
        .findFirst()
        .orElse(MissingNode.getInstance());
  }
}
