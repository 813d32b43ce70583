/** Asks the user's own checks beside the loop and keeps their last answers. */
@NullMarked
package dev.belay.operator.checks;

import org.jspecify.annotations.NullMarked;
