/** Questions over HTTP and what comes back, for every driver whose system speaks JSON. */
@NullMarked
package dev.belay.drivers.wire;

import org.jspecify.annotations.NullMarked;
