/** The driver for systems of which only readiness is known. */
@NullMarked
package dev.belay.drivers.none;

import org.jspecify.annotations.NullMarked;
