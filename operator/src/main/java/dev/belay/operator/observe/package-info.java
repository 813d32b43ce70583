/** Reads the world into a snapshot; writes nothing. */
@NullMarked
package dev.belay.operator.observe;

import org.jspecify.annotations.NullMarked;
