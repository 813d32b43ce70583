/** The driver for any system that speaks HTTP, as its user declares it. */
@NullMarked
package dev.belay.drivers.http;

import org.jspecify.annotations.NullMarked;
