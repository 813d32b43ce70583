/** The parts of what is seen of a cluster and asked of it: no logic but arithmetic. */
@NullMarked
package dev.belay.core.model;

import org.jspecify.annotations.NullMarked;
