/** Every small world: breadth-first over the real planner and everything that may happen. */
@NullMarked
package dev.belay.sim.explore;

import org.jspecify.annotations.NullMarked;
