/** From a snapshot to a decision: pure, no I/O, no clock, no randomness. */
@NullMarked
package dev.belay.core.decide;

import org.jspecify.annotations.NullMarked;
