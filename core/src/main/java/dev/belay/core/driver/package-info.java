/** The port behind which the clustered systems live. */
@NullMarked
package dev.belay.core.driver;

import org.jspecify.annotations.NullMarked;
