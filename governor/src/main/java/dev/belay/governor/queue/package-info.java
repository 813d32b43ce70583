/** The queue as a pure state machine: no I/O, no clock, no randomness; JDK only. */
@NullMarked
package dev.belay.governor.queue;

import org.jspecify.annotations.NullMarked;
