/** The planner run forward: what would happen if nothing went wrong. */
@NullMarked
package dev.belay.core.forecast;

import org.jspecify.annotations.NullMarked;
