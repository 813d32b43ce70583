/** Leases: which process of this install acts, and which other installs are gone. */
@NullMarked
package dev.belay.operator.lease;

import org.jspecify.annotations.NullMarked;
