/** Apache BookKeeper: bookies, who of them takes writes, and the recovery of lost copies. */
@NullMarked
package dev.belay.drivers.bookkeeper;

import org.jspecify.annotations.NullMarked;
