/** One turn: observe, decide, record, act. */
@NullMarked
package dev.belay.core.loop;

import org.jspecify.annotations.NullMarked;
