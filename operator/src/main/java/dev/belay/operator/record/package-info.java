/** Writes the status and says what changed. */
@NullMarked
package dev.belay.operator.record;

import org.jspecify.annotations.NullMarked;
