package dev.belay.api.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.api.guard.StoredRevisions.Revision;
import dev.belay.core.model.Workload.Kind;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The guard from the first request of an API server that was killed or stopped. */
class ApiServerRestartsE2E {

  /** make proof has more of them. */
  private static final int RESTARTS = Integer.getInteger("belay.restarts", 5);

  private static final Duration BETWEEN = Duration.ofSeconds(1);
  private static final String NAMESPACE = "restarts";

  @Test
  void no_template_change_is_stored_unfrozen() throws Exception {
    Plane.installed();
    World.accounts();
    World.guarded("restarts-canary");
    set();
    ObjectMeta first = metadata();
    try (var stored = StoredRevisions.after(first.getResourceVersion(), NAMESPACE, GuardCase.SET);
        var writers = new TemplateWriters(NAMESPACE, List.of("admin", "boss", "dev", "owner"))) {
      for (int restart = 0; restart < RESTARTS; restart++) {
        Thread.sleep(BETWEEN);
        writers.ready(false);
        Plane.restartApiServer(restart % 2 == 0);
        writers.ready(true);
      }
      Thread.sleep(BETWEEN);
      writers.end();

      long last = metadata().getGeneration();
      List<Revision> changes = changes(stored, first.getGeneration(), last);
      long unfrozen =
          changes.stream().filter(r -> !r.frozen()).map(Revision::generation).distinct().count();
      say(writers, last - first.getGeneration(), unfrozen);
      assertThat(writers.unfrozen).isEmpty();
      assertThat(unfrozen).isZero();
      assertThat(changes.stream().map(Revision::generation).distinct())
          .as("etcd told of every change")
          .containsExactlyElementsOf(
              LongStream.rangeClosed(first.getGeneration() + 1, last).boxed().toList());
      assertThat(last - first.getGeneration())
          .isGreaterThan(RESTARTS * 10L)
          .isGreaterThanOrEqualTo(writers.answered.get());
      assertThat(World.live(NAMESPACE)).isEqualTo(GuardCase.Shape.of("A/frozen x0 @one=1:owner"));
    }
  }

  private static void set() {
    var c = GuardCase.of("set | owned | A/0 x0 | dev | edit | A/0 x0 | A/0 x0");
    World.before(NAMESPACE, c);
    World.claim(World.owned(NAMESPACE), false);
    World.mark(NAMESPACE, c);
  }

  private static ObjectMeta metadata() {
    return World.workload(Plane.admin(), NAMESPACE, Kind.STATEFUL_SET).require().getMetadata();
  }

  /** Those that a template change made, which raises the generation; not those of the status. */
  private static List<Revision> changes(StoredRevisions stored, long first, long last)
      throws Exception {
    Plane.eventually("etcd tells of the last change", () -> highest(stored) >= last);
    return stored.all().stream().filter(r -> r.generation() > first).toList();
  }

  private static long highest(StoredRevisions stored) {
    try {
      return stored.all().stream().mapToLong(Revision::generation).max().orElse(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void say(TemplateWriters writers, long changes, long unfrozen) {
    String line =
        ("%d restarts of the API server, %d of them by SIGKILL: %d template changes stored, %d of"
                + " them unfrozen; %d answered, %d before the server was ready; %d refused, %d"
                + " unanswered")
            .formatted(
                RESTARTS,
                (RESTARTS + 1) / 2,
                changes,
                unfrozen,
                writers.answered.get(),
                writers.early.get(),
                writers.refused.get(),
                writers.unanswered.get());
    System.out.println(line);
  }
}
