/** Sends the user's own actions, and what takes them back, beside the loop. */
@NullMarked
package dev.belay.operator.actions;

import org.jspecify.annotations.NullMarked;
