/** The operator's process: wiring, the reconciler that triggers the loop, what wakes it. */
@NullMarked
package dev.belay.operator;

import org.jspecify.annotations.NullMarked;
