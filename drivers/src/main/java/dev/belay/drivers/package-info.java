/** The drivers by name, and what they are configured with. */
@NullMarked
package dev.belay.drivers;

import org.jspecify.annotations.NullMarked;
