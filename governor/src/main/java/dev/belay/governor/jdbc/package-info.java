/** The queue in a real database: one small dialect per system, all of one shape. */
@NullMarked
package dev.belay.governor.jdbc;

import org.jspecify.annotations.NullMarked;
