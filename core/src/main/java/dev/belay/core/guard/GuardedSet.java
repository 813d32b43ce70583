package dev.belay.core.guard;

import dev.belay.core.model.Workload.Kind;
import dev.belay.core.model.Workload.Update;
import java.util.Optional;

/**
 * The fields of a workload that the guard reads, after the API server's own defaulting.
 *
 * @param template any text that is equal for equal pod templates
 * @param partition 0 where the strategy has none; frozen stands for a Deployment that is paused
 */
public record GuardedSet(
    Kind kind,
    String namespace,
    String name,
    String template,
    Update update,
    int partition,
    Mark mark) {

  GuardedSet at(int other) {
    return new GuardedSet(kind, namespace, name, template, update, other, mark);
  }

  GuardedSet with(Mark other) {
    return new GuardedSet(kind, namespace, name, template, update, partition, other);
  }

  /**
   * Whether the controller could replace pods because of this write. A new Deployment has none to
   * replace, and paused it would never get any.
   */
  boolean startsRollout(Optional<GuardedSet> before) {
    return switch (kind) {
      case STATEFUL_SET ->
          update == Update.ROLLING_UPDATE
              && before
                  .map(b -> b.update != Update.ROLLING_UPDATE || hasNewTemplate(b))
                  .orElse(true);
      case DEPLOYMENT -> before.map(this::hasNewTemplate).orElse(false);
    };
  }

  private boolean hasNewTemplate(GuardedSet before) {
    return !before.template.equals(template);
  }
}
