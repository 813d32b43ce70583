/**
 * What one observation shows with what is recorded, and the values of a decision: step, fence,
 * reason, objection.
 */
@NullMarked
package dev.belay.core.state;

import org.jspecify.annotations.NullMarked;
