package dev.belay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.bench.GuardCell.Guarding;
import dev.belay.bench.GuardCell.Write;
import dev.belay.core.guard.Mark;
import dev.belay.core.model.Workload;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class GuardSetsTest {

  @Test
  void a_template_has_the_size_that_the_table_says() {
    var serialization = new KubernetesSerialization();
    for (int kilobytes : GuardCell.KILOBYTES) {
      assertThat(serialization.asJson(GuardSets.template("app", kilobytes)).length())
          .isCloseTo(kilobytes * 1024, Percentage.withPercentage(3));
    }
  }

  @Test
  void only_a_labelled_set_has_a_mark_and_is_stored_frozen_though_the_write_asks_for_partition_0() {
    for (Guarding guarding : Guarding.values()) {
      var cell = new GuardCell(Write.RELEASED, 1, 1, guarding);
      var metadata = GuardSets.set(cell).getMetadata();
      assertThat(metadata.getLabels().containsKey(Mark.LABEL)).isEqualTo(cell.labelled());
      assertThat(metadata.getAnnotations().containsKey(Mark.ANNOTATION)).isEqualTo(cell.labelled());
      assertThat(GuardSets.created(cell)).isZero();
      assertThat(GuardSets.written(cell)).isEqualTo(cell.labelled() ? Workload.FROZEN : 0);
    }
  }
}
