/** Belay's production loop and its three ports on the simulated world. */
@NullMarked
package dev.belay.sim.operator;

import org.jspecify.annotations.NullMarked;
