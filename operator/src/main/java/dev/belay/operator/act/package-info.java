/** Carries out one fenced step. */
@NullMarked
package dev.belay.operator.act;

import org.jspecify.annotations.NullMarked;
