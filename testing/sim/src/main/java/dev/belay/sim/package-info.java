/** Runs of the simulated world: seeds, faults, sweeps, and the command that shows them. */
@NullMarked
package dev.belay.sim;

import org.jspecify.annotations.NullMarked;
