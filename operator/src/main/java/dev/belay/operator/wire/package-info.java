/** How the operator speaks to what users name: one request, bounded in time and size. */
@NullMarked
package dev.belay.operator.wire;

import org.jspecify.annotations.NullMarked;
