/** TiKV: stores, as PD sees them, and which of them may lead regions. */
@NullMarked
package dev.belay.drivers.tikv;

import org.jspecify.annotations.NullMarked;
