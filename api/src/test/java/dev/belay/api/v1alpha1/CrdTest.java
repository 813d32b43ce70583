package dev.belay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The committed CRD is what the Java types say. */
class CrdTest {

  private static final Path GENERATED = Path.of("target/crd/statefulclusters.belay.dev-v1.yml");

  /** The one of the chart, and its copy for those who install with kubectl. */
  private static final List<Path> COMMITTED =
      List.of(Path.of("../charts/belay/files/crd.yaml"), Path.of("../deploy/shared/crd.yaml"));

  private static final String HEADER =
      """
      # Generated from the Java types in api/. Do not edit; regenerate with
      #   mvn -pl api test -Dtest=CrdTest -Dbelay.regenerate=true
      """;

  @Test
  void the_committed_crd_is_the_generated_one() throws IOException {
    String wanted = HEADER + Serialization.asYaml(finished());
    for (Path committed : COMMITTED) {
      if (Boolean.getBoolean("belay.regenerate")) {
        Files.writeString(committed, wanted);
      }
      assertThat(Files.exists(committed) ? Files.readString(committed) : "")
          .as(
              "%s has drifted; fix: mvn -pl api test -Dtest=CrdTest -Dbelay.regenerate=true",
              committed)
          .isEqualTo(wanted);
    }
  }

  @Test
  void every_field_is_described() throws IOException {
    JSONSchemaProps schema = schema(finished());
    assertThat(undescribed("spec", schema.getProperties().get("spec"))).isEmpty();
    assertThat(undescribed("status", schema.getProperties().get("status")))
        .allMatch(
            field -> field.startsWith("status.conditions[]."), "only Kubernetes' own are not");
  }

  @Test
  void the_version_rule_accepts_what_core_parses() {
    var schema = Pattern.compile(Grammar.VERSION.replace("\\\\", "\\"));
    for (String text :
        List.of(
            "3",
            "3.6.1",
            "v3.6.1",
            "3.6.1-debian-12-r3",
            "3.6.1+build.5",
            "3.6.1_x",
            "3.6rc1",
            "3.6.",
            "123456789.1",
            "1234567890",
            "",
            "v",
            "latest",
            "x3.6",
            "3..6",
            "3.6 1",
            " 3.6",
            "-3.6",
            "3.6.1\n",
            "3,6")) {
      assertThat(schema.matcher(text).matches())
          .as("version \"%s\"", text)
          .isEqualTo(dev.belay.core.model.Version.parse(text).isPresent());
    }
  }

  @Test
  void the_path_rule_accepts_what_core_compares() {
    var schema = Pattern.compile(Grammar.PATH.replace("\\\\", "\\"));
    for (String text : List.of("3", "3.6.1", "v3.6", "3.x", "v3.6.x", "0.12.x")) {
      assertThat(schema.matcher(text).matches()).as(text).isTrue();
      String numbers = text.endsWith(".x") ? text.substring(0, text.length() - 2) : text;
      assertThat(dev.belay.core.model.Version.parse(numbers)).as(text).isPresent();
    }
    for (String text : List.of("", "x", "3.6.*", "3.6.1-r1", "latest", "3.x.1", "3.6.", "3.6x")) {
      assertThat(schema.matcher(text).matches()).as(text).isFalse();
    }
  }

  /** What the annotations cannot say: the kind's description, list keys, the columns' order. */
  private static CustomResourceDefinition finished() throws IOException {
    CustomResourceDefinition crd =
        Serialization.unmarshal(Files.readString(GENERATED), CustomResourceDefinition.class);
    var version = crd.getSpec().getVersions().getFirst();
    List<String> order =
        Arrays.stream(StatefulCluster.class.getAnnotationsByType(AdditionalPrinterColumn.class))
            .map(AdditionalPrinterColumn::name)
            .toList();
    assertThat(order).isNotEmpty();
    version
        .getAdditionalPrinterColumns()
        .sort(
            Comparator.comparingInt(
                (CustomResourceColumnDefinition c) -> order.indexOf(c.getName())));
    // The API server drops zeros; with them a second apply would not be "unchanged".
    version.getAdditionalPrinterColumns().forEach(c -> c.setPriority(null));
    JSONSchemaProps schema = schema(crd);
    schema.setDescription(StatefulCluster.DESCRIPTION);
    schema.setRequired(List.of("spec"));
    JSONSchemaProps spec = schema.getProperties().get("spec");
    JSONSchemaProps status = schema.getProperties().get("status");
    spec.setDescription("What Belay shall look after, and how.");
    status.setDescription("What Belay sees, does, waits for and remembers.");
    keyed(spec.getProperties().get("components"), "name");
    keyed(status.getProperties().get("components"), "name");
    keyed(status.getProperties().get("refused"), "component");
    keyed(status.getProperties().get("conditions"), "type");
    return crd;
  }

  private static JSONSchemaProps schema(CustomResourceDefinition crd) {
    return crd.getSpec().getVersions().getFirst().getSchema().getOpenAPIV3Schema();
  }

  private static void keyed(JSONSchemaProps list, String key) {
    list.setXKubernetesListType("map");
    list.setXKubernetesListMapKeys(List.of(key));
    var items = list.getItems().getSchema();
    if (!items.getRequired().contains(key)) {
      items.setRequired(List.of(key));
    }
  }

  private static List<String> undescribed(String path, JSONSchemaProps schema) {
    Map<String, JSONSchemaProps> properties = schema.getProperties();
    var here =
        schema.getDescription() == null && !path.endsWith("[]") ? List.of(path) : List.<String>of();
    var items = schema.getItems() == null ? null : schema.getItems().getSchema();
    var below =
        properties == null
            ? List.<String>of()
            : properties.entrySet().stream()
                .flatMap(e -> undescribed(path + "." + e.getKey(), e.getValue()).stream())
                .toList();
    var inside = items == null ? List.<String>of() : undescribed(path + "[]", items);
    return Stream.of(here, below, inside).flatMap(List::stream).toList();
  }
}
