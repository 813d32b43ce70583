/** Side-by-side measurements on a real control plane. */
@NullMarked
package dev.belay.bench;

import org.jspecify.annotations.NullMarked;
