/** What admission does to a guarded set, as a pure function. */
@NullMarked
package dev.belay.core.guard;

import org.jspecify.annotations.NullMarked;
