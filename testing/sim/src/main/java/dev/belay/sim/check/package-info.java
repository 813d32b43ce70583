/** What must hold, judged from the world's truth and never from what Belay believes. */
@NullMarked
package dev.belay.sim.check;

import org.jspecify.annotations.NullMarked;
