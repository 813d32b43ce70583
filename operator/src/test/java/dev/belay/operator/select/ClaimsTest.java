package dev.belay.operator.select;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.v1alpha1.StatefulCluster;
import dev.belay.core.state.Snapshot.Selection;
import dev.belay.core.state.Snapshot.Self;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which clusters concern an install with the selector {@code by=v1}. */
class ClaimsTest {

  private static final Leases LEASES =
      new Leases() {
        @Override
        public boolean held() {
          return true;
        }

        @Override
        public boolean expired(String lease) {
          return lease.equals("ns/gone-operator");
        }
      };

  private static final Self SELF = new Self("ns/v1", "one", "account");

  @ParameterizedTest(name = "label {0}, owner {1}: selected {2}, concerns {3}, unmanaged {4}")
  @CsvSource({
    "v1, none,          true,  true,  false",
    "v1, ours,          true,  true,  false",
    "v1, theirs,        true,  true,  false",
    "v2, none,          false, false, true",
    "v2, ours,          false, true,  false",
    "v2, ours-released, false, false, true",
    "v2, theirs,        false, false, false",
    "v2, theirs-released, false, false, true",
    "v2, gone,          false, false, true",
  })
  void says_whom_a_cluster_concerns(
      String label, String owner, boolean selected, boolean concerns, boolean unmanaged) {
    var claims = claims();
    StatefulCluster cluster = cluster(label, owner);
    assertThat(claims.selection(cluster).matches()).isEqualTo(selected);
    assertThat(claims.concerns(cluster)).isEqualTo(concerns);
    assertThat(claims.isUnmanaged(cluster)).isEqualTo(unmanaged);
  }

  @Test
  void an_owner_is_gone_only_when_its_lease_has_expired() {
    assertThat(claims().selection(cluster("v1", "gone"))).isEqualTo(new Selection(true, true));
    assertThat(claims().selection(cluster("v1", "theirs"))).isEqualTo(new Selection(true, false));
    assertThat(claims().selection(cluster("v1", "ours"))).isEqualTo(new Selection(true, false));
  }

  @Test
  void a_cluster_without_labels_is_selected_by_an_empty_selector_alone() {
    var bare = new StatefulCluster();
    bare.setMetadata(new io.fabric8.kubernetes.api.model.ObjectMeta());
    assertThat(claims().concerns(bare)).isFalse();
    assertThat(new Claims(SELF, Selector.parse(""), LEASES).concerns(bare)).isTrue();
  }

  private static Claims claims() {
    return new Claims(SELF, Selector.parse("by=v1"), LEASES);
  }

  private static StatefulCluster cluster(String label, String owner) {
    String name = owner.replace("ours", "v1").replace("theirs", "v2").replace("-released", "");
    String status =
        owner.equals("none")
            ? ""
            : "status: {owner: {install: ns/%1$s, lease: ns/%1$s-operator, released: %2$s}}"
                .formatted(name, owner.endsWith("-released"));
    return Serialization.unmarshal(
        """
        apiVersion: belay.dev/v1alpha1
        kind: StatefulCluster
        metadata: {name: x, labels: {by: %s}}
        %s
        """
            .formatted(label, status),
        StatefulCluster.class);
  }
}
