package dev.belay.sim.world;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The garbage collector. Facts: the pods of a set that was deleted are deleted one by one, a little
 * later and whether or not there is another set of that name by then; those of one that was deleted
 * with {@code --cascade=orphan} stay.
 */
final class GarbageCollector {

  GarbageCollector(Timeline time, Store api, Trace trace, Rng rng) {
    Set<String> seen = new HashSet<>();
    api.watch(kind -> {
      if (kind != ApiServer.Kind.SET || api.exists()) {
        return;
      }
      for (PodObject pod : api.pods()) {
        if (seen.add(pod.uid())) {
          time.after(
              rng.millis(20, 400),
              () ->
                  api.whenUp(() -> {
                    trace.say("collector", "deletes " + pod.name());
                    api.writePod(pod.uid(), Optional.empty(), PodObject.State::terminate);
                  }));
        }
      }
    });
  }
}
