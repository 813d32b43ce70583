package dev.belay.operator.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.core.model.Workload;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who wrote an image, read from what the API server keeps of its writers. */
class WritersTest {

  private static final Set<String> BOTH = Set.of("etcd", "copy");

  @Test
  void the_manager_of_the_image_of_each_container_is_named() {
    StatefulSet set =
        Serialization.unmarshal(
            """
            ---
            apiVersion: apps/v1
            kind: StatefulSet
            metadata:
              name: etcd
              managedFields:
              - apiVersion: apps/v1
                fieldsType: FieldsV1
                fieldsV1:
                  f:metadata: {f:labels: {.: {}, f:app: {}}}
                  f:spec:
                    f:replicas: {}
                    f:template:
                      f:metadata: {f:labels: {.: {}, f:app: {}}}
                      f:spec:
                        f:containers:
                          'k:{"name":"etcd"}': {.: {}, f:name: {}, f:resources: {}}
                        f:initContainers:
                          .: {}
                          'k:{"name":"copy"}': {.: {}, f:image: {}, f:name: {}}
                manager: helm
                operation: Update
                time: "2026-11-17T09:00:00Z"
              - apiVersion: apps/v1
                fieldsType: FieldsV1
                fieldsV1:
                  f:spec: {f:template: {f:spec: {f:containers: {'k:{"name":"etcd"}': {f:image: {}}}}}}
                manager: kubectl-set
                operation: Update
                time: "2026-11-17T10:00:00Z"
              - apiVersion: apps/v1
                fieldsType: FieldsV1
                fieldsV1:
                  f:status: {f:replicas: {}}
                manager: kube-controller-manager
                operation: Update
                subresource: status
                time: "2026-11-17T11:00:00Z"
            spec:
              template:
                spec:
                  initContainers: [{name: copy, image: "copy:1"}]
                  containers: [{name: etcd, image: "etcd:3.6.17"}]
            """,
            StatefulSet.class);

    Workload workload = Workloads.workload(new Live.Set(set));

    assertThat(workload.writers())
        .containsExactlyInAnyOrderEntriesOf(Map.of("etcd", "kubectl-set", "copy", "helm"));
  }

  @Test
  void of_several_the_last_one_counts_and_belay_never_does() {
    ObjectMeta metadata =
        metadata(
            entry("argocd-controller", "2026-11-17T12:00:00Z"),
            entry("helm", "2026-11-17T10:00:00Z"),
            entry("belay", "2026-11-17T13:00:00Z"),
            entry("dateless", null));

    assertThat(Writers.ofImages(metadata, BOTH)).isEqualTo(Map.of("etcd", "argocd-controller"));
    assertThat(Writers.ofImages(metadata(entry("belay", "2026-11-17T13:00:00Z")), BOTH)).isEmpty();
  }

  @Test
  void whatever_is_not_as_expected_names_nobody() {
    assertThat(Writers.ofImages(new ObjectMeta(), BOTH)).isEmpty();
    for (String fields :
        new String[] {
          "null",
          "{}",
          "{\"f:spec\":7}",
          "{\"f:spec\":{\"f:template\":{\"f:spec\":{\"f:containers\":{\"k:{\\\"port\\\":1}\":{\"f:image\":{}}}}}}}",
          "{\"f:spec\":{\"f:template\":{\"f:spec\":{\"f:containers\":{\"k:{\\\"name\\\":\\\"etcd\\\"}\":null}}}}}",
          "{\"f:spec\":{\"f:template\":{\"f:spec\":{\"f:containers\":{\"k:{\\\"name\\\":\\\"gone\\\"}\":{\"f:image\":{}}}}}}}"
        }) {
      ObjectMeta metadata = metadata("{\"manager\":\"helm\",\"fieldsV1\":" + fields + "}");
      assertThat(Writers.ofImages(metadata, BOTH)).as(fields).isEmpty();
    }
    assertThat(Writers.ofImages(metadata(entry(null, "2026-11-17T13:00:00Z")), BOTH)).isEmpty();
  }

  private static ObjectMeta metadata(String... entries) {
    return Serialization.unmarshal(
        "{\"managedFields\":[" + String.join(",", entries) + "]}", ObjectMeta.class);
  }

  private static String entry(String manager, String time) {
    return """
    {"manager":%s,"operation":"Update","time":%s,"fieldsV1":
      {"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\\"name\\":\\"etcd\\"}":{"f:image":{}}}}}}}}\
    """
        .formatted(quoted(manager), quoted(time));
  }

  private static String quoted(String text) {
    return text == null ? "null" : "\"" + text + "\"";
  }
}
