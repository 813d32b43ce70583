/** What one component does next: strategies, leadership, rollback, force, cleanups, migrations. */
@NullMarked
package dev.belay.core.rollout;

import org.jspecify.annotations.NullMarked;
