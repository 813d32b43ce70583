/** Trust and identity from PEM text, without files. */
@NullMarked
package dev.belay.drivers.tls;

import org.jspecify.annotations.NullMarked;
