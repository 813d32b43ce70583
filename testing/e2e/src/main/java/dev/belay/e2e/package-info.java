/** The end-to-end tests: the operator and the CLI as programs, on real systems. */
@NullMarked
package dev.belay.e2e;

import org.jspecify.annotations.NullMarked;
